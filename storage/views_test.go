package storage_test

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

func usd(s string) billing.Money { return billing.MustMoney(s, "USD") }

// ask answers a question about this shop's bill, and gives its rows by key and its only total.
func (s shop) ask(t testing.TB, q ledger.Question) (map[string]ledger.Row, ledger.Row) {
	t.Helper()
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	r, err := ledger.Answer(context.Background(), s, q)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]ledger.Row{}
	for _, row := range r.Rows {
		rows[strings.Join(row.Keys, "|")] = row
	}
	if len(r.Totals) != 1 {
		t.Fatalf("%d totals", len(r.Totals))
	}
	return rows, r.Totals[0]
}

// credits is the bill of case C21: usage +120, credit -120, refund -15, tax +9, and a correction of an earlier month.
func credits() []billing.Charge {
	line := func(category, class, amount string) billing.Charge {
		c := usage(day("2026-11-03").Add(5*time.Hour), amount)
		c.ChargeCategory, c.ChargeClass, c.EffectiveCost = category, class, c.BilledCost
		return c
	}
	return []billing.Charge{line("Usage", "", "120"), line("Credit", "", "-120"), line("Usage", "", "-15"), line("Tax", "", "9"),
		line("Usage", "Correction", "-0.5")}
}

// Credits and refunds never hide a burn: every view is answered, every sort is shown, the net keeps its minus.
func TestC21CreditsDoNotHideTheBurn(t *testing.T) {
	s := newShop(t)
	must(s.take(storage.Import{Files: file(credits(), 0)}))
	november := ledger.Question{From: day("2026-11-01"), To: day("2026-12-01"), By: []ledger.Cut{ledger.ByProvider}}
	for view, want := range map[ledger.View]string{ledger.Billed: "-6.5", ledger.Gross: "120", ledger.Amortised: "-6.5"} {
		q := november
		q.View = view
		_, total := s.ask(t, q)
		if total.Amount != usd(want) || total.Billed != usd("-6.5") {
			t.Errorf("%s: %s of a bill of %s, want %s", view, total.Amount, total.Billed, want)
		}
		got := [...]billing.Money{usd("120"), usd("-120"), usd("-15"), usd("9"), usd("-0.5")}
		if total.Sorts != ledger.Sorts(got) {
			t.Errorf("%s: sorts are %v", view, total.Sorts)
		}
	}
	q := november
	q.By = []ledger.Cut{ledger.ByCharge}
	for _, by := range []ledger.Cut{"", ledger.ByResource} {
		if by != "" {
			q.By = append(q.By, by)
		}
		rows, _ := s.ask(t, q)
		for sort, want := range map[string]string{"usage": "120", "credit": "-120", "refund": "-15", "tax": "9", "correction": "-0.5"} {
			if by != "" {
				sort += "|"
			}
			if rows[sort].Amount != usd(want) {
				t.Errorf("%s is %s, want %s", sort, rows[sort].Amount, want)
			}
		}
	}
}

func must(sum storage.ImportSummary, err error) storage.ImportSummary {
	if err != nil {
		panic(err)
	}
	return sum
}

// What was paid ahead counts on each day of its term in the amortised view, to the last digit, also past its bill's month.
func TestAmortisedSpreadsWhatWasPaidAhead(t *testing.T) {
	s := newShop(t)
	c := usage(day("2026-11-11"), "100")
	c.ChargeCategory, c.EffectiveCost, c.ResourceID = "Purchase", usd("100"), "i-1"
	c.ChargePeriod.End = day("2026-12-11")
	must(s.take(storage.Import{Files: file([]billing.Charge{c}, 0)}))
	for _, by := range []ledger.Cut{ledger.ByProvider, ledger.ByResource} {
		q := ledger.Question{From: day("2026-11-01"), To: day("2026-12-01"), By: []ledger.Cut{by}, View: ledger.Amortised}
		_, november := s.ask(t, q)
		q.From, q.To = q.To, day("2027-01-01")
		_, december := s.ask(t, q)
		if november.Amount.Amount() != "66.666666666666666667" || december.Amount.Amount() != "33.333333333333333333" || november.Vague != 0 {
			t.Errorf("by %s: %s in November, %s in December", by, november.Amount, december.Amount)
		}
		if november.Billed != usd("100") && by != ledger.ByResource || december.Billed.Known() {
			t.Errorf("by %s: billed %s and %s", by, november.Billed, december.Billed)
		}
	}
	rows, _ := s.ask(t, ledger.Question{From: day("2026-11-01"), To: day("2026-12-01"), By: []ledger.Cut{ledger.ByDay}, View: ledger.Amortised})
	if len(rows) != 20 || rows["2026-11-11"].Amount.Amount() != "3.333333333333333333" {
		t.Errorf("%d days, the first is %s", len(rows), rows["2026-11-11"].Amount)
	}
}

