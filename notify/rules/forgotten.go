package rules

import (
	"gpuspend/billing"
	"gpuspend/notify"
)

// ForgottenFacts are the facts of a disk, an address or a snapshot that nobody seems to use.
type ForgottenFacts struct{ Waste }

// forgotten is the message that unused things share, over all accounts.
const forgotten = "forgotten"

func forgottenDisk() notify.Rule {
	return notify.Rule{
		Name: "forgotten_disk", Title: billing.Say("rule.forgotten_disk"), Together: forgotten,
		Default: "unattached for 7 days; a message from CN¥100 or $15 a month in all",
		Find:    func(v notify.View) []billing.Finding { return findForgotten(v, "forgotten_disk", Unattached) },
	}
}

func forgottenIP() notify.Rule {
	return notify.Rule{
		Name: "forgotten_ip", Title: billing.Say("rule.forgotten_ip"), Together: forgotten,
		Default: "bound to nothing for 7 days; a message from CN¥100 or $15 a month in all",
		Find:    func(v notify.View) []billing.Finding { return findForgotten(v, "forgotten_ip", Unbound) },
	}
}

func forgottenSnapshot() notify.Rule {
	return notify.Rule{
		Name: "forgotten_snapshot", Title: billing.Say("rule.forgotten_snapshot"), Together: forgotten,
		Default: "90 days old and used by no image; a message from CN¥100 or $15 a month in all",
		Find:    func(v notify.View) []billing.Finding { return findForgotten(v, "forgotten_snapshot", OldSnapshot) },
	}
}

// findForgotten gives the waste of one reason. Below the money floor in all it is a line of the digest.
func findForgotten(v notify.View, rule string, reason Reason) []billing.Finding {
	r := Wasted(v)
	severity := billing.SeverityInfo
	if reaches(v.Settings.ForgottenPush, r.unusedTotal()) {
		severity = billing.SeverityWarning
	}
	var out []billing.Finding
	for _, w := range r.Found {
		if w.Reason == reason {
			out = append(out, billing.Finding{
				Rule: rule, Account: w.Holding.Account, Resource: w.ID, Severity: severity, Facts: ForgottenFacts{w},
				Remedies: []billing.Remedy{{Kind: billing.RemedyRelease, Resource: w.ID, Saves: w.Hourly, Enough: true}},
				Monthly:  w.Monthly, Since: w.Since,
			})
		}
	}
	return out
}

// unusedTotal is the total per month without machines that are off, which have a message of their own.
func (r Report) unusedTotal() billing.Tally {
	var t billing.Tally
	for _, w := range r.Found {
		if w.Reason != StoppedBilled {
			t.Add(w.Monthly)
		}
	}
	return t
}

// reaches says whether a sum is at its currency's floor. A currency without a floor is at it with any amount.
func reaches(floors []billing.Money, t billing.Tally) bool {
	for _, sum := range t.Totals() {
		if above(floors, sum) {
			return true
		}
	}
	return false
}

// above says whether an amount is at its currency's floor.
func above(floors []billing.Money, m billing.Money) bool {
	for _, floor := range floors {
		if c, err := m.Cmp(floor); err == nil {
			return c >= 0
		}
	}
	return m.Sign() > 0
}
