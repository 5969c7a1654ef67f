package rules

import (
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
)

// BudgetFacts are the facts of a budget that is used up, or will be.
type BudgetFacts struct {
	notify.BudgetView
	Over bool // what was spent reaches it; else what the month comes to reaches a part of it
}

// budgetPart is the share of a budget, in percent, that the forecast has to reach.
const budgetPart = 80

func budget() notify.Rule {
	return notify.Rule{
		Name: "budget", Title: billing.Say("rule.budget"),
		Default: "once a month when the forecast reaches 80 % of a budget, and once when 100 % of it is spent, before credits and refunds",
		Find:    findBudget,
	}
}

// findBudget judges every budget of the configuration. What is spent and expected is gross, so that a credit hides no
// burn. A budget of which nothing is known, or whose forecast rests on no complete day, starts nothing.
func findBudget(v notify.View) []billing.Finding {
	var out []billing.Finding
	for _, b := range v.Budgets {
		month := b.Month.In(v.Zone).Format("2006-01")
		for _, step := range []struct {
			name string
			over bool
			of   billing.Money
			part int64
		}{{"80", false, b.Expected, budgetPart}, {"100", true, b.Spent, 100}} {
			f := billing.Finding{Rule: "budget", Account: b.Account, Scope: month + " " + step.name + " " + b.Name, Severity: billing.SeverityWarning,
				Facts: BudgetFacts{b, step.over}, Since: b.Month}
			limit, err := b.Limit.MulRatio(step.part, 100)
			if err != nil {
				continue
			}
			switch n, err := step.of.Cmp(limit); {
			case err != nil || b.Unsure && n < 0:
				f.Severity = billing.SeverityHeld // unknown resolves nothing and starts nothing
			case n < 0:
				continue
			}
			out = append(out, f)
		}
	}
	return worst(out)
}

// worst leaves, of one budget's two steps, the one that was reached last: a fall through both is one message.
func worst(all []billing.Finding) []billing.Finding {
	over := map[string]bool{}
	for _, f := range all {
		if facts := f.Facts.(BudgetFacts); facts.Over && f.Severity != billing.SeverityHeld {
			over[facts.Name] = true
		}
	}
	for i := range all {
		if facts := all[i].Facts.(BudgetFacts); !facts.Over && over[facts.Name] {
			all[i].Severity = billing.SeverityHeld
		}
	}
	return all
}

// LeftADay is what may be spent a day for the rest of the month; unknown where nothing is left, or nobody can tell.
func LeftADay(b notify.BudgetView, now time.Time) billing.Money {
	left, err := b.Limit.Sub(b.Spent)
	hours := b.Ends.Sub(now).Hours()
	if err != nil || left.Sign() <= 0 || hours < 1 {
		return billing.Money{}
	}
	m, err := left.MulRatio(24*3600, int64(b.Ends.Sub(now)/time.Second))
	if err != nil {
		return billing.Money{}
	}
	return m
}
