package bot

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify/words"
)

// The rate is the one that was configured, said with its day and its source: none is built in, and another day's rate is
// another figure.
func TestX15RateIsSaidWithItsDay(t *testing.T) {
	totals := []ledger.Row{{Currency: "CNY", Amount: billing.MustMoney("100", "CNY")}, {Currency: "USD", Amount: billing.MustMoney("20", "USD")}}
	book, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ rate, date, amount, shown string }{
		{"7.12", "2026-12-01", "242.4", "≈ CN¥242.40"}, {"6.9", "2026-11-01", "238", "≈ CN¥238.00"},
	} {
		a := approx([]Rate{{From: "USD", To: "CNY", Rate: billing.MustDecimal(tt.rate), Source: "PBoC", Date: tt.date}}, totals)
		if a == nil || a.Amount != tt.amount || a.Rates[0].Date != tt.date || a.Rates[0].Source != "PBoC" {
			t.Fatalf("%+v", a)
		}
		line := fmt.Sprintf("%+v", approxLine(book.For("en", time.UTC, time.Date(2026, 12, 2, 0, 0, 0, 0, time.UTC)), a))
		for _, want := range []string{tt.shown, tt.rate, tt.date, "PBoC"} {
			if !strings.Contains(line, want) {
				t.Errorf("%s lacks %s", line, want)
			}
		}
	}
}

// One total over two currencies only with a rate that has a source and a date, exact to the last digit (C20, X15).
func TestC20OneTotalOnlyWithARate(t *testing.T) {
	totals := []ledger.Row{{Currency: "CNY", Amount: billing.MustMoney("100", "CNY"), Accrued: billing.MustMoney("1.5", "CNY")},
		{Currency: "USD", Amount: billing.MustMoney("20", "USD")}}
	if a := approx(nil, totals); a != nil {
		t.Errorf("without a rate: %v", a)
	}
	rate := Rate{From: "USD", To: "CNY", Rate: billing.MustDecimal("7.0827"), Source: "PBoC", Date: "2026-12-01"}
	if a := approx([]Rate{rate}, totals); a == nil || a.Amount != "243.154" || a.Currency != "CNY" || len(a.Rates) != 1 {
		t.Errorf("with a rate: %v", a)
	}
	if a := approx([]Rate{rate}, append(totals, ledger.Row{Currency: "EUR", Amount: billing.MustMoney("1", "EUR")})); a != nil {
		t.Errorf("a currency without a rate is left out: %v", a)
	}
}
