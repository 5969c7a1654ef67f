package storage_test

import (
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

// A delivered day is compared with our own meter and kept, once; the day shows what was billed, and never both for the
// same hours. A day that is not delivered shows the meter and is not compared.
func TestDriftIsKeptPerDay(t *testing.T) {
	s := newShop(t)
	ctx := t.Context()
	a, err := s.EnsureAccount(ctx, billing.Account{Name: "rig", Driver: "runpod", Provider: "RunPod"})
	if err != nil {
		t.Fatal(err)
	}
	scope := billing.Scope{Kind: billing.KindInstance}
	from := day("2026-11-02")
	for n := range 2*48 + 1 {
		r := billing.Resource{Ref: billing.ResourceRef{Account: a.ID, Kind: billing.KindInstance, ID: "m"}, Name: "m", State: billing.StateRunning,
			Billed: billing.Yes, Rate: billing.Rate{Hourly: usd("2")}}
		if err := s.Observe(ctx, a.ID, scope, from.Add(time.Duration(n)*30*time.Minute), []billing.Resource{r}); err != nil {
			t.Fatal(err)
		}
	}
	bill := usage(from, "70")
	window := billing.Period{Start: from, End: from.Add(24 * time.Hour)}
	if err := s.RecordCharges(ctx, a.ID, window, from.Add(30*time.Hour), billing.Coverage{Through: window.End}, func(yield func(billing.Charge, error) bool) { yield(bill, nil) }); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.NoteDrift(ctx, day("2026-11-05"), 5); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Drifts(ctx, day("2026-11-01"))
	if err != nil || len(got) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	if by, more, ok := got[0].Apart(); !got[0].Day.Equal(from) || got[0].Billed != usd("70") || got[0].Accrued != usd("48") || by != usd("22") || !more || !ok {
		t.Errorf("%+v", got[0])
	}
	rows, _ := s.ask(t, ledger.Question{From: from, To: day("2026-11-04"), Zone: time.UTC, By: []ledger.Cut{ledger.ByDay}, Now: day("2026-11-04")})
	if one, two := rows["2026-11-02"], rows["2026-11-03"]; one.Billed != usd("70") || one.Accrued.Known() || two.Billed.Known() || two.Accrued != usd("48") {
		t.Errorf("%+v", rows)
	}
}
