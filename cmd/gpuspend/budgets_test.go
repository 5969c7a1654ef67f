package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

// A budget sees what its team, its account or everybody spent this month, before credits, and what the month comes to.
func TestBudgetViews(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	now := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	db, err := storage.Open(t.Context(), path, storage.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	a, err := db.EnsureAccount(t.Context(), billing.Account{Name: "payer"})
	if err != nil {
		t.Fatal(err)
	}
	var lines []billing.Charge
	for day := range 15 {
		at := time.Date(2026, 11, 1+day, 3, 0, 0, 0, time.UTC)
		line := func(owner, category, amount string) {
			m := billing.MustMoney(amount, "USD")
			lines = append(lines, billing.Charge{Provider: "AWS", BillingAccountID: "b", ServiceName: "EC2", Owner: owner, ChargeCategory: category, BilledCost: m,
				BillingPeriod: billing.Period{Start: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)},
				ChargePeriod:  billing.Period{Start: at, End: at.Add(time.Hour)}})
		}
		line("team-sft", "Usage", "10")
		line("team-eval", "Usage", "4")
		line("team-sft", "Credit", "-10")
	}
	files := []storage.ChargeFile{{Name: "x", Open: func() (storage.ChargeReader, error) { return &listedCharges{lines}, nil }}}
	if _, err := db.ImportCharges(t.Context(), storage.Import{Account: a.ID, Source: billing.SourceFOCUS, Files: files}); err != nil {
		t.Fatal(err)
	}
	usd := func(s string) billing.Decimal { return billing.MustDecimal(s) }
	got, err := budgetViews(context.Background(), ledger.Book(db), []BudgetConfig{{Owner: "team-sft", Monthly: usd("300"), Currency: "USD"},
		{Account: "payer", Monthly: usd("1000"), Currency: "USD"}, {Monthly: usd("5"), Currency: "CNY"}}, []billing.Account{a}, time.UTC, now)
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	team, payer, yuan := got[0], got[1], got[2]
	if team.Name != "team-sft" || team.Spent != billing.MustMoney("150", "USD") || team.Expected != billing.MustMoney("300", "USD") || team.Days != 13 || team.Account != 0 {
		t.Errorf("%+v", team)
	}
	if payer.Spent != billing.MustMoney("210", "USD") || payer.Account != a.ID {
		t.Errorf("%+v", payer)
	}
	if yuan.Name != "all" || yuan.Spent != billing.MustMoney("0", "CNY") || yuan.Expected.Known() {
		t.Errorf("nothing is billed in yuan: %+v", yuan)
	}
}

// listedCharges reads charges that are there already.
type listedCharges struct{ left []billing.Charge }

func (l *listedCharges) Read(c *billing.Charge) error {
	if len(l.left) == 0 {
		return io.EOF
	}
	*c, l.left = l.left[0], l.left[1:]
	return nil
}

// Each budget that cannot work is named, with what to write.
func TestBudgetsAreChecked(t *testing.T) {
	d := func(s string) billing.Decimal { return billing.MustDecimal(s) }
	c := Config{Accounts: []AccountConfig{{Name: "main"}}, Budgets: []BudgetConfig{
		{Owner: "a", Account: "main", Monthly: d("1"), Currency: "USD"}, {Account: "gone", Monthly: d("1"), Currency: "USD"},
		{Owner: "b", Currency: "USD"}, {Owner: "c", Monthly: d("-1"), Currency: "dollars"}, {Owner: "d", Monthly: d("1"), Currency: "CNY"}, {Owner: "d", Monthly: d("2"), Currency: "CNY"}}}
	k := &checker{ctx: t.Context()}
	k.budgets(c)
	var said []string
	for _, p := range k.problems {
		said = append(said, p.Path+": "+p.Say)
	}
	for _, want := range []string{"budgets[0]: a budget is of an owner or of an account", `budgets[1].account: there is no account "gone" in this file`,
		"budgets[2].monthly: an amount above zero", "budgets[3].monthly: an amount above zero", "budgets[3].currency: ", "budgets[5]: budgets[4] is of the same"} {
		if !strings.Contains(strings.Join(said, "\n"), want) {
			t.Errorf("%s lacks %s", strings.Join(said, "\n"), want)
		}
	}
	if len(said) != 6 {
		t.Errorf("%d problems: %v", len(said), said)
	}
}
