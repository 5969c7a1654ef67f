package main

import (
	"context"
	"sync"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/storage"
)

// paidIn is the currency of the budget: the only cloud that charges for requests does so in it.
const paidIn billing.Currency = "USD"

// budget is the most that requests which cost may cost in a UTC day, over all accounts.
func (c PaidCallsConfig) budget() billing.Money {
	standard := billing.MustMoney("0.10", paidIn)
	if !c.Daily.Known() {
		return standard
	}
	m, _, err := billing.ParseMoney(c.Daily.String(), paidIn)
	if err != nil { // refused by Check; nothing is paid for by mistake
		return billing.ZeroMoney(paidIn)
	}
	return m
}

// purse pays for one account's requests out of the one budget, by the configuration of now.
type purse struct {
	db      *storage.DB
	account string
	most    func() billing.Money
}

// Reserve counts one attempt in the store.
func (p purse) Reserve(ctx context.Context, price billing.Money) error {
	return p.db.ReservePaid(ctx, p.account, price, p.most())
}

// purse is what pays for an account's requests.
func (a *App) purse(account string) billing.Purse {
	return purse{a.db, account, func() billing.Money { return a.present.Load().config.PaidCalls.budget() }}
}

// paid counts requests that cost, on this UTC day and in this UTC month.
func paid(ctx context.Context, db *storage.DB, daily billing.Money, now time.Time) (p notify.Paid, err error) {
	p.Daily = daily
	now = now.UTC()
	day := now.Truncate(24 * time.Hour)
	next := day.Add(24 * time.Hour)
	if p.Today, err = db.PaidCalls(ctx, day, next, paidIn); err != nil {
		return p, err
	}
	p.Month, err = db.PaidCalls(ctx, time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC), next, paidIn)
	return p, err
}

// thrift refuses to pay, and remembers what it was asked for: a look at what is there must cost nothing by surprise.
type thrift struct {
	mu    sync.Mutex
	asked billing.Money
}

// Reserve refuses.
func (t *thrift) Reserve(_ context.Context, price billing.Money) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = price
	return &billing.Error{Kind: billing.Denied, Op: "pay for a request", Say: billing.Say("error.paid_no_purse", "price", price)}
}

// price gives what was asked for since the last question; unknown for nothing.
func (t *thrift) price() billing.Money {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.asked
	t.asked = billing.Money{}
	return m
}
