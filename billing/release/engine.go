package release

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"gpuspend/billing"
)

// Options is what an Engine needs. Store, Reader, Opener, Now and About must be given. A nil MayAct lets nobody act, a
// nil Teller tells nobody.
type Options struct {
	Store  Store
	Reader Reader
	Opener Opener
	Teller Teller
	About  func(billing.AccountID) About
	// Checklist gives an owner's own list of what to save before a delete; nil, or an empty list, is Exports.
	Checklist func(billing.Holding) []string
	// MayAct says who may have this done; an empty list of people means nobody.
	MayAct func(who Person, h billing.Holding, v billing.Verb) bool
	// Second says of a resource and its cost of a month that whoever proposes an act on it may not approve it himself;
	// nil is never. MayApprove then says who may; nil lets nobody.
	Second     func(h billing.Holding, today billing.Money) bool
	MayApprove func(who Person, h billing.Holding) bool

	Now   func() time.Time // the product's clock, which the demo lets run fast
	Log   *slog.Logger
	Speed float64 // how much faster than real time Now runs, so that every pause is as much shorter; 0 is 1

	Settle       time.Duration // between two listings that verify; 0 is a minute
	Patience     time.Duration // how long to wait for a listing that bears an act out; 0 is half an hour
	ProposalLife time.Duration // how long a proposal or an approval waits; 0 is a quarter of an hour
	SecondLife   time.Duration // how long a proposal waits for a second person; 0 is four hours
	Stale        time.Duration // how old a listing may be to make a plan from; 0 is two hours
}

// About is what plans say of an account.
type About struct {
	Name       string
	Provider   string // the cloud's name as people know it
	Currency   billing.Currency
	MonthHours int // 0 is billing.MonthHours
}

// Engine proposes, approves, carries out and verifies. Make one with New; every method may be called at once with any
// other, on one store from several engines, too: the store's compare-and-swap decides who does it.
type Engine struct {
	o    Options
	wake chan struct{}

	mu       sync.Mutex
	followed map[ActionID]bool
	telling  map[ActionID]*telling
}

