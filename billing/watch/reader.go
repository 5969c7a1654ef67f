package watch

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"gpuspend/billing"
)

// item is one thing that is read whole or not at all.
type item struct {
	of    billing.ReadingOf
	scope billing.Scope
}

// readings are the kinds of readings in the order of a round.
func readings() []billing.ReadingOf {
	return []billing.ReadingOf{billing.ReadBalance, billing.ReadInventory, billing.ReadCharges, billing.ReadOffers, billing.ReadMembers}
}

// reader reads one account.
type reader struct {
	w        *Watcher
	account  Account
	flight   flight
	identity sync.Mutex // held while the account is being identified

	mu          sync.Mutex
	identified  bool
	stopped     error // why it is not read any more
	scopes      []billing.Scope
	fails       map[item]int
	waiting     map[item]bool   // a retry is due: the schedule leaves these alone
	provisional time.Time       // charges from here on were not final when last read
	ctx         context.Context // of the reader's jobs; nil before the first
	cancel      context.CancelFunc
}

func newReader(w *Watcher, a Account) *reader {
	return &reader{w: w, account: a, fails: map[item]int{}, waiting: map[item]bool{}}
}

func (r *reader) tag() string { return strconv.FormatInt(int64(r.account.ID), 10) }

// live is a context for the reader's jobs that ends with the reader.
func (r *reader) live(parent context.Context) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx == nil {
		r.ctx, r.cancel = context.WithCancel(parent)
	}
	return r.ctx
}

func (r *reader) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel != nil {
		r.cancel()
	}
}

// can says whether the account's cloud offers a kind of reading.
func (r *reader) can(of billing.ReadingOf) bool {
	switch of {
	case billing.ReadBalance:
		return billing.Has(r.account.Provider, billing.CanBalance)
	case billing.ReadCharges:
		return billing.Has(r.account.Provider, billing.CanCharges)
	case billing.ReadMembers:
		return r.account.Members && billing.Has(r.account.Provider, billing.CanMembers)
	case billing.ReadOffers:
		return billing.Has(r.account.Provider, billing.CanOffers)
	}
	return true
}

// settled tells that a round is over.
func (r *reader) settled(ctx context.Context) {
	if r.w.opts.Changed == nil {
		return
	}
	select {
	case r.w.telling <- struct{}{}:
		defer func() { <-r.w.telling }()
	case <-ctx.Done():
		return
	}
	if ctx.Err() == nil {
		r.w.opts.Changed(ctx, r.account.ID)
	}
}

// round reads everything of one kind that does not wait for a retry. One failure keeps nothing else from being read.
func (r *reader) round(ctx context.Context, of billing.ReadingOf, after func(context.Context)) error {
	items, err := r.items(ctx, of)
	err = errors.Join(err, r.readAll(ctx, items))
	if after != nil {
		after(ctx)
	}
	return err
}

// readAll reads what does not wait for a retry.
func (r *reader) readAll(ctx context.Context, items []item) error {
	var errs []error
	for _, it := range items {
		if ctx.Err() != nil || r.waits(it) {
			continue
		}
		if err := r.read(ctx, it); err != nil {
			errs = append(errs, err)
			r.backOff(ctx, it, err)
		}
	}
	return errors.Join(errs...)
}

// retry reads one thing that had failed. It waits until that is over, so that a round at the same moment leaves it alone.
func (r *reader) retry(ctx context.Context, it item) {
	if err := r.read(ctx, it); err != nil {
		r.putOff(ctx, it, err, true)
	} else {
		r.unwait(it)
		if it == (item{of: billing.ReadInventory}) {
			_ = r.readAll(ctx, r.scoped()) // the scopes that were waiting for their list, too
		}
	}
	r.settled(ctx)
}

func (r *reader) waits(it item) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting[it] || r.stopped != nil
}

// backOff arranges the next attempt at what failed, where none is arranged yet; until then its schedule leaves it alone.
func (r *reader) backOff(ctx context.Context, it item, err error) { r.putOff(ctx, it, err, false) }

// putOff arranges the next attempt; the one that was arranged may be over.
func (r *reader) putOff(ctx context.Context, it item, err error, over bool) {
	r.mu.Lock()
	if over {
		delete(r.waiting, it)
	}
	if ctx.Err() != nil || r.waiting[it] || r.stopped != nil {
		r.mu.Unlock()
		return
	}
	r.fails[it]++
	after := delay(err, r.fails[it])
	r.waiting[it] = true
	r.mu.Unlock()
	if !r.w.again(r, it, after) {
		r.unwait(it)
	}
}

func (r *reader) unwait(it item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.waiting, it)
}

