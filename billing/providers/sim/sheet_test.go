//go:build !nodemo

package sim_test

import (
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
	"gpuspend/billing/providers/sim"
)

// demoSheet is the book of the demo as its offers give it.
func demoSheet(t *testing.T, at time.Time) *estimate.Book {
	t.Helper()
	w := sim.NewWorld(sim.Options{Seed: 1, Start: at.Add(-time.Hour), Story: at, Now: func() time.Time { return at }})
	s := estimate.Sheet{Extras: sim.Rates(at)}
	for _, d := range w.Drivers() {
		p, err := d.Open(billing.Config{Account: d.Name, Fields: map[string]billing.Secret{"key": billing.NewSecret("x")}}, billing.Env{Now: func() time.Time { return at }})
		if err != nil {
			t.Fatal(err)
		}
		for o, err := range p.(billing.Merchant).Offers(t.Context(), billing.OfferQuery{}) {
			if err != nil {
				t.Fatal(err)
			}
			s.Rows = append(s.Rows, sim.ByCard(estimate.RowOf(sim.Letter(d.Name), o, d.MonthHours, at)))
		}
	}
	return estimate.NewBook(s)
}

func TestDemoBookHoldsTheArticlesPrices(t *testing.T) {
	at := time.Date(2026, 12, 2, 1, 57, 0, 0, time.UTC)
	b := demoSheet(t, at)
	for _, x := range []struct{ words, low, high string }{
		{"provider=A mode=on_demand", "26400.00", "26400.00"},
		{"provider=B mode=on_demand", "25200.00", "25200.00"},
		{"provider=C mode=card_hour", "720.00", "960.00"},
		{"provider=A mode=on_demand egress=100GB disk=1TB snapshot=120GB ip=1", "26932.90", "26932.90"},
		{"provider=B mode=on_demand egress=100GB disk=1TB snapshot=120GB ip=1", "25732.90", "25732.90"},
	} {
		q := ask(t, b, "8xA100-80G 30h "+x.words, at)
		if len(q.Options) != 1 || q.Options[0].Total.Low.Rounded(2) != x.low || q.Options[0].Total.High.Rounded(2) != x.high {
			t.Errorf("%s: %+v", x.words, q.Options)
		}
	}
	spot := ask(t, b, "8xA100-80G 30h provider=A mode=spot", at).Options[0]
	if spot.Bare.Low.Rounded(2) != "2880.00" || spot.Bare.High.Rounded(2) != "4320.00" {
		t.Errorf("bare %v", spot.Bare)
	}
}

func ask(t *testing.T, b *estimate.Book, words string, at time.Time) estimate.Quote {
	t.Helper()
	r, err := estimate.Parse([]string{words}, estimate.Known{Cards: b.Cards(), Providers: b.Providers(), Currency: "CNY"}, at, time.UTC)
	if err != nil {
		t.Fatal(words, err)
	}
	q, err := b.Estimate(r, at)
	if err != nil {
		t.Fatal(words, err)
	}
	return q
}
