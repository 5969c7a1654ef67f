package release

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"gpuspend/billing"
)

func cny(s string) billing.Money { return billing.MustMoney(s, "CNY") }

func rate(s string) billing.Rate { return billing.Rate{Hourly: cny(s)} }

// world is a cloud, a store and the people, with a place where the program can be killed.
type world struct {
	t     *testing.T
	store *memory
	cloud *cloud

	mu      sync.Mutex
	killAt  int // the number of the operation at which the program dies; 0 for never
	after   bool
	ops     int
	told    []State
	tellErr error
	refresh func(s billing.Scope) error // nil for always good
	actor   Person                      // in whose name the account was opened last
	closed  error                       // why the account can't be opened for release
	allowed []string

	rehearsal func() error // nil for a cloud that can't rehearse
	speed     float64
}

func newWorld(t *testing.T, things ...billing.Resource) *world {
	w := &world{t: t, allowed: []string{"U1", "U2"}}
	w.store = &memory{w: w, holdings: map[billing.ResourceID]billing.Holding{}, actions: map[ActionID]Action{}, readings: map[billing.Scope]billing.Reading{}}
	w.cloud = &cloud{w: w, things: things}
	for _, r := range things {
		if err := w.Refresh(context.Background(), 1, billing.Scope{Kind: r.Ref.Kind}); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(time.Second) // fake time: the first sight is older than what follows
	return w
}

func (w *world) engine() *Engine {
	e, err := New(Options{Store: w.store, Reader: w, Opener: w, Teller: w, Now: time.Now, Speed: w.speed,
		About:  func(billing.AccountID) About { return About{Name: "a-prod", Provider: "Cloud A", Currency: "CNY"} },
		MayAct: func(p Person, _ billing.Holding, _ billing.Verb) bool { return slices.Contains(w.allowed, p.ID) }})
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

// op is one thing the program does to the outside. The program can die before it or after it, as if killed: nothing of
// the program runs on.
func (w *world) op(do func()) {
	w.mu.Lock()
	w.ops++
	dies := w.ops == w.killAt
	w.mu.Unlock()
	if dies && !w.after {
		runtime.Goexit()
	}
	do()
	if dies {
		runtime.Goexit()
	}
}

func (w *world) Refresh(ctx context.Context, _ billing.AccountID, s billing.Scope) (err error) {
	w.op(func() {
		if err = ctx.Err(); err != nil {
			return
		}
		if w.refresh != nil {
			if err = w.refresh(s); err != nil {
				return
			}
		}
		w.store.observe(s, w.cloud.list(s.Kind), time.Now())
	})
	return err
}

func (w *world) OpenForRelease(ctx context.Context, _ billing.AccountID) (billing.Provider, error) {
	if who := ActorOf(ctx); who.ID != "" {
		w.mu.Lock()
		w.actor = who
		w.mu.Unlock()
	}
	if w.closed != nil {
		return nil, w.closed
	}
	switch {
	case w.cloud.onlyDeletes:
		return onlyDeletes{w.cloud}, nil
	case w.rehearsal != nil:
		return rehearsing{w.cloud, w.rehearsal}, nil
	case w.cloud.follow != nil:
		return following{w.cloud}, nil
	}
	return w.cloud, nil
}

type rehearsing struct {
	*cloud
	rehearsal func() error
}

func (r rehearsing) Rehearse(context.Context, billing.Act) error { return r.rehearsal() }

type following struct{ *cloud }

func (f following) Follow(_ context.Context, r billing.Receipt) (billing.Receipt, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.follows++
	if r.Job != f.job {
		return r, errors.New("no such job")
	}
	return f.follow()
}

type onlyDeletes struct{ c *cloud }

func (o onlyDeletes) Scopes(ctx context.Context) ([]billing.Scope, error) { return o.c.Scopes(ctx) }
func (o onlyDeletes) Resources(ctx context.Context, s billing.Scope) iter.Seq2[billing.Resource, error] {
	return o.c.Resources(ctx, s)
}
func (o onlyDeletes) Release(ctx context.Context, a billing.Act) (billing.Receipt, error) {
	return o.c.Release(ctx, a)
}

func (w *world) Tell(_ context.Context, a Action) (p Place, err error) {
	w.op(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.told = append(w.told, a.State)
		p, err = Place{Channel: "C1", Message: "m1"}, w.tellErr
	})
	return p, err
}

// cloud counts what it is told to do.
type cloud struct {
	w           *world
	mu          sync.Mutex
	things      []billing.Resource
	deletes     int
	stops       int
	tokens      []string
	takes       time.Duration // until what was ordered shows
	refuses     error         // the answer to an order that is not taken
	lost        error         // the answer to an order that is taken all the same
	inPlace     bool          // a stop that goes on billing
	panics      bool
	hangs       bool // an order that is taken is not answered until its context ends
	onlyDeletes bool
	job         string                          // of every order that is taken; "" for none
	follow      func() (billing.Receipt, error) // nil for a cloud without jobs
	follows     int
	due         []func()
	dueAt       []time.Time
}

func (c *cloud) Scopes(context.Context) ([]billing.Scope, error) { return nil, nil }
func (c *cloud) Resources(context.Context, billing.Scope) iter.Seq2[billing.Resource, error] {
	return func(func(billing.Resource, error) bool) {}
}

func (c *cloud) list(k billing.Kind) (out []billing.Resource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, at := range c.dueAt {
		if !at.IsZero() && !time.Now().Before(at) {
			c.due[i]()
			c.dueAt[i] = time.Time{}
		}
	}
	for _, r := range c.things {
		if r.Ref.Kind == k {
			out = append(out, r)
		}
	}
	return out
}

func (c *cloud) change(id string, f func(*billing.Resource)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.things {
		if c.things[i].Ref.ID == id {
			f(&c.things[i])
		}
	}
}

func (c *cloud) take(a billing.Act, count *int, effect func()) (r billing.Receipt, err error) {
	c.w.op(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.panics {
			panic("token=s3cret")
		}
		if err = c.refuses; err != nil {
			return
		}
		*count++
		c.tokens = append(c.tokens, a.Token)
		c.due, c.dueAt = append(c.due, effect), append(c.dueAt, time.Now().Add(c.takes))
		r, err = billing.Receipt{RequestID: "req-1", Job: c.job}, c.lost
	})
	return r, err
}

