package billing

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// Sign is -1, 0 or 1; 0 for an unknown amount, too.
func (m Money) Sign() int {
	if m.nanos == 0 {
		return cmp.Compare(m.atto, 0)
	}
	return cmp.Compare(m.nanos, 0)
}

// together says what forbids to reckon with two amounts at once.
func (m Money) together(verb string, o Money) error {
	var err error
	switch {
	case !m.Known() || !o.Known():
		err = ErrUnknownMoney
	case m.cur != o.cur:
		err = ErrCurrencies
	default:
		return nil
	}
	return fmt.Errorf("%s %s and %s: %w", verb, m, o, err)
}

// Cmp compares: -1, 0 or 1. It fails with ErrUnknownMoney or ErrCurrencies.
func (m Money) Cmp(o Money) (int, error) {
	if err := m.together("compare", o); err != nil {
		return 0, err
	}
	return cmp.Or(cmp.Compare(m.nanos, o.nanos), cmp.Compare(m.atto, o.atto)), nil
}

// Add fails with ErrUnknownMoney, ErrCurrencies or ErrOverflow.
func (m Money) Add(o Money) (Money, error) {
	if err := m.together("add", o); err != nil {
		return Money{}, err
	}
	atto, carry := m.atto+o.atto, int64(0)
	if atto >= 1e9 {
		atto, carry = atto-1e9, 1
	}
	nanos, ok := addCarry(m.nanos, o.nanos, carry)
	if !ok {
		return Money{}, fmt.Errorf("add %s and %s: %w", m, o, ErrOverflow)
	}
	return Money{nanos, atto, m.cur}, nil
}

// Sub fails like Add.
func (m Money) Sub(o Money) (Money, error) {
	if err := m.together("subtract", o); err != nil {
		return Money{}, err
	}
	atto, carry := m.atto-o.atto, int64(1)
	if atto < 0 {
		atto, carry = atto+1e9, 0
	}
	// ^x is -x-1, for every x.
	nanos, ok := addCarry(m.nanos, ^o.nanos, carry)
	if !ok {
		return Money{}, fmt.Errorf("subtract %s and %s: %w", m, o, ErrOverflow)
	}
	return Money{nanos, atto, m.cur}, nil
}

// addCarry adds two numbers and a carry of 0 or 1; ok is false where the sum leaves 64 bits.
func addCarry(a, b, carry int64) (sum int64, ok bool) {
	sum = a + b + carry
	return sum, (a^sum)&(b^sum) >= 0
}

// Neg fails with ErrUnknownMoney, and with ErrOverflow for the one amount that has no opposite.
func (m Money) Neg() (Money, error) {
	switch {
	case !m.Known():
		return Money{}, fmt.Errorf("negate: %w", ErrUnknownMoney)
	case m.nanos == math.MinInt64 && m.atto == 0:
		return Money{}, fmt.Errorf("negate %s: %w", m, ErrOverflow)
	}
	nanos, atto := negate(m.nanos, m.atto)
	return Money{nanos, atto, m.cur}, nil
}

// Abs fails like Neg.
func (m Money) Abs() (Money, error) {
	if m.Known() && m.nanos >= 0 {
		return m, nil
	}
	return m.Neg()
}

// Mul multiplies by a quantity and rounds half to even at the 18th decimal. It fails with ErrUnknownMoney, also for an
// unknown quantity, or with ErrOverflow.
func (m Money) Mul(d Decimal) (Money, error) {
	coef, scale := d.big()
	return m.scaled("multiply", d.String(), d.Known(), coef, bigPow10(scale))
}

// Div divides by a quantity and rounds half to even at the 18th decimal. It fails like Mul, and with ErrZeroDivisor.
func (m Money) Div(d Decimal) (Money, error) {
	coef, scale := d.big()
	return m.scaled("divide", d.String(), d.Known(), bigPow10(scale), coef)
}

// MulRatio gives m*num/den, exact but for the rounding half to even at the 18th decimal: a rate per hour over a
// duration in nanoseconds (den 3600e9), or a price per month over its hours. It fails like Div.
func (m Money) MulRatio(num, den int64) (Money, error) {
	by := strconv.FormatInt(num, 10) + "/" + strconv.FormatInt(den, 10)
	return m.scaled("multiply", by, true, big.NewInt(num), big.NewInt(den))
}

func (m Money) scaled(verb, by string, known bool, num, den *big.Int) (Money, error) {
	var r Money
	err := ErrUnknownMoney
	if m.Known() && known {
		err = ErrZeroDivisor
		if den.Sign() != 0 {
			atto, _ := divHalfEven(num.Mul(num, m.bigAtto()), den)
			r, err = moneyFromAtto(atto, m.cur)
		}
	}
	if err != nil {
		return Money{}, fmt.Errorf("%s %s by %s: %w", verb, m, cmp.Or(by, "unknown"), err)
	}
	return r, nil
}
