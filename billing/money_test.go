package billing_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"gpuspend/billing"

	"pgregory.net/rapid"
)

const cny, usd, jpy = billing.Currency("CNY"), billing.Currency("USD"), billing.Currency("JPY")

func TestParseCurrency(t *testing.T) {
	for code, digits := range map[string]int{"CNY": 2, "USD": 2, "AED": 2, "ZWG": 2, "JPY": 0, "KRW": 0, "KWD": 3, "CLF": 4} {
		c, err := billing.ParseCurrency(code)
		if err != nil || c.MinorUnits() != digits {
			t.Errorf("%s: %d digits, error %v; want %d", code, c.MinorUnits(), err, digits)
		}
	}
	for _, s := range []string{"", "usd", "US", "USDX", "XXX", "XAU", "D A", " US", "人民币", "Credits", "AED AFN"} {
		if c, err := billing.ParseCurrency(s); err == nil || !strings.Contains(err.Error(), "ISO 4217") {
			t.Errorf("%q: got %q, %v; want a sentence about ISO 4217", s, c, err)
		}
	}
}

func TestParseMoney(t *testing.T) {
	tests := []struct {
		in, want string
		rounded  bool
	}{
		{"0", "0", false},
		{"-0", "0", false},
		{"12.5", "12.5", false},
		{"+12.50", "12.5", false},
		{"-0.025", "-0.025", false},
		{".5", "0.5", false},
		{"5.", "5", false},
		{"1.81E-8", "0.0000000181", false},
		{"5.64902e-05", "0.0000564902", false},
		{"1E+3", "1000", false},
		{"1E3", "1000", false},
		{"-25E-1", "-2.5", false},
		{"0E999", "0", false},
		{"2.523589325400648001", "2.523589325400648001", false},
		{"100000.000000000000000000000000", "100000", false},
		{"123456789.123456789123456789", "123456789.123456789123456789", false},
		{"0000000000000000000000001.5", "1.5", false},
		{"0.0000000000000000005", "0", true},                    // half to even: down
		{"0.0000000000000000015", "0.000000000000000002", true}, // half to even: up
		{"-0.0000000000000000015", "-0.000000000000000002", true},
		{"0.00000000000000000051", "0.000000000000000001", true},
		{"0.9999999999999999999", "1", true},
		{"1E-1000", "0", true},
		{"9223372036.854775807999999999", "9223372036.854775807999999999", false},
		{"-9223372036.854775808", "-9223372036.854775808", false},
	}
	for _, tt := range tests {
		m, rounded, err := billing.ParseMoney(tt.in, cny)
		if err != nil || m.Amount() != tt.want || rounded != tt.rounded {
			t.Errorf("%s: got %s, rounded %t, error %v; want %s, %t", tt.in, m.Amount(), rounded, err, tt.want, tt.rounded)
		}
	}
}

func TestParseMoneyRefuses(t *testing.T) {
	for _, s := range []string{"", " ", "1 ", " 1", "-", "+", ".", "-.", "--1", "E5", "1E", "1E+", "1E-x", "1E5.0", "1.2.3", "NaN",
		"Inf", "-Infinity", "1,234.56", "1,2", "$1", "1USD", "¥3", "0x1F", "1_000", "1/2", "1'000", "١", "NULL"} {
		m, _, err := billing.ParseMoney(s, cny)
		if err == nil || m.Known() || !strings.Contains(err.Error(), "is not a number; write it like 1234.56") {
			t.Errorf("%q: got %v, %v", s, m, err)
		}
	}
	for _, s := range []string{"9223372036.854775808", "-9223372036.854775808000000001", "1E10", "1E99999999999999999999",
		"-1E+1000", "99999999999999999999", "9223372036.8547758079999999999"} {
		if m, _, err := billing.ParseMoney(s, cny); !errors.Is(err, billing.ErrOverflow) {
			t.Errorf("%q: got %v, %v; want overflow", s, m, err)
		}
	}
	if m, _, err := billing.ParseMoney("1", ""); err == nil {
		t.Errorf("no currency: got %v", m)
	}
}

