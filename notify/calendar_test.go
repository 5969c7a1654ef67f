package notify_test

import (
	"testing"
	"time"

	"gpuspend/notify"
)

func in(t *testing.T, zone, s string) time.Time {
	t.Helper()
	z, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", s, z)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// The next start of work is after the holiday, and on the weekend that makes up for it.
func TestNextStartKnowsHolidays(t *testing.T) {
	h := notify.WorkingDays()
	h.Calendar = notify.China()
	for now, want := range map[string]string{
		"2026-09-30 21:00": "2026-10-08 10:00", // National Day
		"2026-10-09 21:00": "2026-10-10 10:00", // a Saturday that is worked
		"2026-02-13 20:00": "2026-02-14 10:00", // another
		"2026-02-14 20:00": "2026-02-24 10:00", // Spring Festival
		"2026-12-04 20:00": "2026-12-07 10:00", // an ordinary Friday
		"2026-01-01 09:00": "2026-01-04 10:00", // a Sunday that is worked
		"2026-11-30 09:59": "2026-11-30 10:00",
		"2026-11-30 10:00": "2026-12-01 10:00",
	} {
		at := in(t, "Asia/Shanghai", now)
		if got := h.NextStart(at, at.Location()); !got.Equal(in(t, "Asia/Shanghai", want)) {
			t.Errorf("after %s: %s, want %s", now, got, want)
		}
	}
	if got := (notify.Hours{Start: 10 * time.Hour}).NextStart(in(t, "UTC", "2026-01-01 09:00"), time.UTC); !got.IsZero() {
		t.Errorf("nobody works, and work starts at %s", got)
	}
}

// The start of work is a time on the clock: on the days of a change of clocks too.
func TestNextStartOnDaysOfChangedClocks(t *testing.T) {
	h := notify.WorkingDays()
	h.Days[time.Sunday] = true
	for now, want := range map[string]string{"2026-03-28 22:00": "2026-03-29 08:00 UTC", "2026-10-24 22:00": "2026-10-25 09:00 UTC"} {
		at := in(t, "Europe/Berlin", now)
		if got := h.NextStart(at, at.Location()).UTC().Format("2006-01-02 15:04 MST"); got != want {
			t.Errorf("after %s: %s, want %s", now, got, want)
		}
	}
}

func TestQuietNights(t *testing.T) {
	over, within := notify.WorkingDays(), notify.Hours{QuietFrom: time.Hour, QuietTo: 6 * time.Hour}
	for s, want := range map[string][2]bool{"21:59": {false, false}, "22:00": {true, false}, "00:30": {true, false}, "01:00": {true, true},
		"05:59": {true, true}, "06:00": {true, false}, "07:59": {true, false}, "08:00": {false, false}} {
		at := in(t, "Asia/Shanghai", "2026-12-01 "+s)
		if got := [2]bool{over.Quiet(at, at.Location()), within.Quiet(at, at.Location())}; got != want {
			t.Errorf("%s: %v, want %v", s, got, want)
		}
	}
	if (notify.Hours{}).Quiet(in(t, "UTC", "2026-12-01 03:00"), nil) {
		t.Error("quiet, although no night is configured")
	}
}
