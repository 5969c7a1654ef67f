package billing

import "context"

// Purse pays for requests that a cloud charges for. One purse serves all accounts of an installation.
type Purse interface {
	// Reserve counts one attempt at its price before it is sent, and keeps it counted whatever becomes of it. It fails
	// with a Limited error, whose RetryAfter says when to ask again, where the day's budget would be overdrawn.
	Reserve(ctx context.Context, price Money) error
}

// PaidCalls counts requests that clouds charged for, and what they cost.
type PaidCalls struct {
	Calls int
	Cost  Money
}
