package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/bot"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// What was never read is not calm, not zero and not fine.
func TestNeverReadIsNotCalm(t *testing.T) {
	book, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 12, 2, 1, 57, 0, 0, time.UTC)
	driver := billing.Driver{Name: "runpod", Title: "RunPod", Claims: map[billing.Capability]billing.Claim{billing.CanBalance: {Can: billing.Yes}}}
	account := notify.AccountView{Account: billing.Account{ID: 1, Name: "runpod-main", Driver: "runpod", Provider: "RunPod"}, Driver: driver,
		Readings: []billing.Reading{
			{Account: 1, Of: billing.ReadBalance, TriedAt: now, ErrorKind: billing.Upstream, FailingSince: now},
			{Account: 1, Of: billing.ReadInventory, TriedAt: now, ErrorKind: billing.Upstream, FailingSince: now},
		}}
	for _, lang := range words.Languages() {
		d := &bot.Desk{Words: book, Lang: lang, Now: func() time.Time { return now }, Book: noBook{},
			Look: func(context.Context) (notify.View, error) {
				return notify.View{Now: now, Zone: time.UTC, Accounts: []notify.AccountView{account}, Settings: notify.Defaults()}, nil
			}}
		for _, line := range []string{"status", "balance", "list"} {
			a, err := d.Ask(t.Context(), bot.Request{Words: []string{line}, Local: true, Dry: true})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(a.Message.Push, "✅") || strings.Contains(a.Message.Push, "🟢") || strings.Contains(a.Message.Push, "0 ") {
				t.Errorf("%s %s says %q of an account that was never read", lang, line, a.Message.Push)
			}
			if data := dump(t, a.Data); line == "status" && !strings.Contains(data, `"running":null`) || strings.Contains(data, `"count":0`) || strings.Contains(data, `"expiring":0`) {
				t.Errorf("%s %s counts what nobody read: %s", lang, line, data)
			}
			if len(a.Warnings) == 0 || (line != "balance" && !a.Failed) {
				t.Errorf("%s %s: failed %t, warnings %q", lang, line, a.Failed, a.Warnings)
			}
		}
	}
}

// noBook is a ledger in which nothing was billed and nothing seen.
type noBook struct{}

func (noBook) Billed(context.Context, ledger.Question) ([]ledger.Row, bool, error) {
	return nil, false, nil
}
func (noBook) Metered(context.Context, billing.Period) ([]ledger.Metered, error) { return nil, nil }
func (noBook) Coverage(context.Context) ([]ledger.Covered, error)                { return nil, nil }
