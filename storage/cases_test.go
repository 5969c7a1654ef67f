package storage_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

// One local day is that day alone: hours are cut at the zone's own midnight, and what a cloud bills by its own day says so.
func TestC24OneLocalDayIsOneDay(t *testing.T) {
	s := newShop(t)
	lines := hours(48, "1") // 1 and 2 November, UTC
	lines[40].BilledCost = usd("5")
	must(s.take(storage.Import{Files: file(lines, 0)}))
	for zone, want := range map[string][2]string{"Asia/Shanghai": {"16", "24"}, "UTC": {"24", "28"}, "America/Los_Angeles": {"25", "20"}} { // its clocks go back on the 1st
		z := zoneOf(t, zone)
		for i, date := range []string{"2026-11-01", "2026-11-02"} {
			from, err := time.ParseInLocation(time.DateOnly, date, z)
			if err != nil {
				t.Fatal(err)
			}
			q := ledger.Question{From: from, To: from.AddDate(0, 0, 1), Zone: z, By: []ledger.Cut{ledger.ByDay}}
			rows, total := s.ask(t, q)
			if total.Amount != usd(want[i]) || rows[date].Amount != usd(want[i]) || len(rows) != 1 {
				t.Errorf("%s in %s: %s, want %s", date, zone, total.Amount, want[i])
			}
		}
	}
}

// A cloud's own day keeps its date in every zone: Pacific days, on both sides of a change of clocks, and days of UTC+8
// that start at 16:00Z and end at :59.
func TestX22VendorDaysKeepTheirDate(t *testing.T) {
	for name, c := range map[string]struct{ start, end, from, to, date string }{
		"Pacific, summer": {"2026-10-31T07:00:00Z", "2026-11-01T07:00:00Z", "2026-10-01T07:00:00Z", "2026-11-01T07:00:00Z", "2026-10-31"},
		"Pacific, winter": {"2026-11-03T08:00:00Z", "2026-11-04T08:00:00Z", "2026-11-01T07:00:00Z", "2026-12-01T08:00:00Z", "2026-11-03"},
		"UTC+8, :59":      {"2026-10-31T16:00:00Z", "2026-11-01T15:59:59Z", "2026-10-31T16:00:00Z", "2026-11-30T15:59:59Z", "2026-11-01"},
		"+05:45":          {"2026-11-30T18:15:00Z", "2026-12-01T18:15:00Z", "2026-11-30T18:15:00Z", "2026-12-31T18:15:00Z", "2026-12-01"},
	} {
		s := newShop(t)
		at := func(text string) time.Time {
			v, err := time.Parse(time.RFC3339, text)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		line := usage(at(c.start), "7")
		line.ChargePeriod.End, line.BillingPeriod = at(c.end), billing.Period{Start: at(c.from), End: at(c.to)}
		must(s.take(storage.Import{Files: file([]billing.Charge{line}, 0)}))
		for _, zone := range []string{"UTC", "Asia/Shanghai", "America/Los_Angeles", "Asia/Kathmandu"} {
			z := zoneOf(t, zone)
			q := ledger.Question{From: time.Date(2026, 10, 1, 0, 0, 0, 0, z), To: time.Date(2027, 1, 1, 0, 0, 0, 0, z), Zone: z, By: []ledger.Cut{ledger.ByDay}}
			rows, _ := s.ask(t, q)
			if rows[c.date].Amount != usd("7") || len(rows) != 1 {
				t.Errorf("%s in %s: %v", name, zone, rows)
			}
			q.By = []ledger.Cut{ledger.ByMonth}
			if rows, _ = s.ask(t, q); rows[c.date[:7]].Amount != usd("7") {
				t.Errorf("%s in %s, by month: %v", name, zone, rows)
			}
		}
	}
}

// Whichever month comes first, and whichever comes twice, the answers are the same.
func TestOrderOfImportsDoesNotMatter(t *testing.T) {
	s := newShop(t)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		months := map[string][]billing.Charge{}
		for _, c := range rapid.SliceOfN(rapid.Custom(anyViewed), 2, 16).Draw(t, "rows") {
			months[periodOf(c)] = append(months[periodOf(c)], c)
		}
		names := []string{}
		for k := range months {
			names = append(names, k)
		}
		var said [2]string
		for i := range said {
			a, err := s.EnsureAccount(context.Background(), billing.Account{Name: fmt.Sprintf("account %d-%d", n, i)})
			if err != nil {
				t.Fatal(err)
			}
			order := rapid.Permutation(names).Draw(t, "order")
			if rapid.Bool().Draw(t, "twice") {
				order = append(order, order[0])
			}
			for _, k := range order {
				must(s.ImportCharges(context.Background(), storage.Import{Account: a.ID, Source: billing.SourceFOCUS, Files: file(months[k], 0)}))
			}
			for _, view := range []ledger.View{ledger.Billed, ledger.Gross, ledger.Amortised} {
				rows, _, err := s.Billed(context.Background(), ledger.Question{From: day("2026-09-01"), To: day("2027-03-01"), Zone: time.UTC, View: view,
					By: []ledger.Cut{ledger.ByDay, ledger.ByService, ledger.ByCharge}, Where: []ledger.Filter{{By: ledger.ByAccount, Values: []string{a.Name}, Exact: true}}})
				if err != nil {
					t.Fatal(err)
				}
				said[i] += fmt.Sprint(rows)
			}
		}
		if said[0] != said[1] {
			t.Fatalf("%s\nis not\n%s", said[0], said[1])
		}
	})
}
