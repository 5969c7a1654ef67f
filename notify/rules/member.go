package rules

import (
	"gpuspend/billing"
	"gpuspend/notify"
)

// MemberFacts are the facts of an account that came to an organisation, or left it.
type MemberFacts struct {
	Account, Cloud string // the payer's
	notify.MemberNews
}

func member() notify.Rule {
	return notify.Rule{
		Name: "member", Title: billing.Say("rule.member"), Together: "member",
		Default: "at the first list that shows it",
		Find:    findMembers,
	}
}

// findMembers gives one finding for each account that came or left, for as long as the view tells of it.
func findMembers(v notify.View) []billing.Finding {
	var out []billing.Finding
	for _, n := range v.Members {
		payer, ok := v.Account(n.Payer)
		if !ok {
			continue
		}
		scope := "joined:" + n.ID
		if n.Left {
			scope = "left:" + n.ID
		}
		out = append(out, billing.Finding{Rule: "member", Account: n.Payer, Scope: scope, Severity: billing.SeverityWarning,
			Facts: MemberFacts{Account: payer.Name, Cloud: Cloud(payer), MemberNews: n}})
	}
	return out
}