// A charge without an amortised amount is counted, never taken for zero; where the source is declared, BilledCost stands.
func TestAmountThatIsMissingIsSaid(t *testing.T) {
	s := newShop(t)
	q := ledger.Question{From: day("2026-11-01"), To: day("2026-12-01"), By: []ledger.Cut{ledger.ByProvider}, View: ledger.Amortised}
	known := hours(2, "1")
	known[0].EffectiveCost = usd("0.75")
	must(s.take(storage.Import{Files: file(known, 0)}))
	if _, total := s.ask(t, q); total.Amount != usd("0.75") || total.Vague != 1 {
		t.Errorf("%s, %d without", total.Amount, total.Vague)
	}
	if err := s.DeclareBill(t.Context(), s.account, billing.BillKind{NoEffective: true}); err != nil {
		t.Fatal(err)
	}
	must(s.take(storage.Import{Files: file(hours(2, "1"), 0)}))
	if _, total := s.ask(t, q); total.Amount != usd("2") || total.Vague != 0 {
		t.Errorf("%s, %d without", total.Amount, total.Vague)
	}
	if r, err := ledger.Answer(t.Context(), s, q); err != nil || len(r.Declared) != 1 {
		t.Errorf("declared: %v, %v", r.Declared, err)
	}
}

func TestFilters(t *testing.T) {
	s := newShop(t)
	line := func(provider, gpu, owner, resource, amount string) billing.Charge {
		c := usage(day("2026-11-03"), amount)
		c.Provider, c.GPU, c.Owner, c.ResourceID, c.ResourceName = provider, gpu, owner, resource, resource+"-name"
		return c
	}
	must(s.take(storage.Import{Files: file([]billing.Charge{line("RunPod", "H100-80G", "ana", "i-1", "1"), line("RunPod", "A100-80G", "bo", "i-2", "2"),
		line("Alibaba Cloud", "H100-80G", "", "i-3", "4"), line("Alibaba_X", "", "ana", "", "8")}, 0)}))
	for _, c := range []struct {
		where []ledger.Filter
		want  string
	}{
		{[]ledger.Filter{{By: ledger.ByProvider, Values: []string{"runpod"}}}, "3"},
		{[]ledger.Filter{{By: ledger.ByProvider, Values: []string{"alibaba"}}}, "4"},
		{[]ledger.Filter{{By: ledger.ByProvider, Values: []string{"alibaba%"}}}, ""},
		{[]ledger.Filter{{By: ledger.ByGPU, Values: []string{"h100"}}}, "5"},
		{[]ledger.Filter{{By: ledger.ByGPU, Values: []string{"h100"}, Not: true}}, "10"},
		{[]ledger.Filter{{By: ledger.ByOwner, Values: []string{""}}}, "4"},
		{[]ledger.Filter{{By: ledger.ByOwner, Values: []string{"Ana", "bo"}}}, "11"},
		{[]ledger.Filter{{By: ledger.ByOwner, Values: []string{"ana"}}, {By: ledger.ByProvider, Values: []string{"runpod"}}}, "1"},
		{[]ledger.Filter{{By: ledger.ByResource, Values: []string{"i-2-name"}}}, "2"},
		{[]ledger.Filter{{By: ledger.ByAccount, Values: []string{"payer"}}, {By: ledger.ByPart, Values: []string{"disk"}}}, ""},
	} {
		for _, by := range []ledger.Cut{ledger.ByProvider, ledger.ByMonth, ledger.ByResource} {
			rows, _, err := s.Billed(t.Context(), ledger.Question{From: day("2026-11-01"), To: day("2026-12-01"), Zone: time.UTC, By: []ledger.Cut{by}, Where: c.where})
			if err != nil {
				t.Fatal(err)
			}
			var sum billing.Tally
			for _, r := range rows {
				_ = sum.Add(r.Amount)
			}
			if got := sum.In("USD"); len(rows) > 0 != (c.want != "") || c.want != "" && got != usd(c.want) {
				t.Errorf("%v by %s: %s, want %q", c.where, by, got, c.want)
			}
		}
	}
}

