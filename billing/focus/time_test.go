package focus

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseTimeRefuses(t *testing.T) {
	for _, s := range []string{"", "2026", "2026-05", "2026-5-1", "05/01/2026", "2026-13-01", "2026-00-10", "2026-02-29", "2026-05-01T", "2026-05-01T24:00:00Z",
		"2026-05-01T10", "2026-05-01T10:60Z", "2026-05-01T10:00:60Z", "2026-05-01X10:00:00Z", "2026-05-01T10:00:00.Z", "2026-05-01T10:00:00z ",
		"2026-05-01T10:00:00+8", "2026-05-01T10:00:00+08:0", "2026-05-01T10:00:00+08:00Z", "2026-05-01T10:00:00+15:00", "2026-05-01T1a:00:00Z", "2026-05-01T10:00:00 CST"} {
		if got, ok := parseTime(s); ok {
			t.Errorf("%q: %v", s, got)
		}
	}
}

// TestParseTimeAgreesWithStandardLibrary tries every layout that the package promises.
func TestParseTimeAgreesWithStandardLibrary(t *testing.T) {
	layouts := []string{time.RFC3339, time.RFC3339Nano, "2006-01-02T15:04:05.000Z07:00", "2006-01-02 15:04:05", "2006-01-02T15:04Z07:00",
		"2006-01-02 15:04:05 MST", "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05-07", "2006-01-02"}
	rapid.Check(t, func(t *rapid.T) {
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		zone := time.UTC
		if layout != "2006-01-02 15:04:05 MST" {
			zone = time.FixedZone("", 60*60*rapid.IntRange(-12, 14).Draw(t, "zone"))
		}
		s := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "seconds"), rapid.Int64Range(0, 999999999).Draw(t, "nanos")).In(zone).Format(layout)
		want, err := time.Parse(layout, s)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := parseTime(s); !ok || !got.Equal(want) || got.Location() != time.UTC {
			t.Fatalf("%s: got %v, %t; want %v", s, got, ok, want)
		}
	})
}
