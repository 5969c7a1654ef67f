package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gpuspend/billing"
)

// Poll reads everything of one account once, now, or only what is named, whatever waits for a retry. It fails with all
// that failed, after everything was tried; what failed is noted in the store, too.
func (w *Watcher) Poll(ctx context.Context, account billing.AccountID, only ...billing.ReadingOf) error {
	r, err := w.reader(account)
	if err != nil {
		return err
	}
	r.mu.Lock()
	clear(r.waiting)
	r.mu.Unlock()
	var errs []error
	for _, of := range readings() {
		if len(only) > 0 && !slices.Contains(only, of) {
			continue
		}
		if err := r.round(ctx, of, nil); err != nil {
			errs = append(errs, err)
		}
	}
	r.settled(ctx)
	if len(errs) == 0 {
		return r.failed() // what is stopped reads nothing and fails at nothing
	}
	return errors.Join(errs...)
}

// Refresh reads one scope of one account now, whole, and stores it. Concurrent refreshes of a scope become one.
func (w *Watcher) Refresh(ctx context.Context, account billing.AccountID, s billing.Scope) error {
	r, err := w.reader(account)
	if err != nil {
		return err
	}
	return r.read(ctx, item{of: billing.ReadInventory, scope: s})
}

func (w *Watcher) reader(account billing.AccountID) (*reader, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.readers[account]
	if r == nil || r.account.Provider == nil {
		return nil, &billing.Error{Kind: billing.Absent, Op: "watch: read account", Err: fmt.Errorf("account %d is not polled", account)}
	}
	return r, nil
}

// failed says why the account is not read any more.
func (r *reader) failed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopped
}
