package release

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Recover takes up what was running when the program ended: see Carry. Run begins with it.
func (e *Engine) Recover(ctx context.Context) error {
	open, err := e.o.Store.Open(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, a := range open {
		if a.State != Running || !e.begin(a.ID) {
			continue
		}
		_, err := e.Carry(ctx, a.ID)
		e.finish(a.ID)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Run carries out what is approved and follows it to its end, one goroutine an action, until ctx ends; then it waits for
// what is under way. Actions are found at once when Approve was called here, and otherwise within a minute.
func (e *Engine) Run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { e.retell(ctx) })
	for {
		open, err := e.o.Store.Open(ctx)
		if err != nil && ctx.Err() == nil {
			e.o.Log.Error("open actions not read", "error", err)
		}
		for _, a := range open {
			if a.State == Proposed { // nobody follows it: it may be approved at any moment, and is then begun at once
				if _, err := e.Carry(ctx, a.ID); err != nil && ctx.Err() == nil {
					e.o.Log.Error("proposal not looked at", "action", a.ID, "error", err)
				}
			} else if e.begin(a.ID) {
				all.Go(func() {
					defer e.finish(a.ID)
					e.follow(ctx, a)
				})
			}
		}
		if !e.wait(ctx, time.Minute) {
			return nil
		}
	}
}

// follow carries an action until it is final, waits for somebody, or ctx ends.
func (e *Engine) follow(ctx context.Context, a Action) {
	for ctx.Err() == nil {
		next, err := e.Carry(ctx, a.ID)
		if err != nil {
			if ctx.Err() == nil {
				e.o.Log.Error("action not carried on", "action", a.ID, "error", err)
			}
			return // Run comes back to it
		}
		if next.State.Final() {
			e.lastWord(ctx, next)
			return
		}
		if next.State == Proposed {
			return
		}
		if next.State == a.State && !e.pause(ctx, e.o.Settle) {
			return
		}
		a = next
	}
}

// begin takes an action for one goroutine of this engine; finish gives it back.
func (e *Engine) begin(id ActionID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.followed[id] {
		return false
	}
	e.followed[id] = true
	return true
}

func (e *Engine) finish(id ActionID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.followed, id)
}

// wait ends early when Approve nudges.
func (e *Engine) wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(e.scaled(d))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-e.wake:
		return true
	case <-ctx.Done():
		return false
	}
}

func (e *Engine) pause(ctx context.Context, d time.Duration) bool { return rest(ctx, e.scaled(d)) }

// rest waits in real time and says whether it could.
func rest(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// scaled is a pause of the product's clock in real time.
func (e *Engine) scaled(d time.Duration) time.Duration {
	return max(time.Millisecond, time.Duration(float64(d)/e.o.Speed))
}
