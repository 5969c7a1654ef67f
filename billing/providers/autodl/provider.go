package autodl

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// account is one account at AutoDL or GPUhub.
type account struct {
	api *client
	now func() time.Time
}

var (
	_ billing.Balancer = (*account)(nil)
	_ billing.Finder   = (*account)(nil)
	_ billing.Stopper  = (*account)(nil)
	_ billing.Releaser = (*account)(nil)
)

func open(c billing.Config, e billing.Env) (billing.Provider, error) {
	key := bare(c.Fields["token"])
	if key.Empty() {
		return nil, &billing.Error{Kind: billing.Invalid, Op: "autodl: open", Say: billing.Say("error.no_credential", "field", "token"),
			Err: errors.New("token is empty")}
	}
	return &account{api: newClient(c, e, key), now: e.Now}, nil
}

// Scopes lists what there is to look at. AutoDL lists all its regions at once. GPUhub's API knows no instances.
func (a *account) Scopes(context.Context) ([]billing.Scope, error) {
	if a.api.gpuhub {
		return []billing.Scope{{Kind: billing.KindImage}}, nil
	}
	return []billing.Scope{{Kind: billing.KindInstance}, {Kind: billing.KindImage}}, nil
}

// Resources lists a scope completely, or yields an error last.
func (a *account) Resources(ctx context.Context, s billing.Scope) iter.Seq2[billing.Resource, error] {
	switch {
	case s == billing.Scope{Kind: billing.KindInstance} && !a.api.gpuhub:
		return a.machines(ctx)
	case s == billing.Scope{Kind: billing.KindImage}:
		return a.pictures(ctx)
	}
	return func(yield func(billing.Resource, error) bool) {
		yield(billing.Resource{}, &billing.Error{Kind: billing.Invalid, Op: "autodl: list " + string(s.Kind), Err: errors.New("no such scope")})
	}
}

// Balance reads the wallet. What is frozen in it can't be spent; vouchers stand beside the cash.
func (a *account) Balance(ctx context.Context) (billing.Balance, error) {
	const op = "autodl: get balance"
	w, err := a.api.wallet(ctx)
	if err != nil {
		return billing.Balance{}, err
	}
	c := a.api.currency()
	assets, err := milli(w.Assets, c)
	if err != nil || !assets.Known() {
		return billing.Balance{}, garbled(op, "the answer lacks the amount")
	}
	frozen, err1 := milli(w.Blocked, c)
	spent, err2 := milli(w.Accumulate, c)
	voucher, err3 := milli(w.Vouchers, c)
	if err := errors.Join(err1, err2, err3); err != nil {
		return billing.Balance{}, garbled(op, "an amount is no number")
	}
	b := billing.Balance{ReadAt: a.now().UTC(), Mode: billing.Prepaid, Cash: assets, Spent: spent, Settles: time.Hour}
	if frozen.Sign() > 0 {
		if b.Cash, err = assets.Sub(frozen); err != nil {
			return billing.Balance{}, garbled(op, "an amount is out of range")
		}
	}
	if voucher.Sign() > 0 {
		b.Vouchers = []billing.Voucher{{ID: "voucher_balance", Remaining: voucher}}
	}
	return b, nil
}

// milli reads an amount in thousandths, exactly; a missing one is unknown.
func milli(n json.Number, c billing.Currency) (billing.Money, error) {
	d, err := httpx.Decimal(n)
	if err != nil || !d.Known() {
		return billing.Money{}, err
	}
	// as a decimal: the thousandths of an account may be more than Money holds of units
	m, _, err := billing.ParseMoney(d.Mul(billing.MustDecimal("0.001")).String(), c)
	return m, err
}

// instant reads a time of AutoDL, which is in its own zone; what is missing or no time is unknown.
func instant(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || t.Year() < 2000 {
		return time.Time{}
	}
	return t.UTC()
}
