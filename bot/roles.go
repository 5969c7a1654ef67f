package bot

import (
	"slices"

	"gpuspend/billing"
)

// Of says what a person may do somewhere at least when asking at a place; May says on which account. Guests, strangers,
// bots and deactivated people never may anything; a person whose standing is not known may only when listed by id.
func (r Roles) Of(p Person, at Place) Role {
	switch {
	case !r.known(p):
		return Nobody
	case r.acts(p):
		return Operator
	case slices.Contains(r.Viewers, p.ID):
		return Viewer
	case p.Standing == Unknown:
		return Nobody
	case slices.ContainsFunc(p.Groups, func(g string) bool { return slices.Contains(r.Groups, g) }):
		return Viewer
	case !at.Private && slices.Contains(r.Channels, at.Channel):
		return Viewer
	case r.approves(p):
		return Viewer
	}
	return Nobody
}

// May says whether a person may release in an account.
func (r Roles) May(p Person, account string) bool {
	on := r.on(account)
	return r.known(p) && listed(p, on.Operators, on.OperatorGroups)
}

// MayApprove says whether a person may approve in an account what somebody else proposed.
func (r Roles) MayApprove(p Person, account string) bool {
	on := r.on(account)
	return r.known(p) && listed(p, on.Approvers, on.ApproverGroups)
}

// MayStop says whether a person may stop a holding: who may release may, and so may its owner. An owner is whom the
// installation names for a user id; a name that somebody gave himself in the chat is nobody's.
func (r Roles) MayStop(p Person, account string, h billing.Holding) bool {
	return r.May(p, account) || r.known(p) && h.Owner != "" && (h.Owner == r.owner(p) || h.Owner == p.ID)
}

func (r Roles) owner(p Person) string { return r.Owners[p.ID] }

// AllGroups are the user groups that any list names.
func (r Roles) AllGroups() []string {
	all := slices.Concat(r.Groups, r.OperatorGroups, r.ApproverGroups)
	for _, a := range r.Accounts {
		all = slices.Concat(all, a.OperatorGroups, a.ApproverGroups)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// on are the lists of an account: its own where it has some, apart for operators and approvers.
func (r Roles) on(account string) Acting {
	on, own := r.Acting, r.Accounts[account]
	if len(own.Operators)+len(own.OperatorGroups) > 0 {
		on.Operators, on.OperatorGroups = own.Operators, own.OperatorGroups
	}
	if len(own.Approvers)+len(own.ApproverGroups) > 0 {
		on.Approvers, on.ApproverGroups = own.Approvers, own.ApproverGroups
	}
	return on
}

// acts and approves say that a person is on a list of somewhere.
func (r Roles) acts(p Person) bool {
	return listed(p, r.Operators, r.OperatorGroups) || r.somewhere(func(a Acting) bool { return listed(p, a.Operators, a.OperatorGroups) })
}

func (r Roles) approves(p Person) bool {
	return listed(p, r.Approvers, r.ApproverGroups) || r.somewhere(func(a Acting) bool { return listed(p, a.Approvers, a.ApproverGroups) })
}

func (r Roles) somewhere(is func(Acting) bool) bool {
	for _, a := range r.Accounts {
		if is(a) {
			return true
		}
	}
	return false
}

// listed says that a list names a person, or a group that he is known to be in. Who nobody knows is in no group.
func listed(p Person, ids, groups []string) bool {
	return slices.Contains(ids, p.ID) ||
		p.Standing == Member && slices.ContainsFunc(p.Groups, func(g string) bool { return slices.Contains(groups, g) })
}

// known says that a person can be on a list at all.
func (r Roles) known(p Person) bool {
	return p.ID != "" && r.ours(p) && (p.Standing == Member || p.Standing == Unknown)
}

// ours says that a person's id belongs to the workspace of the lists. Ids are unique only together with their team.
func (r Roles) ours(p Person) bool { return r.Team == "" || p.Team == r.Team }

// Empty says that nobody may look at all.
func (r Roles) Empty() bool {
	return len(r.Operators)+len(r.OperatorGroups)+len(r.Approvers)+len(r.ApproverGroups)+
		len(r.Viewers)+len(r.Groups)+len(r.Channels)+len(r.Accounts) == 0
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
