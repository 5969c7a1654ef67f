package rules

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
)

// ExpiryFacts are the facts of something that ends: a plan paid ahead, or a voucher.
type ExpiryFacts struct {
	Expiry
	Step time.Duration
}

// Expiry is something that ends by itself.
type Expiry struct {
	billing.Holding               // zero for a voucher
	Voucher         string        // the cloud's id; "" for a resource
	Remaining       billing.Money // of a voucher
	AccountID       billing.AccountID
	Account         string
	Cloud           string
	At              time.Time
	Renews          billing.Tri
	Wiped           bool          // its cloud deletes it then, with its data, because it is off
	Monthly         billing.Money // what it costs a month now, and again when it renews itself; unknown where not known
}

// Expiring lists what ends at a known time, soonest first: plans paid ahead and vouchers with something left.
func Expiring(v notify.View) []Expiry {
	var out []Expiry
	for _, a := range v.Accounts {
		about := Expiry{AccountID: a.ID, Account: a.Name, Cloud: Cloud(a)}
		for _, h := range a.Holdings {
			if h.ExpiresAt.After(v.Now) && !h.Gone() {
				e := about
				e.Holding, e.At, e.Renews = h, h.ExpiresAt, h.RenewsItself
				e.Wiped = h.State == billing.StateStopped && h.Mode == billing.ModeOnDemand
				e.Monthly = ledger.Monthly(h.Rate.Hourly, a.Driver.MonthHours)
				out = append(out, e)
			}
		}
		for _, voucher := range a.Balance.Vouchers {
			if voucher.ExpiresAt.After(v.Now) && voucher.Remaining.Sign() > 0 {
				e := about
				e.Voucher, e.Remaining, e.At, e.Renews = voucher.ID, voucher.Remaining, voucher.ExpiresAt, billing.No
				out = append(out, e)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y Expiry) int { return x.At.Compare(y.At) })
	return out
}

func expiry() notify.Rule {
	return notify.Rule{
		Name: "expiry", Title: billing.Say("rule.expiry"),
		Default: "14, 3 and 1 days before; 7 days before where it renews itself, with its price",
		Find:    findExpiry,
	}
}

// wipedNotice is from when on it is told that a machine which is off will be deleted. The clock starts at each
// switch-off, so that an earlier word would come with every one of them.
const wipedNotice = 3 * 24 * time.Hour

func findExpiry(v notify.View) []billing.Finding {
	var out []billing.Finding
	for _, e := range Expiring(v) {
		steps := v.Settings.ExpirySteps
		if e.Renews == billing.Yes {
			steps = []time.Duration{v.Settings.RenewalStep}
		}
		for _, step := range steps {
			if e.Wiped && step > wipedNotice {
				continue
			}
			if f, ok := e.finding(v, step); ok && !e.Keep.Holds(v.Now) {
				out = append(out, f)
			}
		}
	}
	return out
}

// finding is what one step has to say; ok is false where it is far off.
func (e Expiry) finding(v notify.View, step time.Duration) (f billing.Finding, ok bool) {
	left := e.At.Sub(v.Now)
	remedy := billing.RemedyRenew
	if e.Wiped {
		remedy = billing.RemedyOpen
	}
	f = billing.Finding{
		Rule: "expiry", Account: e.AccountID, Resource: e.Holding.ID, Scope: e.scope(step), Facts: ExpiryFacts{e, step},
		Monthly: e.Monthly, Since: e.At.Add(-step),
		Remedies: []billing.Remedy{{Kind: remedy, Resource: e.Holding.ID, Amount: e.Monthly, URL: console(v, e)}},
	}
	switch {
	case left > step+v.Settings.RearmTime:
		return f, false
	case left > step:
		f.Severity = billing.SeverityHeld
	case step <= 24*time.Hour && e.Renews != billing.Yes && e.HoldsData == billing.Yes:
		f.Severity = billing.SeverityUrgent
	default:
		f.Severity = billing.SeverityWarning
	}
	return f, true
}

func (e Expiry) scope(step time.Duration) string {
	if e.Voucher != "" {
		return "voucher:" + strings.ReplaceAll(e.Voucher, " ", "_") + " " + days(step)
	}
	return days(step)
}

// console is the page of a resource, else of the account's bill.
func console(v notify.View, e Expiry) string {
	a, _ := v.Account(e.AccountID)
	return Page(a, e.Holding)
}

// Page is the address of a resource at its cloud, else of the account's bill; "" where neither is known.
func Page(a notify.AccountView, h billing.Holding) string {
	if h.Ref.ID != "" && a.Driver.Console.Resource != nil {
		if url := a.Driver.Console.Resource(h.Ref); url != "" {
			return url
		}
	}
	return a.Driver.Console.Billing
}

// span writes a duration in whole units, else as Go does.
func span(d, unit time.Duration, name string) string {
	if d%unit != 0 {
		return d.String()
	}
	return strconv.FormatInt(int64(d/unit), 10) + name
}
