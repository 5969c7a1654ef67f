package rules

import (
	"slices"
	"testing"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
	"gpuspend/notify/internal/scene"
)

// A day is told where bill and meter are over 5 % and over the currency's floor apart, all doubt granted.
func TestDrift(t *testing.T) {
	now := scene.Morning()
	for _, c := range []struct {
		name, billed, accrued, most, currency string
		open                                  int
		want                                  bool
	}{
		{"far more billed", "250", "100", "100", "CNY", 0, true},
		{"far less billed", "100", "250", "250", "CNY", 0, true},
		{"under the floor", "200", "100", "100", "CNY", 0, false},
		{"under 5 %", "10000", "9501", "9501", "CNY", 0, false},
		{"just over 5 %", "10000", "9499", "9499", "CNY", 0, true},
		{"a gap of ours may be the rest", "250", "100", "300", "CNY", 0, false},
		{"something without a price may be the rest", "250", "100", "100", "CNY", 1, false},
		{"dollars", "40", "24", "24", "USD", 0, true},
		{"euros, by the dollar's floor", "40", "24", "24", "EUR", 0, true},
		{"nothing metered", "101", "0", "0", "CNY", 0, true},
	} {
		m := func(s string) billing.Money { return billing.MustMoney(s, billing.Currency(c.currency)) }
		a := notify.AccountView{Account: billing.Account{ID: 1, Name: "a"}, Drifts: []ledger.Drift{{Account: 1, Day: now,
			Currency: billing.Currency(c.currency), Billed: m(c.billed), Accrued: m(c.accrued), AccruedMost: m(c.most), Open: c.open}}}
		if got := len(findDrift(scene.View(now, a))) == 1; got != c.want {
			t.Errorf("%s: told %v", c.name, got)
		}
	}
}

// A counter that went back is told, each time apart.
func TestCounterThatFellIsTold(t *testing.T) {
	now := scene.Morning()
	a := scene.AutoDL(now)
	a.Falls = []ledger.Step{{At: now, Amount: scene.CNY("3")}, {At: now.Add(day), Amount: scene.CNY("2")}}
	got := findCounter(scene.View(now, a))
	if len(got) != 2 || !slices.ContainsFunc(got, func(f billing.Finding) bool { return f.Facts.(CounterFacts).By == scene.CNY("2") }) {
		t.Errorf("%+v", got)
	}
}