// New makes an Engine. It fails with an Invalid error where an option is missing.
func New(o Options) (*Engine, error) {
	if o.Store == nil || o.Reader == nil || o.Opener == nil || o.Now == nil || o.About == nil {
		return nil, &billing.Error{Kind: billing.Invalid, Op: "release: start", Err: errors.New("store, reader, opener, clock and accounts must be given")}
	}
	if o.MayAct == nil {
		o.MayAct = func(Person, billing.Holding, billing.Verb) bool { return false }
	}
	if o.Second == nil {
		o.Second = func(billing.Holding, billing.Money) bool { return false }
	}
	if o.MayApprove == nil {
		o.MayApprove = func(Person, billing.Holding) bool { return false }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Speed <= 0 {
		o.Speed = 1
	}
	usual := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	usual(&o.Settle, time.Minute)
	usual(&o.Patience, 30*time.Minute)
	usual(&o.ProposalLife, 15*time.Minute)
	usual(&o.SecondLife, 4*time.Hour)
	usual(&o.Stale, 2*time.Hour)
	return &Engine{o: o, wake: make(chan struct{}, 1), followed: map[ActionID]bool{}, telling: map[ActionID]*telling{}}, nil
}

// Open lists the actions that are not final, oldest first.
func (e *Engine) Open(ctx context.Context) ([]Action, error) { return e.o.Store.Open(ctx) }

// Propose writes down a person's choice and changes nothing yet. It fails with a Conflict error where the plan of now is
// not the one that was shown, refuses the choice, or another action on the resource is open.
func (e *Engine) Propose(ctx context.Context, p Proposal) (Action, error) {
	const op = "release: propose"
	plan, err := e.Plan(ctx, p.Resource)
	if err != nil {
		return Action{}, err
	}
	option, why := plan.choice(p.Verb, p.Fingerprint)
	if !why.IsZero() {
		return Action{}, conflict(op, why)
	}
	if missing := option.Unticked(p.Exported); len(missing) > 0 {
		return Action{}, conflict(op, plan.UntickedText(missing))
	}
	a, err := e.o.Store.Propose(ctx, Action{
		Account: plan.Holding.Account, Resource: plan.Holding.ID, Ref: plan.Holding.Ref, Handle: plan.Holding.Handle,
		Name: called(plan.Holding), Verb: p.Verb, State: Proposed, Fingerprint: plan.Fingerprint, By: p.By, Reason: p.Reason, Exported: p.Exported,
		Place: p.Place, Lang: p.Lang, Saves: option.Saves, StillBills: option.StillBills, ProposedAt: e.o.Now(), MovedAt: e.o.Now(),
	})
	if err != nil {
		return Action{}, err
	}
	return a, nil
}

// Approve lets an action be carried out, which Run then does. It fails with a Denied error for who may not act, and with
// a Conflict error, which names who was faster, where the action is not proposed any more.
func (e *Engine) Approve(ctx context.Context, id ActionID, who Person) (Action, error) {
	const op = "release: approve"
	a, err := e.o.Store.Action(ctx, id)
	if err != nil {
		return Action{}, err
	}
	plan, err := e.Plan(ctx, a.Resource)
	if err != nil {
		return Action{}, err
	}
	why, life := e.denied(a, who, plan), e.life(plan)
	switch {
	case !why.IsZero():
		return Action{}, &billing.Error{Kind: billing.Denied, Op: op, Say: why}
	case a.State != Proposed:
		return Action{}, conflict(op, taken(a))
	case e.o.Now().Sub(a.ProposedAt) > life:
		if a, err = e.move(ctx, a, Expired, Change{Why: billing.Say("release.expired", "after", life)}); err != nil {
			return Action{}, err
		}
		return Action{}, conflict(op, a.Why)
	}
	a, err = e.move(ctx, a, Approved, Change{Who: who, Approver: who})
	if billing.KindOf(err) == billing.Conflict {
		if now, e := e.o.Store.Action(ctx, id); e == nil {
			return Action{}, conflict(op, taken(now))
		}
	}
	if err != nil {
		return Action{}, err
	}
	e.nudge()
	return a, nil
}

// Decline ends a proposal. Who proposed it may, and who may act. It fails like Approve.
func (e *Engine) Decline(ctx context.Context, id ActionID, who Person) (Action, error) {
	const op = "release: decline"
	a, err := e.o.Store.Action(ctx, id)
	if err != nil {
		return Action{}, err
	}
	h, err := e.o.Store.Holding(ctx, a.Resource)
	if err != nil {
		return Action{}, err
	}
	proposer := who.ID != "" && who.ID == a.By.ID && who.Team == a.By.Team
	switch {
	case !proposer && !e.o.MayAct(who, h, a.Verb) && !e.o.MayApprove(who, h):
		return Action{}, &billing.Error{Kind: billing.Denied, Op: op,
			Say: billing.Say("release.denied", "account", e.o.About(a.Account).Name)}
	case a.State != Proposed:
		return Action{}, conflict(op, taken(a))
	}
	return e.move(ctx, a, Declined, Change{Who: who, Why: billing.Say("release.declined", "who", who.Name)})
}

// move makes one step, writes it down and tells of it.
func (e *Engine) move(ctx context.Context, a Action, to State, c Change) (Action, error) {
	moved, err := e.o.Store.Move(ctx, a.ID, a.State, to, e.o.Now(), c)
	if err != nil {
		return Action{}, err
	}
	e.o.Log.Info("release", "action", a.ID, "resource", a.Handle, "verb", a.Verb, "from", a.State, "to", to, "why", c.Why.Key)
	return e.tell(ctx, moved), nil
}

// nudge wakes Run.
func (e *Engine) nudge() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// taken says what became of an action that somebody wanted to decide on.
func taken(a Action) billing.Text {
	who := a.Approver.Name
	switch a.State {
	case Expired:
		return billing.Say("release.taken.expired", "name", a.called())
	case Declined:
		return billing.Say("release.taken.declined", "name", a.called())
	}
	return billing.Say("release.taken", "name", a.called(), "who", who, "at", a.MovedAt)
}

func conflict(op string, why billing.Text) error {
	return &billing.Error{Kind: billing.Conflict, Op: op, Say: why, Err: fmt.Errorf("refused: %s", why.Key)}
}

// called is what people call the resource of an action.
func (a Action) called() string {
	if a.Name != "" {
		return a.Name
	}
	return a.Ref.ID
}

// called is what people call a resource.
func called(h billing.Holding) string {
	if h.Name != "" {
		return h.Name
	}
	return h.Ref.ID
}
