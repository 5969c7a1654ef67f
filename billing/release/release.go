// Package release is the one writer to clouds: it proposes, approves, carries out and verifies giving a resource back.
package release

import (
	"context"
	"time"

	"gpuspend/billing"
)

// State is where an action stands. Final states have no way out: a retry is a new action.
type State string

// The states.
const (
	Proposed  State = "proposed"
	Approved  State = "approved"
	Running   State = "running"
	Verifying State = "verifying"
	Done      State = "done"
	Failed    State = "failed"
	Declined  State = "declined"
	Expired   State = "expired"
)

// Final says that nothing follows.
func (s State) Final() bool {
	return s == Done || s == Failed || s == Declined || s == Expired
}

// May says whether the table of moves has this one.
func May(from, to State) bool {
	switch from {
	case Proposed:
		return to == Approved || to == Declined || to == Expired
	case Approved:
		return to == Running || to == Failed || to == Expired
	case Running:
		return to == Verifying || to == Failed
	case Verifying:
		return to == Done || to == Failed
	}
	return false
}

// ActionID is our own number for an action.
type ActionID int64

// Person is who asked or clicked: a chat user with the team or enterprise that the id belongs to.
type Person struct {
	ID, Team string
	Name     string // for messages only; never compared
}

// Place is where an action's progress is shown: a message that is edited. Zero until one was posted.
type Place struct {
	Channel, Message, Thread string
}

// Action is one order to give a resource back: data, never a closure, so that it survives a restart.
type Action struct {
	ID          ActionID
	Account     billing.AccountID
	Resource    billing.ResourceID
	Ref         billing.ResourceRef
	Handle      string
	Name        string
	Verb        billing.Verb
	State       State
	Fingerprint string // what the person saw; compared again before the act
	Token       string // idempotency token, the same at every attempt
	By          Person // who proposed
	Approver    Person // who approved; the same person in the thin loop
	Reason      string
	Exported    []string // items of the checklist that the proposer ticked as saved elsewhere
	Place       Place
	Lang        string        // of the progress message: "en" or "zh"
	Saves       billing.Money // per month, as shown; unknown where not known
	StillBills  billing.Money // per month, as shown
	RequestID   string        // the cloud's
	Job         string
	Why         billing.Text // why it failed, was declined or expired
	ProposedAt  time.Time
	MovedAt     time.Time // when it came to its state
	SeenAt      time.Time // verifying: the first complete listing that bears it out; zero before
}

// Move is one line of an action's history.
type Move struct {
	Action   ActionID
	At       time.Time
	From, To State
	Who      Person // zero for the program itself
	Why      billing.Text
}

// Change is what a move sets beside the state; zero fields leave things as they are.
type Change struct {
	Who       Person
	Approver  Person
	RequestID string
	Job       string
	Why       billing.Text
}

// Store keeps actions.
type Store interface {
	// Propose writes a new action in state proposed and gives it its number and token. A resource that has an action
	// that is not final fails with a Conflict error that names it.
	Propose(ctx context.Context, a Action) (Action, error)
	// Move is compare-and-swap: it fails with a Conflict error unless the action is in from, and May(from, to) holds.
	// The history gains a line in the same transaction.
	Move(ctx context.Context, id ActionID, from, to State, at time.Time, c Change) (Action, error)
	// Note keeps where the action's message is, and the first sight that bears it out, without a move.
	Note(ctx context.Context, id ActionID, p Place, seenAt time.Time) error
	Action(ctx context.Context, id ActionID) (Action, error)
	// Open lists the actions that are not final, oldest first.
	Open(ctx context.Context) ([]Action, error)
	// Ended lists the actions that have become final since a time, oldest first.
	Ended(ctx context.Context, since time.Time) ([]Action, error)
	History(ctx context.Context, id ActionID) ([]Move, error)
	// Holding finds a resource's newest generation by handle or number.
	Holding(ctx context.Context, id billing.ResourceID) (billing.Holding, error)
	// Around lists the holdings of an account that are not gone: attached disks, addresses, snapshots made from it.
	Around(ctx context.Context, account billing.AccountID) ([]billing.Holding, error)
	// Readings tells when scopes were last read whole.
	Readings(ctx context.Context, account billing.AccountID) ([]billing.Reading, error)
}

// Reader refreshes one scope from its cloud, whole, and stores it; watch satisfies it.
type Reader interface {
	Refresh(ctx context.Context, account billing.AccountID, s billing.Scope) error
}

// Opener opens an account with its release credential; it fails where the account is read-only. Only the engine calls it.
type Opener interface {
	OpenForRelease(ctx context.Context, account billing.AccountID) (billing.Provider, error)
}

// Teller shows an action's progress to people: it posts once and edits from then on. It must not block for long; a
// failure to tell never changes what is done.
type Teller interface {
	Tell(ctx context.Context, a Action) (Place, error)
}

// Plan is what a person is shown before choosing: what goes, what stays and bills, and the sums.
type Plan struct {
	Holding     billing.Holding
	Account     string
	Provider    string
	Fingerprint string
	Today       billing.Money // per month in all: the resource and what is attached to it; unknown where a price is missing
	Options     []Option      // safest first; the first is preselected
	Second      bool          // who proposes may not approve: another person has to
	Refused     billing.Text  // why nothing can be done; zero where something can
	ReadAt      time.Time     // when the scope was last read whole
}

// Option is one choice with its effect. Saves + StillBills = Plan.Today wherever all are known.
type Option struct {
	Verb         billing.Verb
	Saves        billing.Money     // per month
	StillBills   billing.Money     // per month
	Goes         []billing.Holding // what is deleted, the resource itself included; empty for a stop
	Stays        []billing.Holding // what survives and bills
	MayNotReturn bool              // the card goes back to the pool
	LeavesMore   bool              // a stop that saves less than it leaves to be paid: said first
	Typed        string            // the name to be typed before it is done; "" for none
	Export       []string          // what has to be ticked as saved elsewhere before it is done; see ExportText
}

// Proposal is a person's choice.
type Proposal struct {
	Resource    billing.ResourceID
	Verb        billing.Verb
	Fingerprint string // of the plan that was shown
	By          Person
	Reason      string
	Exported    []string // ticked items of the choice's checklist
	Place       Place
	Lang        string
	Saves       billing.Money
	StillBills  billing.Money
}
