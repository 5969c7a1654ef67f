package ledger

import (
	"cmp"
	"iter"
	"math/big"
	"slices"
	"time"

	"gpuspend/billing"
)

// Ahead reckons how long an account's money lasts if everything that runs now keeps running.
//
// The burn is in the currency of the balance, else in the one that most of the holdings cost in. What is billed at an
// unknown rate, in another currency or perhaps is counted in Unpriced; what was paid ahead (PaidAhead) takes nothing off
// a balance and is left out. Money is cash and unexpired vouchers, each as far as it can be used up before it expires;
// a credit line never counts. Use that the cloud has not yet taken off is taken off first.
func Ahead(b billing.Balance, holdings []billing.Holding, now time.Time) Outlook {
	return look(b, holdings, now, nil)
}

// Without is Ahead if the named things were given up at this instant: machines stopped, at the rate that they have when
// stopped, everything else released. What they used until now still has to be paid.
func Without(b billing.Balance, holdings []billing.Holding, now time.Time, given ...billing.ResourceID) Outlook {
	return look(b, holdings, now, given)
}

// Holds is for how long a rate has to have held before it counts for what lies hours ahead: a machine that is tried out for
// ten minutes is no reason to warn of tomorrow.
const Holds = 30 * time.Minute

// Steady looks ahead without what began within Holds; false where nothing did, and Ahead says all there is to say.
func Steady(b billing.Balance, holdings []billing.Holding, now time.Time) (Outlook, bool) {
	young := func(h billing.Holding) bool { return h.StateSince.After(now.Add(-Holds)) }
	if !slices.ContainsFunc(holdings, young) {
		return Outlook{}, false
	}
	return Ahead(b, slices.DeleteFunc(slices.Clone(holdings), young), now), true
}

func look(b billing.Balance, holdings []billing.Holding, now time.Time, given []billing.ResourceID) Outlook {
	cur := drawnIn(b, holdings)
	o, priced := Outlook{}, 0
	var burns, owes total // an hour's, and for so many nanoseconds of an hour
	rates := map[billing.ResourceID]billing.Money{}
	for h := range drawing(holdings) {
		if r, ok := rateOf(h.Billed, h.Rate, cur); ok {
			owes.add(r, int64(unsettled(b, h, now)))
		}
		billed, rate := h.Billed, h.Rate
		if slices.Contains(given, h.ID) {
			if h.Ref.Kind != billing.KindInstance {
				continue
			}
			if h.State != billing.StateStopped {
				billed, rate = billing.Yes, h.StoppedRate
			}
		}
		if r, ok := rateOf(billed, rate, cur); ok {
			rates[h.ID] = r
			burns.add(r, 1)
			priced++
		} else {
			o.Unpriced++
		}
		o.Running = append(o.Running, h.ID)
	}
	slices.SortStableFunc(o.Running, func(x, y billing.ResourceID) int { return dearerFirst(rates[x], rates[y]) })
	burn, owed := burns.over(1), owes.over(int64(time.Hour))
	o.Unsettled = exact(owed, cur)
	if priced > 0 || o.Unpriced == 0 {
		o.Burn = exact(burn, cur)
	}
	o.EmptyAt, o.Runway = end(b, cur, owed, burn, o.Unpriced, now)
	return o
}

// drawing are the holdings that take something off the balance, or may.
func drawing(holdings []billing.Holding) iter.Seq[*billing.Holding] {
	return func(yield func(*billing.Holding) bool) {
		for i := range holdings {
			if h := &holdings[i]; !h.Gone() && h.Billed != billing.No && !PaidAhead(h.Mode) && !yield(h) {
				return
			}
		}
	}
}

// drawnIn is the currency of a burn.
func drawnIn(b billing.Balance, holdings []billing.Holding) billing.Currency {
	if b.Cash.Known() {
		return b.Cash.Currency()
	}
	n := map[billing.Currency]int{}
	var best billing.Currency
	for h := range drawing(holdings) {
		c := h.Rate.Hourly.Currency()
		if c == "" {
			continue
		}
		n[c]++
		if best == "" || n[c] > n[best] || n[c] == n[best] && c < best {
			best = c
		}
	}
	return best
}

