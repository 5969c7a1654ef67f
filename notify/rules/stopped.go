package rules

import (
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
)

// StoppedFacts are the facts of a machine that is off and still costs.
type StoppedFacts struct {
	Waste
	Daily billing.Money // unknown where a price is missing
}

func stopped() notify.Rule {
	return notify.Rule{
		Name: "stopped", Title: billing.Say("rule.stopped"),
		Default: "off and still billed: listed after 1 hour, a message after 24 hours from CN¥1 or $0.15 a day",
		Find:    findStopped,
	}
}

func findStopped(v notify.View) []billing.Finding {
	var out []billing.Finding
	for _, w := range Wasted(v).Found {
		if w.Reason != StoppedBilled {
			continue
		}
		daily, err := w.Hourly.MulRatio(24, 1)
		if err != nil {
			daily = billing.Money{}
		}
		severity := billing.SeverityInfo
		// What has no price is not free.
		if v.Now.Sub(w.Since) >= v.Settings.StoppedPush && (!daily.Known() || above(v.Settings.StoppedFloor, daily)) {
			severity = billing.SeverityWarning
		}
		out = append(out, billing.Finding{
			Rule: "stopped", Account: w.Holding.Account, Resource: w.ID, Severity: severity,
			Facts:    StoppedFacts{Waste: w, Daily: daily},
			Remedies: []billing.Remedy{{Kind: billing.RemedyRelease, Resource: w.ID, Saves: w.Hourly, Enough: true}},
			Monthly:  w.Monthly, Since: w.Since,
		})
	}
	return out
}

// days writes a step as a scope of a fingerprint.
func days(d time.Duration) string { return span(d, 24*time.Hour, "d") }

// hours writes a step as a scope of a fingerprint.
func hours(d time.Duration) string { return span(d, time.Hour, "h") }