// anyView draws a line of any sort, with or without an amortised amount, some of them paid ahead.
func anyViewed(t *rapid.T) billing.Charge {
	c := anyCharge(t)
	c.ChargeCategory = rapid.SampledFrom([]string{"Usage", "Purchase", "Credit", "Tax", "Adjustment"}).Draw(t, "category")
	if rapid.Bool().Draw(t, "effective") {
		c.EffectiveCost = usd(fmt.Sprintf("0.%018d", rapid.Uint64Range(0, 1e18-1).Draw(t, "effective rest")))
	}
	if c.ChargeCategory == "Purchase" && rapid.Bool().Draw(t, "ahead") {
		c.ChargePeriod.Start = c.ChargePeriod.Start.Truncate(24 * time.Hour)
		c.ChargePeriod.End = c.ChargePeriod.Start.AddDate(0, 0, rapid.IntRange(2, 90).Draw(t, "days"))
	}
	return c
}

// Any split of a span, in any zone, adds up for each view; weeks and months too; lines say what roll-ups say.
func TestAnySplitOfAnyViewAddsUp(t *testing.T) {
	s := newShop(t)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		a, err := s.EnsureAccount(context.Background(), billing.Account{Name: fmt.Sprint("account ", n)})
		if err != nil {
			t.Fatal(err)
		}
		rows := rapid.SliceOfN(rapid.Custom(anyViewed), 1, 12).Draw(t, "rows")
		must(s.ImportCharges(context.Background(), storage.Import{Account: a.ID, Source: billing.SourceFOCUS, Files: file(rows, 0)}))
		zone := zoneOf(t, rapid.SampledFrom([]string{"UTC", "Asia/Shanghai", "Asia/Kathmandu", "America/Los_Angeles", "Australia/Lord_Howe"}).Draw(t, "zone"))
		view := rapid.SampledFrom([]ledger.View{ledger.Billed, ledger.Gross, ledger.Amortised}).Draw(t, "view")
		local := func(d int) time.Time { return time.Date(2026, 9, 30+d, 0, 0, 0, 0, zone) }
		cut := rapid.IntRange(1, 120).Draw(t, "cut")
		mine := []ledger.Filter{{By: ledger.ByAccount, Values: []string{a.Name}}}
		sum := func(from, to time.Time, by ...ledger.Cut) *big.Rat {
			rows, _, err := s.Billed(context.Background(), ledger.Question{From: from, To: to, Zone: zone, By: by, Where: mine, View: view})
			if err != nil {
				t.Fatal(err)
			}
			total := new(big.Rat)
			for _, r := range rows {
				if x, ok := new(big.Rat).SetString(r.Amount.Amount()); ok {
					total.Add(total, x)
				}
			}
			return total
		}
		want := sum(local(0), local(121))
		for _, by := range [][]ledger.Cut{nil, {ledger.ByDay}, {ledger.ByWeek}, {ledger.ByMonth, ledger.ByCharge}, {ledger.ByWeek, ledger.ByMonth}, {ledger.ByResource}, {ledger.ByResource, ledger.ByDay}} {
			got := new(big.Rat).Add(sum(local(0), local(cut), by...), sum(local(cut), local(121), by...))
			if got.Cmp(want) != 0 {
				t.Fatalf("%s in %s, cut at %s, by %v: %s, want %s", view, zone, local(cut), by, got.FloatString(18), want.FloatString(18))
			}
		}
	})
}

func zoneOf(t interface{ Fatal(...any) }, name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}
