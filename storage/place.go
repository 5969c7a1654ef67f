package storage

import (
	"time"

	"gpuspend/billing"
)

const (
	quarterMillis = 15 * 60 * 1000
	hourMillis    = 4 * quarterMillis
	dayMillis     = 24 * hourMillis
)

// place is where a charge belongs in time.
type place struct {
	whole   bool
	quarter int64 // start, truncated to 15 minutes where it is not on the hour; of whole charges the day
	day     int64 // days since 1970: the vendor's date of a whole charge, else the UTC date of its start
}

// placeOf applies the rule: a charge belongs whole to the instant of ChargePeriodStart. One of 23 h 59 min or longer
// keeps the vendor's own date, read in the zone in which BillingPeriodStart is midnight.
func placeOf(c *billing.Charge) place {
	start := stamp(c.ChargePeriod.Start)
	if c.Whole() {
		day := floorDiv(start+vendorOffset(start, c.BillingPeriod), dayMillis)
		return place{whole: true, quarter: day * dayMillis, day: day}
	}
	return place{quarter: floorDiv(start, quarterMillis) * quarterMillis, day: floorDiv(start, dayMillis)}
}

// vendorOffset is what to add to UTC for the vendor's own time: that in which the billing period begins at midnight.
// Where clocks change by an hour within the period it ends at another midnight, which counts for charges that begin at it.
func vendorOffset(start int64, billed billing.Period) int64 {
	offset := midnightOffset(billed.Start)
	if billed.End.IsZero() {
		return offset
	}
	late := midnightOffset(billed.End)
	if (late == offset+hourMillis || late == offset-hourMillis) && (start+late)%dayMillis == 0 {
		return late
	}
	return offset
}

// midnightOffset is what to add to an instant to make it a midnight: 16:00Z is midnight in UTC+8, 08:00Z in UTC-8.
func midnightOffset(t time.Time) int64 {
	into := stamp(t) - floorDiv(stamp(t), dayMillis)*dayMillis
	if into > dayMillis/2 {
		return dayMillis - into
	}
	return -into
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// periodName writes a billing period for people: 2026-11 for a month of the vendor's, else its dates.
func periodName(p billing.Period) string {
	start := vendorTime(p.Start, p.Start)
	if start.Day() == 1 && start.Equal(start.Truncate(24*time.Hour)) {
		if p.End.IsZero() || vendorTime(p.End, p.End).Equal(start.AddDate(0, 1, 0)) {
			return start.Format("2006-01")
		}
	}
	if !p.End.After(p.Start) {
		return "the period from " + start.Format(time.DateOnly)
	}
	last := vendorTime(p.End.Add(-time.Nanosecond), p.Start)
	if last.Format(time.DateOnly) == start.Format(time.DateOnly) {
		return start.Format(time.DateOnly)
	}
	return start.Format(time.DateOnly) + " to " + last.Format(time.DateOnly)
}

// vendorTime shows an instant as the clock of the vendor does whose days begin at the time of day of midnight.
func vendorTime(t, midnight time.Time) time.Time {
	return t.UTC().Add(time.Duration(midnightOffset(midnight)) * time.Millisecond)
}

// localDay counts the date of an instant in a zone in days since 1970.
func localDay(t time.Time, zone *time.Location) int64 {
	y, m, d := t.In(zone).Date()
	return floorDiv(stamp(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)), dayMillis)
}
