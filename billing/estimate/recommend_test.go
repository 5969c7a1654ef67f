package estimate_test

import (
	"fmt"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
)

const days = 24 * time.Hour

// bookA and bookB are the articles' prices for the machine with eight A100, spot without retries.
func bookA() estimate.Prices {
	return estimate.Prices{Provider: "A", OnDemand: cny("880"), Monthly: cny("80000"), SpotLow: cny("96"), SpotHigh: cny("144")}
}

func bookB() estimate.Prices {
	return estimate.Prices{Provider: "B", Compliant: true, OnDemand: cny("840"), Monthly: cny("75000"), SpotLow: cny("120"), SpotHigh: cny("160")}
}

func advised(t *testing.T, n estimate.Need, clouds ...estimate.Prices) (estimate.Advice, string) {
	t.Helper()
	a, ok := estimate.Recommend(n, clouds)
	if !ok {
		t.Fatalf("no advice for %+v", n)
	}
	s := string(a.Mode)
	for _, w := range a.With {
		s += " + " + string(w)
	}
	return a, s
}

func Test7_1ShortTasks(t *testing.T) {
	_, got := advised(t, estimate.Need{Lasts: 3 * days, Resumable: billing.Yes}, bookA())
	equal(t, "3 d, resumable", got, "spot + auto-release")
	for _, r := range []billing.Tri{billing.No, billing.Unsure} {
		_, got = advised(t, estimate.Need{Lasts: 3 * days, Resumable: r}, bookA())
		equal(t, "3 d, not resumable", got, "on_demand + auto-release")
	}
}

func Test7_2Months(t *testing.T) {
	_, got := advised(t, estimate.Need{Lasts: 60 * days, PerMonth: dec("500"), Resumable: billing.No}, bookA())
	equal(t, "500 h a month", got, "monthly + snapshots")
	a, got := advised(t, estimate.Need{Lasts: 60 * days, PerMonth: dec("80"), Resumable: billing.No}, bookA())
	equal(t, "80 h a month", got, "on_demand")
	equal(t, "70,400 < 80,000", a.High.Rounded(0)+" "+a.Beaten.Rounded(0), "70400 80000")
	a, got = advised(t, estimate.Need{Lasts: 60 * days, PerMonth: dec("80"), Resumable: billing.Yes}, bookA())
	equal(t, "80 h a month, resumable", got, "spot")
	equal(t, "before retries", a.Low.Rounded(0)+" "+a.High.Rounded(0), "7680 11520")
}

func Test7_3LongAndCompliant(t *testing.T) {
	a, got := advised(t, estimate.Need{Lasts: 400 * days, Resumable: billing.Yes}, bookA())
	equal(t, "400 d", got, "yearly + audit")
	equal(t, "checklist", fmt.Sprint(a.Checklist[:3]), "[pue power sla]")
	dear := bookB()
	dear.OnDemand, dear.Monthly = cny("8400"), cny("750000")
	a, _ = advised(t, estimate.Need{Lasts: 3 * days, Compliance: true}, bookA(), dear)
	equal(t, "compliance", a.Provider+" "+string(a.Why), "B compliance")
	if _, ok := estimate.Recommend(estimate.Need{Lasts: 3 * days, Compliance: true}, []estimate.Prices{bookA()}); ok {
		t.Error("a cloud that may not be used is recommended")
	}
}

func TestNoSpotSoldIsNoSpotAdvised(t *testing.T) {
	c := estimate.Prices{Provider: "C", OnDemand: cny("32"), Monthly: cny("50000")}
	_, got := advised(t, estimate.Need{Lasts: 3 * days, Resumable: billing.Yes}, c)
	equal(t, "3 d at C", got, "on_demand + auto-release")
	_, got = advised(t, estimate.Need{Lasts: 60 * days, Resumable: billing.Yes}, c)
	equal(t, "60 d at C, where a month never pays", got, "on_demand")
}

func TestSection12ModelScale(t *testing.T) {
	for _, c := range []struct {
		billions float64
		how      estimate.Training
		card     string
		count    int
		nodes    bool
	}{
		{7, estimate.TrainLoRA, "L20", 1, false},
		{13, estimate.Serve, "L20", 1, false},
		{70, estimate.TrainLoRA, "A100-80G", 3, false},
		{70, estimate.TrainFull, "A100-80G", 16, true},
		{120, estimate.TrainLoRA, "A100-80G", 4, true},
	} {
		s := estimate.ScaleOf(c.billions, c.how)
		if s.Cards[0] != c.card || s.Count != c.count || s.Nodes != c.nodes {
			t.Errorf("%v thousand million weights, %s: %+v", c.billions, c.how, s)
		}
	}
}
