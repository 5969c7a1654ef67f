package ledger

import (
	"time"

	"gpuspend/billing"
)

// Outlook is how long an account's money lasts if everything that runs now keeps running.
type Outlook struct {
	Burn     billing.Money        // per hour, gross; unknown where nothing is known
	Unpriced int                  // billed resources without a known rate: the burn is at least this
	Running  []billing.ResourceID // what the burn is made of, dearest first, those without a rate last
	EmptyAt  time.Time            // zero: never at this burn, unknown, or postpaid
	Runway   time.Duration        // rounded down to the minute when shown; meaningful only with EmptyAt
	// Unsettled is the use that the cloud has not taken off the balance yet, reckoned into EmptyAt already.
	Unsettled billing.Money
}
