package rules

import (
	"slices"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
)

// UnreachableFacts are the facts of an account that can't be read, or not whole.
type UnreachableFacts struct {
	Account, Cloud string
	All            bool // nothing of it can be read; its other alerts wait
	Kind           billing.ErrorKind
	Why            billing.Text
	Since          time.Time           // failing since; zero where it is not polled any more
	LastGood       time.Time           // of what fails, the oldest complete reading; zero for never
	Scopes         []billing.Scope     // not read
	Others         []billing.ReadingOf // balance, charges, identity: not read
	Console        string
}

func unreachable() notify.Rule {
	return notify.Rule{
		Name: "unreachable", Title: billing.Say("rule.unreachable"),
		Default: "refused credentials and missing permissions at once, other failures after 30 minutes",
		Find:    findUnreachable,
	}
}

// findUnreachable gives one finding an account, however many of its readings fail, and a second, worse one where none
// is good.
func findUnreachable(v notify.View) []billing.Finding {
	var out []billing.Finding
	for _, a := range v.Accounts {
		facts := failing(v, a)
		if facts == nil {
			continue
		}
		f := billing.Finding{Rule: "unreachable", Account: a.ID, Scope: "part", Severity: billing.SeverityWarning,
			Facts: *facts, Since: facts.Since}
		if facts.Console != "" {
			f.Remedies = []billing.Remedy{{Kind: billing.RemedyOpen, URL: facts.Console}}
		}
		out = append(out, f)
		if facts.All {
			f.Scope, f.Mutes = "account", true
			out = append(out, f)
		}
	}
	return out
}

// failing puts together what fails of an account; nil where nothing does, or not for long enough.
func failing(v notify.View, a notify.AccountView) *UnreachableFacts {
	facts := UnreachableFacts{Account: a.Name, Cloud: Cloud(a), All: true, Console: a.Driver.Console.Billing}
	if !a.Stopped.IsZero() {
		facts.Kind, facts.Why = billing.Conflict, a.Stopped
		return &facts
	}
	found := false
	for _, r := range a.Readings {
		switch {
		case r.Of == billing.ReadOffers, r.ErrorKind == billing.Absent:
		case !r.Failing():
			facts.All = false
		case lasting(v, r):
			found = true
			facts.add(r)
		}
	}
	if !found {
		return nil
	}
	return &facts
}

// lasting says that a failure is worth a message: nobody but a person mends a key, the rest may pass.
func lasting(v notify.View, r billing.Reading) bool {
	return r.ErrorKind == billing.Auth || r.ErrorKind == billing.Denied ||
		v.Now.Sub(r.FailingSince) > v.Settings.UnreachableFor
}

// add takes a failing reading in. The reason told is that of a refused key where there is one, else of the first.
func (f *UnreachableFacts) add(r billing.Reading) {
	if f.Kind == "" || r.ErrorKind == billing.Auth && f.Kind != billing.Auth {
		f.Kind, f.Why = r.ErrorKind, r.Say
		if f.Why.IsZero() {
			f.Why = billing.Say("error." + string(r.ErrorKind))
		}
	}
	if f.Since.IsZero() || r.FailingSince.Before(f.Since) {
		f.Since = r.FailingSince
	}
	if len(f.Scopes)+len(f.Others) == 0 || r.CompleteAt.Before(f.LastGood) {
		f.LastGood = r.CompleteAt
	}
	switch {
	case r.Of == billing.ReadInventory:
		f.Scopes = append(f.Scopes, r.Scope)
	case !slices.Contains(f.Others, r.Of):
		f.Others = append(f.Others, r.Of)
	}
}
