package billing

import "time"

// ResourceID is our own number for one generation of a resource: one appearance, from first to last sight. A machine
// deleted and another made under the same id are two.
type ResourceID int64

// Holding is one generation of a resource, as the store has it.
type Holding struct {
	ID        ResourceID
	Handle    string // short name that people type, such as "r-7k2f"
	Account   AccountID
	Resource            // as last seen
	FirstSeen time.Time // UTC, by us
	LastSeen  time.Time // UTC, by us
	GoneAt    time.Time // zero while it is not gone: absent from two complete listings of its scope
	AbsentAt  time.Time // first complete listing that lacked it; zero while it is listed
	// StateSince is when we first saw the present state; Exact says that the cloud itself named the instant.
	StateSince time.Time
	Keep       Keep // somebody's word that it is wanted
}

// Gone says that the holding is over.
func (h Holding) Gone() bool { return !h.GoneAt.IsZero() }

// Age is how long the resource is known to exist: since its cloud's own creation time, else since we first saw it.
func (h Holding) Age(now time.Time) time.Duration {
	from := h.FirstSeen
	if !h.CreatedAt.IsZero() && h.CreatedAt.Before(from) {
		from = h.CreatedAt
	}
	return now.Sub(from)
}

// Keep is somebody's word that a resource is wanted, so that it is not called forgotten.
type Keep struct {
	Until  time.Time // zero with By set: for good
	Reason string
	By     string // chat user id
	At     time.Time
}

// Holds says whether the word still counts.
func (k Keep) Holds(now time.Time) bool {
	return k.By != "" && (k.Until.IsZero() || now.Before(k.Until))
}

// Span is a stretch of time in which one generation was in one state at one rate. Spans are never overwritten: they
// end, and another begins.
type Span struct {
	Resource    ResourceID
	From, To    time.Time // UTC; To is zero while it lasts
	SeenTo      time.Time // last sight within it: beyond, the span is a belief
	State       State
	VendorState string
	Billed      Tri
	Rate        Rate
	Mode        Mode
}

// ReadingOf names what was read.
type ReadingOf string

// What is read of an account.
const (
	ReadBalance   ReadingOf = "balance"
	ReadInventory ReadingOf = "inventory" // per scope
	ReadCharges   ReadingOf = "charges"
	ReadOffers    ReadingOf = "offers"
	ReadIdentity  ReadingOf = "identity"
	ReadMembers   ReadingOf = "members" // the accounts of an organisation
)

// Reading is how the last attempts to read one thing ended. A failed reading never replaces a complete one: it stands
// beside it and makes it stale.
type Reading struct {
	Account      AccountID
	Of           ReadingOf
	Scope        Scope     // for ReadInventory
	CompleteAt   time.Time // last complete reading; zero for never
	TriedAt      time.Time
	ErrorKind    ErrorKind // "" when the last attempt was good
	Say          Text      // the last failure, for people
	FailingSince time.Time // zero while good
	LeftOut      int       // inventory: how many things of the scope the last complete listing left out, unasked for
}

// Failing says that the last attempt failed.
func (r Reading) Failing() bool { return r.ErrorKind != "" }
