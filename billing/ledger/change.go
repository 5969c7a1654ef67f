package ledger

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"gpuspend/billing"
)

// Change sets the complete days of the month beside the same days of the month before, in one currency and gross.
type Change struct {
	Currency    billing.Currency
	Days        int // complete days on either side
	Now, Before billing.Money
	Movers      []Mover // what changed most, first
}

// Mover is one cloud's spend on one card, or on what has none, on either side.
type Mover struct {
	Provider, GPU string
	Now, Before   billing.Money
	By            billing.Money // Now less Before
}

// mostMovers is how many are named.
const mostMovers = 3

// Changes compares the month until today with the same days of the month before. It gives none on the first day, and where
// a day on either side was neither billed nor seen whole: less would be missing, not saved.
func Changes(ctx context.Context, book Book, now time.Time, zone *time.Location) ([]Change, error) {
	local := now.In(zone)
	first := time.Date(local.Year(), local.Month(), 1, 0, 0, 0, 0, zone)
	earlier := time.Date(local.Year(), local.Month()-1, 1, 0, 0, 0, 0, zone)
	days := local.Day() - 1
	if length := first.AddDate(0, 0, -1).Day(); days > length { // 30 March has no fellow in February
		days = length
	}
	if days == 0 {
		return nil, nil
	}
	after, whole, err := sideOf(ctx, book, first, days, now)
	if err != nil || !whole {
		return nil, err
	}
	before, whole, err := sideOf(ctx, book, earlier, days, now)
	if err != nil || !whole {
		return nil, err
	}
	return compared(after, before, days)
}

// sideOf reads some days from a midnight on, and says whether nothing of them is missing.
func sideOf(ctx context.Context, book Book, from time.Time, days int, now time.Time) (Report, bool, error) {
	to := time.Date(from.Year(), from.Month(), from.Day()+days, 0, 0, 0, 0, from.Location())
	r, err := Answer(ctx, book, Question{From: from, To: to, Zone: from.Location(), By: []Cut{ByProvider, ByGPU}, View: Gross, Now: now})
	if err == nil {
		err = onlyHoles(ctx, book, &r)
	}
	return r, err == nil && len(r.Missing) == 0, err
}

// pairing adds up, by currency, cloud and card, what either side has.
type pairing map[billing.Currency]map[[2]string]*Mover

func (p pairing) add(r Report, to func(*Mover) *billing.Money) error {
	for _, row := range r.Rows {
		sum, err := plus(row.Amount, row.Accrued)
		if err != nil {
			return err
		}
		if !sum.Known() {
			continue
		}
		if p[row.Currency] == nil {
			p[row.Currency] = map[[2]string]*Mover{}
		}
		key := [2]string{row.Keys[0], row.Keys[1]}
		m := p[row.Currency][key]
		if m == nil {
			m = &Mover{Provider: key[0], GPU: key[1], Now: billing.ZeroMoney(row.Currency), Before: billing.ZeroMoney(row.Currency)}
			p[row.Currency][key] = m
		}
		if *to(m), err = to(m).Add(sum); err != nil {
			return err
		}
	}
	return nil
}

func compared(after, before Report, days int) ([]Change, error) {
	all := pairing{}
	err := errors.Join(all.add(before, func(m *Mover) *billing.Money { return &m.Before }), all.add(after, func(m *Mover) *billing.Money { return &m.Now }))
	if err != nil {
		return nil, err
	}
	var out []Change
	for currency, movers := range all {
		c := Change{Currency: currency, Days: days, Now: billing.ZeroMoney(currency), Before: billing.ZeroMoney(currency)}
		for _, m := range movers {
			var err1, err2, err3 error
			c.Now, err1 = c.Now.Add(m.Now)
			c.Before, err2 = c.Before.Add(m.Before)
			m.By, err3 = m.Now.Sub(m.Before)
			if err := errors.Join(err1, err2, err3); err != nil {
				return nil, err
			}
			if m.By.Sign() != 0 {
				c.Movers = append(c.Movers, *m)
			}
		}
		slices.SortFunc(c.Movers, func(x, y Mover) int {
			n, _ := magnitude(y.By).Cmp(magnitude(x.By)) // of one currency
			return cmp.Or(n, cmp.Compare(x.Provider, y.Provider), cmp.Compare(x.GPU, y.GPU))
		})
		c.Movers = c.Movers[:min(len(c.Movers), mostMovers)]
		out = append(out, c)
	}
	slices.SortFunc(out, func(x, y Change) int { return cmp.Compare(x.Currency, y.Currency) })
	return out, nil
}

// magnitude is an amount without its sign; unknown where there is none.
func magnitude(m billing.Money) billing.Money {
	if m.Sign() >= 0 {
		return m
	}
	n, err := billing.ZeroMoney(m.Currency()).Sub(m)
	if err != nil {
		return billing.Money{}
	}
	return n
}
