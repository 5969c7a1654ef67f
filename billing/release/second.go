package release

import (
	"time"

	"gpuspend/billing"
)

// denied says why a person's approval does not count for an action; zero where it does. Where a second person is needed,
// who proposed has to be allowed to, and who approves is another one and an approver: a chat id is the same person in
// every workspace of an enterprise.
func (e *Engine) denied(a Action, who Person, plan Plan) billing.Text {
	h, account := plan.Holding, e.o.About(a.Account).Name
	if !plan.Second {
		if !e.o.MayAct(who, h, a.Verb) {
			return billing.Say("release.denied", "account", account)
		}
		return billing.Text{}
	}
	switch {
	case !e.o.MayAct(a.By, h, a.Verb):
		return billing.Say("release.denied", "account", account)
	case who.ID == "" || who.ID == a.By.ID:
		return billing.Say("release.second.self", "name", a.called())
	case !e.o.MayApprove(who, h):
		return billing.Say("release.second.denied", "account", account)
	}
	return billing.Text{}
}

// life is how long a proposal waits to be approved.
func (e *Engine) life(plan Plan) time.Duration {
	if plan.Second {
		return e.o.SecondLife
	}
	return e.o.ProposalLife
}
