package lambda

import (
	"context"
	"errors"
	"iter"
	"time"

	"gpuspend/billing"
)

// account is one account at Lambda.
type account struct {
	api    *client
	now    func() time.Time
	perGiB billing.Money // of file systems, a month; unknown where nobody configured it
}

var (
	_ billing.Merchant = (*account)(nil)
	_ billing.Finder   = (*account)(nil)
	_ billing.Releaser = (*account)(nil)
)

func open(c billing.Config, e billing.Env) (billing.Provider, error) {
	if c.Fields["api_key"].Empty() {
		return nil, &billing.Error{Kind: billing.Invalid, Op: "lambda: open", Say: billing.Say("error.no_credential", "field", "api_key"),
			Err: errors.New("api_key is empty")}
	}
	a := &account{api: newClient(c, e), now: e.Now}
	if given := c.Fields["filesystem_price"]; !given.Empty() {
		m, _, err := billing.ParseMoney(given.Reveal(), usd)
		if err != nil || m.Sign() <= 0 {
			return nil, &billing.Error{Kind: billing.Invalid, Op: "lambda: open", Say: billing.Say("error.lambda.price"),
				Err: errors.New("filesystem_price is no amount above zero")}
		}
		a.perGiB = m
	}
	return a, nil
}

// Scopes lists what there is to look at. Lambda lists all regions at once, so that no scope has one.
func (a *account) Scopes(context.Context) ([]billing.Scope, error) {
	return []billing.Scope{{Kind: billing.KindInstance}, {Kind: billing.KindFilesystem}}, nil
}

// Resources lists a scope completely, or yields an error last.
func (a *account) Resources(ctx context.Context, s billing.Scope) iter.Seq2[billing.Resource, error] {
	switch s {
	case billing.Scope{Kind: billing.KindInstance}:
		return listed(func() ([]billing.Resource, error) { return a.instances(ctx) })
	case billing.Scope{Kind: billing.KindFilesystem}:
		return listed(func() ([]billing.Resource, error) { return a.filesystems(ctx) })
	}
	return listed(func() ([]billing.Resource, error) {
		return nil, &billing.Error{Kind: billing.Invalid, Op: "lambda: list " + string(s.Kind), Err: errors.New("no such scope")}
	})
}

// listed hands a list on that comes in one piece.
func listed[T any](read func() ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		all, err := read()
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		for _, v := range all {
			if !yield(v, nil) {
				return
			}
		}
	}
}
