package ledger

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A missing price is no zero: the row says how many things had none, and what is known stands beside it. A price per
// month is multiplied by no hours: 10.00 a month is 0.0137 an hour of 730, and 10.00 a month again.
func TestC17MissingPriceIsNotZero(t *testing.T) {
	b := &book{spans: []Metered{span(1, "6.2", day(1), day(1).Add(2*time.Hour)), span(2, "", day(1), day(1).Add(2*time.Hour))}, covered: []Covered{{Account: 1, Name: "a", Polled: true, Currency: "CNY"}}}
	r := answer(t, b, Question{From: day(1), To: day(2), Now: day(2), By: []Cut{ByResource}})
	if len(r.Totals) != 1 || r.Totals[0].Accrued != cny("12.4") || r.Totals[0].Unpriced != 1 {
		t.Errorf("%v", r.Totals)
	}
	if r.Rows[1].Accrued.Known() || r.Rows[1].Amount.Known() {
		t.Errorf("an unknown price is a figure: %v", r.Rows[1])
	}
	hourly, err := cny("10").MulRatio(1, 730)
	if err != nil || Monthly(hourly, 730) != cny("10") || hourly.Rounded(4) != "0.0137" {
		t.Errorf("%s an hour, %s a month", hourly, Monthly(hourly, 730))
	}
}

// A small rate is not rounded before it is multiplied, and no float comes near it: ten thousand hours of a thousandth of
// a cent are ten cents, to the last digit.
func TestX14X16SmallRatesAreExact(t *testing.T) {
	b := &book{spans: []Metered{span(1, "0.00001", day(1), day(1).Add(10_000*time.Hour))}, covered: []Covered{{Account: 1, Name: "a", Polled: true}}}
	r := answer(t, b, Question{From: day(1), To: day(1).Add(10_000 * time.Hour), Now: day(1).Add(10_000 * time.Hour), By: []Cut{ByDay}})
	if r.Totals[0].Accrued != cny("0.1") {
		t.Errorf("%s", r.Totals[0].Accrued)
	}
}

// A month has the hours that its cloud gives it: 730 at one, 720 at another, 672 where the price is capped.
func TestX17MonthHasItsCloudsHours(t *testing.T) {
	for hours, want := range map[int]string{730: "73", 720: "72", 672: "67.2"} {
		if got := Monthly(cny("0.1"), hours); got != cny(want) {
			t.Errorf("0.1 an hour is %s in a month of %d hours, want %s", got.Amount(), hours, want)
		}
	}
}

// A hole in our own watching is no zero and no exact figure: what may have run is a range.
func TestC27HoleIsARange(t *testing.T) {
	m := span(1, "4", day(1), day(2))
	m.SeenTo = day(1).Add(6*time.Hour - Blind)
	b := &book{spans: []Metered{m}, covered: []Covered{{Account: 1, Name: "a", Polled: true}}}
	r := answer(t, b, Question{From: day(1), To: day(2), Now: day(2), By: []Cut{ByDay}})
	if got := r.Rows[0]; got.Accrued != cny("24") || got.AccruedMost != cny("96") {
		t.Errorf("%s to %s", got.Accrued, got.AccruedMost)
	}
	want := []Gap{{Account: "a", From: day(1).Add(6 * time.Hour), To: day(2), Unseen: true}}
	if diff := cmp.Diff(want, r.Missing); diff != "" {
		t.Error(diff)
	}
}

// The hours that a bill covers are billed, the others accrued, and none is both.
func TestBilledAndAccruedNeverMeet(t *testing.T) {
	b := &book{rows: []Row{{Keys: []string{"2026-11-01"}, Currency: "CNY", Billed: cny("40")}}, spans: []Metered{span(1, "4", day(1), day(3))},
		covered: []Covered{{Account: 1, Name: "a", Polled: true, Billing: true, Through: day(1).Add(12 * time.Hour)}}}
	r := answer(t, b, Question{From: day(1), To: day(3), Now: day(3), By: []Cut{ByDay}})
	want := "2026-11-01|CNY|40|48|0\n2026-11-02|CNY||96|0"
	if diff := cmp.Diff(want, show(r.Rows)); diff != "" {
		t.Error(diff)
	}
	if r.Rows[1].Amount.Known() || r.Rows[0].Amount != cny("40") {
		t.Error("an estimate is shown as a bill")
	}
}

// Weeks are ISO weeks of the local date, months of the local date; both turn at local midnights where clocks change.
func TestCalendarKeys(t *testing.T) {
	for _, c := range []struct {
		by       Cut
		zone, at string
		want     string
	}{
		{ByWeek, "UTC", "2027-01-03T23:59:59Z", "2026-W53"},
		{ByWeek, "Asia/Shanghai", "2027-01-03T16:00:00Z", "2027-W01"},
		{ByMonth, "Asia/Kathmandu", "2026-11-30T18:14:59Z", "2026-11"},
		{ByMonth, "Asia/Kathmandu", "2026-11-30T18:15:00Z", "2026-12"},
		{ByDay, "America/Los_Angeles", "2026-11-01T08:30:00Z", "2026-11-01"},
		{ByDay, "America/Los_Angeles", "2026-11-02T07:59:59Z", "2026-11-01"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.by.Date(at.In(zone)); got != c.want {
			t.Errorf("%s of %s in %s is %s, want %s", c.by, c.at, c.zone, got, c.want)
		}
	}
}
