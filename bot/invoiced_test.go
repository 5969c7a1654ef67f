package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/bot"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// An account paid by invoice holds no money: that is neither zero nor unknown, and makes no other account's end unclear.
func TestPaidByInvoiceIsNotUnknown(t *testing.T) {
	shown, _ := invoicedBalance(t, "en", billing.Balance{})
	if !strings.Contains(shown, `"billed later","–"`) || !strings.Contains(shown, "no balance is running out") || strings.Contains(shown, "USD 0") {
		t.Errorf("%s", shown)
	}
}

// What the cloud's own budgets say of the month stands below, each as far as the cloud knows it.
func TestBudgetsOfTheCloudAreSaid(t *testing.T) {
	b := billing.Balance{Budgets: []billing.CloudBudget{
		{Name: "ml", Spent: billing.MustMoney("1234.567", "USD"), Limit: billing.MustMoney("5000", "USD"), Forecast: billing.MustMoney("4800.1", "USD")},
		{Name: "planned", Spent: billing.MustMoney("0", "USD")}}}
	for lang, wants := range map[string][]string{
		"en": {"aws-main, the cloud's own budget ml: $1,234.57 of $5,000.00 spent this month.", "ml: the cloud expects $4,800.10 for the whole month.", "the cloud's own budget planned: $0.00 spent this month."},
		"zh": {"aws-main 云上自带预算 ml：本月已用 $1,234.57，上限 $5,000.00。", "ml：云平台预计全月 $4,800.10。", "云上自带预算 planned：本月已用 $0.00。"},
	} {
		shown, data := invoicedBalance(t, lang, b)
		for _, want := range wants {
			if !strings.Contains(shown, want) {
				t.Errorf("%s: %s, want %s", lang, shown, want)
			}
		}
		rows := data.(bot.BalanceData).Accounts[0].Budgets
		if len(rows) != 2 || *rows[0].Spent != "1234.567" || rows[1].Limit != nil || rows[1].Forecast != nil {
			t.Errorf("data: %+v", rows)
		}
	}
}

func invoicedBalance(t *testing.T, lang string, b billing.Balance) (string, any) {
	t.Helper()
	book, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 12, 2, 1, 57, 0, 0, time.UTC)
	driver := billing.Driver{Name: "aws", Title: "AWS", Claims: map[billing.Capability]billing.Claim{billing.CanBalance: {Can: billing.Yes}}}
	account := notify.AccountView{Account: billing.Account{ID: 1, Name: "aws-main", Driver: "aws", Provider: "AWS"}, Driver: driver,
		Balance:  b,
		Readings: []billing.Reading{{Account: 1, Of: billing.ReadBalance, TriedAt: now, CompleteAt: now}}}
	account.Balance.ReadAt, account.Balance.Mode = now, billing.Postpaid
	d := &bot.Desk{Words: book, Lang: lang, Now: func() time.Time { return now }, Book: noBook{},
		Look: func(context.Context) (notify.View, error) {
			return notify.View{Now: now, Zone: time.UTC, Accounts: []notify.AccountView{account}, Settings: notify.Defaults()}, nil
		}}
	a, err := d.Ask(t.Context(), bot.Request{Words: []string{"balance"}, Local: true, Dry: true})
	if err != nil {
		t.Fatal(err)
	}
	return dump(t, a.Message), a.Data
}
