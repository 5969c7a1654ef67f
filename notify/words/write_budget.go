package words

import (
	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/rules"
)

// budget says how much of a budget is used, what the month comes to, and what is left a day.
func (l letter) budget(f billing.Finding, b rules.BudgetFacts) notify.Message {
	keys := []string{"notify.budget.ahead", "notify.budget.ahead_short"}
	if b.Over {
		keys = []string{"notify.budget.over", "notify.budget.over_short"}
	}
	last := l.Date(b.Ends.Add(-1))
	args := []any{"name", shorten(b.Name, 24), "limit", b.Limit, "spent", b.Spent, "expected", b.Expected, "date", last}
	m := notify.Message{Push: l.push(keys, args...)}
	text := []notify.Rich{l.Rich("notify.budget.figures", args...)}
	if b.Days > 0 {
		text = append(text, l.Rich("notify.budget.expected", append(args, "count", b.Days)...))
	}
	if left := rules.LeftADay(b.BudgetView, l.Now); left.Known() {
		text = append(text, l.Rich("notify.budget.left", "left", left, "date", last))
	}
	if b.Unsure {
		text = append(text, l.Rich("notify.budget.unsure"))
	}
	m.Blocks = append(m.Blocks, notify.Section(lines(text...)),
		notify.Actions(append([]notify.Button{{Label: l.Text("notify.button.budget"), Action: actRun, Value: "cost month gross by owner"}}, l.mine(f)...)...))
	return m
}
