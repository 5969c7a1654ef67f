package runpod

import (
	"context"
	"errors"
	"iter"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// account is one account at RunPod.
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
		return nil, &billing.Error{Kind: billing.Invalid, Op: "runpod: open", Say: billing.Say("error.no_credential", "field", "api_key"),
			Err: errors.New("api_key is empty")}
	}
	return &account{api: newClient(c, e), now: e.Now}, nil
}

// Scopes lists what there is to look at. RunPod lists all data centres at once, so that no scope has a region.
func (a *account) Scopes(context.Context) ([]billing.Scope, error) {
	return []billing.Scope{{Kind: billing.KindInstance}, {Kind: billing.KindCluster}, {Kind: billing.KindDisk}, {Kind: billing.KindEndpoint}}, nil
}

// Resources lists a scope completely, or yields an error last.
func (a *account) Resources(ctx context.Context, s billing.Scope) iter.Seq2[billing.Resource, error] {
	switch s {
	case billing.Scope{Kind: billing.KindInstance}:
		return a.labelled(ctx, once(a.pods(ctx)))
	case billing.Scope{Kind: billing.KindCluster}:
		return a.labelled(ctx, once(a.clusters(ctx)))
	case billing.Scope{Kind: billing.KindDisk}:
		return a.labelled(ctx, once(a.volumes(ctx)))
	case billing.Scope{Kind: billing.KindEndpoint}:
		return a.labelled(ctx, once(a.endpoints(ctx)))
	}
	return fails[billing.Resource](&billing.Error{Kind: billing.Invalid, Op: "runpod: list " + string(s.Kind),
		Err: errors.New("no such scope")})
}

// once leaves out what a page repeats because the list moved while it was walked.
func once(all iter.Seq2[billing.Resource, error]) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		seen := map[string]bool{}
		for r, err := range all {
			if err == nil && seen[r.Ref.ID] {
				continue
			}
			seen[r.Ref.ID] = true
			if !yield(r, err) || err != nil {
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

// all reads a list to its end.
func all[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var out []T
	for v, err := range seq {
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// Identify tells which account the key belongs to.
func (a *account) Identify(ctx context.Context) (string, error) {
	const op = "runpod: identify"
	id, _, err := a.api.myself(ctx, op)
	if err == nil && id == "" {
		err = garbled(op, "the account has no id")
	}
	return id, err
}

// Balance reads the account's balance: API v2, and GraphQL only where v2 does not know the route. A 403 is a missing
// permission and stays one.
func (a *account) Balance(ctx context.Context) (billing.Balance, error) {
	const op = "runpod: get balance"
	b := billing.Balance{
		Mode:    billing.Prepaid,
		Minimum: billing.MustMoney("10", usd),
		Settles: 5 * time.Minute,
	}
	amount, err := a.api.balance(ctx)
	if billing.KindOf(err) == billing.Missing {
		// GraphQL does not tell the mode; prepaid is RunPod's rule, and a false alarm the milder mistake.
		var answer graphAnswer
		if _, answer, err = a.api.myself(ctx, op); err == nil {
			amount = balanceAnswer{Amount: answer.Data.Myself.Balance, Mode: "PREPAID"}
		}
	}
	if err != nil {
		return billing.Balance{}, err
	}
	if b.Cash, err = httpx.Money(amount.Amount, usd); err != nil || !b.Cash.Known() {
		return billing.Balance{}, garbled(op, "the answer lacks the amount")
	}
	if amount.Mode == "POSTPAID" {
		b.Mode = billing.Postpaid
	}
	b.ReadAt = a.now().UTC()
	return b, nil
}
