package storage_test

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

// zonesOfTheWorld have clocks that are whole hours from UTC, quarters of one, that change by an hour, by half of one, and
// lie a day ahead.
var zonesOfTheWorld = []string{"UTC", "Asia/Shanghai", "Asia/Kathmandu", "America/New_York", "Australia/Lord_Howe", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/London"}

// tally adds rows up by their first keys: what was billed, by sort, what the view shows, and how many charges it lacks.
func tally(rows []ledger.Row, keys int) map[string]string {
	sums := map[string][]*big.Rat{}
	vague := map[string]int{}
	for _, r := range rows {
		id := strings.Join(r.Keys[:keys], "|") + " " + string(r.Currency)
		if sums[id] == nil {
			sums[id] = make([]*big.Rat, 2+len(r.Sorts))
			for i := range sums[id] {
				sums[id][i] = new(big.Rat)
			}
		}
		for i, m := range append([]billing.Money{r.Billed, r.Amount}, r.Sorts[:]...) {
			if m.Known() {
				x, _ := new(big.Rat).SetString(m.Amount())
				sums[id][i].Add(sums[id][i], x)
			}
		}
		vague[id] += r.Vague
	}
	out := map[string]string{}
	for id, all := range sums {
		text := fmt.Sprint(vague[id])
		for _, x := range all {
			text += " " + x.FloatString(18)
		}
		out[id] = text
	}
	return out
}

// anyLine draws a charge of any sort, of a quarter of an hour or of days, with or without an amortised amount.
func anyLine(t *rapid.T) billing.Charge {
	c := anyCharge(t)
	c.ChargeCategory = rapid.SampledFrom([]string{"Usage", "Usage", "Tax", "Credit", "Adjustment", "Purchase"}).Draw(t, "category")
	if c.ChargeCategory == "Purchase" {
		start := c.ChargePeriod.Start.Truncate(24 * time.Hour)
		c.ChargePeriod = billing.Period{Start: start, End: start.AddDate(0, 0, rapid.IntRange(1, 40).Draw(t, "term"))}
	}
	if rapid.Bool().Draw(t, "effective") {
		c.EffectiveCost = c.BilledCost
	}
	return c
}

// TestRollUpsAreTheLinesInEveryZone asks the same of the roll-ups and of the lines, which are cut by resource: any span,
// zone, calendar, view and filter gives the same rows.
func TestRollUpsAreTheLinesInEveryZone(t *testing.T) {
	s := newShop(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		a, err := s.EnsureAccount(context.Background(), billing.Account{Name: fmt.Sprint("account-", n)})
		if err != nil {
			rt.Fatal(err)
		}
		for range rapid.IntRange(1, 3).Draw(rt, "deliveries") {
			rows := rapid.SliceOfN(rapid.Custom(anyLine), 1, 25).Draw(rt, "rows")
			if _, err := s.ImportCharges(context.Background(), storage.Import{Account: a.ID, Source: billing.SourceFOCUS, Files: file(rows, 0), Add: true}); err != nil {
				rt.Fatal(err)
			}
		}
		for range 6 {
			zone, err := time.LoadLocation(rapid.SampledFrom(zonesOfTheWorld).Draw(rt, "zone"))
			if err != nil {
				rt.Fatal(err)
			}
			from := time.Date(2026, 9, 25+rapid.IntRange(0, 50).Draw(rt, "first day"), 0, 0, 0, 0, zone)
			q := ledger.Question{Zone: zone, From: from, To: from.AddDate(0, 0, rapid.IntRange(0, 60).Draw(rt, "days")),
				View: rapid.SampledFrom([]ledger.View{ledger.Billed, ledger.Gross, ledger.Amortised}).Draw(rt, "view"),
				By: rapid.SampledFrom([][]ledger.Cut{nil, {ledger.ByDay}, {ledger.ByWeek}, {ledger.ByMonth}, {ledger.ByService}, {ledger.ByDay, ledger.ByService},
					{ledger.ByMonth, ledger.ByWeek}, {ledger.ByAccount, ledger.ByDay}, {ledger.ByCharge, ledger.ByMonth}}).Draw(rt, "by"),
				Where: rapid.SampledFrom([][]ledger.Filter{nil, {{By: ledger.ByService, Values: []string{"s3"}}}, {{By: ledger.ByService, Values: []string{"ec2"}, Not: true}},
					{{By: ledger.ByCharge, Values: []string{"tax", "usage"}}, {By: ledger.ByService, Values: []string{"EC2"}, Exact: true}}}).Draw(rt, "where")}
			q.Where = append(slices.Clone(q.Where), ledger.Filter{By: ledger.ByAccount, Values: []string{a.Name}, Exact: true})
			sums, _, err := s.Billed(context.Background(), q)
			if err != nil {
				rt.Fatal(err)
			}
			of := q
			of.By = slices.Concat(q.By, []ledger.Cut{ledger.ByResource})
			lines, _, err := s.Billed(context.Background(), of)
			if err != nil {
				rt.Fatal(err)
			}
			if got, want := tally(sums, len(q.By)), tally(lines, len(q.By)); !maps.Equal(got, want) {
				rt.Fatalf("%s %s to %s by %v where %v, %s:\nroll-ups %v\nlines    %v", zone, q.From, q.To, q.By, q.Where, q.View, got, want)
			}
		}
	})
}
