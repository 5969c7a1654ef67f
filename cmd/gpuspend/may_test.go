package main

import (
	"testing"

	"gpuspend/billing"
)

// A second person is needed above the configured cost of a month, for the configured labels, and where nobody knows the
// cost in the configured currency.
func TestSecondPersonOf(t *testing.T) {
	dec := func(s string) billing.Decimal {
		d, err := billing.ParseDecimal(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	c := Config{Currency: "CNY", Rates: map[string]RateEntry{"USD": {Rate: dec("7.2")}}}
	c.Releases.Approval.Above, c.Releases.Approval.Labels = dec("5000"), []string{"env=prod", "pinned"}
	tags := func(k, v string) billing.Holding {
		return billing.Holding{Resource: billing.Resource{Tags: map[string]string{k: v}}}
	}
	for _, tt := range []struct {
		name  string
		h     billing.Holding
		today billing.Money
		want  bool
	}{
		{"below", billing.Holding{}, billing.MustMoney("5000", "CNY"), false},
		{"above", billing.Holding{}, billing.MustMoney("5000.01", "CNY"), true},
		{"below, converted", billing.Holding{}, billing.MustMoney("694", "USD"), false},
		{"above, converted", billing.Holding{}, billing.MustMoney("695", "USD"), true},
		{"no rate", billing.Holding{}, billing.MustMoney("1", "EUR"), true},
		{"unknown", billing.Holding{}, billing.Money{}, true},
		{"label", tags("env", "prod"), billing.MustMoney("1", "CNY"), true},
		{"another value", tags("env", "test"), billing.MustMoney("1", "CNY"), false},
		{"any value", tags("pinned", "no"), billing.MustMoney("1", "CNY"), true},
	} {
		if got := c.second(tt.h, tt.today); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	if (Config{}).second(billing.Holding{}, billing.Money{}) {
		t.Error("nothing is configured")
	}
}
