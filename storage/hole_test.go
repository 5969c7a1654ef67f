package storage_test

import (
	"context"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

// A month between two that were imported was not delivered: it is missing, not free.
func TestHoleBetweenDeliveriesIsMissing(t *testing.T) {
	s := newShop(t)
	september := usage(day("2026-09-10"), "5")
	september.BillingPeriod = billing.Period{Start: day("2026-09-01"), End: day("2026-10-01")}
	if _, err := s.take(storage.Import{Files: file(append(hours(48, "1"), september), 0)}); err != nil {
		t.Fatal(err)
	}
	r, err := ledger.Answer(context.Background(), s, ledger.Question{From: day("2026-08-01"), To: day("2026-11-02"), Zone: time.UTC, Now: day("2026-12-02")})
	if err != nil {
		t.Fatal(err)
	}
	want := []billing.Period{{Start: day("2026-08-01"), End: day("2026-09-01")}, {Start: day("2026-10-01"), End: day("2026-11-01")}}
	if len(r.Missing) != len(want) {
		t.Fatalf("missing %+v, want %v", r.Missing, want)
	}
	for i, g := range r.Missing {
		if !g.From.Equal(want[i].Start) || !g.To.Equal(want[i].End) || g.Account != "payer" {
			t.Errorf("missing %+v, want %v", g, want[i])
		}
	}
}
