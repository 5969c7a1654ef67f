// Package ledger turns what clouds charged and what was seen of their resources into spend, accrual and outlook.
//
// It is pure: it reads from a Book and never a clock, a cloud or a file.
package ledger

import (
	"context"
	"time"

	"gpuspend/billing"
)

// Cut is a way to divide spend.
type Cut string

// The cuts.
const (
	ByProvider Cut = "provider"
	ByAccount  Cut = "account"
	ByService  Cut = "service"
	ByPart     Cut = "part"
	ByRegion   Cut = "region"
	ByResource Cut = "resource"
	ByOwner    Cut = "owner"
	ByProject  Cut = "project"
	ByGPU      Cut = "gpu"
	ByMode     Cut = "mode"
	ByCharge   Cut = "charge" // what sort of charge it is: see Sort
	ByDay      Cut = "day"    // local date in the zone asked for, YYYY-MM-DD
	ByWeek     Cut = "week"   // ISO 8601 week of the local date, 2026-W49
	ByMonth    Cut = "month"  // of the local date, 2026-11; charge periods count, not billing periods
)

// Question asks what was spent. From and To are local midnights in Zone, To exclusive.
type Question struct {
	From, To time.Time
	Zone     *time.Location
	By       []Cut // none asks for the total alone
	Where    []Filter
	View     View // "" is Billed
	Now      time.Time
}

// Row is one line of an answer. Billed is unknown where the cloud has delivered nothing for it, Accrued where our own
// meter had nothing to say; both count different hours and may be added.
type Row struct {
	Keys     []string // one per cut; "" where the bill does not say
	Currency billing.Currency
	Billed   billing.Money // the sum of BilledCost, whatever the view
	Amount   billing.Money // what was delivered, in the view of the question; unknown where nothing was
	Vague    int           // charges without an amortised amount: Amount lacks them
	Accrued  billing.Money // at known rates; Unpriced counts what had none
	// AccruedMost is Accrued if what was last seen went on through every gap of our own watching; unknown where there
	// was no gap.
	AccruedMost billing.Money
	Unpriced    int // resources that cost, or perhaps do, at an unknown rate
	Sorts       Sorts
}

// Gap is a stretch for which figures of an account are missing.
type Gap struct {
	Account string
	From    time.Time
	To      time.Time
	// Unseen says that our own meter was blind there; otherwise the cloud has not delivered its bill yet, which is its
	// normal lag.
	Unseen bool
}

// Report answers a Question.
type Report struct {
	Question Question
	Rows     []Row // greatest first, by currency; by day in order of days
	Totals   []Row // one per currency, without keys
	Missing  []Gap
	// WholeDays says that some charges cover a day or longer and were kept at the vendor's own date.
	WholeDays bool
	Declared  []Covered // accounts whose bill is not what its columns say
	AsOf      time.Time // the newest reading that the answer rests on; zero for none
}

// Book is what the ledger reads. The store satisfies it.
type Book interface {
	// Billed sums delivered charges of the counting source, cut as asked; charges of a day or longer are placed by the
	// vendor's own date. wholeDays says that such charges were among them.
	Billed(ctx context.Context, q Question) (rows []Row, wholeDays bool, err error)
	// Metered lists the spans that touch the period, with what is needed to cut them.
	Metered(ctx context.Context, p billing.Period) ([]Metered, error)
	// Coverage says per account how far the counting source has delivered, for accounts that have any.
	Coverage(ctx context.Context) ([]Covered, error)
}

// Metered is a span with the labels of its resource.
type Metered struct {
	billing.Span
	Provider, Account, Service, Region, Name, VendorID, Owner, Project string
	AccountID                                                          billing.AccountID
	Part                                                               billing.Part
	GPU                                                                string
}

// Covered says how far an account's bill has been delivered.
type Covered struct {
	Account   billing.AccountID
	Name      string
	Currency  billing.Currency
	Polled    bool      // a cloud is read for it, so that a meter of our own stands beside the bill
	Billing   bool      // its cloud has a bill to deliver, or a file was imported
	Through   time.Time // every charge that started before it is in; zero for none
	ReadAt    time.Time
	Bill      billing.BillKind // what its bill lacks, as declared
	Delivered []billing.Period // billing periods that files delivered; nil: everything before Through
}
