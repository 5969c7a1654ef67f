package bot

import (
	"testing"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

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
