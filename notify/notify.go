// Package notify gives findings a life: it judges what is new, says it once to the right place, and remembers that it
// was heard.
package notify

import (
	"context"
	"time"

	"gpuspend/billing"
)

// Rule finds facts in a view: no I/O, no clock. One file each in notify/rules.
type Rule struct {
	Name    string // "balance"; part of the fingerprint
	Title   billing.Text
	Default string // its thresholds as the README prints them
	Night   bool   // said in quiet hours too; of other rules only what is urgent is
	// Together names the message that the rule's findings share over all accounts and with other rules; "" makes one
	// message an account.
	Together string
	// Find gives every fact that holds. A finding of severity SeverityHeld keeps an alert that fires, and starts none:
	// the value is between a threshold and where it re-arms, or nobody can tell at present.
	Find func(v View) []billing.Finding
}

// AlertState is where an alert stands.
type AlertState string

// The states.
const (
	Firing   AlertState = "firing"
	Resolved AlertState = "resolved"
)

// Alert is a finding with a life. Its fingerprint is account, resource generation, rule and scope: never a number of the
// text.
type Alert struct {
	ID          int64
	Fingerprint string
	Rule        string
	Account     billing.AccountID
	Resource    billing.ResourceID
	Scope       string
	Severity    billing.Severity
	State       AlertState
	FiredAt     time.Time
	UpdatedAt   time.Time
	ResolvedAt  time.Time
	TakenBy     string // chat user id: "I'm on it"
	TakenAt     time.Time
	SnoozedTill time.Time
	SnoozedWhy  string
}

// Route is one place that messages go to.
type Route struct {
	Name     string // unique; "slack:C0123"
	Receiver string // "slack"
	Target   string // channel or user id
	Lang     string // "en", "zh"; for a person, the one of his locale
}

// Letter is one message on its way: an entry of the outbox. It is written in the transaction that writes its alert, and
// is delivered only when the receiver said so.
type Letter struct {
	ID          int64
	Route       Route
	Fingerprint string // what it is about: the same for all letters that edit or answer one another
	Message     Message
	Edits       string // the receipt of the message to edit instead of posting; EditsLast; "" to post
	Thread      string // the receipt of the message to answer under; "" for none
	CreatedAt   time.Time
	TryAt       time.Time // not before
	Tries       int
	DeliveredAt time.Time
	Receipt     string // the receiver's word: for Slack "channel/ts"
	Failed      string // why it was given up; "" while it is not
}

// Receiver delivers to one kind of place. It returns the receiver's own word (a receipt) or an *billing.Error: Limited
// and Upstream are tried again, the others given up.
type Receiver interface {
	Deliver(ctx context.Context, l Letter) (receipt string, err error)
}

// Log keeps alerts and the outbox.
type Log interface {
	// Alerts lists alerts that fire, and those resolved since the given time.
	Alerts(ctx context.Context, since time.Time) ([]Alert, error)
	// Commit writes changed alerts and new letters in one transaction. New alerts have ID 0.
	Commit(ctx context.Context, alerts []Alert, letters []Letter) error
	// Due lists letters to be sent at the given time, oldest first.
	Due(ctx context.Context, now time.Time) ([]Letter, error)
	// Sent records a delivery, a later try or a failure for good.
	Sent(ctx context.Context, l Letter) error
	// Last finds the newest delivered letter about a fingerprint on a route.
	Last(ctx context.Context, fingerprint, route string) (Letter, bool, error)
}

// Writer makes the message of findings that belong together, in a route's language. notify/words satisfies it.
type Writer interface {
	Write(v View, lang string, group []billing.Finding) (Message, error)
	// Over is the message that replaces the one of an alert that is over.
	Over(v View, lang string, a Alert, was Message) (Message, error)
	// Astray is the line under a message that its own route could not take.
	Astray(lang string, of Route) Block
	// Held is the one message for many that a place would have had within an hour, by their push lines.
	Held(lang string, pushes []string) Message
}
