package notify

import (
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

// View is everything that rules and answers look at: what is stored, at one instant. It is data; nobody who has one
// needs a clock, a cloud or the store.
type View struct {
	Now      time.Time
	Zone     *time.Location
	Hours    Hours
	Members  []MemberNews  // of organisations, of the last days
	Accounts []AccountView // in the order of the configuration, imported ones last
	Settings Settings
	Paid     Paid
	Budgets  []BudgetView // of the configuration; where warnings are judged alone
	Source   string       // said under every table, such as "demo book, article prices"; "" for nothing to say
}

// AccountView is one account as stored.
type AccountView struct {
	billing.Account
	Driver   billing.Driver  // zero for an imported account
	Balance  billing.Balance // zero (ReadAt is zero) where none was ever read
	Outlook  ledger.Outlook
	Drain    ledger.Drain      // the last settled hour of a prepaid wallet; zero Period where nobody can tell
	Holdings []billing.Holding // not gone, any state
	Readings []billing.Reading
	Release  bool // the configuration allows to give things back here
	Covered  ledger.Covered
	Falls    []ledger.Step  // of a lifetime counter, of late
	Drifts   []ledger.Drift // of the last week
	Arrived  Arrival        // the last top-up that was seen
}

// BudgetView is one budget of the configuration: its month, gross.
type BudgetView struct {
	Name     string
	Account  billing.AccountID // 0 for one of a team or of all
	Limit    billing.Money
	Spent    billing.Money // until now, billed and by our own meter
	Expected billing.Money // what the month comes to, the middle of the forecast; unknown without a complete day
	Days     int           // complete days that it rests on
	Month    time.Time     // local midnight of its first day
	Ends     time.Time     // and of the next month's
	Unsure   bool          // a part of what was spent is not known: it may be more
}

// Paid counts requests for which clouds charge. Days and months are UTC's.
type Paid struct {
	Today, Month billing.PaidCalls
	Daily        billing.Money // the budget of a day
}

// UsedUp says that nothing is left of today's budget.
func (p Paid) UsedUp() bool {
	left, err := p.Today.Cost.Cmp(p.Daily)
	return err == nil && left >= 0 && p.Today.Calls > 0
}

// MemberNews is an account that came to an organisation, or left it.
type MemberNews struct {
	Payer    billing.AccountID
	ID, Name string
	At       time.Time // of the list that showed it
	Left     bool
	Watched  bool // the configuration includes it
}

// Arrival is money that came to a balance: it rose between two readings. Zero where none was seen.
type Arrival struct {
	At     time.Time // of the reading that showed it
	Amount billing.Money
}

// Account finds an account by its number.
func (v View) Account(id billing.AccountID) (AccountView, bool) {
	for _, a := range v.Accounts {
		if a.ID == id {
			return a, true
		}
	}
	return AccountView{}, false
}

// Holding finds a resource and its account.
func (v View) Holding(id billing.ResourceID) (AccountView, billing.Holding, bool) {
	for _, a := range v.Accounts {
		for _, h := range a.Holdings {
			if h.ID == id {
				return a, h, true
			}
		}
	}
	return AccountView{}, billing.Holding{}, false
}

// Settings are the thresholds of rules, resolved per installation.
type Settings struct {
	BalanceSteps   []time.Duration            // runway at which to push, falling: 24 h, 6 h
	BalanceFloors  map[string][]billing.Money // by account name: absolute floors, falling
	RearmTime      time.Duration              // a step re-arms when the runway is this far above it
	RearmPercent   int                        // a floor re-arms this far above it
	DiskAge        time.Duration
	SnapshotAge    time.Duration
	StoppedAge     time.Duration   // stopped but billed: listed from here
	StoppedPush    time.Duration   // and pushed from here
	StoppedFloor   []billing.Money // per day, one per currency: not pushed below it
	ExpirySteps    []time.Duration // falling
	RenewalStep    time.Duration   // what renews itself is told this long before, with its price
	ForgottenPush  []billing.Money // per month, one per currency: own message from here on
	DrainStep      []billing.Money // per hour, one per currency: the least that is called unexplained, and doubled a step
	DriftFrom      []billing.Money // per day, one per currency: bill and meter may be so far apart
	UnreachableFor time.Duration   // an account that could not be read for so long is a message
	StaleBalance   time.Duration
	StaleInventory time.Duration
}
