package rules

import (
	"slices"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
)

// UnexplainedFacts are the facts of a wallet that loses more than what can be seen costs.
type UnexplainedFacts struct {
	Account, Cloud, Driver string
	ledger.Drain
	Console string
	ReadAt  time.Time // of the balance
}

func unexplained() notify.Rule {
	return notify.Rule{
		Name: "unexplained", Title: billing.Say("rule.unexplained"),
		Default: "over two settled hours from CN¥0.5 or $0.07 an hour, and again at each doubling of that",
		Find:    findUnexplained,
	}
}

// drainSteps is how often a step may double: from small change to a cluster.
const drainSteps = 16

// findUnexplained gives one finding for each step that is reached, the highest last, so that a further machine is told
// and the same one is not told at every poll.
func findUnexplained(v notify.View) []billing.Finding {
	var out []billing.Finding
	for _, a := range v.Accounts {
		if a.Balance.Mode != billing.Prepaid || a.Driver.Name == "" {
			continue
		}
		_, told := Drained(a)
		told = told && a.Drain.Open == 0
		for _, step := range steps(v.Settings.DrainStep, a.Balance.Cash.Currency()) {
			if s := drainSeverity(a.Drain, step, told); s >= 0 {
				out = append(out, unexplainedAt(a, step, s))
			}
		}
	}
	return out
}

// Drained is what left an account's wallet unexplained; false where nobody can tell.
func Drained(a notify.AccountView) (ledger.Drain, bool) {
	prepaid := a.Balance.Mode == billing.Prepaid && a.Driver.Name != ""
	return a.Drain, prepaid && !a.Drain.Period.End.IsZero() && lookedAfter(a, a.Drain.Period.End)
}

// Notable says that the rest is more than the small print of a bill, and at least a hundredth of a unit an hour.
func Notable(d ledger.Drain) bool {
	cent, _ := billing.MoneyFromParts(10_000_000, 0, d.Rest.Currency()) // in range
	for _, least := range []billing.Money{smallPrint(d), cent} {
		if n, err := d.Rest.Cmp(least); err != nil || n < 0 {
			return false
		}
	}
	return true
}

// smallPrint is a twentieth of what is explained, per hour.
func smallPrint(d ledger.Drain) billing.Money {
	m, _ := d.Explained.MulRatio(int64(time.Hour), 20*int64(d.Period.Duration()))
	return m
}

// steps are the thresholds of a currency, rising; none where it has no first one.
func steps(first []billing.Money, c billing.Currency) []billing.Money {
	i := slices.IndexFunc(first, func(m billing.Money) bool { return m.Currency() == c })
	if i < 0 {
		return nil
	}
	var out []billing.Money
	for n := range drainSteps {
		m, err := first[i].MulRatio(1<<n, 1)
		if err != nil {
			break
		}
		out = append(out, m)
	}
	return out
}

// drainSeverity says how a step stands; -1 where it is not reached. It is held a quarter below, and where nobody can
// tell. What is less than a twentieth of what is seen is no machine but the small print of a bill.
func drainSeverity(d ledger.Drain, step billing.Money, told bool) billing.Severity {
	part := func(m billing.Money, num, den int64) billing.Money { m, _ = m.MulRatio(num, den); return m }
	reaches := func(m billing.Money) bool { n, err := d.Rest.Cmp(m); return err == nil && n >= 0 }
	switch {
	case !told:
		return billing.SeverityHeld
	case !reaches(part(step, 3, 4)):
		return -1
	case !reaches(step) || !reaches(smallPrint(d)):
		return billing.SeverityHeld
	}
	return billing.SeverityWarning
}

// lookedAfter says that every scope of the resources was read whole after a time, so that what is missing was looked for.
func lookedAfter(a notify.AccountView, at time.Time) bool {
	n := 0
	for _, r := range a.Readings {
		if r.Of == billing.ReadInventory && r.ErrorKind != billing.Absent {
			if r.Failing() || r.CompleteAt.Before(at) {
				return false
			}
			n++
		}
	}
	return n > 0
}

func unexplainedAt(a notify.AccountView, step billing.Money, s billing.Severity) billing.Finding {
	f := billing.Finding{
		Rule: "unexplained", Account: a.ID, Scope: string(step.Currency()) + " " + step.Amount() + "/h", Severity: s,
		Facts: UnexplainedFacts{Account: a.Name, Cloud: Cloud(a), Driver: a.Driver.Name, Drain: a.Drain,
			Console: a.Driver.Console.Billing, ReadAt: a.Balance.ReadAt},
		Monthly: ledger.Monthly(a.Drain.Rest, a.Driver.MonthHours),
		Since:   a.Drain.Period.Start,
	}
	if a.Driver.Console.Billing != "" {
		f.Remedies = []billing.Remedy{{Kind: billing.RemedyOpen, URL: a.Driver.Console.Billing}}
	}
	return f
}
