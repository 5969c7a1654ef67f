package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/release"
	"gpuspend/billing/watch"
	"gpuspend/bot"
	"gpuspend/bot/slack"
	"gpuspend/notify"
	"gpuspend/notify/words"
	"gpuspend/storage"
)

// Options is what the program is made of. Everything that a test or the demo puts in place of the world stands here.
type Options struct {
	Config   Config
	Drivers  []billing.Driver
	Now      func() time.Time // the product's clock
	Speed    float64          // how much faster than real time Now runs; 0 is 1
	Log      *slog.Logger
	Slack    SlackDoor     // how Slack is reached; zero for the real one
	Source   string        // said under every table; "" for none
	Prices   *PriceWorld   // what the demo has in place of the world's prices; nil for those
	Backfill time.Duration // how far back bills are read the first time; 0 is 31 days
}

// App is the running program: one store, one watcher, one engine, one pipeline, one chat. Make one with New.
type App struct {
	o        Options
	db       *storage.DB
	words    *words.Book
	watcher  *watch.Watcher
	engine   *release.Engine
	pipeline *notify.Pipeline
	chat     *slack.Client // nil where no chat is configured

	applying sync.Mutex
	mornings sync.Mutex
	joined   chan struct{} // an organisation's list may have changed
	polling  atomic.Bool
	unlock   func()    // of the store, where it was locked
	began    time.Time // on the product's clock
	present  atomic.Pointer[present]
}

// present is what the configuration of now came to. It is replaced whole, never changed.
type present struct {
	config   Config // with the members of organisations
	written  Config // as it was written
	in       installation
	accounts []billing.Account
	desk     *bot.Desk
}

// attributeEvery is how soon a new claim reaches what was charged before it.
const attributeEvery = 10 * time.Second

