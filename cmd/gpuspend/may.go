package main

import (
	"context"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/release"
	"gpuspend/bot"
)

// mayAct says whether a person may have a thing stopped or deleted: an operator of its account, of our team, on an
// account that allows it; its owner may have it stopped.
func (a *App) mayAct(who release.Person, h billing.Holding, v billing.Verb) bool {
	p, account := a.present.Load(), a.about(h.Account).Name
	if !p.in.release[account] {
		return false
	}
	person := a.acting(p.desk.Roles, who)
	return p.desk.Roles.May(person, account) || v == billing.VerbStop && p.desk.Roles.MayStop(person, account, h)
}

// mayApprove says whether a person may approve what another one proposed.
func (a *App) mayApprove(who release.Person, h billing.Holding) bool {
	p, account := a.present.Load(), a.about(h.Account).Name
	return p.in.release[account] && p.desk.Roles.MayApprove(a.acting(p.desk.Roles, who), account)
}

// groupsPatience is how long the chat may take to say who is in a group. Who can't be asked after is in none.
const groupsPatience = 5 * time.Second

// acting is a person as the lists know him; groups are asked after only where a list names some.
func (a *App) acting(r bot.Roles, who release.Person) bot.Person {
	person := bot.Person{ID: who.ID, Team: who.Team, Standing: bot.Member}
	if a.chat != nil && who.ID != "" && len(r.AllGroups()) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), groupsPatience)
		defer cancel()
		person.Groups = a.chat.Groups(ctx, who.ID)
	}
	return person
}

// second says whether another person has to approve an act on a thing of such a cost.
func (a *App) second(h billing.Holding, today billing.Money) bool {
	return a.present.Load().config.second(h, today)
}

// second is true above the configured cost of a month and for the configured labels. A cost that nobody knows, or that
// no rate brings to the configured currency, may be above it.
func (c Config) second(h billing.Holding, today billing.Money) bool {
	for _, label := range c.Releases.Approval.Labels {
		key, value, one := strings.Cut(label, "=")
		if has, there := h.Tags[key]; there && (!one || has == value) {
			return true
		}
	}
	above := c.Releases.Approval.Above
	if !above.Known() {
		return false
	}
	rate := billing.DecimalFromInt(1)
	if today.Currency() != c.Currency {
		rate = c.Rates[string(today.Currency())].Rate
	}
	cost, err := billing.ParseDecimal(today.Amount())
	return !today.Known() || !rate.Known() || err != nil || cost.Mul(rate).Cmp(above) > 0
}

// checklist is what an owner has to have saved before a delete; empty for the usual list.
func (a *App) checklist(h billing.Holding) []string { return a.present.Load().config.checklist(h) }
