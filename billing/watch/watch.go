// Package watch is the one reader of clouds: it polls every account on its schedule, refreshes on demand, and hands on
// what it read whole, or says what failed.
package watch

import (
	"context"
	"iter"
	"time"

	"gpuspend/billing"
)

// Store keeps what was read. A listing is handed over only when it was complete.
type Store interface {
	// Observe takes one complete listing of one scope, read at the given time: new resources begin a generation, changed
	// ones end a span and begin another, absent ones are marked absent and, at the second complete listing that lacks
	// them (begun at least a moment after the first), gone. It also marks the reading good.
	Observe(ctx context.Context, account billing.AccountID, s billing.Scope, at time.Time, listed []billing.Resource) error
	// RecordBalance keeps a balance in the history and marks the reading good.
	RecordBalance(ctx context.Context, account billing.AccountID, b billing.Balance) error
	// RecordCharges swaps the charges of one polled window (whole UTC days), asking for them once, as they come. All rows
	// or none: an error among them changes nothing.
	RecordCharges(ctx context.Context, account billing.AccountID, p billing.Period, at time.Time, c billing.Coverage, charges iter.Seq2[billing.Charge, error]) error
	// RecordOffers ends offers that are no longer made and begins new ones.
	RecordOffers(ctx context.Context, account billing.AccountID, at time.Time, offers []billing.Offer) error
	// RecordMembers keeps the complete list of an organisation's accounts.
	RecordMembers(ctx context.Context, account billing.AccountID, at time.Time, members []billing.Member) error
	// Served lists what is there of an account and has, or was seen on a machine with, a GPU.
	Served(ctx context.Context, account billing.AccountID) ([]billing.ResourceRef, error)
	// RecordLeftOut notes how many things of a scope the last complete listing left out; after Observe.
	RecordLeftOut(ctx context.Context, account billing.AccountID, s billing.Scope, n int) error
	// RecordFailure notes a failed reading beside the last complete one.
	RecordFailure(ctx context.Context, account billing.AccountID, of billing.ReadingOf, s billing.Scope, at time.Time, err error) error
	// Watermark says how far the account's charges have been delivered; zero for never.
	Watermark(ctx context.Context, account billing.AccountID) (time.Time, error)
	// Bind records the vendor's account id at the first good read. It fails with a Conflict error, and stops the account
	// with a sentence, where another id is already bound.
	Bind(ctx context.Context, account billing.AccountID, vendorID string) error
}