func (c *cloud) Release(ctx context.Context, a billing.Act) (billing.Receipt, error) {
	if c.hangs {
		defer func() { <-ctx.Done() }()
	}
	return c.take(a, &c.deletes, func() {
		c.things = slices.DeleteFunc(c.things, func(r billing.Resource) bool {
			return r.Ref.ID == a.Ref.ID || r.GoesWith && slices.Contains(r.AttachedTo, a.Ref.ID)
		})
	})
}

func (c *cloud) Stop(_ context.Context, a billing.Act) (billing.Receipt, error) {
	return c.take(a, &c.stops, func() {
		for i := range c.things {
			if r := &c.things[i]; r.Ref.ID == a.Ref.ID {
				r.State = billing.StateStopped
				if !c.inPlace {
					r.Rate = r.StoppedRate
				}
			}
		}
	})
}

// memory is a store with the promises of the real one, and no more.
type memory struct {
	w        *world
	mu       sync.Mutex
	holdings map[billing.ResourceID]billing.Holding
	readings map[billing.Scope]billing.Reading
	actions  map[ActionID]Action
	moves    []Move
}

func (m *memory) observe(s billing.Scope, listed []billing.Resource, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.readings[s] = billing.Reading{Of: billing.ReadInventory, Scope: s, CompleteAt: at}
	seen := map[string]bool{}
	for _, r := range listed {
		seen[r.Ref.ID] = true
		id := billing.ResourceID(0)
		for _, h := range m.holdings {
			if h.Ref.ID == r.Ref.ID && !h.Gone() {
				id = h.ID
			}
		}
		h := m.holdings[id]
		if id == 0 {
			h = billing.Holding{ID: billing.ResourceID(len(m.holdings) + 1), Account: 1, FirstSeen: at}
			h.Handle = fmt.Sprintf("r-%04d", h.ID)
		}
		if h.State != r.State {
			h.StateSince = at
		}
		h.Resource, h.LastSeen, h.AbsentAt = r, at, time.Time{}
		m.holdings[h.ID] = h
	}
	for id, h := range m.holdings {
		if h.Ref.Kind != s.Kind || seen[h.Ref.ID] || h.Gone() {
			continue
		}
		if h.AbsentAt.IsZero() {
			h.AbsentAt = at
		} else if at.Sub(h.AbsentAt) >= time.Second {
			h.GoneAt = at
		}
		m.holdings[id] = h
	}
}

