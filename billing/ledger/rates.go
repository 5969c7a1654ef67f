package ledger

import (
	"math/big"
	"slices"
	"time"

	"gpuspend/billing"
)

// PaidAhead says that a mode is paid for when it is ordered, so that it takes nothing off a balance by the hour and its
// bill came with the order.
func PaidAhead(m billing.Mode) bool {
	return m == billing.ModeMonthly || m == billing.ModeYearly || m == billing.ModeReserved
}

// Monthly is what an hourly rate comes to in a month of so many hours (0 asks for billing.MonthHours), rounded to the
// ninth decimal: a rate that was divided from a price per month gives that price again, without the dust of the
// division. Unknown where the rate is, or where the product leaves the range of Money.
func Monthly(rate billing.Money, monthHours int) billing.Money {
	if monthHours <= 0 {
		monthHours = billing.MonthHours
	}
	m, err := rate.MulRatio(int64(monthHours), 1)
	if err != nil {
		return billing.Money{}
	}
	m, _, err = billing.ParseMoney(m.Rounded(9), m.Currency())
	if err != nil {
		return billing.Money{}
	}
	return m
}

// quarter is the grain of accrual. Every zone's midnight lies on one, so that a sum does not depend on how it is cut,
// down to the last digit.
const quarter = 15 * time.Minute

// accrue is what a rate per hour comes to between two instants: whole quarters of an hour of UTC at one price each, and
// the edges apart. For every quarter q between a and b, accrue(a, b) is exactly accrue(a, q) plus accrue(q, b).
func accrue(rate billing.Money, from, to time.Time) (billing.Money, error) {
	first, last := from.Truncate(quarter), to.Truncate(quarter)
	if first.Before(from) {
		first = first.Add(quarter)
	}
	if first.After(last) {
		return during(rate, to.Sub(from))
	}
	sum, err := during(rate, quarter)
	if err == nil {
		sum, err = sum.MulRatio(int64(last.Sub(first)/quarter), 1)
	}
	for _, edge := range []time.Duration{first.Sub(from), to.Sub(last)} {
		var m billing.Money
		if err == nil {
			m, err = during(rate, edge)
		}
		if err == nil {
			sum, err = sum.Add(m)
		}
	}
	return sum, err
}

func during(rate billing.Money, d time.Duration) (billing.Money, error) {
	return rate.MulRatio(int64(d), int64(time.Hour))
}

// amount is an amount as an exact fraction; 0 for an unknown one.
func amount(m billing.Money) *big.Rat {
	nanos, atto := m.Parts()
	n := new(big.Int).Mul(big.NewInt(nanos), big.NewInt(1e9))
	return new(big.Rat).SetFrac(n.Add(n, big.NewInt(atto)), big.NewInt(1e18))
}

// hours is a stretch of time as an exact fraction of hours.
func hours(d time.Duration) *big.Rat { return big.NewRat(int64(d), int64(time.Hour)) }

// lasts is a fraction of hours as a duration, rounded down. It is false beyond a hundred years.
func lasts(h *big.Rat) (time.Duration, bool) {
	if h.Cmp(big.NewRat(100*365*24, 1)) > 0 {
		return 0, false
	}
	n := new(big.Int).Mul(h.Num(), big.NewInt(int64(time.Hour)))
	return time.Duration(n.Div(n, h.Denom()).Int64()), true
}

// atLeast is the smallest amount in minor units of a currency that is no less than r; unknown beyond the range of Money.
// What r has beyond its 12th decimal is the rounding of shares of an hour, not money.
func atLeast(r *big.Rat, c billing.Currency) billing.Money {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.MinorUnits())), nil)
	x := new(big.Rat).Sub(r, big.NewRat(1, 1e12))
	x.Mul(x, new(big.Rat).SetInt(unit))
	n, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	if rest.Sign() != 0 {
		n.Add(n, big.NewInt(1))
	}
	n.Mul(n, big.NewInt(1e9)).Div(n, unit)
	if !n.IsInt64() {
		return billing.Money{}
	}
	m, err := billing.MoneyFromParts(n.Int64(), 0, c)
	if err != nil {
		return billing.Money{}
	}
	return m
}

// grants are the vouchers that pay in a currency at an instant, those that expire first in front.
func grants(b billing.Balance, c billing.Currency, now time.Time) []billing.Voucher {
	var vs []billing.Voucher
	for _, v := range b.Vouchers {
		if v.Remaining.Currency() == c && v.Remaining.Sign() > 0 && (v.ExpiresAt.IsZero() || v.ExpiresAt.After(now)) {
			vs = append(vs, v)
		}
	}
	slices.SortStableFunc(vs, func(x, y billing.Voucher) int {
		switch {
		case x.ExpiresAt.IsZero() && y.ExpiresAt.IsZero():
			return 0
		case x.ExpiresAt.IsZero():
			return 1
		case y.ExpiresAt.IsZero():
			return -1
		}
		return x.ExpiresAt.Compare(y.ExpiresAt)
	})
	return vs
}
