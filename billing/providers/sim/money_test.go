//go:build !nodemo

package sim_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuspend/billing"
	"gpuspend/billing/providers/sim"
)

// TestCashFallsByWhatIsBilled holds conservation at C: over any span of full hours, the balance falls by the charges that
// began in it, less what was topped up.
func TestCashFallsByWhatIsBilled(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		at := &clock{story.Add(-16 * day)}
		w := sim.NewWorld(sim.Options{Seed: rapid.Uint64().Draw(rt, "seed"), Start: at.at, Story: story, Now: at.now})
		p := open(t, w, c, true)
		from := story.Truncate(time.Hour).Add(-time.Duration(rapid.IntRange(1, 15*24).Draw(rt, "hours before")) * time.Hour)
		to := from.Add(time.Duration(rapid.IntRange(0, 8*24).Draw(rt, "hours long")) * time.Hour)
		at.at = from
		before := cash(t, p)
		topped := money("0")
		for at.at.Before(to) {
			next := at.at.Add(time.Duration(rapid.IntRange(1, 72*60).Draw(rt, "minutes")) * time.Minute)
			if next.After(to) {
				break
			}
			at.at = next
			if rapid.Bool().Draw(rt, "top up") {
				w.TopUp(c, money("50"))
				topped = minus(t, topped, money("-50"))
			} else {
				w.Launch(c, sim.Machine{Name: "extra", GPU: "A100-80G", Cards: 1})
			}
		}
		at.at = to
		after := cash(t, p)
		at.pass(3 * day)
		billed := total(t, charges(t, p, from, to), every)
		scripted := money("0")
		for offset, amount := range map[time.Duration]string{-13 * day: "300", -5*day - time.Hour: "500", -day: "300"} {
			if when := story.Add(offset); when.After(from) && !when.After(to) {
				scripted = minus(t, scripted, money("-"+amount))
			}
		}
		if want, got := minus(t, billed, minus(t, scripted, minus(t, money("0"), topped))), minus(t, before, after); want != got {
			rt.Fatalf("from %v to %v: the balance fell by %v, want %v (billed %v, topped up %v and %v)", from, to, got, want, billed, topped, scripted)
		}
	})
}

// TestSplitsAddUp holds that any two windows of a span hold together what the span holds, at every cloud.
func TestSplitsAddUp(t *testing.T) {
	w, now := begin(11)
	now.pass(3 * day)
	rapid.Check(t, func(rt *rapid.T) {
		p := open(t, w, rapid.SampledFrom([]string{a, b, c}).Draw(rt, "cloud"), false)
		at := func(what string) time.Time {
			return story.Add(day - time.Duration(rapid.IntRange(0, 3*24*60).Draw(rt, what))*time.Minute)
		}
		from, split, to := at("x"), at("y"), at("z")
		if split.Before(from) {
			from, split = split, from
		}
		if to.Before(split) {
			split, to = to, split
		}
		if split.Before(from) {
			from, split = split, from
		}
		whole, left, right := charges(t, p, from, to), charges(t, p, from, split), charges(t, p, split, to)
		if len(whole) != len(left)+len(right) {
			rt.Fatalf("%d lines are split into %d and %d", len(whole), len(left), len(right))
		}
		if got := minus(t, total(t, whole, every), total(t, left, every)); got != total(t, right, every) {
			rt.Fatalf("the right part is %v, want %v", total(t, right, every), got)
		}
	})
}

// TestBillIsADayLate holds how far bills are out, and that nothing later is shown.
func TestBillIsADayLate(t *testing.T) {
	w, at := begin(1)
	for _, tt := range []struct {
		cloud   string
		pass    time.Duration
		through string
	}{
		{a, 0, "2026-11-30T16:00:00Z"}, {b, 0, "2026-12-01T00:00:00Z"}, {c, 0, "2026-12-01T00:00:00Z"},
		{a, 14*time.Hour + 2*time.Minute, "2026-11-30T16:00:00Z"}, {a, time.Minute, "2026-12-01T16:00:00Z"}, {b, 0, "2026-12-01T00:00:00Z"},
		{b, 8 * time.Hour, "2026-12-02T00:00:00Z"},
	} {
		at.pass(tt.pass)
		p := open(t, w, tt.cloud, false)
		got, err := p.Billed(context.Background(), billing.Period{})
		if err != nil || got.Through.Format(time.RFC3339) != tt.through || !got.Provisional.IsZero() {
			t.Errorf("%s at %v: %+v, error %v; want through %s", tt.cloud, at.at, got, err, tt.through)
		}
		all := charges(t, p, got.Through.Add(-2*time.Hour), at.at)
		if last := all[len(all)-1].ChargePeriod.End; !last.Equal(got.Through) {
			t.Errorf("%s at %v: the last hour billed ends %v", tt.cloud, at.at, last)
		}
	}
}