func TestZeroMoneyIsUnknown(t *testing.T) {
	var m billing.Money
	if m.Known() || m.Currency() != "" || m.Amount() != "" || m.Rounded(2) != "" || m.String() != "unknown" || m.Sign() != 0 {
		t.Errorf("the zero Money shows %q, %q, %q", m.Amount(), m.Rounded(2), m)
	}
	zero := billing.ZeroMoney(cny)
	if !zero.Known() || zero.Amount() != "0" || zero.Rounded(2) != "0.00" || zero == m {
		t.Errorf("a known 0 shows %q", zero)
	}
	one := billing.MustMoney("1", cny)
	_, add := one.Add(m)
	_, sub := m.Sub(one)
	_, compare := m.Cmp(m)
	_, neg := m.Neg()
	_, abs := m.Abs()
	_, mul := m.Mul(billing.DecimalFromInt(2))
	_, byUnknown := one.Mul(billing.Decimal{})
	_, div := one.Div(billing.Decimal{})
	_, ratio := m.MulRatio(1, 2)
	_, parts := billing.MoneyFromParts(1, 0, "")
	for i, err := range []error{add, sub, compare, neg, abs, mul, byUnknown, div, ratio, parts} {
		if !errors.Is(err, billing.ErrUnknownMoney) {
			t.Errorf("case %d: error %v, want ErrUnknownMoney", i, err)
		}
	}
}

func TestTwoCurrenciesAreNeverAdded(t *testing.T) {
	a, b := billing.MustMoney("1", cny), billing.MustMoney("2", usd)
	_, add := a.Add(b)
	_, sub := a.Sub(b)
	_, compare := a.Cmp(b)
	for _, err := range []error{add, sub, compare} {
		if !errors.Is(err, billing.ErrCurrencies) || !strings.Contains(err.Error(), "CNY 1 and USD 2") {
			t.Errorf("error %v does not name both", err)
		}
	}
}

func TestMoneyOverflow(t *testing.T) {
	high := must(billing.MoneyFromParts(math.MaxInt64, 999999999, cny))
	low := must(billing.MoneyFromParts(math.MinInt64, 0, cny))
	step := must(billing.MoneyFromParts(0, 1, cny))
	_, add := high.Add(step)
	_, sub := low.Sub(step)
	_, neg := low.Neg()
	_, abs := low.Abs()
	_, mul := high.Mul(billing.DecimalFromInt(2))
	_, div := high.Div(billing.MustDecimal("0.1"))
	_, ratio := high.MulRatio(3, 2)
	_, parts := billing.MoneyFromParts(math.MaxInt64, 1e9, cny)
	_, below := billing.MoneyFromParts(math.MinInt64, -1, cny)
	for i, err := range []error{add, sub, neg, abs, mul, div, ratio, parts, below} {
		if !errors.Is(err, billing.ErrOverflow) {
			t.Errorf("case %d: error %v, want ErrOverflow", i, err)
		}
	}
	back := must(must(low.Add(step)).Neg())
	if back != must(high.Sub(must(billing.MoneyFromParts(0, 0, cny)))) {
		t.Errorf("the opposite of the lowest amount but one is %s, want %s", back, high)
	}
}

// TestRounding holds the bill of five disks at 0.005: people see 0.03, and -0.03 for the refund.
func TestRounding(t *testing.T) {
	price := billing.MustMoney("0.005", cny)
	five := must(price.Mul(billing.DecimalFromInt(5)))
	three := must(price.Mul(billing.DecimalFromInt(3)))
	tests := []struct {
		m      billing.Money
		digits int
		want   string
	}{
		{five, 2, "0.03"},
		{must(five.Neg()), 2, "-0.03"},
		{three, 2, "0.02"},
		{billing.MustMoney("0.004999999999999999", cny), 2, "0.00"},
		{billing.MustMoney("-0.004", cny), 2, "0.00"},
		{billing.MustMoney("0.995", cny), 2, "1.00"},
		{billing.MustMoney("-1999.5", jpy), 0, "-2000"},
		{billing.MustMoney("1.0005", "KWD"), 3, "1.001"},
		{billing.MustMoney("-9223372036.854775808", cny), 2, "-9223372036.85"},
		{billing.MustMoney("1.5", cny), 20, "1.50000000000000000000"},
		{billing.MustMoney("1.5", cny), -1, "2"},
	}
	for _, tt := range tests {
		if got := tt.m.Rounded(tt.digits); got != tt.want {
			t.Errorf("%s with %d digits: got %s, want %s", tt.m, tt.digits, got, tt.want)
		}
	}
}

