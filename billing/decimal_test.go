package billing_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"gpuspend/billing"

	"pgregory.net/rapid"
)

func TestParseDecimal(t *testing.T) {
	tests := map[string]string{
		"0":                                 "0",
		"-0.000":                            "0",
		"1222335.5526":                      "1222335.5526",
		"+1.0000":                           "1",
		"1.81E-8":                           "0.0000000181",
		"12E+2":                             "1200",
		"0.25":                              "0.25",
		"-9223372036854775808":              "-9223372036854775808",
		"12345678901234567890.12":           "12345678901234567890.12",
		"0.1234567890123456789012345678901": "0.1234567890123456789012345678901",
		"100000000000000000000.50":          "100000000000000000000.5",
		"1844674407370955161.60":            "1844674407370955161.6",
	}
	for in, want := range tests {
		if d, err := billing.ParseDecimal(in); err != nil || d.String() != want {
			t.Errorf("%s: got %s, %v; want %s", in, d, err, want)
		}
	}
	for _, s := range []string{"", "NaN", "1,2", "0x1", "1_0", " 1", "1e", "-"} {
		if d, err := billing.ParseDecimal(s); err == nil || d.Known() {
			t.Errorf("%q: got %s", s, d)
		}
	}
	if _, err := billing.ParseDecimal("1E2000"); !errors.Is(err, billing.ErrOverflow) {
		t.Errorf("1E2000: %v", err)
	}
}

func TestZeroDecimalIsUnknown(t *testing.T) {
	var u billing.Decimal
	one := billing.DecimalFromInt(1)
	quotient, err := one.Div(u, 3)
	for _, d := range []billing.Decimal{u, one.Add(u), u.Sub(one), one.Mul(u), quotient} {
		if d.Known() || d.String() != "" || d.Rounded(2) != "" || !math.IsNaN(d.Float64()) {
			t.Errorf("an unknown number shows %q", d)
		}
	}
	if err != nil {
		t.Error(err)
	}
	if u.Cmp(one) != -1 || one.Cmp(u) != 1 || u.Cmp(u) != 0 || u.Equal(billing.DecimalFromInt(0)) || u.Cmp(billing.DecimalFromInt(-5)) != -1 {
		t.Error("unknown does not come before every number")
	}
}

func TestDecimalSmallFormIsComparable(t *testing.T) {
	if billing.MustDecimal("1.50") != billing.MustDecimal("15E-1") {
		t.Error("1.50 and 15E-1 differ")
	}
}

func TestDecimalJSON(t *testing.T) {
	type sample struct{ A, B, C billing.Decimal }
	text := string(must(json.Marshal(sample{A: billing.MustDecimal("0.50"), B: billing.DecimalFromInt(8)})))
	if text != `{"A":"0.5","B":"8","C":null}` {
		t.Errorf("got %s", text)
	}
	var back sample
	if err := json.Unmarshal([]byte(`{"A":"0.5","B":0.1,"C":null}`), &back); err != nil {
		t.Fatal(err)
	}
	if back.A.String() != "0.5" || back.B.String() != "0.1" || back.C.Known() {
		t.Errorf("got %+v", back)
	}
	if err := json.Unmarshal([]byte(`{"A":true}`), &back); err == nil {
		t.Error("true was taken for a number")
	}
}

func TestDecimalRounded(t *testing.T) {
	tests := []struct {
		in     string
		digits int
		want   string
	}{
		{"0.025", 2, "0.03"}, {"-0.025", 2, "-0.03"}, {"0.015", 2, "0.02"}, {"2.5", 0, "3"}, {"-2.5", 0, "-3"},
		{"7", 2, "7.00"}, {"-0.004", 2, "0.00"}, {"0.999", 2, "1.00"}, {"12", -1, "12"},
	}
	for _, tt := range tests {
		if got := billing.MustDecimal(tt.in).Rounded(tt.digits); got != tt.want {
			t.Errorf("%s with %d digits: got %s, want %s", tt.in, tt.digits, got, tt.want)
		}
	}
}

func TestDecimalAgreesWithRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, r := numerals().Draw(t, "s"), numerals().Draw(t, "r")
		a, b, x, y := billing.MustDecimal(s), billing.MustDecimal(r), rat(s), rat(r)
		check := func(what string, got billing.Decimal, want *big.Rat) {
			if rat(got.String()).Cmp(want) != 0 || strings.Contains(got.String(), ".") && strings.HasSuffix(got.String(), "0") {
				t.Fatalf("%s: got %s, want %s", what, got, want)
			}
		}
		check("parse", a, x)
		check("add", a.Add(b), new(big.Rat).Add(x, y))
		check("subtract", a.Sub(b), new(big.Rat).Sub(x, y))
		check("multiply", a.Mul(b), new(big.Rat).Mul(x, y))
		if a.Cmp(b) != x.Cmp(y) || a.Sign() != x.Sign() {
			t.Fatalf("%s and %s compare as %d", a, b, a.Cmp(b))
		}
		if y.Sign() == 0 {
			if _, err := a.Div(b, 6); !errors.Is(err, billing.ErrZeroDivisor) {
				t.Fatalf("division by zero: %v", err)
			}
			return
		}
		if want, fits := nearest(new(big.Rat).Quo(x, y)); fits {
			check("divide", must(a.Div(b, 18)), rat(want))
		}
	})
}
