package storage

import (
	"testing"
	"time"

	"gpuspend/billing"
)

func instant(s string) time.Time {
	if s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func between(start, end string) billing.Period {
	return billing.Period{Start: instant(start), End: instant(end)}
}

func TestPlaceOf(t *testing.T) {
	november := between("2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z")
	shanghai := between("2026-10-31T16:00:00Z", "2026-11-30T15:59:59Z")
	march := between("2026-03-01T08:00:00Z", "2026-04-01T07:00:00Z") // Los Angeles, where clocks go forward on the 8th
	for _, c := range []struct {
		name           string
		billed, charge billing.Period
		whole          bool
		quarter, date  string
	}{
		{"an hour", november, between("2026-11-05T13:00:00Z", "2026-11-05T14:00:00Z"), false, "2026-11-05T13:00:00Z", "2026-11-05"},
		{"an hour off the hour", november, between("2026-11-05T13:59:59Z", "2026-11-05T14:59:59Z"), false, "2026-11-05T13:45:00Z", "2026-11-05"},
		{"an hour billed in UTC+8", shanghai, between("2026-11-05T16:00:00Z", "2026-11-05T17:00:00Z"), false, "2026-11-05T16:00:00Z", "2026-11-05"},
		{"a day", november, between("2026-11-05T00:00:00Z", "2026-11-06T00:00:00Z"), true, "2026-11-05T00:00:00Z", "2026-11-05"},
		{"a day that ends at :59", november, between("2026-11-05T00:00:00Z", "2026-11-05T23:59:00Z"), true, "2026-11-05T00:00:00Z", "2026-11-05"},
		{"a day in UTC+8", shanghai, between("2026-11-05T16:00:00Z", "2026-11-06T15:59:59Z"), true, "2026-11-06T00:00:00Z", "2026-11-06"},
		{"a month in UTC+8", shanghai, between("2026-10-31T16:00:00Z", "2026-11-30T16:00:00Z"), true, "2026-11-01T00:00:00Z", "2026-11-01"},
		{"a day in winter", march, between("2026-03-02T08:00:00Z", "2026-03-03T08:00:00Z"), true, "2026-03-02T00:00:00Z", "2026-03-02"},
		{"a day in summer", march, between("2026-03-20T07:00:00Z", "2026-03-21T07:00:00Z"), true, "2026-03-20T00:00:00Z", "2026-03-20"},
		{"a day of an unknown period", between("2026-03-01T08:00:00Z", ""), between("2026-03-20T00:00:00Z", "2026-03-21T00:00:00Z"), true, "2026-03-19T00:00:00Z", "2026-03-19"},
	} {
		got := placeOf(&billing.Charge{BillingPeriod: c.billed, ChargePeriod: c.charge})
		want := place{c.whole, stamp(instant(c.quarter)), stamp(instant(c.date+"T00:00:00Z")) / dayMillis}
		if got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}

func TestPeriodName(t *testing.T) {
	for _, c := range []struct{ start, end, want string }{
		{"2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z", "2026-11"},
		{"2026-11-01T00:00:00Z", "2026-11-30T23:59:59Z", "2026-11"},
		{"2026-10-31T16:00:00Z", "2026-11-30T16:00:00Z", "2026-11"},
		{"2026-10-31T16:00:00Z", "2026-11-30T15:59:59Z", "2026-11"},
		{"2026-03-01T08:00:00Z", "2026-04-01T07:00:00Z", "2026-03"},
		{"2026-11-01T00:00:00Z", "", "2026-11"},
		{"2026-11-05T00:00:00Z", "2026-11-06T00:00:00Z", "2026-11-05"},
		{"2026-11-05T00:00:00Z", "2026-12-05T00:00:00Z", "2026-11-05 to 2026-12-04"},
		{"2026-11-01T00:00:00Z", "2027-11-01T00:00:00Z", "2026-11-01 to 2027-10-31"},
		{"2026-11-05T00:00:00Z", "", "the period from 2026-11-05"},
	} {
		if got := periodName(between(c.start, c.end)); got != c.want {
			t.Errorf("%s to %s is called %q, want %q", c.start, c.end, got, c.want)
		}
	}
}
