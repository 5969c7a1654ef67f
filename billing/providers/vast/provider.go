package vast

import (
	"context"
	"errors"
	"iter"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// account is one account at Vast.ai.
type account struct {
	api *client
	now func() time.Time
}

var (
	_ billing.Identifier = (*account)(nil)
	_ billing.Balancer   = (*account)(nil)
	_ billing.Charger    = (*account)(nil)
	_ billing.Merchant   = (*account)(nil)
	_ billing.Meter      = (*account)(nil)
	_ billing.Finder     = (*account)(nil)
	_ billing.Stopper    = (*account)(nil)
	_ billing.Releaser   = (*account)(nil)
)

func open(c billing.Config, e billing.Env) (billing.Provider, error) {
	if c.Fields["api_key"].Empty() {
		return nil, &billing.Error{Kind: billing.Invalid, Op: "vast: open", Say: billing.Say("error.no_credential", "field", "api_key"),
			Err: errors.New("api_key is empty")}
	}
	return &account{api: newClient(c, e), now: e.Now}, nil
}

// Scopes lists what there is to look at. Vast.ai lists all places at once, so that no scope has a region.
func (a *account) Scopes(context.Context) ([]billing.Scope, error) {
	return []billing.Scope{{Kind: billing.KindInstance}, {Kind: billing.KindDisk}}, nil
}

// Resources lists a scope completely, or yields an error last.
func (a *account) Resources(ctx context.Context, s billing.Scope) iter.Seq2[billing.Resource, error] {
	switch s {
	case billing.Scope{Kind: billing.KindInstance}:
		return a.instances(ctx)
	case billing.Scope{Kind: billing.KindDisk}:
		return a.volumes(ctx)
	}
	return fails[billing.Resource](&billing.Error{Kind: billing.Invalid, Op: "vast: list " + string(s.Kind),
		Err: errors.New("no such scope")})
}

// instances lists instances. What a page repeats because the list moved while it was walked is left out.
func (a *account) instances(ctx context.Context) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		seen := map[string]bool{}
		for i, err := range a.api.instances(ctx) {
			if err != nil {
				yield(billing.Resource{}, err)
				return
			}
			if seen[i.ID.String()] {
				continue
			}
			seen[i.ID.String()] = true
			if !yield(i.resource(), nil) {
				return
			}
		}
	}
}

func (a *account) volumes(ctx context.Context) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		all, err := a.api.volumes(ctx)
		if err != nil {
			yield(billing.Resource{}, err)
			return
		}
		for _, v := range all {
			if !yield(v.resource(), nil) {
				return
			}
		}
	}
}

func fails[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		yield(none, err)
	}
}

// Identify tells which account the key belongs to.
func (a *account) Identify(ctx context.Context) (string, error) {
	const op = "vast: identify"
	u, err := a.api.user(ctx, op)
	if err == nil && u.ID == "" {
		err = garbled(op, "the account has no id")
	}
	return u.ID.String(), err
}

// Balance reads the prepaid credit. The API's document names only balance, which is another figure: 0 beside a credit
// of 24.87 for prepaid accounts. It counts where there is no credit field at all.
func (a *account) Balance(ctx context.Context) (billing.Balance, error) {
	const op = "vast: get balance"
	u, err := a.api.user(ctx, op)
	if err != nil {
		return billing.Balance{}, err
	}
	amount := u.Credit
	if amount == "" {
		amount = u.Balance
	}
	cash, err := httpx.Money(amount, usd)
	if err != nil || !cash.Known() {
		return billing.Balance{}, garbled(op, "the answer lacks the amount")
	}
	return billing.Balance{ReadAt: a.now().UTC(), Mode: billing.Prepaid, Cash: cash}, nil
}
