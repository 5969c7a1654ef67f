package storage_test

import (
	"testing"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

// Of a day that two sources have, one counts: the first in the account's order, else in the default one.
func TestOneCountingSourceADay(t *testing.T) {
	s := newShop(t)
	must(s.take(storage.Import{Files: file(hours(24, "1"), 0)}))
	from := day("2026-11-01")
	window := billing.Period{Start: from, End: from.AddDate(0, 0, 2)}
	lines := []billing.Charge{usage(from, "7"), usage(from.AddDate(0, 0, 1), "9")}
	if err := s.RecordCharges(t.Context(), s.account, window, window.End, billing.Coverage{Through: window.End}, lined(lines)); err != nil {
		t.Fatal(err)
	}
	q := ledger.Question{From: from, To: day("2026-12-01")}
	for _, c := range []struct {
		order []billing.ChargeSource
		want  string
	}{{nil, "33"}, {[]billing.ChargeSource{billing.SourceAPI}, "16"}, {[]billing.ChargeSource{billing.SourceFOCUS, billing.SourceAPI}, "33"},
		{[]billing.ChargeSource{billing.SourceCounter}, "33"}} {
		if err := s.SetSources(t.Context(), s.account, c.order); err != nil {
			t.Fatal(err)
		}
		if _, total := s.ask(t, q); total.Billed != usd(c.want) {
			t.Errorf("%v: %s, want %s", c.order, total.Billed, c.want)
		}
	}
}

// A bill whose columns are not what FOCUS says is recognised by its provider and said beside every figure.
func TestBillsAreRecognised(t *testing.T) {
	for provider, want := range map[string]billing.BillKind{"Tencent Cloud": {NoEffective: true}, "HUAWEI CLOUD": {NoInvoice: true}, "AWS": {}} {
		s := newShop(t)
		line := usage(day("2026-11-03"), "5")
		line.Provider, line.EffectiveCost = provider, billing.Money{}
		must(s.take(storage.Import{Files: file([]billing.Charge{line}, 0)}))
		covered, err := s.Coverage(t.Context())
		if err != nil || covered[0].Bill != want {
			t.Errorf("%s: %+v, %v", provider, covered[0].Bill, err)
		}
		_, total := s.ask(t, ledger.Question{From: day("2026-11-01"), To: day("2026-12-01"), View: ledger.Amortised})
		if total.Amount.Known() != want.NoEffective {
			t.Errorf("%s: amortised %s", provider, total.Amount)
		}
	}
}
