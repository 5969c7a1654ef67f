package bot_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/bot"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// Every budget is a line: spent of its limit, what is expected, what is left a day; unknown is no zero.
func TestBudgetCommand(t *testing.T) {
	book, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 12, 22, 0, 0, 0, 0, time.UTC)
	m := func(s string) billing.Money { return billing.MustMoney(s, "USD") }
	list := []notify.BudgetView{
		{Name: "team-sft", Limit: m("5000"), Spent: m("4000"), Expected: m("5900"), Days: 14, Month: now.AddDate(0, 0, -21), Ends: now.AddDate(0, 0, 10)},
		{Name: "main", Limit: m("100"), Spent: billing.Money{}, Month: now.AddDate(0, 0, -21), Ends: now.AddDate(0, 0, 10), Unsure: true}}
	d := &bot.Desk{Words: book, Lang: "en", Now: func() time.Time { return now }, Book: noBook{},
		Budgets: func(context.Context) ([]notify.BudgetView, error) { return list, nil },
		Look: func(context.Context) (notify.View, error) {
			return notify.View{Now: now, Zone: time.UTC, Settings: notify.Defaults()}, nil
		}}
	ask := func(words ...string) (bot.Answer, error) {
		return d.Ask(t.Context(), bot.Request{Words: words, Local: true, Dry: true})
	}
	a, err := ask("budget")
	if err != nil {
		t.Fatal(err)
	}
	shown := dump(t, a.Message)
	for _, want := range []string{`"team-sft","$4,000.00 / $5,000.00","$5,900.00","$100.00"`, `"main","unknown / $100.00","unknown","–"`, "neither billed nor metered"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%s lacks %s", shown, want)
		}
	}
	rows := a.Data.(bot.BudgetData).Budgets
	if len(rows) != 2 || *rows[0].LeftADay != "100" || rows[1].Spent != nil || rows[1].LeftADay != nil {
		t.Errorf("%+v", rows)
	}
	if a, err := ask("budget", "Team-SFT"); err != nil || len(a.Data.(bot.BudgetData).Budgets) != 1 {
		t.Errorf("by name: %+v, %v", a.Data, err)
	}
	var unclear *bot.WordsError
	if _, err := ask("budget", "team-sfd"); !errors.As(err, &unclear) || !strings.Contains(unclear.Say, "budget team-sft") {
		t.Errorf("a slip: %v", err)
	}
	d.Budgets = nil
	if a, err := ask("budget"); err != nil || !strings.Contains(dump(t, a.Message), "There are no budgets") {
		t.Errorf("without any: %+v, %v", a, err)
	}
}
