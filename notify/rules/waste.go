// Package rules finds what somebody should know: one file a rule, pure, over what is stored.
package rules

import (
	"slices"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
)

// Reason says why something is called waste.
type Reason string

// The reasons.
const (
	Unattached    Reason = "unattached"     // a disk or file system on no machine
	Unbound       Reason = "unbound"        // a public IP bound to nothing
	OldSnapshot   Reason = "old_snapshot"   // a snapshot that no image uses
	StoppedBilled Reason = "stopped_billed" // a machine that is off and costs
)

// Waste is one thing that nobody seems to use.
type Waste struct {
	billing.Holding
	Account string
	Cloud   string
	Reason  Reason
	Since   time.Time     // unused since: by our own first sight, but for snapshots since they were made
	Hourly  billing.Money // with what is attached to a stopped machine; unknown where a price is missing
	Monthly billing.Money // the same per month of its cloud
	Paid    billing.Money // since then, estimated
	With    []billing.ResourceID
}

// Report is what nobody seems to use, and what was left out of it.
type Report struct {
	Found   []Waste           // dearest first, by currency; without a price last
	Total   billing.Tally     // per month
	Paid    billing.Tally     // since unused, estimated
	Younger int               // unattached or unbound, but not for long
	Kept    []billing.Holding // somebody said that they are wanted
	InUse   int               // old snapshots that an image uses
	Unsure  int               // old snapshots whose images were never listed
	NotRead []Blind
}

// Blind is what could not be looked at: a report with one is never "clean".
type Blind struct {
	Account   string
	Cloud     string
	Scopes    []billing.Scope // none: nothing of the account
	Why       billing.Text
	LastGood  time.Time // zero: never
	ErrorKind billing.ErrorKind
}

// Wasted looks for everything that is forgotten: unattached disks, unbound addresses, old snapshots, and machines that
// are off and still cost.
func Wasted(v notify.View) Report {
	r := Report{NotRead: blind(v)}
	for _, a := range v.Accounts {
		used := sources(a.Holdings)
		for _, h := range a.Holdings {
			r.look(v, a, h, used)
		}
	}
	slices.SortStableFunc(r.Found, dearer)
	for _, w := range r.Found {
		r.Total.Add(w.Monthly) // a sum beyond the range of Money stays at what it could hold
		r.Paid.Add(w.Paid)
	}
	return r
}

// look judges one holding.
func (r *Report) look(v notify.View, a notify.AccountView, h billing.Holding, used map[string]bool) {
	reason, since, age := unused(v.Settings, h)
	if reason == "" || h.Gone() {
		return
	}
	w := weigh(v.Now, a, h, reason, since)
	switch {
	case h.Billed == billing.No && len(w.With) == 0, w.Monthly.Known() && w.Monthly.Sign() == 0:
		return
	case v.Now.Sub(since) < age && (reason == OldSnapshot || reason == StoppedBilled):
		// A young snapshot, or a machine that was switched off just now, is nobody's neglect.
	case h.Keep.Holds(v.Now):
		r.Kept = append(r.Kept, h)
	case v.Now.Sub(since) < age:
		r.Younger++
	case reason == OldSnapshot && used[h.Ref.ID]:
		r.InUse++
	case reason == OldSnapshot && neverListed(a, billing.KindImage):
		r.Unsure++
	default:
		r.Found = append(r.Found, w)
	}
}

// unused says why a holding may be waste, since when, and from which age on it is.
func unused(s notify.Settings, h billing.Holding) (Reason, time.Time, time.Duration) {
	switch h.Ref.Kind {
	case billing.KindDisk, billing.KindFilesystem:
		if h.State == billing.StateUnattached {
			return Unattached, h.StateSince, s.DiskAge
		}
	case billing.KindIP:
		if h.State == billing.StateUnattached {
			return Unbound, h.StateSince, s.DiskAge
		}
	case billing.KindSnapshot:
		since := h.FirstSeen
		if !h.CreatedAt.IsZero() && h.CreatedAt.Before(since) {
			since = h.CreatedAt
		}
		return OldSnapshot, since, s.SnapshotAge
	case billing.KindInstance:
		if h.State == billing.StateStopped && !ledger.PaidAhead(h.Mode) {
			return StoppedBilled, h.StateSince, s.StoppedAge
		}
	}
	return "", time.Time{}, 0
}

