package watch

import (
	"context"
	"errors"
	"hash/fnv"
	"log/slog"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/go-co-op/gocron/v2"

	"gpuspend/billing"
)

// Account is one account to be polled, with its cloud opened for reading. An account without a provider (imported
// bills) is never polled.
type Account struct {
	billing.Account
	Provider billing.Provider
	Schedule Schedule
	Members  bool // the accounts of its organisation are listed too
}

// Schedule says how long after one reading the next begins. Zero asks for the default, a negative duration for never.
type Schedule struct {
	Balance, Inventory, Charges, Offers, Members time.Duration
}

// DefaultSchedule is how often an account is read where its configuration does not say.
func DefaultSchedule() Schedule {
	return Schedule{Balance: 5 * time.Minute, Inventory: 15 * time.Minute, Charges: time.Hour, Offers: 6 * time.Hour, Members: time.Hour}
}

// every gives the interval of one kind of reading; 0 for never.
func (s Schedule) every(of billing.ReadingOf) time.Duration {
	d, standard := time.Duration(0), DefaultSchedule()
	pick := func(own, usual time.Duration) time.Duration {
		if own == 0 {
			return usual
		}
		return max(0, own)
	}
	switch of {
	case billing.ReadBalance:
		d = pick(s.Balance, standard.Balance)
	case billing.ReadInventory:
		d = pick(s.Inventory, standard.Inventory)
	case billing.ReadCharges:
		d = pick(s.Charges, standard.Charges)
	case billing.ReadMembers:
		d = pick(s.Members, standard.Members)
	case billing.ReadOffers:
		d = pick(s.Offers, standard.Offers)
	}
	return d
}

// Options is what a Watcher needs. Store and Now must be given.
type Options struct {
	Store    Store
	Accounts []Account
	Now      func() time.Time // the product's clock, which the demo lets run fast
	Log      *slog.Logger
	Speed    float64       // how much faster than real time Now runs, so that every pause is as much shorter; 0 is 1
	Backfill time.Duration // how far back charges are read the first time; 0 is 31 days
	Timeout  time.Duration // real time after which one reading is given up; 0 is 10 minutes
	// Changed is called after every round of readings of an account, good or failed: never twice at once, and never
	// while ctx has ended. It may call Refresh, but not Poll.
	Changed func(ctx context.Context, account billing.AccountID)
}

// Watcher polls accounts. Make one with New; Poll and Refresh work without Start.
type Watcher struct {
	opts    Options
	telling chan struct{} // holds one token while Changed runs

	mu      sync.Mutex
	readers map[billing.AccountID]*reader
	sched   gocron.Scheduler // nil until Start
	ctx     context.Context  // of Start: what runs on schedule ends with it
	closed  bool
	retries sync.WaitGroup
}

// New makes a Watcher that has not begun to poll. It fails with an Invalid error where an option is missing.
func New(o Options) (*Watcher, error) {
	if o.Store == nil || o.Now == nil {
		return nil, &billing.Error{Kind: billing.Invalid, Op: "watch: start", Err: errors.New("store and clock must be given")}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Speed <= 0 {
		o.Speed = 1
	}
	if o.Backfill <= 0 {
		o.Backfill = 31 * day
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Minute
	}
	w := &Watcher{opts: o, telling: make(chan struct{}, 1), readers: map[billing.AccountID]*reader{}}
	for _, a := range o.Accounts {
		w.readers[a.ID] = newReader(w, a)
	}
	return w, nil
}

// Start begins to poll every account on its schedule, the first time within seconds, until ctx ends or Close is called.
func (w *Watcher) Start(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sched != nil {
		return &billing.Error{Kind: billing.Conflict, Op: "watch: start", Err: errors.New("already started")}
	}
	s, err := gocron.NewScheduler(gocron.WithLocation(time.UTC))
	if err != nil {
		return &billing.Error{Kind: billing.Invalid, Op: "watch: start", Err: err}
	}
	w.sched, w.ctx = s, ctx
	s.Start()
	for _, r := range w.readers {
		if err := w.schedule(r); err != nil {
			return err
		}
	}
	return nil
}

// Close ends polling and waits, at most until ctx ends, for readings under way, which are told to end.
func (w *Watcher) Close(ctx context.Context) error {
	w.mu.Lock()
	s := w.sched
	w.closed = true
	for _, r := range w.readers {
		r.end()
	}
	w.mu.Unlock()
	if s == nil {
		return nil
	}
	err := s.ShutdownWithContext(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); w.retries.Wait() }()
	select {
	case <-ended:
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	if err != nil {
		return &billing.Error{Kind: billing.Upstream, Op: "watch: close", Err: err}
	}
	return nil
}

// Apply changes the set of accounts without a restart: accounts that are new or have changed begin, those that are no
// longer named end, the others go on undisturbed.
func (w *Watcher) Apply(accounts []Account) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	named := map[billing.AccountID]bool{}
	for _, a := range accounts {
		named[a.ID] = true
		old := w.readers[a.ID]
		if old != nil && same(old.account, a) {
			continue
		}
		if old != nil {
			w.drop(old)
		}
		r := newReader(w, a)
		w.readers[a.ID] = r
		if err := w.schedule(r); err != nil {
			return err
		}
	}
	for id, r := range w.readers {
		if !named[id] {
			w.drop(r)
			delete(w.readers, id)
		}
	}
	return nil
}