func TestMoneyByRatio(t *testing.T) {
	hourly := billing.MustMoney("1.624", usd)
	if got := must(hourly.MulRatio(90*60*1e9, 3600e9)); got.Amount() != "2.436" {
		t.Errorf("90 minutes cost %s", got)
	}
	if got := must(billing.MustMoney("1", usd).MulRatio(1, 3)); got.Amount() != "0.333333333333333333" {
		t.Errorf("a third is %s", got)
	}
	if _, err := hourly.MulRatio(1, 0); !errors.Is(err, billing.ErrZeroDivisor) {
		t.Errorf("division by zero: %v", err)
	}
	if _, err := hourly.Div(billing.DecimalFromInt(0)); !errors.Is(err, billing.ErrZeroDivisor) {
		t.Errorf("division by zero: %v", err)
	}
}

func TestMoneyJSON(t *testing.T) {
	got := string(must(json.Marshal([]billing.Money{billing.MustMoney("-12.50", cny), billing.ZeroMoney(cny), {}})))
	if got != `["-12.5","0",null]` {
		t.Errorf("got %s", got)
	}
}

func TestTally(t *testing.T) {
	var tally billing.Tally
	for _, m := range []billing.Money{billing.MustMoney("1", usd), {}, billing.MustMoney("0.1", cny), billing.MustMoney("2.5", usd)} {
		if err := tally.Add(m); err != nil {
			t.Fatal(err)
		}
	}
	want := []billing.Money{billing.MustMoney("0.1", cny), billing.MustMoney("3.5", usd)}
	if got := tally.Totals(); !slices.Equal(got, want) || tally.Unknown() != 1 {
		t.Errorf("got %v and %d unknown, want %v and 1", got, tally.Unknown(), want)
	}
	if tally.In(usd) != want[1] || tally.In(jpy) != billing.ZeroMoney(jpy) {
		t.Errorf("in USD %v, in JPY %v", tally.In(usd), tally.In(jpy))
	}
	high := must(billing.MoneyFromParts(math.MaxInt64, 0, usd))
	if err := tally.Add(high); !errors.Is(err, billing.ErrOverflow) || tally.In(usd) != want[1] {
		t.Errorf("overflow: %v, and the sum became %v", err, tally.In(usd))
	}
}

