package notify

import (
	"testing"
	"time"

	"gpuspend/billing"
)

func TestDecide(t *testing.T) {
	now := time.Date(2026, 12, 2, 1, 12, 0, 0, time.UTC)
	finding := func(s billing.Severity) *billing.Finding {
		return &billing.Finding{Rule: "balance", Account: 2, Severity: s}
	}
	firing := func(change func(*Alert)) *Alert {
		a := Alert{State: Firing, FiredAt: now.Add(-5 * time.Hour), UpdatedAt: now.Add(-5 * time.Hour), Severity: billing.SeverityWarning}
		if change != nil {
			change(&a)
		}
		return &a
	}
	snoozed := func(till time.Duration) *Alert { return firing(func(a *Alert) { a.SnoozedTill = now.Add(till) }) }
	moved := finding(billing.SeverityHeld)
	moved.ChangedAt = now.Add(-time.Minute)
	key := finding(billing.SeverityWarning)
	key.Mutes = true

	tests := []struct {
		name               string
		f                  *billing.Finding
		a                  *Alert
		past, known, muted bool
		want               Reason
	}{
		{"first sight", finding(billing.SeverityWarning), nil, false, true, false, ReasonNew},
		{"it was over and is back", finding(billing.SeverityWarning), nil, true, true, false, ReasonRearmed},
		{"a digest line", finding(billing.SeverityInfo), nil, false, true, false, ReasonDigest},
		{"between threshold and re-arming, never fired", finding(billing.SeverityHeld), nil, false, true, false, ReasonHeld},
		{"between threshold and re-arming, firing", finding(billing.SeverityHeld), firing(nil), false, true, false, ReasonHeld},
		{"a top-up in between", moved, firing(nil), false, true, false, ReasonChanged},
		{"still so", finding(billing.SeverityWarning), firing(nil), false, true, false, ReasonSame},
		{"no digest line ends an alert", finding(billing.SeverityInfo), firing(nil), false, true, false, ReasonSame},
		{"account can't be read", finding(billing.SeverityWarning), nil, false, true, true, ReasonMuted},
		{"account can't be read, but urgent", finding(billing.SeverityUrgent), nil, false, true, true, ReasonNew},
		{"the finding that says so", key, nil, false, true, true, ReasonNew},
		{"snoozed", finding(billing.SeverityUrgent), snoozed(time.Hour), false, true, false, ReasonSnoozed},
		{"the snooze is over", finding(billing.SeverityWarning), snoozed(-time.Hour), false, true, false, ReasonWoke},
		{"over", nil, firing(nil), false, true, false, ReasonResolved},
		{"over, snoozed or not", nil, snoozed(time.Hour), false, true, false, ReasonResolved},
		{"account gone from the view", nil, firing(nil), false, false, false, ReasonUnsure},
		{"account can't be read: no sign that it is over", nil, firing(nil), false, true, true, ReasonUnsure},
	}
	for _, tt := range tests {
		if got := decide(tt.f, tt.a, tt.past, tt.known, tt.muted, false, now); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// At night only what can't wait begins; nothing is forgotten by it, and what is over is over at night too.
func TestDecideAtNight(t *testing.T) {
	now := time.Date(2026, 12, 1, 3, 0, 0, 0, time.UTC)
	alert := &Alert{State: Firing, UpdatedAt: now.Add(-time.Hour)}
	find := func(s billing.Severity) *billing.Finding { return &billing.Finding{Rule: "stopped", Severity: s} }
	for _, tt := range []struct {
		name string
		f    *billing.Finding
		a    *Alert
		past bool
		want Reason
	}{
		{"new", find(billing.SeverityWarning), nil, false, ReasonQuiet},
		{"back", find(billing.SeverityWarning), nil, true, ReasonQuiet},
		{"urgent", find(billing.SeverityUrgent), nil, false, ReasonNew},
		{"a digest line", find(billing.SeverityInfo), nil, false, ReasonDigest},
		{"still so", find(billing.SeverityWarning), alert, false, ReasonSame},
		{"over", nil, alert, false, ReasonResolved},
	} {
		if got := decide(tt.f, tt.a, tt.past, true, false, true, now); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A fingerprint is made of what a thing is, never of figures or words about it.
func TestFingerprintHasNoFigures(t *testing.T) {
	f := billing.Finding{Rule: "balance", Account: 2, Scope: "6h", Facts: 1, Severity: billing.SeverityUrgent}
	g := f
	g.Facts, g.Severity, g.Since, g.Remedies = 2, billing.SeverityWarning, time.Now(), []billing.Remedy{{}}
	if Fingerprint(f) != Fingerprint(g) {
		t.Errorf("%s and %s differ", Fingerprint(f), Fingerprint(g))
	}
	for _, change := range []func(*billing.Finding){
		func(f *billing.Finding) { f.Rule = "expiry" }, func(f *billing.Finding) { f.Account = 3 },
		func(f *billing.Finding) { f.Resource = 1 }, func(f *billing.Finding) { f.Scope = "24h" },
	} {
		g := f
		change(&g)
		if Fingerprint(f) == Fingerprint(g) {
			t.Errorf("%s is the fingerprint of two things", Fingerprint(f))
		}
	}
}

func TestNextStart(t *testing.T) {
	zone := time.FixedZone("Asia/Shanghai", 8*3600)
	at := func(day, hour int) time.Time { return time.Date(2026, 12, day, hour, 0, 0, 0, zone) }
	tests := []struct{ now, want time.Time }{
		{at(2, 1), at(2, 10)}, // Wednesday night
		{at(2, 10), at(3, 10)},
		{at(4, 18), at(7, 10)}, // Friday evening
		{at(6, 23), at(7, 10)},
	}
	for _, tt := range tests {
		if got := WorkingDays().NextStart(tt.now.UTC(), zone); !got.Equal(tt.want) {
			t.Errorf("after %s work starts %s, want %s", tt.now, got, tt.want)
		}
	}
	if got := (Hours{}).NextStart(at(2, 1), zone); !got.IsZero() {
		t.Errorf("nobody works, and it starts %s", got)
	}
}
