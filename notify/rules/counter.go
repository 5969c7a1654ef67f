package rules

import (
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
)

// CounterFacts are the facts of a lifetime counter that went back.
type CounterFacts struct {
	Account, Cloud string
	By             billing.Money
	At             time.Time
	Console        string
}

func counter() notify.Rule {
	return notify.Rule{
		Name: "counter", Title: billing.Say("rule.counter"),
		Default: "at once, when a wallet's lifetime counter goes back, for 2 days",
		Find:    findCounter,
	}
}

func findCounter(v notify.View) []billing.Finding {
	var out []billing.Finding
	for _, a := range v.Accounts {
		for _, s := range a.Falls {
			out = append(out, billing.Finding{Rule: "counter", Account: a.ID, Scope: s.At.UTC().Format(time.RFC3339), Severity: billing.SeverityWarning,
				Facts: CounterFacts{Account: a.Name, Cloud: Cloud(a), By: s.Amount, At: s.At, Console: a.Driver.Console.Billing}, Since: s.At})
		}
	}
	return out
}
