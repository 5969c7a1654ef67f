package watch

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
)

func TestWindows(t *testing.T) {
	now := time.Date(2026, 11, 30, 10, 30, 0, 0, time.UTC)
	at := func(s string) time.Time {
		v, err := time.Parse("2006-01-02T15:04", s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	tests := []struct {
		name              string
		mark, provisional time.Time
		backfill          time.Duration
		want              []string
	}{
		{"the first time", time.Time{}, time.Time{}, 31 * day, []string{"10-31..12-01"}},
		{"a longer look back", time.Time{}, time.Time{}, 70 * day, []string{"09-22..10-23", "10-23..11-23", "11-23..12-01"}},
		{"two days again", at("2026-11-29T00:00"), time.Time{}, 31 * day, []string{"11-27..12-01"}},
		{"whole days from within a day", at("2026-11-29T23:10"), time.Time{}, 31 * day, []string{"11-27..12-01"}},
		{"what was not final", at("2026-11-29T00:00"), at("2026-11-01T00:00"), 31 * day, []string{"11-01..12-01"}},
		{"delivered to the minute", at("2026-11-30T10:30"), at("2026-11-30T10:00"), 31 * day, []string{"11-28..12-01"}},
		{"after a long time off", at("2026-09-30T00:00"), time.Time{}, 31 * day, []string{"09-28..10-29", "10-29..11-29", "11-29..12-01"}},
		{"another zone's midnight", time.Date(2026, 11, 29, 0, 0, 0, 0, time.FixedZone("", 8*3600)), time.Time{}, 31 * day, []string{"11-26..12-01"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range windows(tt.mark, tt.provisional, now, tt.backfill) {
				if p.Start != p.Start.Truncate(day) || p.End != p.End.Truncate(day) {
					t.Errorf("%v is not whole days", p)
				}
				got = append(got, p.Start.Format("01-02")+".."+p.End.Format("01-02"))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func line(start time.Time, amount string) billing.Charge {
	c := billing.Charge{ChargePeriod: billing.Period{Start: start, End: start.Add(time.Hour)}}
	if amount != "" {
		c.BilledCost = billing.MustMoney(amount, "CNY")
	}
	return c
}

// A window is handed on whole, or not at all; what lies beyond the coverage is left to our own meter, so that no hour
// counts twice.
func TestCharges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		today := time.Now().UTC().Truncate(day)
		m, c := newMemory(), newCloud()
		m.mark = today.Add(-2 * time.Hour)
		c.cover = billing.Coverage{Through: today.Add(-time.Hour), Provisional: today.Add(-5 * day)}
		c.charges = []billing.Charge{line(today.Add(-4*day), "9"), line(today.Add(-2*day), "1"), line(today.Add(-2*time.Hour), "2"), line(today.Add(-time.Hour), "4")}
		w := newWatcher(t, m, nil, account(1, c))
		if err := w.Poll(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
		if len(m.charges) != 2 || m.charges[0].BilledCost.Amount() != "1" || m.charges[1].BilledCost.Amount() != "2" {
			t.Errorf("handed on: %v", m.charges)
		}
		m.take()
		c.cover.Through = today.Add(-26 * time.Hour)
		if err := w.Poll(context.Background(), 1); err != nil || len(m.charges) != 3 {
			t.Errorf("a cloud takes its word back: %v, handed on %v", err, m.charges)
		}
		want := "1 charges " + today.Add(-5*day).Format("0102") + ".." + today.Add(day).Format("0102")
		if lines := m.take(); count(lines, want) != 1 {
			t.Errorf("the next time from where it may still change, %s: %q", want, lines)
		}
		c.charges = append(c.charges, line(today.Add(-90*time.Minute), ""))
		if err := w.Poll(context.Background(), 1); billing.KindOf(err) != billing.Invalid || !strings.Contains(err.Error(), "without an amount") {
			t.Errorf("a line without an amount: %v", err)
		}
		if lines := m.take(); count(lines, "1 charges") != 0 || count(lines, "1 failed charges") != 1 {
			t.Errorf("%q", lines)
		}
	})
}

// A listing is as old as its beginning: a thing made while it ran may be missing from it.
func TestListingsAreDatedFromTheirBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := newMemory(), newCloud()
		c.slow = time.Minute
		w := newWatcher(t, m, nil, account(1, c))
		begun := time.Now()
		if err := w.Refresh(context.Background(), 1, billing.Scope{Kind: billing.KindDisk, Region: "sh"}); err != nil {
			t.Fatal(err)
		}
		if !m.ats[0].Equal(begun) {
			t.Errorf("dated %s after it was begun", m.ats[0].Sub(begun))
		}
	})
}

// Days before what a cloud ever delivered are missing, not free: they are in no window.
func TestDaysNeverDeliveredAreInNoWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		today := time.Now().UTC().Truncate(day)
		m, c := newMemory(), newCloud()
		c.cover = billing.Coverage{From: today.Add(-3 * day), Through: today.Add(-day), Provisional: today.Add(-40 * day)}
		c.charges = []billing.Charge{line(today.Add(-2*day), "1")}
		w := newWatcher(t, m, nil, account(1, c))
		for range 2 { // the second time there is a window that ends before it
			if err := w.Poll(context.Background(), 1); err != nil {
				t.Fatal(err)
			}
			var windows []string
			for _, l := range m.take() {
				if strings.HasPrefix(l, "1 charges ") {
					windows = append(windows, l)
				}
			}
			want := "1 charges " + today.Add(-3*day).Format("0102") + ".." + today.Add(day).Format("0102") + " 1"
			if len(windows) != 1 || windows[0] != want {
				t.Errorf("windows %q, want %q alone", windows, want)
			}
		}
	})
}
