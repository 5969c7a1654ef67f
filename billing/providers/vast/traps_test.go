package vast

import (
	"context"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
	"gpuspend/billing/providers/internal/gpu"
)

// TestStoppedDiskMayCostMore: hosts may take more for the disk of a stopped instance, so that the rate of the running one
// is a guess, and the cloud's own figure counts once it is stopped.
func TestStoppedDiskMayCostMore(t *testing.T) {
	running := read(t, `{"id":1,"actual_status":"running","cur_state":"running","intended_status":"running","dph_total":0.8,"storage_total_cost":0.002}`).resource()
	if running.StoppedRate.Source != billing.RateDerived {
		t.Errorf("what stopping would leave is said to be from %q", running.StoppedRate.Source)
	}
	stopped := read(t, `{"id":1,"actual_status":"exited","cur_state":"stopped","intended_status":"stopped","dph_total":0.8,"storage_total_cost":0.004}`).resource()
	if stopped.StoppedRate != stopped.Rate || amount(stopped.Rate.Hourly) != "0.004" || stopped.Rate.Source != billing.RateVendor {
		t.Errorf("stopped it costs %+v, and when stopped %+v", stopped.Rate, stopped.StoppedRate)
	}
}

// TestContractEnds: from end_date on an instance cannot start, its disk is billed on, and its host may delete it.
func TestContractEnds(t *testing.T) {
	end := time.Date(2026, 12, 20, 0, 0, 0, 0, time.UTC)
	for state, text := range map[billing.State]string{
		billing.StateRunning: `{"id":1,"actual_status":"running","intended_status":"running","end_date":1797724800.5}`,
		billing.StateStopped: `{"id":1,"actual_status":"exited","cur_state":"stopped","intended_status":"stopped","storage_total_cost":0.1,"end_date":1797724800.5}`,
	} {
		r := read(t, text).resource()
		if r.State != state || !r.ExpiresAt.Equal(end) || r.RenewsItself == billing.Yes || r.HoldsData != billing.Yes {
			t.Errorf("%s ends %v, renews %d", r.State, r.ExpiresAt, r.RenewsItself)
		}
	}
	for _, none := range []string{`{"id":1}`, `{"id":1,"end_date":null}`, `{"id":1,"end_date":0}`} {
		if r := read(t, none).resource(); !r.ExpiresAt.IsZero() {
			t.Errorf("%s ends %v", none, r.ExpiresAt)
		}
	}
}

// TestBandwidthIsInNoRate: it is billed by the byte in any state, and only the bill tells.
func TestBandwidthIsInNoRate(t *testing.T) {
	r := read(t, `{"id":1,"actual_status":"running","intended_status":"running","dph_total":0.8,"inet_up_cost":5,"inet_down_cost":5}`).resource()
	if amount(r.Rate.Hourly) != "0.8" {
		t.Errorf("the rate is %v", r.Rate.Hourly)
	}
	if part("bwd") != billing.PartBandwidth || part("bwu") != billing.PartBandwidth {
		t.Error("bytes down and up are another part of the bill")
	}
	o := ranges([]offer{{GPU: "RTX 4090", Cards: "1", Whole: "0.3"}}, billing.ModeOnDemand)
	if len(o) != 1 || len(o[0].Excludes) != 1 || o[0].Excludes[0] != billing.PartBandwidth {
		t.Errorf("an offer does not say that it leaves bandwidth out: %+v", o)
	}
}

// TestChargesAreAskedForDayByDay: a row is a contract's total over the whole window, so that a wider one has no days.
func TestChargesAreAskedForDayByDay(t *testing.T) {
	t.Run("three days", bubble(func(t *testing.T) {
		s := fixture.New(t, "testdata")
		r := s.Expect("GET /api/v0/charges/{$}")
		for range 3 {
			r.Answer(200, `{"success":true,"results":[{"source":"instance-1","amount":1,"items":[{"type":"gpu","amount":1}]}]}`)
		}
		p := billing.Period{Start: time.Date(2024, 10, 30, 0, 0, 0, 0, time.UTC), End: time.Date(2024, 11, 2, 0, 0, 0, 0, time.UTC)}
		got, err := all(over(t, s, false).Charges(context.Background(), p))
		if err != nil || len(got) != 3 || s.Asked("GET /api/v0/charges/{$}") != 3 {
			t.Fatalf("%d lines in %d requests, %v", len(got), s.Asked("GET /api/v0/charges/{$}"), err)
		}
		for i, c := range got {
			if want := p.Start.Add(time.Duration(i) * day); !c.ChargePeriod.Start.Equal(want) || !c.ChargePeriod.End.Equal(want.Add(day)) {
				t.Errorf("line %d is of %v", i, c.ChargePeriod)
			}
		}
	}))
}

// TestQueriesHaveUnderscores: a card is "RTX 4090" in answers and "RTX_4090" in queries; with a space nothing is found.
func TestQueriesHaveUnderscores(t *testing.T) {
	for asked, want := range map[string]string{"RTX 4090": "RTX_4090", "NVIDIA GeForce RTX 3090": "RTX_3090", "L40S": "L40S", "T4": "Tesla_T4"} {
		if got := spellings(gpu.Canonical(asked)); len(got) != 1 || got[0] != want {
			t.Errorf("%q is asked for as %q, want %q", asked, got, want)
		}
	}
}
