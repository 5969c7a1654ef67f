package bot

import (
	"testing"
	"time"
)

// "7d" is seven local days with today, in any zone and over a change of the clocks; "30d" is thirty.
func TestX21SevenDaysAreSeven(t *testing.T) {
	for _, name := range []string{"UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, now := range []time.Time{time.Date(2026, 10, 27, 23, 59, 0, 0, zone), time.Date(2026, 11, 3, 0, 0, 0, 0, zone), time.Date(2026, 3, 31, 12, 0, 0, 0, zone)} {
			for word, want := range map[string]int{"1d": 1, "7d": 7, "7天": 7, "30d": 30} {
				s, ok := period(word, now, zone)
				days := 0
				for at := s.from; at.Before(s.to); at = at.AddDate(0, 0, 1) {
					days++
				}
				if y, m, d := now.Date(); !ok || days != want || !s.to.Equal(time.Date(y, m, d+1, 0, 0, 0, 0, zone)) {
					t.Errorf("%s in %s at %s: %d days to %s, want %d to the end of today", word, name, now, days, s.to, want)
				}
			}
		}
	}
	if _, ok := period("0d", time.Now(), time.UTC); ok {
		t.Error("no days are no span")
	}
}

// A month is the month that was named, also over the turn of the year and from the last day of a long month.
func TestX25MonthsAreTheMonthsNamed(t *testing.T) {
	zone, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		t.Fatal(err)
	}
	on := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, zone) }
	for _, tt := range []struct {
		word     string
		now      time.Time
		from, to time.Time
	}{
		{"2026-11", on(2026, 12, 2), on(2026, 11, 1), on(2026, 12, 1)},
		{"2026-12", on(2027, 1, 31), on(2026, 12, 1), on(2027, 1, 1)},
		{"lastmonth", on(2027, 1, 31), on(2026, 12, 1), on(2027, 1, 1)},
		{"lastmonth", on(2026, 3, 31).Add(23 * time.Hour), on(2026, 2, 1), on(2026, 3, 1)},
		{"上月", on(2028, 3, 31), on(2028, 2, 1), on(2028, 3, 1)},
		{"month", on(2026, 5, 31), on(2026, 5, 1), on(2026, 6, 1)},
		{"2026-11-03..2026-11-05", on(2026, 12, 2), on(2026, 11, 3), on(2026, 11, 6)},
		{"2026-11..2026-12", on(2027, 2, 2), on(2026, 11, 1), on(2027, 1, 1)},
	} {
		s, ok := period(tt.word, tt.now, zone)
		if !ok || !s.from.Equal(tt.from) || !s.to.Equal(tt.to) {
			t.Errorf("%s on %s: %s to %s (%t), want %s to %s", tt.word, tt.now.Format(time.DateOnly), s.from, s.to, ok, tt.from, tt.to)
		}
	}
}
