package ledger

import (
	"math/big"
	"time"

	"gpuspend/billing"
)

// Drain is what left a wallet over some settled time, and what of it the resources explain that were seen meanwhile.
type Drain struct {
	Period    billing.Period // of the use that was taken off
	Taken     billing.Money
	Explained billing.Money // by what was seen, at known rates
	Rest      billing.Money // per hour: taken and not explained, with all doubt granted; 0 where everything may be
	Open      int           // what runs at an unknown rate, or was bought meanwhile: it may be the rest
}

// Drained compares the wallet with the inventory over the last settled hour. Rest is what was left over in that hour and
// in the one before, whichever is less: a fee that is taken once a day is no machine. It is false where nobody can tell:
// there are no readings of the wallet two hours back, it was topped up without a counter, or nobody looked at the
// resources.
//
// History is in order of reading; spans are those of the account.
func Drained(history []billing.Balance, spans []billing.Span) (Drain, bool) {
	after, ok := settled(history, time.Time{})
	if !ok {
		return Drain{}, false
	}
	before, ok1 := settled(history, covers(after).Add(-time.Hour))
	first, ok2 := settled(history, covers(before).Add(-time.Hour))
	if !ok1 || !ok2 || covers(after).Sub(covers(first)) > 6*time.Hour || toppedUp(history, first, after) {
		return Drain{}, false
	}
	last, ok1 := Unexplained(before, after, spans)
	earlier, ok2 := Unexplained(first, before, spans)
	if !ok1 || !ok2 {
		return Drain{}, false
	}
	last.Open = max(last.Open, earlier.Open)
	if n, err := earlier.Rest.Cmp(last.Rest); err == nil && n < 0 {
		last.Rest = earlier.Rest
	}
	return last, true
}

// Unexplained compares what a wallet lost between two readings with the spans that were seen between the settlements
// that they show. The beginning of a span is doubtful by Blind, for a machine runs before it is first seen; the doubt is
// in favour of what was seen. It is false where the wallet's loss is not known, or nobody looked at a resource for longer.
func Unexplained(before, after billing.Balance, spans []billing.Span) (Drain, bool) {
	d := Drain{Period: billing.Period{Start: covers(before), End: covers(after)}}
	taken, ok := loss(before, after)
	if !ok || d.Period.Duration() <= 0 {
		return Drain{}, false
	}
	c := taken.Currency()
	sure, doubt := new(big.Rat), new(big.Rat)
	for _, s := range spans {
		seen, edge := within(s, d.Period)
		switch {
		case seen+edge == 0 || s.Billed == billing.No:
		case s.To.IsZero() && s.SeenTo.Add(Blind).Before(d.Period.End):
			return Drain{}, false
		case PaidAhead(s.Mode):
			if edge > 0 {
				d.Open++ // bought meanwhile, out of the wallet
			}
		case s.Billed == billing.Yes && s.Rate.Hourly.Currency() == c:
			sure.Add(sure, new(big.Rat).Mul(amount(s.Rate.Hourly), hours(seen)))
			doubt.Add(doubt, new(big.Rat).Mul(amount(s.Rate.Hourly), hours(edge)))
		case running(s.State):
			d.Open++
		}
	}
	rest := new(big.Rat).Sub(amount(taken), sure)
	rest.Sub(rest, doubt)
	if rest.Sign() < 0 {
		rest.SetInt64(0)
	}
	d.Taken, d.Explained = taken, exact(sure, c)
	d.Rest = exact(rest.Quo(rest, hours(d.Period.Duration())), c)
	return d, true
}

// within is how long a span was seen in a period, and by how much longer it may have been there before it was seen. Its
// end is no doubt: it was over when something else was seen.
func within(s billing.Span, p billing.Period) (seen, edge time.Duration) {
	to := s.To
	if to.IsZero() {
		to = p.End
	}
	overlap := func(from, to time.Time) time.Duration {
		return max(0, earlier(to, p.End).Sub(later(from, p.Start)))
	}
	return overlap(s.From, to), overlap(s.From.Add(-Blind), s.From)
}

// running says that a state can cost as much as a machine does. What is off costs its disk at most.
func running(s billing.State) bool {
	return s == billing.StateRunning || s == billing.StateStarting || s == billing.StateStopping || s == billing.StateUnknown
}

// covers is the instant up to which all use is in a reading: the last settlement before it.
func covers(b billing.Balance) time.Time {
	if b.Settles > 0 {
		return b.ReadAt.Truncate(b.Settles)
	}
	return b.ReadAt
}

// Settled says that a reading holds the last settlement before it. That takes a while: what was read right after one may
// not hold it yet.
func Settled(b billing.Balance) bool {
	return b.ReadAt.Sub(covers(b)) >= min(15*time.Minute, b.Settles/2)
}

// settled finds the newest such reading that covers no more than a time (zero for any).
func settled(history []billing.Balance, until time.Time) (billing.Balance, bool) {
	for i := len(history) - 1; i >= 0; i-- {
		b := history[i]
		if !Settled(b) || !until.IsZero() && covers(b).After(until) {
			continue
		}
		return b, true
	}
	return billing.Balance{}, false
}

// loss is what left a wallet between two readings: by its lifetime counter, else by its money.
func loss(before, after billing.Balance) (billing.Money, bool) {
	m, err := after.Spent.Sub(before.Spent)
	if err != nil || !m.Known() {
		if m, err = money(before).Sub(money(after)); err != nil {
			return billing.Money{}, false
		}
	}
	return m, m.Known() && m.Sign() >= 0
}

// money is what a wallet holds, vouchers included: use is taken off these first.
func money(b billing.Balance) billing.Money {
	sum := b.Cash
	for _, v := range b.Vouchers {
		m, err := sum.Add(v.Remaining)
		if err != nil {
			return billing.Money{}
		}
		sum = m
	}
	return sum
}

// toppedUp says that money came in between two readings of a wallet that has no counter.
func toppedUp(history []billing.Balance, first, last billing.Balance) bool {
	if first.Spent.Known() && last.Spent.Known() {
		return false
	}
	var old billing.Balance
	for _, b := range history {
		if b.ReadAt.After(first.ReadAt) && !b.ReadAt.After(last.ReadAt) {
			if rise, err := money(b).Sub(money(old)); err != nil || rise.Sign() > 0 {
				return true
			}
		}
		old = b
	}
	return false
}
