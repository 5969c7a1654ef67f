package rules

import (
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
)

func balance() notify.Rule {
	return notify.Rule{
		Name: "balance", Title: billing.Say("rule.balance"), Night: true,
		Default: "runs out before the next start of work, within 24 hours, within 6 hours; beyond 6 hours a new rate counts after 30 minutes; floors as configured",
		Find:    findBalance,
	}
}

func findBalance(v notify.View) []billing.Finding {
	var out []billing.Finding
	for _, a := range v.Accounts {
		if a.Balance.ReadAt.IsZero() || a.Balance.Mode == billing.Postpaid {
			continue
		}
		steps := runwaySteps(v, a)
		steps = append(floorSteps(v, a), steps...)
		if len(steps) == 0 {
			continue
		}
		facts := balanceFacts(v, a)
		for _, s := range steps {
			out = append(out, s.finding(v, a, facts))
		}
	}
	return out
}

// step is one threshold of an account, crossed or held.
type step struct {
	scope    string
	severity billing.Severity
	floor    billing.Money
}

// runwaySteps are the thresholds in time that are crossed or not re-armed yet, the worst last.
func runwaySteps(v notify.View, a notify.AccountView) []step {
	var out []step
	before := startStep(v, a)
	for _, at := range v.Settings.BalanceSteps {
		s := step{scope: hours(at), severity: billing.SeverityWarning}
		if at <= urgentRunway {
			s.severity = billing.SeverityUrgent
			out, before = append(out, before...), nil
		}
		if s, ok := s.judge(v, a, at); ok {
			out = append(out, s)
		}
	}
	return append(out, before...)
}

// urgentRunway is the runway from which on a step is urgent.
const urgentRunway = 6 * time.Hour

// startStep is the threshold of the next start of work: money that ends while nobody is there to see it.
func startStep(v notify.View, a notify.AccountView) []step {
	start := v.Hours.NextStart(v.Now, v.Zone)
	if start.IsZero() {
		return nil
	}
	s, ok := step{scope: "work", severity: billing.SeverityUrgent}.judge(v, a, start.Sub(v.Now))
	if !ok {
		return nil
	}
	return []step{s}
}

// judge compares the runway with a threshold. Beyond the urgent one, what began within ledger.Holds starts no alert. Where nobody can tell how long the money lasts, an alert stays as it is.
func (s step) judge(v notify.View, a notify.AccountView, at time.Duration) (step, bool) {
	o := a.Outlook
	if left := o.EmptyAt.Sub(v.Now); !o.EmptyAt.IsZero() && left >= urgentRunway && left < at {
		steady, young := ledger.Steady(a.Balance, a.Holdings, v.Now)
		if young && (steady.EmptyAt.IsZero() || steady.EmptyAt.Sub(v.Now) >= at) { // by what has just begun: not yet
			s.severity = billing.SeverityHeld
			return s, true
		}
	}
	switch {
	case o.EmptyAt.IsZero() && (!o.Burn.Known() || o.Unpriced > 0 || !a.Balance.Cash.Known()):
		s.severity = billing.SeverityHeld
	case o.EmptyAt.IsZero():
		return s, false
	case o.EmptyAt.Sub(v.Now) < at:
	case o.EmptyAt.Sub(v.Now) < at+v.Settings.RearmTime:
		s.severity = billing.SeverityHeld
	default:
		return s, false
	}
	return s, true
}

// floorSteps are the absolute floors that are crossed or not re-armed yet, the worst last.
func floorSteps(v notify.View, a notify.AccountView) []step {
	var out []step
	for _, floor := range v.Settings.BalanceFloors[a.Name] {
		s := step{scope: "floor " + floor.String(), severity: billing.SeverityWarning, floor: floor}
		again, err := floor.MulRatio(int64(100+v.Settings.RearmPercent), 100)
		if err != nil {
			continue
		}
		below, err := a.Balance.Cash.Cmp(floor)
		rearmed, err2 := a.Balance.Cash.Cmp(again)
		switch {
		case err != nil || err2 != nil:
			s.severity = billing.SeverityHeld // unknown, or another currency
		case below < 0:
		case rearmed < 0:
			s.severity = billing.SeverityHeld
		default:
			continue
		}
		out = append(out, s)
	}
	return out
}

func (s step) finding(v notify.View, a notify.AccountView, facts BalanceFacts) billing.Finding {
	facts.Step, facts.Floor = s.scope, s.floor
	f := billing.Finding{
		Rule: "balance", Account: a.ID, Scope: s.scope, Severity: s.severity, Facts: facts, Since: a.Balance.ReadAt,
		Remedies: remedies(v, a, facts), ChangedAt: a.Arrived.At,
	}
	return f
}
