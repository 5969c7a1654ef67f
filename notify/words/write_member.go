package words

import (
	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/rules"
)

// members lists the accounts that came to an organisation, or left it.
func (l letter) members(group []billing.Finding) notify.Message {
	first := group[0].Facts.(rules.MemberFacts)
	key := "notify.member.push"
	if first.Left {
		key = "notify.member.push_left"
	}
	m := notify.Message{Push: l.push([]string{key, "notify.member.push_many"}, "name", first.Name, "who", first.Account, "count", len(group))}
	if len(group) > 1 {
		m.Push = l.push([]string{"notify.member.push_many"}, "who", first.Account, "count", len(group))
	}
	var rows []notify.Rich
	for i, f := range group {
		if i == maxRows {
			rows = append(rows, l.Rich("notify.more", "count", len(group)-maxRows))
			break
		}
		x := f.Facts.(rules.MemberFacts)
		row := "notify.member.row"
		switch {
		case x.Left:
			row = "notify.member.row_left"
		case !x.Watched:
			row = "notify.member.row_out"
		}
		rows = append(rows, l.Rich(row, "name", x.Name, "id", notify.Code(x.ID), "who", x.Account, "at", x.At))
	}
	m.Blocks = append(m.Blocks, notify.Section(lines(rows...)))
	return m
}
