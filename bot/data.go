package bot

import (
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

// The forms of Answer.Data. Amounts are decimal strings beside a currency; null is unknown or not delivered, "0" only
// where it adds up to zero. Days are YYYY-MM-DD in the zone of the question, both ends inclusive; instants are RFC 3339
// in UTC.

// CostData answers cost.
type CostData struct {
	From     string         `json:"from"`
	To       string         `json:"to"`
	GroupBy  []ledger.Cut   `json:"group_by"`
	Where    []CostFilter   `json:"where,omitempty"`
	View     ledger.View    `json:"view"`
	Rows     []CostRow      `json:"rows"`
	Totals   []CostTotal    `json:"totals"`
	Missing  []CostGap      `json:"missing"`
	Declared []CostDeclared `json:"declared,omitempty"`
	Approx   *ApproxData    `json:"approx,omitempty"`
	// NotOffered names the clouds that have no bill to read: what is shown of them is accrued.
	NotOffered []NotOffered `json:"not_offered"`
}

// CostFilter is a filter of the question.
type CostFilter struct {
	By     ledger.Cut `json:"by"`
	Values []string   `json:"values"`
	Not    bool       `json:"not,omitempty"`
}

// CostDeclared is an account whose bill is not what its columns say.
type CostDeclared struct {
	Account     string `json:"account"`
	NoEffective bool   `json:"no_effective,omitempty"`
	NoInvoice   bool   `json:"no_invoice,omitempty"`
}

// CostRow is one row of a cost answer. Amount is what was delivered, in the view of the answer, Accrued our own estimate
// for hours that no bill covers; AccruedMost is its upper end where our watching had gaps.
type CostRow struct {
	Keys        []string         `json:"keys"`
	Key         string           `json:"key"`
	Currency    billing.Currency `json:"currency"`
	Billed      *string          `json:"billed"`
	Accrued     *string          `json:"accrued"`
	AccruedMost *string          `json:"accrued_most,omitempty"`
	Amount      *string          `json:"amount"`
	Vague       int              `json:"without_amortised,omitempty"`
}

// CostTotal is the sum in one currency. Usage to Corrections add up to Billed, whatever the view.
type CostTotal struct {
	Currency    billing.Currency `json:"currency"`
	Billed      *string          `json:"billed"`
	Accrued     *string          `json:"accrued"`
	AccruedMost *string          `json:"accrued_most,omitempty"`
	Amount      *string          `json:"amount"`
	Usage       *string          `json:"usage,omitempty"`
	Credits     *string          `json:"credits,omitempty"`
	Refunds     *string          `json:"refunds,omitempty"`
	Taxes       *string          `json:"taxes,omitempty"`
	Corrections *string          `json:"corrections,omitempty"`
}

// CostGap is a stretch that an account has delivered no bill for, to exclusive. Unseen says that our own meter was
// blind then, too.
type CostGap struct {
	Account string `json:"account"`
	From    string `json:"from"`
	To      string `json:"to"`
	Unseen  bool   `json:"unseen,omitempty"`
}

// BalanceData answers balance.
type BalanceData struct {
	Accounts   []BalanceRow `json:"accounts"`
	NotOffered []NotOffered `json:"not_offered"`
}

// BalanceRow is one account. RunwayHours is rounded down to two digits, null where the money does not run out.
type BalanceRow struct {
	Account     string           `json:"account"`
	Provider    string           `json:"provider"`
	Currency    billing.Currency `json:"currency"`
	Available   *string          `json:"available"`
	BurnPerHour *string          `json:"burn_per_hour"`
	RunwayHours *string          `json:"runway_hours"`
	AsOf        *string          `json:"as_of"`
	Unexplained *UnexplainedRow  `json:"unexplained"`
	Budgets     []CloudBudgetRow `json:"cloud_budgets,omitempty"`
}

// CloudBudgetRow is a budget kept at the cloud: the current month, as the cloud reckons it.
type CloudBudgetRow struct {
	Name     string           `json:"name"`
	Currency billing.Currency `json:"currency"`
	Spent    *string          `json:"spent"`
	Limit    *string          `json:"limit"`
	Forecast *string          `json:"forecast"`
}

// UnexplainedRow is what left a wallet in its last settled hours and what of it the things explain that can be seen.
// PerHour is "0" where all may be explained; the row is null where nobody can tell. Open counts what runs at an unknown
// rate: it may be the rest.
type UnexplainedRow struct {
	Account   string           `json:"account"`
	Currency  billing.Currency `json:"currency"`
	PerHour   *string          `json:"per_hour"`
	Taken     *string          `json:"taken"`
	Explained *string          `json:"explained"`
	From      string           `json:"from"`
	To        string           `json:"to"`
	Open      int              `json:"open"`
}

// NotOffered is something that an account's cloud does not offer, so that nobody waits for it.
type NotOffered struct {
	Account string             `json:"account"`
	Cloud   string             `json:"cloud"`
	What    billing.Capability `json:"what"`
	Why     string             `json:"why"`
}

// ResourcesData answers list and forgotten. The totals are the sums of the known monthly figures of the rows.
type ResourcesData struct {
	Resources []ResourceRow  `json:"resources"`
	Totals    []MonthlyTotal `json:"totals"`
	NotRead   []NotRead      `json:"not_read"`
	// Unexplained holds the wallets of which more leaves than is seen, or may.
	Unexplained []UnexplainedRow `json:"unexplained"`
	NotWatched  []NotWatched     `json:"not_watched"`
}

// NotWatched counts what an account's scope leaves out of one listing. It is never released.
type NotWatched struct {
	Account string       `json:"account"`
	Kind    billing.Kind `json:"kind"`
	Region  string       `json:"region"`
	Project string       `json:"project"`
	Count   int          `json:"count"`
}

// ResourceRow is one resource.
type ResourceRow struct {
	Handle      string           `json:"handle"`
	ID          string           `json:"id"`
	Account     string           `json:"account"`
	Kind        billing.Kind     `json:"kind"`
	Name        string           `json:"name"`
	State       billing.State    `json:"state"`
	GPU         *string          `json:"gpu"`
	GPUCount    *string          `json:"gpu_count"`
	SizeGiB     *string          `json:"size_gib"`
	RatePerHour *string          `json:"rate_per_hour"`
	Monthly     *string          `json:"monthly"`
	Currency    billing.Currency `json:"currency"`
	Since       *string          `json:"since"`
	Reason      string           `json:"reason"`
	Declared    bool             `json:"declared"` // no cloud shows it: it stands in the configuration
}

// MonthlyTotal is a sum per month in one currency.
type MonthlyTotal struct {
	Currency billing.Currency `json:"currency"`
	Monthly  string           `json:"monthly"`
}

// NotRead is something that could not be looked at, so that the answer may lack what is there.
type NotRead struct {
	Account string            `json:"account"`
	What    billing.ReadingOf `json:"what"`
	Kind    billing.Kind      `json:"kind"`
	Region  string            `json:"region"`
	Why     string            `json:"why"`
}

// ExpiringData answers expiring.
type ExpiringData struct {
	Through   string        `json:"through"`
	Resources []ExpiringRow `json:"resources"`
	Vouchers  []VoucherRow  `json:"vouchers"`
	NotRead   []NotRead     `json:"not_read"`
	// NotOffered names the clouds that list nothing that ends but their machines.
	NotOffered []NotOffered `json:"not_offered"`
}

// ExpiringRow is a resource that is paid ahead and ends. RenewsItself is null where the cloud does not say.
type ExpiringRow struct {
	Handle       string           `json:"handle"`
	ID           string           `json:"id"`
	Account      string           `json:"account"`
	Name         string           `json:"name"`
	ExpiresAt    string           `json:"expires_at"`
	RenewsItself *bool            `json:"renews_itself"`
	Monthly      *string          `json:"monthly"`
	Currency     billing.Currency `json:"currency"`
}

// VoucherRow is a coupon that ends.
type VoucherRow struct {
	Account   string           `json:"account"`
	ID        string           `json:"id"`
	Remaining *string          `json:"remaining"`
	Currency  billing.Currency `json:"currency"`
	ExpiresAt string           `json:"expires_at"`
}

// StatusData answers status. Counts are null while nothing was read to count from.
type StatusData struct {
	Balances  []BalanceRow   `json:"balances"`
	Running   *int           `json:"running"`
	Month     []CostTotal    `json:"month"`
	Forgotten StatusSum      `json:"forgotten"`
	Expiring  *int           `json:"expiring"`
	Releasing []StatusAction `json:"releasing"`
	Paid      StatusPaid     `json:"paid_calls"`
	NotRead   []NotRead      `json:"not_read"`
	// NotOffered names the balances and bills that no cloud will ever show.
	NotOffered []NotOffered `json:"not_offered"`
	NotWatched []NotWatched `json:"not_watched"`
}

// StatusPaid counts requests for which clouds charge, by UTC's day and month.
type StatusPaid struct {
	Today      int    `json:"today"`
	TodayCost  string `json:"today_cost"`
	Month      int    `json:"month"`
	MonthCost  string `json:"month_cost"`
	DailyLimit string `json:"daily_limit"`
	Currency   string `json:"currency"`
}

// StatusSum counts things and what they cost.
type StatusSum struct {
	Count  *int           `json:"count"`
	Totals []MonthlyTotal `json:"totals"`
}

// StatusAction is a release on its way.
type StatusAction struct {
	ID     int64  `json:"id"`
	Handle string `json:"handle"`
	Verb   string `json:"verb"`
	State  string `json:"state"`
}

// HelpData answers help.
type HelpData struct {
	Commands []HelpRow `json:"commands"`
}

// HelpRow is one command.
type HelpRow struct {
	Name     string   `json:"name"`
	Usage    string   `json:"usage"`
	Summary  string   `json:"summary"`
	Examples []string `json:"examples"`
}

// KeepData answers keep.
type KeepData struct {
	Handle string  `json:"handle"`
	Until  *string `json:"until"`
	Reason string  `json:"reason"`
	Done   bool    `json:"done"`
}

// PlanData answers release where no form can be opened.
type PlanData struct {
	Handle  string    `json:"handle"`
	Name    string    `json:"name"`
	Refused string    `json:"refused"`
	Options []PlanRow `json:"options"`
}

// PlanRow is one choice with its effect per month.
type PlanRow struct {
	Verb       billing.Verb     `json:"verb"`
	Saves      *string          `json:"saves"`
	StillBills *string          `json:"still_bills"`
	Currency   billing.Currency `json:"currency"`
}

// amount is null for what is not known.
func amount(m billing.Money) *string {
	if !m.Known() {
		return nil
	}
	s := m.Amount()
	return &s
}

func number(d billing.Decimal) *string {
	if !d.Known() {
		return nil
	}
	s := d.String()
	return &s
}

// counted is null where nothing was read to count from.
func counted(n int, read bool) *int {
	if !read {
		return nil
	}
	return &n
}

// word is null for what is not there.
func word(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// instant is null for a time that is not known.
func instant(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.UTC().Format(time.RFC3339)
	return &s
}
