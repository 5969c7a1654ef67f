package billing

import (
	"math/big"
	"strings"
)

// A numeral is a number as it is written in a bill: plain, or in the mEn notation of FOCUS. Its value is
// coef * 10^-scale, or that of text and exp where coef has no room for the digits.
type numeral struct {
	neg   bool
	long  bool   // coef has no room; the digits are in text
	wild  bool   // the exponent is beyond maxExponent and was cut down to it
	coef  uint64 // digits without point and sign
	scale int    // negative after a large exponent
	exp   int
	text  string // digits and point, without sign and exponent
}

// maxExponent keeps a few bytes such as 1E999999999 from growing into a gigabyte of digits.
const maxExponent = 1000

// roomForDigit is the largest coef to which any digit can be appended.
const roomForDigit = (1<<64 - 10) / 10

// scan reads a numeral. A sign may stand before the number and before the exponent; FOCUS forbids the plus before an
// exponent, and clouds write it.
func scan(s string) (n numeral, ok bool) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		n.neg = s[i] == '-'
		i++
	}
	start, point, digits := i, false, 0
	for ; i < len(s); i++ {
		if d := s[i] - '0'; d <= 9 {
			n.push(uint64(d), point)
			digits++
			continue
		}
		if s[i] != '.' || point {
			break
		}
		point = true
	}
	n.text = s[start:i]
	if digits == 0 {
		return n, false
	}
	return n, i == len(s) || n.exponent(s[i:])
}

// push appends a digit. Zeros at the end of a fraction change nothing and need no room.
func (n *numeral) push(d uint64, fraction bool) {
	switch {
	case n.coef <= roomForDigit:
		n.coef = n.coef*10 + d
		if fraction {
			n.scale++
		}
	case d != 0 || !fraction:
		n.long = true
	}
}

// exponent reads the "E-8" of a numeral.
func (n *numeral) exponent(s string) bool {
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = s[1:]
	neg := s != "" && s[0] == '-'
	if neg || s != "" && s[0] == '+' {
		s = s[1:]
	}
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 {
			return false
		}
		if n.exp = n.exp*10 + int(d); n.exp > maxExponent {
			n.exp, n.wild = maxExponent, true
		}
	}
	if neg {
		n.exp = -n.exp
	}
	n.scale -= n.exp
	return s != ""
}

// big gives the signed coefficient and its scale, whatever the number of digits.
func (n *numeral) big() (coef *big.Int, scale int) {
	if n.long {
		whole, fraction, _ := strings.Cut(n.text, ".")
		coef, _ = new(big.Int).SetString(whole+fraction, 10)
		scale = len(fraction) - n.exp
	} else {
		coef, scale = new(big.Int).SetUint64(n.coef), n.scale
	}
	if n.neg {
		coef.Neg(coef)
	}
	return coef, scale
}

// bigPow10 is 10^n.
func bigPow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// divHalfEven divides and rounds to the nearest integer, from the middle to the even one. exact says that nothing was
// rounded. It changes neither operand; den must not be 0.
func divHalfEven(num, den *big.Int) (q *big.Int, exact bool) {
	q, rest := new(big.Int).QuoRem(num, den, new(big.Int))
	if rest.Sign() == 0 {
		return q, true
	}
	half := new(big.Int).Lsh(rest, 1)
	if c := half.CmpAbs(den); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(int64(num.Sign()*den.Sign())))
	}
	return q, false
}

// rescale turns a coefficient of one scale into that of another, half to even.
func rescale(coef *big.Int, from, to int) (q *big.Int, exact bool) {
	if to >= from {
		return new(big.Int).Mul(coef, bigPow10(to-from)), true
	}
	return divHalfEven(coef, bigPow10(from-to))
}