func same(x, y Account) bool {
	if x.Schedule != y.Schedule || x.ID != y.ID || x.Name != y.Name || x.Driver != y.Driver {
		return false
	}
	t, u := reflect.TypeOf(x.Provider), reflect.TypeOf(y.Provider)
	return t == u && (t == nil || t.Comparable() && x.Provider == y.Provider)
}

func (w *Watcher) drop(r *reader) {
	r.end()
	if w.sched != nil {
		w.sched.RemoveByTags(r.tag())
	}
}

// schedule gives a reader its jobs, where the watcher has been started. The caller holds mu.
func (w *Watcher) schedule(r *reader) error {
	if w.sched == nil || r.account.Provider == nil {
		return nil
	}
	for _, of := range readings() {
		every := r.account.Schedule.every(of)
		if every == 0 || !r.can(of) {
			continue
		}
		wait := w.jitter(r.account.ID, of, every)
		task := func(ctx context.Context) {
			if pause(ctx, wait) {
				wait = 0
				r.round(ctx, of, r.settled)
			}
		}
		_, err := w.sched.NewJob(gocron.DurationJob(w.scaled(every)), gocron.NewTask(task),
			gocron.WithName(r.account.Name+" "+string(of)), gocron.WithTags(r.tag()), gocron.WithContext(r.live(w.ctx)),
			gocron.WithSingletonMode(gocron.LimitModeReschedule), gocron.WithIntervalFromCompletion(),
			gocron.WithStartAt(gocron.WithStartImmediately()))
		if err != nil {
			return &billing.Error{Kind: billing.Invalid, Op: "watch: schedule " + r.account.Name, Err: err}
		}
	}
	return nil
}

// again reads one thing once more after a while, outside its schedule; false where nothing is scheduled any more. It is
// no job of the scheduler, which starts a job with a limited number of runs anew while its last run goes on.
func (w *Watcher) again(r *reader, it item, after time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sched == nil || w.closed || w.readers[r.account.ID] != r {
		return false
	}
	ctx := r.live(w.ctx)
	w.retries.Go(func() {
		if pause(ctx, w.scaled(after)) {
			r.retry(ctx, it)
		}
	})
	return true
}

// scaled is a pause of the product's clock in real time.
func (w *Watcher) scaled(d time.Duration) time.Duration {
	return max(time.Millisecond, time.Duration(float64(d)/w.opts.Speed))
}

// jitter keeps accounts from being read all at once: the same share of a tenth of the interval, at most half a minute,
// for an account and a kind of reading at every start.
func (w *Watcher) jitter(id billing.AccountID, of billing.ReadingOf, every time.Duration) time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strconv.FormatInt(int64(id), 10) + string(of)))
	most := min(every/10, 30*time.Second)
	return time.Duration(float64(most) / w.opts.Speed * float64(h.Sum32()%1000) / 1000)
}

// pause waits and says whether it could.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
