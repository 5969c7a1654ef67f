package main

import (
	"testing"
	"time"

	"gpuspend/billing"
)

// A cloud's tag keeps a thing through its day, a word given here goes before it, and what is no date keeps nothing.
func TestKeptByTag(t *testing.T) {
	zone := time.FixedZone("UTC+8", 8*3600)
	now := time.Date(2026, 12, 31, 23, 0, 0, 0, zone)
	for _, c := range []struct {
		name, tag string
		own       billing.Keep
		want      string // who keeps it; "" for nobody
	}{
		{"its last day", "2026-12-31", billing.Keep{}, tagKeep},
		{"over", "2026-12-30", billing.Keep{}, ""},
		{"for good", "always", billing.Keep{}, tagKeep},
		{"no date", "soon", billing.Keep{}, ""},
		{"no tag", "", billing.Keep{}, ""},
		{"a word given here", "always", billing.Keep{By: "U1"}, "U1"},
		{"a word given here is over", "always", billing.Keep{By: "U1", Until: now.Add(-time.Hour)}, tagKeep},
	} {
		h := billing.Holding{Keep: c.own, Resource: billing.Resource{Tags: map[string]string{tagKeep: c.tag, tagReason: "paper"}}}
		got := keptByTag([]billing.Holding{h}, zone, now)[0].Keep
		if by := got.By; got.Holds(now) && by != c.want || !got.Holds(now) && c.want != "" {
			t.Errorf("%s: kept by %q, want %q", c.name, by, c.want)
		}
	}
}
