package billing

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// What can be wrong with amounts. The errors of Money wrap these and name both operands.
var (
	ErrUnknownMoney = errors.New("an unknown amount can't be reckoned with")
	ErrCurrencies   = errors.New("amounts of two currencies can't be put together")
	ErrOverflow     = errors.New("the number is too large: an amount reaches to 9223372036 units of its currency")
	ErrZeroDivisor  = errors.New("division by zero")
)

// moneyDigits is the number of decimals that an amount keeps exactly.
const moneyDigits = 18

// Money is an exact amount with 18 decimals and its currency. The zero Money is unknown: it has no currency and is
// never shown as 0. Two amounts are equal when == says so.
//
// The amount is nanos*1e-9 + atto*1e-18 in floor form: 0 <= atto < 1e9, so that the pair orders like the number and
// the amount is negative exactly when nanos is.
type Money struct {
	nanos int64
	atto  int64
	cur   Currency
}

// ParseMoney reads an amount written plainly or as mEn, with or without a sign. Digits beyond the 18th decimal are
// rounded half to even, and rounded says so. Everything else is refused: nothing at all, NaN, separators of thousands,
// currency signs, spaces.
func ParseMoney(s string, c Currency) (m Money, rounded bool, err error) {
	n, ok := scan(s)
	if !ok {
		return Money{}, false, fmt.Errorf("parse amount: %q is not a number; write it like 1234.56", s)
	}
	if c == "" {
		return Money{}, false, fmt.Errorf("parse amount: %q has no currency", s)
	}
	if n.wild {
		return Money{}, false, fmt.Errorf("parse amount: the exponent of %q is beyond %d: %w", s, maxExponent, ErrOverflow)
	}
	if !n.long && n.scale >= 0 && n.scale <= moneyDigits {
		if m, ok := n.money(c); ok {
			return m, false, nil
		}
	}
	coef, scale := n.big()
	atto, exact := rescale(coef, scale, moneyDigits)
	if m, err = moneyFromAtto(atto, c); err != nil {
		return Money{}, false, fmt.Errorf("parse amount %q %s: %w", s, c, err)
	}
	return m, !exact, nil
}

// money is the way of ordinary numerals, without big.Int. It declines where the nanos leave 63 bits.
func (n *numeral) money(c Currency) (Money, bool) {
	nanos, atto := n.coef, uint64(0)
	if n.scale <= 9 {
		high, low := bits.Mul64(nanos, pow10(9-n.scale))
		if high != 0 {
			return Money{}, false
		}
		nanos = low
	} else {
		p := pow10(n.scale - 9)
		atto = nanos % p * pow10(moneyDigits-n.scale)
		nanos /= p
	}
	if nanos >= 1<<63 {
		return Money{}, false
	}
	m := Money{int64(nanos), int64(atto), c}
	if n.neg {
		m.nanos, m.atto = negate(m.nanos, m.atto)
	}
	return m, true
}

// negate turns the sign of a pair whose nanos are not the smallest int64 with atto 0.
func negate(nanos, atto int64) (int64, int64) {
	if atto == 0 {
		return -nanos, 0
	}
	return ^nanos, 1e9 - atto
}

// pow10 is 10^n for n up to 19.
func pow10(n int) uint64 {
	p := uint64(1)
	for ; n > 0; n-- {
		p *= 10
	}
	return p
}

// MustMoney is ParseMoney for tables and tests: it panics where that fails or rounds.
func MustMoney(s string, c Currency) Money {
	m, rounded, err := ParseMoney(s, c)
	if err != nil {
		panic(err)
	}
	if rounded {
		panic("billing: " + s + " has more than 18 decimals")
	}
	return m
}

// ZeroMoney is the known amount 0.
func ZeroMoney(c Currency) Money { return Money{cur: c} }

