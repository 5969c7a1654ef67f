package bot

import (
	"context"
	"strings"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/rules"
)

// BudgetData answers budget.
type BudgetData struct {
	Budgets []BudgetRow `json:"budgets"`
}

// BudgetRow is one budget of the month, gross. Expected is null without a complete day, LeftADay where nothing is left;
// Unsure says that more may have been spent.
type BudgetRow struct {
	Name         string           `json:"name"`
	Month        string           `json:"month"`
	Currency     billing.Currency `json:"currency"`
	Limit        *string          `json:"limit"`
	Spent        *string          `json:"spent"`
	Expected     *string          `json:"expected"`
	LeftADay     *string          `json:"left_a_day"`
	CompleteDays int              `json:"complete_days"`
	Unsure       bool             `json:"unsure"`
}

// budget says how far each budget of the month is used up.
func budget(ctx context.Context, d *Desk, r Request) (Answer, error) {
	var all []notify.BudgetView
	if d.Budgets != nil {
		var err error
		if all, err = d.Budgets(ctx); err != nil {
			return Answer{}, err
		}
	}
	if len(r.Words) > 0 && len(all) > 0 {
		var err error
		if all, err = budgetNamed(r, all); err != nil {
			return Answer{}, err
		}
	}
	p, data := r.Print, BudgetData{Budgets: []BudgetRow{}}
	if len(all) == 0 {
		a := say(p, "bot.budget.none")
		a.Data, a.Warnings = data, []string{}
		return a, nil
	}
	t := notify.Table{Columns: []notify.Column{{Title: p.Text("bot.column.budget")}, {Title: p.Text("bot.column.budget_spent"), Right: true},
		{Title: p.Text("bot.column.budget_expected"), Right: true}, {Title: p.Text("bot.column.left_a_day"), Right: true}}}
	unsure := false
	for _, b := range all {
		left := rules.LeftADay(b, r.Now)
		data.Budgets = append(data.Budgets, BudgetRow{Name: b.Name, Month: b.Month.In(r.Zone).Format("2006-01"), Currency: b.Limit.Currency(), Limit: amount(b.Limit),
			Spent: amount(b.Spent), Expected: amount(b.Expected), LeftADay: amount(left), CompleteDays: b.Days, Unsure: b.Unsure})
		shown := "–"
		if left.Known() {
			shown = p.Money(left)
		}
		t.Rows = append(t.Rows, []notify.Rich{notify.Plain(b.Name), notify.Plain(p.Money(b.Spent) + " / " + p.Money(b.Limit)), notify.Plain(p.Money(b.Expected)), notify.Plain(shown)})
		unsure = unsure || b.Unsure
	}
	m := headed(p.Text("bot.budget.title", "date", p.Date(all[0].Ends.Add(-1))))
	m.Blocks = append(m.Blocks, notify.Grid(t))
	note := []notify.Rich{p.Rich("bot.budget.gross")}
	if unsure {
		note = append(note, p.Rich("notify.budget.unsure"))
	}
	m.Blocks = append(m.Blocks, notify.Context(notify.Join("\n", note...)))
	return Answer{Data: data, Message: m, Warnings: []string{}}, nil
}

// budgetNamed keeps the budget that a word names.
func budgetNamed(r Request, all []notify.BudgetView) ([]notify.BudgetView, error) {
	want := fold1(strings.Join(r.Words, " "))
	var names []string
	var out []notify.BudgetView
	for _, b := range all {
		names = append(names, b.Name)
		if fold1(b.Name) == want {
			out = append(out, b)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	line := nearest(want, names)
	if line != "" {
		line = "budget " + line
	}
	return nil, unclear(r.Print, "bot.budget.which", line, "word", strings.Join(r.Words, " "), "words", names)
}
