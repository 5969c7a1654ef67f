package bot

import (
	"slices"

	"gpuspend/billing"
)

// Of says what a person may do when asking at a place. Guests, strangers, bots and deactivated people never may
// anything; a person whose standing is not known may only when listed by id.
func (r Roles) Of(p Person, at Place) Role {
	if p.ID == "" || !r.ours(p) {
		return Nobody
	}
	switch p.Standing {
	case Member, Unknown:
	default:
		return Nobody
	}
	switch {
	case slices.Contains(r.Operators, p.ID):
		return Operator
	case slices.Contains(r.Viewers, p.ID):
		return Viewer
	case p.Standing == Unknown:
		return Nobody
	case slices.ContainsFunc(p.Groups, func(g string) bool { return slices.Contains(r.Groups, g) }):
		return Viewer
	case !at.Private && slices.Contains(r.Channels, at.Channel):
		return Viewer
	}
	return Nobody
}

// ours says that a person's id belongs to the workspace of the lists. Ids are unique only together with their team.
func (r Roles) ours(p Person) bool { return r.Team == "" || p.Team == r.Team }

// Empty says that nobody may look at all.
func (r Roles) Empty() bool {
	return len(r.Operators)+len(r.Viewers)+len(r.Groups)+len(r.Channels) == 0
}

// refusal is the sentence for a person who may not look. It names nobody and nothing that is stored.
func (r Roles) refusal(p Person) billing.Text {
	switch {
	case p.Standing == Guest:
		return billing.Say("bot.refused.guest")
	case p.Standing == Stranger || p.Standing == Automaton || p.Standing == Deactivated || !r.ours(p):
		return billing.Say("bot.refused.stranger")
	case r.Empty():
		return billing.Say("bot.refused.empty")
	}
	return billing.Say("bot.refused.unlisted")
}