// New opens the store and the accounts and joins everything. It calls no cloud and no chat.
func New(ctx context.Context, o Options) (*App, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	book, err := words.New()
	if err != nil {
		return nil, err
	}
	db, err := storage.Open(ctx, o.Config.storePath(), storage.Options{Now: o.Now, Wall: time.Now})
	if err != nil {
		return nil, err
	}
	a := &App{o: o, db: db, words: book, began: o.Now(), joined: make(chan struct{}, 1)}
	if err := a.join(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return a, nil
}

func (a *App) join(ctx context.Context) (err error) {
	if a.engine, err = release.New(release.Options{
		Store: a.db, Reader: readerFunc(a.refresh), Opener: a, Teller: a, About: a.about, MayAct: a.mayAct, Second: a.second, MayApprove: a.mayApprove, Checklist: a.checklist,
		Now: a.o.Now, Log: a.o.Log, Speed: a.o.Speed, Settle: time.Duration(a.o.Config.Releases.Settle),
		Patience: time.Duration(a.o.Config.Releases.Patience),
	}); err != nil {
		return err
	}
	now, watched, err := a.resolve(ctx, a.o.Config)
	if err != nil {
		return err
	}
	a.present.Store(now)
	if a.chat, err = a.newChat(now.desk); err != nil {
		return err
	}
	if a.watcher, err = watch.New(watch.Options{Store: byMember{a.db}, Accounts: watched, Now: a.o.Now, Log: a.o.Log, Speed: a.o.Speed,
		Backfill: a.o.Backfill, Changed: a.changed}); err != nil {
		return err
	}
	a.pipeline, err = a.newPipeline(ctx, now)
	return err
}

// resolve makes the present of a configuration, and the accounts to be watched: opened clouds, accounts in the store,
// thresholds, the desk. The store is written last, when nothing of the configuration can be wrong any more.
func (a *App) resolve(ctx context.Context, c Config) (*present, []watch.Account, error) {
	p := &present{written: c}
	c, err := a.withMembers(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	p.config = c
	watched, err := a.open(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	if _, err := install(c, a.o.Drivers, a.asConfigured(c)); err != nil {
		return nil, nil, err
	}
	for i, account := range a.asConfigured(c) {
		if account, err = a.db.EnsureAccount(ctx, account); err != nil {
			return nil, nil, err
		}
		if err := a.db.SetSources(ctx, account.ID, c.Accounts[i].Sources); err != nil {
			return nil, nil, err
		}
		if bill := c.Accounts[i].Bill; len(bill) > 0 {
			k := billing.BillKind{NoEffective: slices.Contains(bill, "no_effective"), NoInvoice: slices.Contains(bill, "no_invoice")}
			if err := a.db.DeclareBill(ctx, account.ID, k); err != nil {
				return nil, nil, err
			}
		}
		p.accounts = append(p.accounts, account)
		watched[i].Account = account
	}
	if err := a.db.SetOwners(ctx, c.owners()); err != nil {
		return nil, nil, err
	}
	all, err := a.db.Accounts(ctx)
	if err != nil {
		return nil, nil, err
	}
	if p.in, err = install(c, a.o.Drivers, all); err != nil {
		return nil, nil, err
	}
	p.in.source, p.in.prices = a.o.Source, a.o.Prices
	p.desk = newDesk(a.db, p.in, c, a.words, a.o.Now)
	p.desk.Engine, p.desk.Log = a.engine, a.o.Log
	return p, watched, nil
}

// asConfigured are the accounts of a configuration as the store is to know them.
func (a *App) asConfigured(c Config) []billing.Account {
	var list []billing.Account
	for _, ac := range c.Accounts {
		d, _ := a.driver(ac.Provider)
		list = append(list, billing.Account{Name: ac.Name, Driver: d.Name, Provider: d.Title, Currency: d.Currency})
	}
	return list
}

func (a *App) driver(name string) (billing.Driver, bool) {
	for _, d := range a.o.Drivers {
		if d.Name == name {
			return d, true
		}
	}
	return billing.Driver{}, false
}

// Look is the present view of everything stored.
func (a *App) Look(ctx context.Context) (notify.View, error) { return a.present.Load().desk.Look(ctx) }

// Desk answers words and buttons under the configuration of now.
func (a *App) Desk() *bot.Desk { return a.present.Load().desk }

// Poll reads every account once, whole, or only what is named, and judges what was found, all at once.
func (a *App) Poll(ctx context.Context, only ...billing.ReadingOf) error {
	a.polling.Store(true)
	defer a.polling.Store(false)
	var errs []error
	for _, account := range a.present.Load().accounts {
		errs = append(errs, named(account.Name, a.watcher.Poll(ctx, account.ID, only...)))
	}
	before := len(a.present.Load().accounts)
	errs = append(errs, a.followMembers(ctx))
	if all := a.present.Load().accounts; len(all) > before { // members stand behind the configured accounts
		for _, account := range all[before:] {
			errs = append(errs, named(account.Name, a.watcher.Poll(ctx, account.ID, only...)))
		}
	}
	return errors.Join(append(errs, a.Judge(ctx))...)
}

// named says of which account an error is, and each of its errors once.
func named(account string, err error) error {
	if err == nil {
		return nil
	}
	all := []error{err}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		all = many.Unwrap()
	}
	var kept []error
	for _, e := range all {
		if !slices.ContainsFunc(kept, func(k error) bool { return errors.Unwrap(k).Error() == e.Error() }) {
			kept = append(kept, fmt.Errorf("account %s: %w", account, e))
		}
	}
	return errors.Join(kept...)
}

// Judge holds the rules against what is stored and puts what is to be said into the outbox.
func (a *App) Judge(ctx context.Context) error {
	v, err := a.Look(ctx)
	if err != nil {
		return err
	}
	if v.Budgets, err = a.Desk().Budgets(ctx); err != nil {
		return err
	}
	return a.pipeline.Judge(ctx, v)
}

// Deliver sends what is due.
func (a *App) Deliver(ctx context.Context) error {
	_, err := a.pipeline.Deliver(ctx)
	return err
}

// Run is the program: it polls, judges, delivers, answers and releases until ctx ends.
func (a *App) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	fails := make(chan error, 8)
	start := func(what string, f func(context.Context) error) {
		all.Go(func() {
			if err := f(ctx); err != nil && ctx.Err() == nil {
				fails <- fmt.Errorf("%s: %w", what, err)
			}
		})
	}
	start("releases", a.engine.Run)
	start("members", a.runMembers)
	start("messages", func(ctx context.Context) error { a.pipeline.Run(ctx); return nil })
	start("drift", a.keepDrift)
	start("marks", a.keepMarks)
	start("owners", func(ctx context.Context) error { return a.db.KeepAttributed(ctx, attributeEvery) })
	if a.chat != nil {
		start("chat", a.runChat)
	}
	if a.o.Config.Listen != "" {
		start("http", a.serveHTTP)
	}
	if err := a.watcher.Start(ctx); err != nil {
		fails <- err
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-fails:
	}
	stop()
	all.Wait()
	return errors.Join(err, a.watcher.Close(context.WithoutCancel(ctx)))
}

// Close closes the store. Call it after Run has returned.
func (a *App) Close() error {
	if a.unlock != nil {
		defer a.unlock()
	}
	return a.db.Close()
}

// Apply takes over a changed configuration without a restart. What needs one fails, and nothing is taken over.
func (a *App) Apply(ctx context.Context, c Config) error {
	a.applying.Lock()
	defer a.applying.Unlock()
	old := a.present.Load()
	switch {
	case c.storePath() != old.config.storePath():
		return errors.New("apply: store: another file needs a restart")
	case c.Slack != old.config.Slack || c.Listen != old.config.Listen:
		return errors.New("apply: slack and listen: a change needs a restart")
	case !maps.Equal(c.Receivers, old.config.Receivers):
		return errors.New("apply: receivers: a change needs a restart")
	}
	now, watched, err := a.resolve(ctx, c)
	if err != nil {
		return err
	}
	if err := a.watcher.Apply(watched); err != nil {
		return err
	}
	a.pipeline.Reroute(a.reachable(now.routes()), a.fallback(now))
	if now.desk.Roles.Team == "" {
		now.desk.Roles.Team = old.desk.Roles.Team
	}
	a.present.Store(now)
	if a.chat != nil {
		a.chat.Use(now.desk)
	}
	a.o.Log.Info("configuration taken over", "accounts", len(now.accounts))
	return nil
}

// changed follows a round of readings: what was read is judged at once, but for the rounds of Poll, which judges itself.
func (a *App) changed(ctx context.Context, _ billing.AccountID) {
	if a.polling.Load() {
		return
	}
	select {
	case a.joined <- struct{}{}:
	default:
	}
	if err := errors.Join(a.Judge(ctx), a.morning(ctx)); err != nil && ctx.Err() == nil {
		a.o.Log.Error("not judged", "error", err)
	}
}

// driftEvery is how often bills are compared with our own meter, and driftDays how far back: clouds bill two days late.
const (
	driftEvery = time.Hour
	driftDays  = 8
)

// keepDrift compares until ctx ends.
func (a *App) keepDrift(ctx context.Context) error {
	every := driftEvery
	if a.o.Speed > 1 {
		every = max(time.Duration(float64(every)/a.o.Speed), time.Second)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := a.db.NoteDrift(ctx, a.o.Now(), driftDays); err != nil && ctx.Err() == nil {
			a.o.Log.Error("bill and meter not compared", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// readerFunc lets the engine read through the watcher, which is made after it.
type readerFunc func(ctx context.Context, account billing.AccountID, s billing.Scope) error

func (f readerFunc) Refresh(ctx context.Context, account billing.AccountID, s billing.Scope) error {
	return f(ctx, account, s)
}

func (a *App) refresh(ctx context.Context, account billing.AccountID, s billing.Scope) error {
	return a.watcher.Refresh(ctx, account, s)
}

// about says what plans say of an account.
func (a *App) about(id billing.AccountID) release.About {
	p := a.present.Load()
	return p.in.about(p.accounts, id)
}