// weigh reckons what a thing costs. A stopped machine costs with the disks and addresses that are on it.
func weigh(now time.Time, a notify.AccountView, h billing.Holding, reason Reason, since time.Time) Waste {
	w := Waste{Holding: h, Account: a.Name, Cloud: Cloud(a), Reason: reason, Since: since}
	var sum billing.Tally
	if h.Billed != billing.No {
		sum.Add(h.Rate.Hourly)
	}
	if reason == StoppedBilled {
		for _, o := range a.Holdings {
			if slices.Contains(o.AttachedTo, h.Ref.ID) && o.Billed != billing.No && !ledger.PaidAhead(o.Mode) {
				sum.Add(o.Rate.Hourly)
				w.With = append(w.With, o.ID)
			}
		}
	}
	if totals := sum.Totals(); len(totals) == 1 && sum.Unknown() == 0 {
		w.Hourly = totals[0]
	}
	w.Monthly = ledger.Monthly(w.Hourly, a.Driver.MonthHours)
	if paid, err := w.Hourly.MulRatio(int64(now.Sub(since)), int64(time.Hour)); err == nil {
		w.Paid = paid
	}
	return w
}

// Cloud is the name of an account's cloud as people know it.
func Cloud(a notify.AccountView) string {
	switch {
	case a.Driver.Title != "":
		return a.Driver.Title
	case a.Provider != "":
		return a.Provider
	}
	return a.Name
}

// sources are the snapshots that an image uses.
func sources(holdings []billing.Holding) map[string]bool {
	used := map[string]bool{}
	for _, h := range holdings {
		if h.Ref.Kind == billing.KindImage && !h.Gone() {
			for _, id := range h.Sources {
				used[id] = true
			}
		}
	}
	return used
}

// neverListed says that there are scopes of a kind and one of them was never read whole.
func neverListed(a notify.AccountView, k billing.Kind) bool {
	return slices.ContainsFunc(a.Readings, func(r billing.Reading) bool {
		return r.Of == billing.ReadInventory && r.Scope.Kind == k && r.CompleteAt.IsZero()
	})
}

// dearer sorts by currency, there by price, and without a price last.
func dearer(x, y Waste) int {
	switch {
	case x.Monthly.Known() != y.Monthly.Known() && x.Monthly.Known():
		return -1
	case x.Monthly.Known() != y.Monthly.Known():
		return 1
	case x.Monthly.Currency() < y.Monthly.Currency():
		return -1
	case x.Monthly.Currency() > y.Monthly.Currency():
		return 1
	}
	c, err := y.Monthly.Cmp(x.Monthly)
	if err != nil {
		return 0
	}
	return c
}

// blind lists what could not be looked at: what fails now, and what was never read. Scopes that fail alike are one.
func blind(v notify.View) []Blind {
	var out []Blind
	for _, a := range v.Accounts {
		var mine []Blind
		for _, r := range a.Readings {
			if r.Of == billing.ReadInventory && (r.Failing() || r.CompleteAt.IsZero()) && r.ErrorKind != billing.Absent {
				mine = together(mine, a, r)
			}
		}
		out = append(out, mine...)
	}
	return out
}

func together(all []Blind, a notify.AccountView, r billing.Reading) []Blind {
	for i := range all {
		if b := &all[i]; b.ErrorKind == r.ErrorKind && b.Why.Key == r.Say.Key {
			b.Scopes = append(b.Scopes, r.Scope)
			if r.CompleteAt.Before(b.LastGood) {
				b.LastGood = r.CompleteAt
			}
			return all
		}
	}
	return append(all, Blind{Account: a.Name, Cloud: Cloud(a), Scopes: []billing.Scope{r.Scope}, Why: r.Say,
		LastGood: r.CompleteAt, ErrorKind: r.ErrorKind})
}
