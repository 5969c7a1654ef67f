package billing

import "time"

// MarkKind is what is to become of a resource at an instant that a person named.
type MarkKind string

// The marks. A lease ends with a stop, which the person asked for when leasing. A removal ends with a question: nothing is
// deleted by a date.
const (
	MarkLease  MarkKind = "lease"
	MarkRemove MarkKind = "remove"
)

// Mark is a person's word about a generation and an instant. There is at most one of a kind that is open.
type Mark struct {
	ID       int64
	Resource ResourceID
	Kind     MarkKind
	Due      time.Time // UTC
	By, Team string    // chat user id, with the team or enterprise it belongs to
	Name     string    // for messages only
	Channel  string    // chat channel id where it was said
	Reason   string
	MadeAt   time.Time // UTC
	ToldAt   time.Time // when the notice was delivered; zero before
	AskedAt  time.Time // removal: when the question of the day was delivered; zero before
	Idle     bool      // removal: it was seen out of use, so that use undoes the mark
}
