//go:build !nodemo

package sim_test

import (
	"testing"
	"time"

	"gpuspend/billing"
)

func TestSpotIsReclaimed(t *testing.T) {
	w, at := begin(5)
	p := open(t, w, a, false)
	w.Attach(a, "scratch-new", "sweep-spot-2")
	for at.at.Before(story.Add(61 * time.Hour)) {
		at.pass(5 * time.Minute)
		r, listed := inventory(t, p)["sweep-spot-2"]
		if listed && r.State == billing.StateRunning {
			continue
		}
		if r.State != billing.StateTerminated || r.Billed != billing.No || r.Rate.Hourly.Sign() != 0 {
			t.Errorf("reclaimed: %s, billed %d at %v", r.State, r.Billed, r.Rate)
		}
		at.pass(15 * time.Minute)
		all := inventory(t, p)
		if _, listed := all["sweep-spot-2"]; listed || all["scratch-new"].State != billing.StateUnattached {
			t.Errorf("later: listed %t, its disk %s", listed, all["scratch-new"].State)
		}
		return
	}
	t.Error("it was never reclaimed")
}

// TestBelowZero holds what C does when nobody acts: all stops at the hour that takes the balance below zero, two hours
// later machines are deleted, and volumes live on for a week.
func TestBelowZero(t *testing.T) {
	w, at := begin(1)
	p := open(t, w, c, false)
	at.at = story.Truncate(time.Hour).Add(5*time.Hour + 59*time.Minute)
	if got := cash(t, p); got.Sign() <= 0 || inventory(t, p)["sft-07"].State != billing.StateRunning {
		t.Fatalf("before: %v", got)
	}
	at.pass(time.Minute)
	all := inventory(t, p)
	for _, name := range []string{"sft-07", "notebook-3", "eval-batch-2"} {
		if all[name].State != billing.StateStopped {
			t.Errorf("%s at %v: %s", name, cash(t, p), all[name].State)
		}
	}
	if got := cash(t, p); got.Sign() >= 0 {
		t.Errorf("after: %v", got)
	}
	at.pass(2 * time.Hour)
	all = inventory(t, p)
	if len(all) != 2 || all["nv-ckpt-1"].State != billing.StateUnattached {
		t.Errorf("after the grace: %d things, nv-ckpt-1 %s", len(all), all["nv-ckpt-1"].State)
	}
	at.pass(7 * day)
	if all = inventory(t, p); len(all) != 0 {
		t.Errorf("after a week: %d things", len(all))
	}
}

func TestTopUpInTimeKeepsEverything(t *testing.T) {
	w, at := begin(1)
	p := open(t, w, c, false)
	at.at = story.Truncate(time.Hour).Add(6*time.Hour + 30*time.Minute)
	if inventory(t, p)["sft-07"].State != billing.StateStopped {
		t.Fatal("it did not stop")
	}
	w.TopUp(c, money("100"))
	at.pass(day)
	all := inventory(t, p)
	if len(all) != 5 || all["notebook-3"].State != billing.StateStopped {
		t.Errorf("a day after the top-up: %d things, notebook-3 %s", len(all), all["notebook-3"].State)
	}
}

func TestPlanEnds(t *testing.T) {
	w, at := begin(1)
	w.TopUp(b, money("100000"))
	p := open(t, w, b, true)
	at.at = time.Date(2026, 12, 12, 10, 0, 0, 0, time.UTC)
	r := inventory(t, p)["a100-month-1"]
	if r.State != billing.StateStopped || r.Billed != billing.No || !r.NotReleasable.IsZero() {
		t.Errorf("at its end: %s, billed %d, %v", r.State, r.Billed, r.NotReleasable)
	}
	at.pass(7 * day)
	all := inventory(t, p)
	if _, listed := all["a100-month-1"]; listed || all["d-pretrain-b"].State != billing.StateUnattached {
		t.Errorf("a week later: listed %t, its disk %s", listed, all["d-pretrain-b"].State)
	}
	at.pass(3 * day)
	if got := total(t, charges(t, p, story, at.at), func(l billing.Charge) bool { return l.ChargeCategory == "Purchase" }); got.Sign() != 0 {
		t.Errorf("it was bought again for %v", got)
	}
}
