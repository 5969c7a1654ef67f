package billing

import "time"

// BillingMode says whether an account runs on money paid ahead.
type BillingMode string

// The billing modes.
const (
	Prepaid  BillingMode = "prepaid"
	Postpaid BillingMode = "postpaid" // a low balance stops nothing
)

// Balance is what an account holds at one instant.
type Balance struct {
	ReadAt   time.Time // UTC
	Mode     BillingMode
	Cash     Money // spendable, without credit; negative when owed
	Credit   Money // a credit line still open, apart from cash; unknown where there is none
	Vouchers []Voucher
	Spent    Money         // lifetime counter of what was ever spent, where the cloud has one
	Minimum  Money         // the cloud's smallest top-up, unknown where it names none
	Settles  time.Duration // how often use is taken off the balance; 0 is unknown
	Budgets  []CloudBudget // the account's own at its cloud
}

// CloudBudget is what a budget kept at the cloud says of the current month.
type CloudBudget struct {
	Name     string
	Spent    Money // so far, as the cloud last reckoned
	Limit    Money // unknown where it is planned otherwise
	Forecast Money // of the whole month; unknown where the cloud has too little to go by
}

// Voucher is a coupon or grant that may expire.
type Voucher struct {
	ID        string    `json:"id"`
	Remaining Money     `json:"-"`
	ExpiresAt time.Time `json:"expires_at"` // UTC; zero for never
}

// Commitment is what expires and is no machine: a reservation, a savings plan, a resource package.
type Commitment struct {
	ID, Name     string
	ExpiresAt    time.Time
	RenewsItself Tri
	RenewalPrice Money
}

// Offer is what a cloud sells now.
type Offer struct {
	Region, Type  string
	GPU           GPU
	Mode          Mode
	Low, High     Money  // per hour for the whole row, all its cards; equal where there is one price
	Unit          string // "hour", "month"
	Stock         string // the cloud's word: NONE, LOW, MEDIUM, HIGH, or ""
	Excludes      []Part // parts of a bill that the price leaves out
	InterruptedIn time.Duration
	Source        string
}

// OfferQuery narrows what is asked for; zero fields ask for all.
type OfferQuery struct{ GPU string }

// Sample is how busy a machine was.
type Sample struct {
	Ref      ResourceRef
	At       time.Time
	GPU      []float64 // percent, one a card
	CPU      float64
	Covering time.Duration
}

// Member is an account of an organisation.
type Member struct {
	ID, Name string
	Status   string            // the cloud's own word; MemberActive for one that is in use
	Units    []string          // ids of the units above it, the nearest first, up to the root; nil where nobody asked
	Tags     map[string]string // nil where nobody asked
}

// MemberActive is the status of a member that is in use.
const MemberActive = "ACTIVE"

// Grant is one permission that a key was found to have, or not.
type Grant struct {
	Permission string
	Held       Tri
	Writes     bool
}