func (m *memory) find(t *testing.T, vendorID string) billing.ResourceID {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.holdings {
		if h.Ref.ID == vendorID && !h.Gone() {
			return h.ID
		}
	}
	t.Fatalf("no %s", vendorID)
	return 0
}

func clash(why string) error {
	return &billing.Error{Kind: billing.Conflict, Op: "memory", Err: errors.New(why)}
}

func (m *memory) Propose(_ context.Context, a Action) (out Action, err error) {
	m.w.op(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, o := range m.actions {
			if o.Resource == a.Resource && !o.State.Final() {
				err = clash("open")
				return
			}
		}
		a.ID, a.State = ActionID(len(m.actions)+1), Proposed
		a.Token = fmt.Sprint("token-", a.ID)
		m.actions[a.ID] = a
		out = a
	})
	return out, err
}

func (m *memory) Move(ctx context.Context, id ActionID, from, to State, at time.Time, c Change) (a Action, err error) {
	m.w.op(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if err = ctx.Err(); err != nil {
			return
		}
		a = m.actions[id]
		if a.State != from || !May(from, to) {
			err = clash("moved")
			return
		}
		a.State, a.MovedAt = to, at
		if c.Approver.ID != "" {
			a.Approver = c.Approver
		}
		if c.RequestID != "" {
			a.RequestID = c.RequestID
		}
		if c.Job != "" {
			a.Job = c.Job
		}
		if !c.Why.IsZero() {
			a.Why = c.Why
		}
		m.actions[id] = a
		m.moves = append(m.moves, Move{Action: id, At: at, From: from, To: to, Who: c.Who, Why: c.Why})
	})
	return a, err
}

func (m *memory) Note(_ context.Context, id ActionID, p Place, seen time.Time) error {
	m.w.op(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		a := m.actions[id]
		if p != (Place{}) {
			a.Place = p
		}
		if !seen.IsZero() {
			a.SeenAt = seen
		}
		m.actions[id] = a
	})
	return nil
}

func (m *memory) Action(_ context.Context, id ActionID) (Action, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, ok := m.actions[id]
	if !ok {
		return a, &billing.Error{Kind: billing.Missing, Op: "memory"}
	}
	return a, nil
}

func (m *memory) Open(context.Context) (out []Action, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := ActionID(1); int(id) <= len(m.actions); id++ {
		if !m.actions[id].State.Final() {
			out = append(out, m.actions[id])
		}
	}
	return out, nil
}

func (m *memory) Ended(_ context.Context, since time.Time) (out []Action, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := ActionID(1); int(id) <= len(m.actions); id++ {
		if a := m.actions[id]; a.State.Final() && !a.MovedAt.Before(since) {
			out = append(out, a)
		}
	}
	return out, nil
}

func (m *memory) History(_ context.Context, id ActionID) (out []Move, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, mv := range m.moves {
		if mv.Action == id {
			out = append(out, mv)
		}
	}
	return out, nil
}

func (m *memory) Holding(_ context.Context, id billing.ResourceID) (billing.Holding, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h, ok := m.holdings[id]
	if !ok {
		return h, &billing.Error{Kind: billing.Missing, Op: "memory"}
	}
	return h, nil
}

func (m *memory) Around(context.Context, billing.AccountID) (out []billing.Holding, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := billing.ResourceID(1); int(id) <= len(m.holdings); id++ {
		if h := m.holdings[id]; !h.Gone() {
			out = append(out, h)
		}
	}
	return out, nil
}

func (m *memory) Readings(context.Context, billing.AccountID) (out []billing.Reading, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.readings {
		out = append(out, r)
	}
	return out, nil
}
