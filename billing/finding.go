package billing

import "time"

// Severity sorts findings by how soon somebody has to act.
type Severity int

// The severities.
const (
	SeverityHeld    Severity = 0 // keeps an alert that fires, starts none
	SeverityInfo    Severity = 1 // a digest line
	SeverityWarning Severity = 2 // a message
	SeverityUrgent  Severity = 3 // a message in spite of quiet hours
)

// Remedy is something that helps, with its effect said before it is taken.
type Remedy struct {
	Kind     RemedyKind
	Resource ResourceID // what would be stopped or released; 0 for none
	Amount   Money      // least top-up
	Until    time.Time  // how far it carries; zero where time is not the effect
	Saves    Money      // per hour
	Enough   bool       // whether it solves the problem alone
	URL      string     // the console page that does it
}

// RemedyKind is what a remedy does.
type RemedyKind string

// The remedies.
const (
	RemedyTopUp   RemedyKind = "top_up"
	RemedyStop    RemedyKind = "stop"
	RemedyRelease RemedyKind = "release"
	RemedyRenew   RemedyKind = "renew"
	RemedyOpen    RemedyKind = "open" // look in the console
)

// Finding is a fact that somebody should know: pure data, made by a rule from what is stored.
type Finding struct {
	Rule     string
	Account  AccountID
	Resource ResourceID // 0 for the account as a whole
	Scope    string     // apart from resource: the step, the scope read; part of the fingerprint
	Severity Severity
	Facts    any      // one struct per rule, rendered by notify/words
	Remedies []Remedy // best first
	Monthly  Money    // what it costs per month as it is; unknown where not known
	Since    time.Time
	// ChangedAt is when something happened that a reader of the message should see, such as a top-up; zero for never.
	ChangedAt time.Time
	// Mutes holds back what else is found in the account meanwhile, but for what is urgent.
	Mutes bool
}