// delay is how long to wait after the nth failure in a row.
func delay(err error, n int) time.Duration {
	grown := 30 * time.Minute
	if n <= 5 {
		grown = time.Minute << (n - 1)
	}
	switch billing.KindOf(err) {
	case billing.Auth, billing.Denied, billing.Absent:
		return time.Hour // somebody has to do something first
	case billing.Limited:
		var e *billing.Error
		if errors.As(err, &e) && e.RetryAfter > 0 {
			return e.RetryAfter
		}
	}
	return grown
}

// items are the things to read of one kind: the scopes of the inventory, else the one thing. Where the list of scopes
// can't be read, the scopes known from before are looked at all the same. The list itself is kept as the reading of the
// zero scope.
func (r *reader) items(ctx context.Context, of billing.ReadingOf) (items []item, err error) {
	if !r.can(of) {
		return nil, nil
	}
	list := item{of: of}
	if of != billing.ReadInventory {
		return []item{list}, nil
	}
	if !r.waits(list) {
		if err = r.read(ctx, list); err != nil {
			r.backOff(ctx, list, err)
		}
	}
	return r.scoped(), err
}

// scoped are the scopes of the inventory that are known.
func (r *reader) scoped() (items []item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.scopes {
		items = append(items, item{of: billing.ReadInventory, scope: s})
	}
	return items
}

// read reads one thing whole and stores it, or notes that it failed. Two at once become one.
func (r *reader) read(ctx context.Context, it item) error {
	return r.flight.do(ctx, it, func() error {
		at := r.w.opts.Now()
		within, cancel := context.WithTimeout(ctx, r.w.opts.Timeout)
		defer cancel()
		err := caught("read "+string(it.of), func() error { return r.attempt(within, it, at) })
		if err == nil {
			r.mu.Lock()
			delete(r.fails, it)
			r.mu.Unlock()
			return nil
		}
		if ctx.Err() != nil {
			return err // we were told to stop: no failure of the cloud
		}
		r.w.opts.Log.Warn("reading failed", "account", r.account.Name, "of", it.of, "kind", it.scope.Kind,
			"region", it.scope.Region, "error_kind", billing.KindOf(err), "error", err)
		if kept := (*stored)(nil); !errors.As(err, &kept) {
			if e := r.w.opts.Store.RecordFailure(ctx, r.account.ID, it.of, it.scope, at, err); e != nil {
				r.w.opts.Log.Error("failure not recorded", "account", r.account.Name, "of", it.of, "error", e)
			}
		}
		return err
	})
}

// stored marks an error of our own store, which says nothing about the cloud.
type stored struct{ err error }

func (s *stored) Error() string { return s.err.Error() }
func (s *stored) Unwrap() error { return s.err }

func keep(err error) error {
	if err == nil {
		return nil
	}
	return &stored{err}
}

// caught turns a panic of a provider into an error. A panic's own words may hold anything, so that only those of the Go
// runtime are kept.
func caught(op string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			why := fmt.Errorf("panic with a value of type %T", p)
			if e, ok := p.(runtime.Error); ok {
				why = fmt.Errorf("panic: %w", e)
			}
			err = &billing.Error{Kind: billing.Unknown, Op: "watch: " + op, Err: why}
		}
	}()
	return f()
}

// attempt reads one thing.
func (r *reader) attempt(ctx context.Context, it item, at time.Time) error {
	if err := r.identify(ctx); err != nil {
		return err
	}
	switch it.of {
	case billing.ReadBalance:
		return r.balance(ctx, at)
	case billing.ReadCharges:
		return r.charges(ctx, at)
	case billing.ReadOffers:
		return r.offers(ctx, at)
	case billing.ReadMembers:
		return r.members(ctx, at)
	}
	if it.scope == (billing.Scope{}) {
		return r.listScopes(ctx, at)
	}
	return r.resources(ctx, it.scope, at)
}

// identify makes sure, once, that the credential belongs to the account it has always belonged to. Until it is sure
// nothing is stored.
func (r *reader) identify(ctx context.Context) error {
	r.identity.Lock()
	defer r.identity.Unlock()
	r.mu.Lock()
	known, stopped := r.identified, r.stopped
	r.mu.Unlock()
	if known || stopped != nil {
		return stopped
	}
	if who, ok := r.account.Provider.(billing.Identifier); ok {
		id, err := who.Identify(ctx)
		if err != nil {
			return err
		}
		if err := r.w.opts.Store.Bind(ctx, r.account.ID, id); err != nil {
			if billing.KindOf(err) != billing.Conflict {
				return keep(err)
			}
			r.mu.Lock()
			r.stopped = err
			r.mu.Unlock()
			return keep(err)
		}
	}
	r.mu.Lock()
	r.identified = true
	r.mu.Unlock()
	return nil
}

// setScopes keeps the list of scopes, each once.
func (r *reader) setScopes(ss []billing.Scope) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scopes = nil
	for _, s := range ss {
		if !slices.Contains(r.scopes, s) {
			r.scopes = append(r.scopes, s)
		}
	}
}