// rateOf is what is billed an hour in a currency; false where nothing is, or nobody knows.
func rateOf(billed billing.Tri, r billing.Rate, c billing.Currency) (billing.Money, bool) {
	return r.Hourly, billed == billing.Yes && r.Hourly.Known() && r.Hourly.Currency() == c
}

// total adds up amounts exactly, in 1e-18, without bringing every sum to its lowest terms.
type total struct{ sum, term, factor big.Int }

// add adds an amount some times.
func (t *total) add(m billing.Money, times int64) {
	nanos, atto := m.Parts()
	t.term.Mul(t.term.SetInt64(nanos), t.factor.SetInt64(1e9))
	t.term.Add(&t.term, t.factor.SetInt64(atto))
	t.sum.Add(&t.sum, t.term.Mul(&t.term, t.factor.SetInt64(times)))
}

// over is the total divided by a number.
func (t *total) over(n int64) *big.Rat {
	parts := big.NewInt(n)
	return new(big.Rat).SetFrac(&t.sum, parts.Mul(parts, big.NewInt(1e18)))
}

// unsettled is for how long the use of a holding is not in the balance yet: since the last settlement before it
// was read, or since the machine was started.
func unsettled(b billing.Balance, h *billing.Holding, now time.Time) time.Duration {
	from := b.ReadAt
	if from.IsZero() {
		return 0
	}
	if b.Settles > 0 {
		from = from.Truncate(b.Settles)
	}
	for _, t := range []time.Time{h.CreatedAt, h.StartedAt} {
		if t.After(from) {
			from = t
		}
	}
	return max(0, now.Sub(from))
}

// dearerFirst orders rates of one currency; those that nobody knows come last.
func dearerFirst(x, y billing.Money) int {
	n, err := y.Cmp(x)
	switch {
	case err == nil:
		return n
	case x.Known():
		return -1
	case y.Known():
		return 1
	}
	return 0
}

// end finds when the money is gone; the zero time where it never is, or nobody can tell.
func end(b billing.Balance, c billing.Currency, owed, burn *big.Rat, unpriced int, now time.Time) (time.Time, time.Duration) {
	if b.Mode == billing.Postpaid || !b.Cash.Known() {
		return time.Time{}, 0
	}
	paid, rest := spend(grants(b, c, now), owed, burn, now, nil)
	left := new(big.Rat).Sub(amount(b.Cash), rest)
	switch {
	case b.Cash.Sign() < 0, left.Sign() < 0:
		return now, 0
	case burn.Sign() <= 0 && (unpriced == 0 || left.Sign() > 0 || len(grants(b, c, now)) > 0):
		return time.Time{}, 0
	case burn.Sign() <= 0:
		return now, 0
	}
	left.Add(left, paid)
	d, ok := lasts(left.Quo(left, burn))
	if !ok {
		return time.Time{}, 0
	}
	return now.Add(d), d
}

// spend uses vouchers up in turn: first on what is owed, then on the burn until they expire or the horizon (nil for
// none) comes. It gives what they paid of the burn, and what is still owed.
func spend(vs []billing.Voucher, owed, burn *big.Rat, now time.Time, horizon *big.Rat) (paid, rest *big.Rat) {
	paid, rest = new(big.Rat), new(big.Rat).Set(owed)
	for _, v := range vs {
		has := amount(v.Remaining)
		part := smaller(has, rest)
		has, rest = new(big.Rat).Sub(has, part), new(big.Rat).Sub(rest, part)
		until := horizon
		if !v.ExpiresAt.IsZero() {
			until = hours(v.ExpiresAt.Sub(now))
			if horizon != nil {
				until = smaller(until, horizon)
			}
		}
		if until != nil {
			room := new(big.Rat).Mul(burn, until)
			room.Sub(room, paid)
			if room.Sign() < 0 {
				continue
			}
			has = smaller(has, room)
		}
		paid.Add(paid, has)
	}
	return paid, rest
}

func smaller(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) <= 0 {
		return x
	}
	return y
}

// exact turns a fraction into an amount, rounded half to even at the 18th decimal; unknown without a currency.
func exact(r *big.Rat, c billing.Currency) billing.Money {
	m, _, err := billing.ParseMoney(cmp.Or(r.FloatString(24), "0"), c)
	if err != nil {
		return billing.Money{}
	}
	return m
}
