package storage_test

import (
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

// A lifetime counter is a bill, to the last digit, by the hours that were settled. One that falls is none: it is told.
func TestCounterBecomesCharges(t *testing.T) {
	s := newShop(t)
	at := day("2026-11-02").Add(22*time.Hour + 20*time.Minute)
	for i, spent := range []string{"1000", "1001.98", "1003.961", "900", "901"} { // 22:20 … 02:20 of the 3rd
		b := billing.Balance{ReadAt: at.Add(time.Duration(i) * time.Hour), Mode: billing.Prepaid, Cash: cny("10"), Spent: cny(spent), Settles: time.Hour}
		soon := b
		soon.ReadAt = b.ReadAt.Add(-15 * time.Minute) // at :05 the settlement may be on its way
		soon.Spent = cny(spent)
		for _, r := range []billing.Balance{soon, b} {
			if err := s.RecordBalance(t.Context(), s.account, r); err != nil {
				t.Fatal(err)
			}
		}
	}
	q := ledger.Question{From: day("2026-11-01"), To: day("2026-12-01"), Zone: time.UTC, By: []ledger.Cut{ledger.ByDay}, Now: day("2026-11-03").Add(3 * time.Hour)}
	rows, total := s.ask(t, q)
	if total.Billed != cny("4.961") || rows["2026-11-02"].Billed != cny("3.961") || rows["2026-11-03"].Billed != cny("1") || len(rows) != 2 {
		t.Errorf("%v of %v", total.Billed, rows)
	}
	falls, err := s.Falls(t.Context(), day("2026-11-01"))
	if err != nil || len(falls) != 1 || falls[0].Amount != cny("103.961") {
		t.Errorf("falls: %v, %v", falls, err)
	}
	covered, err := s.Coverage(t.Context())
	if want := day("2026-11-03").Add(2 * time.Hour); err != nil || !covered[0].Through.Equal(want) {
		t.Errorf("covered through %v, want %v", covered[0].Through, want)
	}
}
