package bot_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/billing/providers"
	"gpuspend/bot"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// ask answers one line from a view and an empty ledger.
func askView(t *testing.T, lang, line string, v notify.View) (bot.Answer, string) {
	t.Helper()
	book, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	d := &bot.Desk{Words: book, Lang: lang, Zone: v.Zone, Now: func() time.Time { return v.Now }, Book: noBook{},
		Look: func(context.Context) (notify.View, error) { return v, nil }}
	a, err := d.Ask(t.Context(), bot.Request{Words: strings.Fields(line), Local: true, Dry: true})
	if err != nil {
		t.Fatalf("%s %s: %v", lang, line, err)
	}
	return a, bot.Plain(a.Message, 400)
}

// What a cloud does not offer is said so with the reason that its claim gives: it is neither 0 nor not read yet. What it
// offers is never said to be missing.
func TestNotOfferedIsSaidSo(t *testing.T) {
	now := time.Date(2026, 12, 2, 1, 57, 0, 0, time.UTC)
	asked := map[string][]billing.Capability{
		"balance": {billing.CanBalance}, "cost": {billing.CanCharges}, "expiring": {billing.CanCommitments},
		"status": {billing.CanBalance, billing.CanCharges}, "list": {},
	}
	lacking := 0
	for _, driver := range providers.All() {
		v := notify.View{Now: now, Zone: time.UTC, Settings: notify.Defaults(), Accounts: []notify.AccountView{{
			Account: billing.Account{ID: 1, Name: "main-account", Driver: driver.Name, Provider: driver.Title}, Driver: driver}}}
		for line, caps := range asked {
			a, en := askView(t, "en", line, v)
			_, zh := askView(t, "zh", line, v)
			data, err := json.Marshal(a.Data)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range caps {
				claim := driver.Claims[c]
				no := claim.Can == billing.No
				if no {
					lacking++
				}
				note := strings.TrimRight(claim.Note, ".")
				if got := strings.Contains(en, "Not offered by "+driver.Title+": ") && strings.Contains(en, note); no && !got {
					t.Errorf("%s %s: %s is not said to be missing:\n%s", driver.Name, line, c, en)
				}
				if no && !(strings.Contains(zh, driver.Title+" 不提供") && strings.Contains(zh, note)) {
					t.Errorf("%s %s: %s is not said to be missing in Chinese:\n%s", driver.Name, line, c, zh)
				}
				if got := strings.Contains(string(data), `"what":"`+string(c)+`"`); got != no {
					t.Errorf("%s %s: %s in the data %t, want %t: %s", driver.Name, line, c, got, no, data)
				}
			}
			if line == "balance" && driver.Claims[billing.CanBalance].Can == billing.No {
				if !strings.Contains(a.Message.Push, "Not offered by "+driver.Title) || strings.Contains(en, "never") || strings.Contains(en, "imported") {
					t.Errorf("%s: the balance that does not exist reads\n%s", driver.Name, en)
				}
			}
		}
	}
	if lacking == 0 {
		t.Error("no cloud lacks anything: nothing was tried")
	}
}

// drained is the account of a wallet that lost more than its machines explain.
func drained(rest string, open int) notify.View {
	now := time.Date(2026, 12, 2, 4, 30, 0, 0, time.UTC)
	drain := ledger.Drain{Period: billing.Period{Start: now.Add(-90 * time.Minute), End: now.Add(-30 * time.Minute)}, Taken: cny("4.96"), Explained: cny("2.98"), Rest: cny(rest), Open: open}
	return notify.View{Now: now, Zone: shanghai, Settings: notify.Defaults(), Accounts: []notify.AccountView{{
		Account: billing.Account{ID: 1, Name: "autodl-main", Driver: "autodl", Provider: "AutoDL", Currency: "CNY"},
		Driver:  billing.Driver{Name: "autodl", Title: "AutoDL", Claims: map[billing.Capability]billing.Claim{billing.CanBalance: {Can: billing.Yes}}},
		Balance: billing.Balance{ReadAt: now, Mode: billing.Prepaid, Cash: cny("80")}, Drain: drain,
		Readings: []billing.Reading{{Account: 1, Of: billing.ReadInventory, Scope: billing.Scope{Kind: billing.KindInstance}, CompleteAt: now, TriedAt: now}},
	}}}
}

// Balance and list say how much more leaves a wallet than can be seen, and over which hours.
func TestUnexplainedIsALine(t *testing.T) {
	for _, line := range []string{"balance", "list"} {
		a, en := askView(t, "en", line, drained("1.98", 0))
		for _, want := range []string{"autodl-main: CN¥1.98/h more leaves than I can see: CN¥4.96 was taken for 11:00 to 12:00", "explains CN¥2.98"} {
			if !strings.Contains(en, want) {
				t.Errorf("%s lacks %q:\n%s", line, want, en)
			}
		}
		data, _ := json.Marshal(a.Data)
		if want := `"per_hour":"1.98","taken":"4.96","explained":"2.98","from":"2026-12-02T03:00:00Z","to":"2026-12-02T04:00:00Z","open":0`; !strings.Contains(string(data), want) {
			t.Errorf("%s: the data lack %s: %s", line, want, data)
		}
		if _, zh := askView(t, "zh", line, drained("1.98", 0)); !strings.Contains(zh, "比看得到的多扣") {
			t.Errorf("%s in Chinese:\n%s", line, zh)
		}
		if _, en := askView(t, "en", line, drained("1.98", 2)); !strings.Contains(en, "2 things run at prices I don't know and may be it") {
			t.Errorf("%s names no other explanation:\n%s", line, en)
		}
	}
}

// Where nobody can tell, nothing is said and the data are null; what is small print is no line.
func TestUnexplainedUnknownStaysUnknown(t *testing.T) {
	dark := drained("1.98", 0)
	dark.Accounts[0].Drain = ledger.Drain{}
	late := drained("1.98", 0)
	late.Accounts[0].Readings[0].CompleteAt = dark.Now.Add(-2 * time.Hour) // nobody looked since
	for name, v := range map[string]notify.View{"never compared": dark, "not looked since": late} {
		a, en := askView(t, "en", "balance", v)
		data, _ := json.Marshal(a.Data)
		if strings.Contains(en, "more leaves") || !strings.Contains(string(data), `"unexplained":null`) {
			t.Errorf("%s: %s\n%s", name, data, en)
		}
	}
	if _, en := askView(t, "en", "list", drained("0.1", 0)); strings.Contains(en, "more leaves") {
		t.Errorf("small print is a line:\n%s", en)
	}
}