// MoneyFromParts makes an amount from its parts as Parts gives them, or from the sums of the parts of many amounts:
// atto may have any value and is carried once. It fails with ErrOverflow, and with ErrUnknownMoney without a currency.
func MoneyFromParts(nanos, atto int64, c Currency) (Money, error) {
	carry := atto / 1e9
	if atto %= 1e9; atto < 0 {
		atto += 1e9
		carry--
	}
	sum, ok := addCarry(nanos, carry, 0)
	switch {
	case c == "":
		return Money{}, fmt.Errorf("make amount without a currency: %w", ErrUnknownMoney)
	case !ok:
		return Money{}, fmt.Errorf("make amount of %d and %d parts in %s: %w", nanos, atto, c, ErrOverflow)
	}
	return Money{sum, atto, c}, nil
}

// moneyFromAtto makes an amount from a count of 1e-18.
func moneyFromAtto(atto *big.Int, c Currency) (Money, error) {
	nanos, rest := new(big.Int).DivMod(atto, big.NewInt(1e9), new(big.Int))
	if !nanos.IsInt64() {
		return Money{}, ErrOverflow
	}
	return Money{nanos.Int64(), rest.Int64(), c}, nil
}

// bigAtto is the amount as a count of 1e-18.
func (m Money) bigAtto() *big.Int {
	a := new(big.Int).Mul(big.NewInt(m.nanos), big.NewInt(1e9))
	return a.Add(a, big.NewInt(m.atto))
}

// Parts gives the whole nanos and the remainder in 1e-18, which is never negative. Store both, and add each up for itself.
func (m Money) Parts() (nanos, atto int64) { return m.nanos, m.atto }

// Currency is "" for an unknown amount.
func (m Money) Currency() Currency { return m.cur }

// Known says whether there is an amount at all.
func (m Money) Known() bool { return m.cur != "" }

// magnitude is the amount without its sign.
func (m Money) magnitude() (nanos, atto uint64) {
	if m.nanos >= 0 {
		return uint64(m.nanos), uint64(m.atto)
	}
	n, a := negate(m.nanos, m.atto)
	return uint64(n), uint64(a) // the smallest int64 negates to itself, which is its magnitude as uint64
}

// Amount is the exact amount as a plain decimal without trailing zeros, and "" when unknown.
func (m Money) Amount() string {
	if !m.Known() {
		return ""
	}
	nanos, atto := m.magnitude()
	b := m.appendSign(make([]byte, 0, 32))
	b = strconv.AppendUint(b, nanos/1e9, 10)
	if fraction := nanos%1e9*1e9 + atto; fraction != 0 {
		digits := strconv.AppendUint(nil, 1e18+fraction, 10)
		b = append(append(b, '.'), strings.TrimRight(string(digits[1:]), "0")...)
	}
	return string(b)
}

func (m Money) appendSign(b []byte) []byte {
	if m.nanos < 0 {
		return append(b, '-')
	}
	return b
}

// Rounded is the amount with a fixed number of decimals, half away from zero, as people expect it: 0.025 is "0.03" and
// -0.025 is "-0.03" with two. An amount that rounds to zero has no sign. "" when unknown.
func (m Money) Rounded(digits int) string {
	if !m.Known() {
		return ""
	}
	d := min(max(digits, 0), moneyDigits)
	nanos, atto := m.magnitude()
	unit := pow10(moneyDigits - d)
	whole, fraction := nanos/1e9, (nanos%1e9*1e9+atto+unit/2)/unit
	if fraction == pow10(d) {
		whole, fraction = whole+1, 0
	}
	var b []byte
	if whole != 0 || fraction != 0 {
		b = m.appendSign(make([]byte, 0, 32))
	}
	b = strconv.AppendUint(b, whole, 10)
	if d > 0 {
		b = append(b, '.')
		b = append(b, strconv.AppendUint(nil, pow10(d)+fraction, 10)[1:]...)
	}
	return string(b) + strings.Repeat("0", max(digits-moneyDigits, 0))
}

// String is for logs and errors, such as "CNY 12.5"; "unknown" when it is. People read what notify/words makes of it.
func (m Money) String() string {
	if !m.Known() {
		return "unknown"
	}
	return string(m.cur) + " " + m.Amount()
}

// MarshalJSON gives the amount as a string, and null when unknown. The currency stands beside it in whatever is
// marshalled, so there is no way back.
func (m Money) MarshalJSON() ([]byte, error) {
	if !m.Known() {
		return []byte("null"), nil
	}
	return []byte(`"` + m.Amount() + `"`), nil
}
