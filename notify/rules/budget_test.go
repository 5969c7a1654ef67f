package rules

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/internal/scene"
)

func budgetOf(spent, expected string) notify.BudgetView {
	b := notify.BudgetView{Name: "team-sft", Limit: scene.CNY("5000"), Month: time.Date(2026, 12, 1, 0, 0, 0, 0, scene.Shanghai()),
		Ends: time.Date(2027, 1, 1, 0, 0, 0, 0, scene.Shanghai()), Days: 9}
	if spent != "" {
		b.Spent = scene.CNY(spent)
	}
	if expected != "" {
		b.Expected = scene.CNY(expected)
	}
	return b
}

// A budget warns once by what the month comes to, from 80 % on, and once by what was spent, at 100 %; a fall through both
// is one message, and what nobody knows starts and ends nothing.
func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		name, spent, expected string
		unsure                bool
		want                  []string
	}{
		{"within", "1000", "3999.99", false, nil},
		{"the month comes to 80 %", "1000", "4000", false, []string{"2026-12 80 team-sft warning"}},
		{"all of it is spent", "5000", "9000", false, []string{"2026-12 80 team-sft held", "2026-12 100 team-sft warning"}},
		{"spent to the last cent but one", "4999.99", "9000", false, []string{"2026-12 80 team-sft warning"}},
		{"no complete day yet", "1000", "", false, []string{"2026-12 80 team-sft held"}},
		{"no complete day, and spent", "5000.01", "", false, []string{"2026-12 80 team-sft held", "2026-12 100 team-sft warning"}},
		{"nothing is known", "", "", false, []string{"2026-12 80 team-sft held", "2026-12 100 team-sft held"}},
		{"within, as far as the bill goes", "1000", "2000", true, []string{"2026-12 80 team-sft held", "2026-12 100 team-sft held"}},
	} {
		v := scene.View(scene.Morning())
		b := budgetOf(tt.spent, tt.expected)
		b.Unsure = tt.unsure
		v.Budgets = []notify.BudgetView{b}
		if diff := cmp.Diff(tt.want, scopes(findBudget(v))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Credits that pay for all of it hide no burn: the budget sees usage +120 of a limit of 100, whatever is left to pay (C21).
func TestC21BudgetsSeeTheBurn(t *testing.T) {
	b := budgetOf("120", "120")
	b.Limit = scene.CNY("100")
	v := scene.View(scene.Morning())
	v.Budgets = []notify.BudgetView{b}
	if got := scopes(findBudget(v)); len(got) != 2 || got[1] != "2026-12 100 team-sft warning" {
		t.Errorf("%v", got)
	}
}

func TestLeftADay(t *testing.T) {
	now := time.Date(2026, 12, 22, 0, 0, 0, 0, scene.Shanghai()) // ten days are left
	if got := LeftADay(budgetOf("4000", ""), now); got != scene.CNY("100") {
		t.Errorf("%s a day, want 100", got)
	}
	for _, spent := range []string{"", "5000", "6000"} {
		if got := LeftADay(budgetOf(spent, ""), now); got.Known() {
			t.Errorf("with %q spent: %s", spent, got)
		}
	}
	var none billing.Money
	if got := LeftADay(budgetOf("1", ""), time.Date(2026, 12, 31, 23, 30, 0, 0, scene.Shanghai())); got != none {
		t.Errorf("in the last hour: %s", got)
	}
}