// TestChargesAreWellFormed holds what the store and the cuts rely on.
func TestChargesAreWellFormed(t *testing.T) {
	w, _ := beginLong(1)
	parts := map[billing.Part]bool{}
	for cloud, monthStart := range map[string]int{a: 16, b: 0, c: 0} {
		last := time.Time{}
		for _, l := range charges(t, open(t, w, cloud, false), story.Add(-90*day), story) {
			if l.ChargePeriod.Start.Before(last) {
				t.Fatalf("%s: %v comes after %v", cloud, l.ChargePeriod.Start, last)
			}
			last = l.ChargePeriod.Start
			parts[l.Part] = true
			if !l.BilledCost.Known() || l.BilledCost.Currency() != cny || l.Provider == "" || l.BillingAccountID == "" || l.ServiceName == "" {
				t.Fatalf("%s: %+v", cloud, l)
			}
			if l.BillingPeriod.Start.Hour() != monthStart || !l.BillingPeriod.Contains(l.ChargePeriod.Start) {
				t.Fatalf("%s: billed in %v", cloud, l.BillingPeriod)
			}
			switch l.ChargeCategory {
			case "Purchase":
				if !l.Whole() {
					t.Errorf("%s: a purchase of %v", cloud, l.ChargePeriod)
				}
			case "Usage":
				if l.ChargePeriod.Duration() != time.Hour || l.ResourceID == "" || l.RegionID == "" || l.BilledCost.Sign() < 0 {
					t.Fatalf("%s: %+v", cloud, l)
				}
			}
		}
	}
	for _, part := range []billing.Part{billing.PartInstance, billing.PartBandwidth, billing.PartDisk, billing.PartSnapshot, billing.PartIP, billing.PartOther} {
		if !parts[part] {
			t.Errorf("nothing is billed as %s", part)
		}
	}
}

// TestHoursOfARun holds that a run between full hours is billed by what it took: 90 minutes at 880.
func TestHoursOfARun(t *testing.T) {
	w, at := begin(1)
	at.at = story.Truncate(time.Hour).Add(90 * time.Minute)
	w.Launch(a, sim.Machine{Name: "short", GPU: "A100-80G", Cards: 8, Owner: "ana", Project: "sft"})
	at.pass(90*time.Minute - 2*time.Minute)
	if _, err := open(t, w, a, true).Release(context.Background(), billing.Act{Ref: w.Ref(a, "short")}); err != nil {
		t.Fatal(err)
	}
	at.pass(4 * time.Minute)
	at.pass(3 * day)
	all := charges(t, open(t, w, a, false), story, at.at)
	var hours billing.Decimal = billing.DecimalFromInt(0)
	got := total(t, all, func(l billing.Charge) bool {
		if l.ResourceName != "short" || l.Part != billing.PartInstance {
			return false
		}
		hours = hours.Add(l.ConsumedQuantity)
		return l.Owner == "ana" && l.Project == "sft" && l.GPU == "A100-80G" && l.Mode == billing.ModeOnDemand
	})
	// The release takes two to four minutes and is paid for: 90 to 92 minutes.
	if !between(got, "1320", "1349.34") || hours.Cmp(billing.MustDecimal("1.5")) < 0 || hours.Cmp(billing.MustDecimal("1.5334")) > 0 {
		t.Errorf("%v for %s h", got, hours)
	}
}

// TestSpotPriceFloats holds the walk's bounds, and that it moves.
func TestSpotPriceFloats(t *testing.T) {
	w, at := begin(4)
	seen := map[billing.Money]bool{}
	for range 8 {
		w.Launch(a, sim.Machine{Name: "walk", GPU: "A100-80G", Cards: 8, Mode: billing.ModeSpot})
		for range 12 {
			at.pass(time.Hour)
			if r := inventory(t, open(t, w, a, false))["walk"]; r.State == billing.StateRunning {
				seen[r.Rate.Hourly] = true
				if !between(r.Rate.Hourly, "96", "144") {
					t.Errorf("spot costs %v", r.Rate.Hourly)
				}
			}
		}
	}
	if len(seen) < 5 {
		t.Errorf("only %d prices", len(seen))
	}
}

// TestMeanReclaim holds one interruption in ten hours, over many machines.
func TestMeanReclaim(t *testing.T) {
	w, at := begin(9)
	const machines = 400
	for range machines {
		w.Launch(b, sim.Machine{Name: "m", GPU: "A100-80G", Cards: 8, Mode: billing.ModeSpot})
	}
	w.TopUp(b, money("1000000"))
	lived := 0
	for range 60 {
		at.pass(time.Hour)
		for _, s := range []billing.Scope{{Kind: billing.KindInstance, Region: "cn-east-1"}} {
			for r := range open(t, w, b, false).Resources(context.Background(), s) {
				if r.Mode == billing.ModeSpot && r.State == billing.StateRunning {
					lived++
				}
			}
		}
	}
	if mean := float64(lived) / machines; mean < 8.5 || mean > 11 {
		t.Errorf("a spot machine lives %.1f full hours on average", mean)
	}
}