// numerals draws numbers as bills write them, most of them within an amount's range.
func numerals() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[-+]?[0-9]{1,9}(\.[0-9]{0,24})?`),
		rapid.StringMatching(`-?0\.0{10,20}[0-9]{1,12}`),
		rapid.StringMatching(`[-+]?[0-9]{1,3}(\.[0-9]{1,12})?[eE][-+]?[0-9]{1,2}`),
		rapid.StringMatching(`[-+]?\.[0-9]{1,40}`),
	)
}

func amounts() *rapid.Generator[billing.Money] {
	return rapid.Custom(func(t *rapid.T) billing.Money {
		nanos := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-3, 3), rapid.Int64Range(-1e15, 1e15)).Draw(t, "nanos")
		return must(billing.MoneyFromParts(nanos, rapid.Int64Range(0, 999999999).Draw(t, "atto"), cny))
	})
}

// same compares a result with the exact one, rounded half to even at the 18th decimal; out of range is an error on both sides.
func same(t *rapid.T, what string, got billing.Money, err error, exact *big.Rat) {
	t.Helper()
	want, fits := nearest(exact)
	switch {
	case fits && (err != nil || got.Amount() != want):
		t.Fatalf("%s: got %s, error %v; want %s", what, got.Amount(), err, want)
	case !fits && !errors.Is(err, billing.ErrOverflow):
		t.Fatalf("%s: got %s, error %v; want overflow", what, got.Amount(), err)
	}
}

// nearest is the oracle: it shares no arithmetic with the package.
func nearest(x *big.Rat) (amount string, fits bool) {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)
	scaled := new(big.Rat).Mul(x, new(big.Rat).SetInt(scale))
	floor := new(big.Int).Div(scaled.Num(), scaled.Denom())
	rest := new(big.Rat).Sub(scaled, new(big.Rat).SetInt(floor))
	if c := rest.Cmp(big.NewRat(1, 2)); c > 0 || c == 0 && floor.Bit(0) == 1 {
		floor.Add(floor, big.NewInt(1))
	}
	text := new(big.Rat).SetFrac(floor, scale).FloatString(18)
	text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	limit := new(big.Int).Lsh(big.NewInt(1e9), 63)
	return text, floor.Cmp(limit) < 0 && floor.Cmp(new(big.Int).Neg(limit)) >= 0
}

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("not a rational: " + s)
	}
	return r
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestMoneyAgreesWithRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := numerals().Draw(t, "numeral")
		m, rounded, err := billing.ParseMoney(s, cny)
		same(t, "parse", m, err, rat(s))
		if err == nil && rounded != (rat(m.Amount()).Cmp(rat(s)) != 0) {
			t.Fatalf("rounded is %t for %s -> %s", rounded, s, m)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := amounts().Draw(t, "a"), amounts().Draw(t, "b")
		x, y := rat(a.Amount()), rat(b.Amount())
		sum, err := a.Add(b)
		same(t, "add", sum, err, new(big.Rat).Add(x, y))
		diff, err := a.Sub(b)
		same(t, "subtract", diff, err, new(big.Rat).Sub(x, y))
		neg, err := a.Neg()
		same(t, "negate", neg, err, new(big.Rat).Neg(x))
		abs, err := a.Abs()
		same(t, "abs", abs, err, new(big.Rat).Abs(x))
		if c := must(a.Cmp(b)); c != x.Cmp(y) || a.Sign() != x.Sign() {
			t.Fatalf("compare: %d", c)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		m, s := amounts().Draw(t, "amount"), numerals().Draw(t, "factor")
		factor := billing.MustDecimal(s)
		got, err := m.Mul(factor)
		same(t, "multiply", got, err, new(big.Rat).Mul(rat(m.Amount()), rat(s)))
		if factor.Sign() != 0 {
			got, err = m.Div(factor)
			same(t, "divide", got, err, new(big.Rat).Quo(rat(m.Amount()), rat(s)))
		}
		num := rapid.Int64().Draw(t, "num")
		den := rapid.Int64().Filter(func(n int64) bool { return n != 0 }).Draw(t, "den")
		got, err = m.MulRatio(num, den)
		same(t, "ratio", got, err, new(big.Rat).Mul(rat(m.Amount()), big.NewRat(num, den)))
	})
}

func TestMoneyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := amounts().Draw(t, "amount")
		if back := billing.MustMoney(m.Amount(), cny); back != m {
			t.Fatalf("%s came back as %s", m, back)
		}
		nanos, atto := m.Parts()
		if atto < 0 || atto >= 1e9 || must(billing.MoneyFromParts(nanos, atto, cny)) != m {
			t.Fatalf("parts %d, %d", nanos, atto)
		}
	})
}

func TestRoundedAgreesWithRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, digits := amounts().Draw(t, "amount"), rapid.IntRange(0, 18).Draw(t, "digits")
		want := rat(m.Amount()).FloatString(digits) // which rounds halves away from zero
		if strings.Trim(want, "-0.") == "" {
			want = strings.TrimPrefix(want, "-")
		}
		if got := m.Rounded(digits); got != want {
			t.Fatalf("%s with %d digits: got %s, want %s", m, digits, got, want)
		}
	})
}

// TestPartsOrderAndSum holds what the store relies on: the pair orders like the number, and columns of parts may be
// summed each for itself and carried once.
func TestPartsOrderAndSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(amountsUpTo(1e15), 1, 50).Draw(t, "amounts")
		var nanos, atto int64
		exact := new(big.Rat)
		for i, m := range all {
			n, a := m.Parts()
			nanos, atto = nanos+n, atto+a
			exact.Add(exact, rat(m.Amount()))
			o := all[(i+1)%len(all)]
			on, oa := o.Parts()
			if less := n < on || n == on && a < oa; less != (rat(m.Amount()).Cmp(rat(o.Amount())) < 0) {
				t.Fatalf("parts of %s and %s are in another order", m, o)
			}
		}
		sum, err := billing.MoneyFromParts(nanos, atto, cny)
		same(t, "sum", sum, err, exact)
	})
}

func amountsUpTo(limit int64) *rapid.Generator[billing.Money] {
	return rapid.Custom(func(t *rapid.T) billing.Money {
		nanos := rapid.Int64Range(-limit, limit).Draw(t, "nanos")
		return must(billing.MoneyFromParts(nanos, rapid.Int64Range(0, 999999999).Draw(t, "atto"), cny))
	})
}

func TestParseMoneyAllocatesNothing(t *testing.T) {
	for _, s := range []string{"0", "12.34", "-0.08799215300000", "1.81E-8", "2.523589325400648", "100000.00000000000000"} {
		if n := testing.AllocsPerRun(100, func() { _, _, _ = billing.ParseMoney(s, usd) }); n != 0 {
			t.Errorf("%s: %g allocations", s, n)
		}
	}
}

func BenchmarkParseMoney(b *testing.B) {
	for _, s := range []string{"0", "12.34", "0.08799215300000", "1.81E-8", "12.123456789012345678"} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _, _ = billing.ParseMoney(s, usd)
			}
		})
	}
}
