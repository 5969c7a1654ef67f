package billing

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Decimal is an exact decimal number without a currency: a quantity, a unit price, a count of cards. The zero Decimal
// is unknown, and whatever is reckoned with an unknown one is unknown. A Decimal never changes.
type Decimal struct {
	coef  int64
	large *big.Int // in place of coef where that has no room
	scale int32    // the value is coef * 10^-scale; never negative, and as small as it can be
	known bool
}

// ParseDecimal reads what ParseMoney reads, and keeps every digit. It fails with ErrOverflow for exponents beyond 1000.
func ParseDecimal(s string) (Decimal, error) {
	n, ok := scan(s)
	if !ok {
		return Decimal{}, fmt.Errorf("parse decimal: %q is not a number; write it like 1234.56", s)
	}
	if n.wild {
		return Decimal{}, fmt.Errorf("parse decimal: the exponent of %q is beyond %d: %w", s, maxExponent, ErrOverflow)
	}
	if n.long || n.scale < 0 || n.coef > math.MaxInt64 {
		return makeDecimal(n.big()), nil
	}
	coef := int64(n.coef)
	if n.neg {
		coef = -coef
	}
	return smallDecimal(coef, n.scale), nil
}

// MustDecimal is ParseDecimal for tables and tests: it panics where that fails.
func MustDecimal(s string) Decimal {
	d, err := ParseDecimal(s)
	if err != nil {
		panic(err)
	}
	return d
}

// DecimalFromInt is the whole number n.
func DecimalFromInt(n int64) Decimal { return Decimal{coef: n, known: true} }

func smallDecimal(coef int64, scale int) Decimal {
	for scale > 0 && coef%10 == 0 {
		coef /= 10
		scale--
	}
	return Decimal{coef: coef, scale: int32(scale), known: true}
}

// makeDecimal brings a coefficient and scale into the form that the type promises. It may keep coef.
func makeDecimal(coef *big.Int, scale int) Decimal {
	if scale < 0 {
		coef, scale = new(big.Int).Mul(coef, bigPow10(-scale)), 0
	}
	ten, rest := big.NewInt(10), new(big.Int)
	for scale > 0 && !coef.IsInt64() {
		q, _ := new(big.Int).QuoRem(coef, ten, rest)
		if rest.Sign() != 0 {
			return Decimal{large: coef, scale: int32(scale), known: true}
		}
		coef, scale = q, scale-1
	}
	if !coef.IsInt64() {
		return Decimal{large: coef, known: true}
	}
	return smallDecimal(coef.Int64(), scale)
}

// big gives a coefficient that the caller may change, and 0 for an unknown number.
func (d Decimal) big() (coef *big.Int, scale int) {
	if d.large != nil {
		return new(big.Int).Set(d.large), int(d.scale)
	}
	return big.NewInt(d.coef), int(d.scale)
}

// Known says whether there is a number at all.
func (d Decimal) Known() bool { return d.known }

// Sign is -1, 0 or 1; 0 for an unknown number, too.
func (d Decimal) Sign() int {
	if d.large != nil {
		return d.large.Sign()
	}
	return cmp.Compare(d.coef, 0)
}

// Cmp compares: -1, 0 or 1. Unknown comes before every number and equals unknown.
func (d Decimal) Cmp(o Decimal) int {
	switch {
	case d.known != o.known && d.known:
		return 1
	case d.known != o.known:
		return -1
	case !d.known:
		return 0
	}
	x, y, _ := aligned(d, o)
	return x.Cmp(y)
}

// Equal says whether two numbers are the same, or both unknown.
func (d Decimal) Equal(o Decimal) bool { return d.Cmp(o) == 0 }

// aligned gives the coefficients of two numbers at one scale.
func aligned(d, o Decimal) (x, y *big.Int, scale int) {
	x, xs := d.big()
	y, ys := o.big()
	scale = max(xs, ys)
	return x.Mul(x, bigPow10(scale-xs)), y.Mul(y, bigPow10(scale-ys)), scale
}

// Add is exact.
func (d Decimal) Add(o Decimal) Decimal {
	if !d.known || !o.known {
		return Decimal{}
	}
	x, y, scale := aligned(d, o)
	return makeDecimal(x.Add(x, y), scale)
}

// Sub is exact.
func (d Decimal) Sub(o Decimal) Decimal {
	if !d.known || !o.known {
		return Decimal{}
	}
	x, y, scale := aligned(d, o)
	return makeDecimal(x.Sub(x, y), scale)
}

// Mul is exact.
func (d Decimal) Mul(o Decimal) Decimal {
	if !d.known || !o.known {
		return Decimal{}
	}
	x, xs := d.big()
	y, ys := o.big()
	return makeDecimal(x.Mul(x, y), xs+ys)
}

// Div rounds half to even at a number of decimals. It fails with ErrZeroDivisor.
func (d Decimal) Div(o Decimal, digits int) (Decimal, error) {
	switch {
	case !d.known || !o.known:
		return Decimal{}, nil
	case o.Sign() == 0:
		return Decimal{}, fmt.Errorf("divide %s: %w", d, ErrZeroDivisor)
	}
	x, y, _ := aligned(d, o)
	digits = max(digits, 0)
	q, _ := divHalfEven(x.Mul(x, bigPow10(digits)), y)
	return makeDecimal(q, digits), nil
}

// String is the plain number without trailing zeros, and "" when unknown.
func (d Decimal) String() string {
	switch {
	case !d.known:
		return ""
	case d.large != nil:
		return placePoint(d.large.String(), int(d.scale))
	}
	return placePoint(strconv.FormatInt(d.coef, 10), int(d.scale))
}

// placePoint puts a decimal point before the last scale digits of a whole number.
func placePoint(digits string, scale int) string {
	if scale == 0 {
		return digits
	}
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - scale
	return sign + digits[:point] + "." + digits[point:]
}

// Rounded is the number with a fixed number of decimals, half away from zero: 2.5 is "3" and -2.5 is "-3" with none.
// "" when unknown.
func (d Decimal) Rounded(digits int) string {
	if !d.known {
		return ""
	}
	digits = max(digits, 0)
	coef, scale := d.big()
	if scale > digits {
		unit := bigPow10(scale - digits)
		half := new(big.Int).Rsh(unit, 1)
		if d.Sign() < 0 {
			half.Neg(half)
		}
		return placePoint(coef.Quo(coef.Add(coef, half), unit).String(), digits)
	}
	return placePoint(coef.Mul(coef, bigPow10(digits-scale)).String(), digits)
}

// Float64 is the nearest float, for pictures and bars only; NaN when unknown.
func (d Decimal) Float64() float64 {
	if !d.known {
		return math.NaN()
	}
	f, _ := strconv.ParseFloat(d.String(), 64) // out of range gives an infinity, which is the nearest
	return f
}

// MarshalJSON gives the number as a string, and null when unknown.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if !d.known {
		return []byte("null"), nil
	}
	return []byte(`"` + d.String() + `"`), nil
}

// UnmarshalJSON reads a string, a JSON number by its digits, or null.
func (d *Decimal) UnmarshalJSON(b []byte) (err error) {
	if string(b) == "null" {
		*d = Decimal{}
		return nil
	}
	*d, err = ParseDecimal(string(bytes.Trim(b, `"`)))
	return err
}
