package bot

import (
	"slices"

	"gpuspend/billing"
	"gpuspend/billing/release"
)

// within leaves of a plan what a person may choose: everything for an operator of its account, a stop for the owner, and
// nothing, with the reason, for anybody else. Somebody at the machine's own shell may see everything.
func (d *Desk) within(r Request, plan release.Plan) release.Plan {
	if r.Local && r.Person.ID == "" || d.Roles.May(r.Person, plan.Account) || !plan.Refused.IsZero() {
		return plan
	}
	if !d.Roles.MayStop(r.Person, plan.Account, plan.Holding) {
		d.note(r.Person, "release")
		plan.Options, plan.Refused = nil, billing.Say(lookOnlyKey, "account", plan.Account)
		return plan
	}
	plan.Options = slices.DeleteFunc(slices.Clone(plan.Options), func(o release.Option) bool { return o.Verb != billing.VerbStop })
	if len(plan.Options) == 0 {
		plan.Refused = billing.Say("bot.refused.own_stop", "account", plan.Account)
	}
	return plan
}

// lookOnlyKey is the sentence for who may look and not release: an operator can be asked.
const lookOnlyKey = "bot.refused.look_only"
