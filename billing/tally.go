package billing

import (
	"cmp"
	"slices"
)

// Tally adds amounts up by currency and counts those that are unknown. The zero Tally is empty and ready.
type Tally struct {
	sums    []Money // sorted by currency
	unknown int
}

// Add takes one amount in; an unknown one is counted and not added. It fails with ErrOverflow and then leaves the sum
// as it was.
func (t *Tally) Add(m Money) error {
	if !m.Known() {
		t.unknown++
		return nil
	}
	i, found := t.find(m.cur)
	if !found {
		t.sums = slices.Insert(t.sums, i, m)
		return nil
	}
	sum, err := t.sums[i].Add(m)
	if err == nil {
		t.sums[i] = sum
	}
	return err
}

func (t Tally) find(c Currency) (int, bool) {
	return slices.BinarySearchFunc(t.sums, c, func(m Money, c Currency) int { return cmp.Compare(m.cur, c) })
}

// Totals gives one sum a currency, sorted by code.
func (t Tally) Totals() []Money { return slices.Clone(t.sums) }

// Unknown is how many amounts the totals lack.
func (t Tally) Unknown() int { return t.unknown }

// In gives the sum in one currency, 0 where none was added. Where Unknown is not 0 it is a lower bound at best.
func (t Tally) In(c Currency) Money {
	if i, found := t.find(c); found {
		return t.sums[i]
	}
	return ZeroMoney(c)
}
