package rules

import (
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
)

// DriftFacts are the facts of a day whose bill and meter disagree.
type DriftFacts struct {
	Account, Cloud string
	ledger.Drift
	More    bool          // the cloud billed more than our meter says
	By      billing.Money // how far they are apart
	Console string
}

func drift() notify.Rule {
	return notify.Rule{
		Name: "drift", Title: billing.Say("rule.drift"),
		Default: "a day whose bill and own meter are more than 5 % and CN¥100 or $15 apart, for 7 days",
		Find:    findDrift,
	}
}

func findDrift(v notify.View) []billing.Finding {
	var out []billing.Finding
	for _, a := range v.Accounts {
		for _, d := range a.Drifts {
			by, more, ok := d.Apart()
			if !ok || !notable(by, d.Billed, v.Settings.DriftFrom) {
				continue
			}
			f := billing.Finding{Rule: "drift", Account: a.ID, Scope: string(d.Currency) + " " + d.Day.UTC().Format(time.DateOnly), Severity: billing.SeverityWarning,
				Facts: DriftFacts{Account: a.Name, Cloud: Cloud(a), Drift: d, More: more, By: by, Console: a.Driver.Console.Billing}, Since: d.Day}
			out = append(out, f)
		}
	}
	return out
}

// notable says that a difference is over a twentieth of what was billed and over its currency's floor; without a floor,
// that of the dollar counts.
func notable(by, billed billing.Money, floors []billing.Money) bool {
	least := billing.Money{}
	for _, f := range floors {
		if f.Currency() == by.Currency() {
			least = f
		} else if f.Currency() == "USD" && !least.Known() {
			least, _, _ = billing.ParseMoney(f.Amount(), by.Currency())
		}
	}
	part, err := billed.MulRatio(1, 20)
	if err != nil {
		return false
	}
	over := func(m billing.Money) bool { n, err := by.Cmp(m); return err == nil && n > 0 }
	return over(least) && over(part)
}
