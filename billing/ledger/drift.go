package ledger

import (
	"context"
	"time"

	"gpuspend/billing"
)

// Drift is what a cloud billed for an account's UTC day beside what our own meter says of it, without what was paid
// ahead. AccruedMost is Accrued if what was last seen went on through the gaps of our watching; Open counts what ran at
// an unknown rate.
type Drift struct {
	Account                      billing.AccountID
	Day                          time.Time
	Currency                     billing.Currency
	Billed, Accrued, AccruedMost billing.Money
	Open                         int
}

// Apart is how far the two are apart, all doubt granted; false where nobody can tell.
func (d Drift) Apart() (by billing.Money, more, ok bool) {
	over, err := d.Billed.Sub(d.AccruedMost)
	if err != nil || !over.Known() {
		return by, false, false
	}
	if over.Sign() > 0 {
		return over, true, d.Open == 0
	}
	if over, err = d.Accrued.Sub(d.Billed); err != nil || over.Sign() < 0 {
		return billing.ZeroMoney(d.Currency), false, true
	}
	return over, false, true
}

// DriftOf compares a UTC day, for accounts that are watched and whose bill reaches beyond it.
func DriftOf(ctx context.Context, book Book, day time.Time) ([]Drift, error) {
	end := day.Add(24 * time.Hour)
	covered, err := book.Coverage(ctx)
	if err != nil {
		return nil, err
	}
	q := Question{From: day, To: end, Zone: time.UTC, Now: end, By: []Cut{ByAccount}, View: Gross,
		Where: []Filter{{By: ByMode, Not: true, Exact: true, Values: []string{string(billing.ModeMonthly), string(billing.ModeYearly), string(billing.ModeReserved)}}}}
	billed, _, err := book.Billed(ctx, q)
	if err != nil {
		return nil, err
	}
	spans, err := book.Metered(ctx, billing.Period{Start: day, End: end})
	if err != nil {
		return nil, err
	}
	meter := newSheet(q, nil)
	for _, c := range covered {
		meter.covered[c.Account] = Covered{Account: c.Account, Name: c.Name, Currency: c.Currency, Polled: c.Polled}
	}
	for _, m := range spans {
		if err := meter.meter(m); err != nil {
			return nil, err
		}
	}
	rows, _, err := meter.close()
	if err != nil {
		return nil, err
	}
	var out []Drift
	for _, c := range covered {
		if c.Polled && !c.Through.Before(end) {
			out = append(out, drifts(c, day, billed, rows)...)
		}
	}
	return out, nil
}

// drifts joins what was billed with what was metered, by currency. Where one side has nothing for a delivered day it is
// zero, not unknown.
func drifts(c Covered, day time.Time, billed, metered []Row) []Drift {
	var out []Drift
	at := func(cur billing.Currency) *Drift {
		for i := range out {
			if out[i].Currency == cur {
				return &out[i]
			}
		}
		zero := billing.ZeroMoney(cur)
		out = append(out, Drift{Account: c.Account, Day: day, Currency: cur, Billed: zero, Accrued: zero, AccruedMost: zero})
		return &out[len(out)-1]
	}
	for _, r := range billed {
		if r.Keys[0] == c.Name && r.Amount.Known() {
			at(r.Currency).Billed = r.Amount
		}
	}
	for _, r := range metered {
		if r.Keys[0] != c.Name || r.Currency == "" {
			continue
		}
		d := at(r.Currency)
		d.Open = r.Unpriced
		if r.Accrued.Known() {
			d.Accrued, d.AccruedMost = r.Accrued, r.Accrued
		}
		if r.AccruedMost.Known() {
			d.AccruedMost = r.AccruedMost
		}
	}
	return out
}
