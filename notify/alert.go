package notify

import (
	"strconv"
	"time"

	"gpuspend/billing"
)

// Fingerprint names what a finding is about: rule, account, resource generation and scope, never a figure, so that an
// alert keeps its snooze when a number changes.
func Fingerprint(f billing.Finding) string {
	return f.Rule + "/" + strconv.FormatInt(int64(f.Account), 10) + "/" + strconv.FormatInt(int64(f.Resource), 10) + "/" + f.Scope
}

// Reason says why something is said, or is not.
type Reason string

// The reasons. The first ones are told as a new message, the next ones as an edit of the message that is there, the
// others not at all.
const (
	ReasonNew     Reason = "new"     // never seen, or long over
	ReasonRearmed Reason = "rearmed" // it was over, and is back
	ReasonWoke    Reason = "woke"    // its snooze ended and it is still there

	ReasonChanged  Reason = "changed"  // something that a reader should see happened meanwhile
	ReasonResolved Reason = "resolved" // it is over

	ReasonSame    Reason = "same"
	ReasonHeld    Reason = "held"    // between its threshold and where it re-arms
	ReasonSnoozed Reason = "snoozed" // somebody asked for silence
	ReasonMuted   Reason = "muted"   // the account can't be read: that is said instead
	ReasonDigest  Reason = "digest"  // no message of its own
	ReasonQuiet   Reason = "quiet"   // it waits for the end of the night
	ReasonUnsure  Reason = "unsure"  // its account is not in the view: no sign that it is over
)

// posts says that the reason asks for a message of its own.
func (r Reason) posts() bool { return r == ReasonNew || r == ReasonRearmed || r == ReasonWoke }

// edits says that the reason asks for a new text of the message that is there.
func (r Reason) edits() bool { return r == ReasonChanged || r == ReasonResolved }

// decide compares one finding with the alert of its fingerprint. Either may be nil, not both; past says that such an
// alert was resolved lately, known that the finding's account is in the view, muted that the account can't be read.
// Nothing is written down of what waits for the end of the night: then it is judged anew.
func decide(f *billing.Finding, a *Alert, past, known, muted, quiet bool, now time.Time) Reason {
	r := decideByDay(f, a, past, known, muted, now)
	if quiet && r.posts() && f.Severity < billing.SeverityUrgent {
		return ReasonQuiet
	}
	return r
}

func decideByDay(f *billing.Finding, a *Alert, past, known, muted bool, now time.Time) Reason {
	switch {
	case f == nil && !known, f == nil && muted:
		return ReasonUnsure
	case f == nil:
		return ReasonResolved
	case a == nil:
		return first(f, past, muted)
	case now.Before(a.SnoozedTill):
		return ReasonSnoozed
	case f.Severity == billing.SeverityHeld && !f.ChangedAt.After(a.UpdatedAt):
		return ReasonHeld
	case !a.SnoozedTill.IsZero() && a.UpdatedAt.Before(a.SnoozedTill) && f.Severity > billing.SeverityInfo:
		return ReasonWoke
	case f.ChangedAt.After(a.UpdatedAt):
		return ReasonChanged
	}
	return ReasonSame
}

// first decides about a finding without an alert.
func first(f *billing.Finding, past, muted bool) Reason {
	switch {
	case f.Severity == billing.SeverityHeld:
		return ReasonHeld
	case f.Severity == billing.SeverityInfo:
		return ReasonDigest
	case muted && f.Severity < billing.SeverityUrgent && !f.Mutes:
		return ReasonMuted
	case past:
		return ReasonRearmed
	}
	return ReasonNew
}

// alert makes or changes the alert for a decision; changed is false where nothing has to be written.
func alert(r Reason, f *billing.Finding, a *Alert, now time.Time) (out Alert, changed bool) {
	if a != nil {
		out = *a
	}
	switch r {
	case ReasonNew, ReasonRearmed:
		return Alert{
			Fingerprint: Fingerprint(*f), Rule: f.Rule, Account: f.Account, Resource: f.Resource, Scope: f.Scope,
			Severity: f.Severity, State: Firing, FiredAt: now, UpdatedAt: now,
		}, true
	case ReasonWoke, ReasonChanged:
		out.UpdatedAt, out.Severity = now, max(f.Severity, billing.SeverityInfo)
		return out, true
	case ReasonResolved:
		out.State, out.UpdatedAt, out.ResolvedAt = Resolved, now, now
		return out, true
	}
	return out, false
}
