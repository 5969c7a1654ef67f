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
	book, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 12, 2, 1, 57, 0, 0, time.UTC)
	driver := billing.Driver{Name: "aws", Title: "AWS", Claims: map[billing.Capability]billing.Claim{billing.CanBalance: {Can: billing.Yes}}}
	account := notify.AccountView{Account: billing.Account{ID: 1, Name: "aws-main", Driver: "aws", Provider: "AWS"}, Driver: driver,
		Balance:  billing.Balance{ReadAt: now, Mode: billing.Postpaid},
		Readings: []billing.Reading{{Account: 1, Of: billing.ReadBalance, TriedAt: now, CompleteAt: now}}}
	d := &bot.Desk{Words: book, Lang: "en", Now: func() time.Time { return now }, Book: noBook{},
		Look: func(context.Context) (notify.View, error) {
			return notify.View{Now: now, Zone: time.UTC, Accounts: []notify.AccountView{account}, Settings: notify.Defaults()}, nil
		}}
	a, err := d.Ask(t.Context(), bot.Request{Words: []string{"balance"}, Local: true, Dry: true})
	if err != nil {
		t.Fatal(err)
	}
	shown := dump(t, a.Message)
	if !strings.Contains(shown, `"billed later","–"`) || !strings.Contains(shown, "no balance is running out") || strings.Contains(shown, "USD 0") {
		t.Errorf("%s", shown)
	}
}
