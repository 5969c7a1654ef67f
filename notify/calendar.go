package notify

import (
	"time"
)

// Hours are the working hours of an installation, in its zone.
type Hours struct {
	Start, End time.Duration // since midnight
	Days       [7]bool       // by time.Weekday
	Calendar   Calendar      // days that are otherwise; nil for none
	// QuietFrom and QuietTo bound the night in which only what can't wait is said, since midnight; both zero for no such
	// night. It may pass midnight.
	QuietFrom, QuietTo time.Duration
}

// Calendar says of single days whether people work on them, by their date ("2026-10-10"): holidays, and the weekends
// that make up for them.
type Calendar map[string]bool

// WorkingDays are Monday to Friday, 10:00 to 20:00, with the night from 22:00 to 08:00.
func WorkingDays() Hours {
	h := Hours{Start: 10 * time.Hour, End: 20 * time.Hour, QuietFrom: 22 * time.Hour, QuietTo: 8 * time.Hour}
	for d := time.Monday; d <= time.Friday; d++ {
		h.Days[d] = true
	}
	return h
}

// Works says whether people work on the local day of an instant.
func (h Hours) Works(at time.Time, zone *time.Location) bool {
	day := at.In(zoneOr(zone))
	if works, listed := h.Calendar[day.Format(time.DateOnly)]; listed {
		return works
	}
	return h.Days[day.Weekday()]
}

// mostDaysOff bounds the search for a working day: no holiday of the tables is longer than ten days.
const mostDaysOff = 60

// NextStart is the next start of work after now, in the zone of the hours (nil: UTC); zero where nobody ever works.
func (h Hours) NextStart(now time.Time, zone *time.Location) time.Time {
	zone = zoneOr(zone)
	local := now.In(zone)
	for d := range mostDaysOff {
		day := time.Date(local.Year(), local.Month(), local.Day()+d, 0, 0, 0, 0, zone)
		start := clock(day, h.Start)
		if start.After(now) && h.Works(day, zone) {
			return start
		}
	}
	return time.Time{}
}

// AtWork says that people work at an instant.
func (h Hours) AtWork(now time.Time, zone *time.Location) bool {
	day := now.In(zoneOr(zone))
	return h.Works(now, zone) && !now.Before(clock(day, h.Start)) && now.Before(clock(day, h.End))
}

// Quiet says that an instant lies in the night.
func (h Hours) Quiet(now time.Time, zone *time.Location) bool {
	if h.QuietFrom == h.QuietTo {
		return false
	}
	local := now.In(zoneOr(zone))
	at := time.Duration(local.Hour())*time.Hour + time.Duration(local.Minute())*time.Minute + time.Duration(local.Second())*time.Second
	if h.QuietFrom < h.QuietTo {
		return at >= h.QuietFrom && at < h.QuietTo
	}
	return at >= h.QuietFrom || at < h.QuietTo
}

// clock is a time of day by the clock on the wall, on the local day of an instant.
func clock(day time.Time, at time.Duration) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, int(at.Seconds()), 0, day.Location())
}

func zoneOr(zone *time.Location) *time.Location {
	if zone == nil {
		return time.UTC
	}
	return zone
}

// China is the calendar of mainland China, by the yearly notices of the State Council's General Office (国务院办公厅关于
// 部分节假日安排的通知; that for 2026 of November 2025), weekends that are worked included. A year whose notice is not in
// the table has only its weekends; the configuration can add its days.
func China() Calendar {
	c := Calendar{}
	for _, s := range []struct {
		from, to string
		works    bool
	}{
		{"2026-01-01", "2026-01-03", false}, {"2026-01-04", "2026-01-04", true},
		{"2026-02-14", "2026-02-14", true}, {"2026-02-15", "2026-02-23", false}, {"2026-02-28", "2026-02-28", true},
		{"2026-04-04", "2026-04-06", false},
		{"2026-05-01", "2026-05-05", false}, {"2026-05-09", "2026-05-09", true},
		{"2026-06-19", "2026-06-21", false},
		{"2026-09-20", "2026-09-20", true}, {"2026-09-25", "2026-09-27", false},
		{"2026-10-01", "2026-10-07", false}, {"2026-10-10", "2026-10-10", true},
	} {
		from, _ := time.Parse(time.DateOnly, s.from)
		for day := from; day.Format(time.DateOnly) <= s.to; day = day.AddDate(0, 0, 1) {
			c[day.Format(time.DateOnly)] = s.works
		}
	}
	return c
}

// ChinaYears are the years that China knows.
func ChinaYears() (first, last int) { return 2026, 2026 }
