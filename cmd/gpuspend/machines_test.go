package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/billing/providers"
	"gpuspend/bot"
	"gpuspend/notify/words"
	"gpuspend/storage"
)

const withMachines = `
zone: Asia/Shanghai
accounts:
  - name: autodl-main
    provider: autodl
    credentials: {read: {token: "${TEST_KEY}"}}
    machines:
      - {name: ordinary-4090, gpu: RTX4090, count: 1, rate: 1.98, from: 2026-12-01 10:00, owner: alice}
      - {name: short, rate: 5, from: 2026-11-01, until: 2026-11-02}
      - {name: nobody-knows, from: 2026-12-01}
`

// declaring is a store with one account, and the installation of the configuration above.
func declaring(t *testing.T) (*storage.DB, installation, billing.AccountID) {
	t.Helper()
	c, err := ParseConfig([]byte(withMachines))
	if err != nil {
		t.Fatal(err)
	}
	in, err := install(c, providers.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	db, err := storage.Open(t.Context(), t.TempDir()+"/x.db", storage.Options{Now: func() time.Time { return noon }, Wall: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	a, err := db.EnsureAccount(t.Context(), billing.Account{Name: "autodl-main", Driver: "autodl", Provider: "AutoDL", Currency: "CNY"})
	if err != nil {
		t.Fatal(err)
	}
	return db, in, a.ID
}

var noon = time.Date(2026, 12, 2, 4, 30, 0, 0, time.UTC)

// A machine that is only declared is there with its rate while it runs, and in the burn; what has ended is not.
func TestDeclaredMachinesAreThere(t *testing.T) {
	db, in, id := declaring(t)
	if err := db.RecordBalance(t.Context(), id, billing.Balance{ReadAt: noon, Mode: billing.Prepaid, Cash: billing.MustMoney("19.8", "CNY")}); err != nil {
		t.Fatal(err)
	}
	v, err := look(t.Context(), db, in, noon)
	if err != nil {
		t.Fatal(err)
	}
	a := v.Accounts[0]
	if len(a.Holdings) != 2 || a.Holdings[0].Name != "ordinary-4090" || !a.Holdings[0].Declared() || a.Holdings[0].Owner != "alice" {
		t.Fatalf("%+v", a.Holdings)
	}
	if a.Outlook.Burn != billing.MustMoney("1.98", "CNY") || a.Outlook.Unpriced != 1 {
		t.Errorf("burn %s, %d unpriced", a.Outlook.Burn, a.Outlook.Unpriced)
	}
	report, err := ledger.Answer(t.Context(), declaringBook{DB: db, in: in, now: func() time.Time { return noon }},
		ledger.Question{From: noon.Add(-10 * time.Hour), To: noon.Add(time.Hour), Zone: time.UTC, By: []ledger.Cut{ledger.ByOwner}, Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Rows) != 2 || report.Rows[0].Accrued != billing.MustMoney("19.8", "CNY") || report.Rows[0].Keys[0] != "alice" {
		t.Errorf("ten hours of it: %+v", report.Rows)
	}
}

// What a declared machine costs is explained: the wallet's loss beyond what is seen is less by it.
func TestDeclaredMachinesAreExplained(t *testing.T) {
	db, in, id := declaring(t)
	in.declared = in.declared[:2]                               // without the one of unknown price
	for i, spent := range []string{"100", "103.98", "107.96"} { // 3.98 an hour
		at := noon.Add(time.Duration(i-2) * time.Hour)
		if err := db.RecordBalance(t.Context(), id, billing.Balance{ReadAt: at, Mode: billing.Prepaid, Settles: time.Hour,
			Cash: billing.MustMoney("50", "CNY"), Spent: billing.MustMoney(spent, "CNY")}); err != nil {
			t.Fatal(err)
		}
	}
	rest := func(in installation) billing.Money {
		v, err := look(t.Context(), db, in, noon)
		if err != nil {
			t.Fatal(err)
		}
		return v.Accounts[0].Drain.Rest
	}
	if got := rest(in); got != billing.MustMoney("2", "CNY") {
		t.Errorf("%s an hour is unexplained, want 2", got)
	}
	in.declared = nil
	if got := rest(in); got != billing.MustMoney("3.98", "CNY") {
		t.Errorf("%s an hour is unexplained without it, want 3.98", got)
	}
}

// It is marked in the list, and can neither be released nor kept.
func TestDeclaredMachinesAreNeverReleased(t *testing.T) {
	db, in, _ := declaring(t)
	book, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	for lang, want := range map[string][3]string{
		"en": {"declared in the configuration", "no API shows it", "there is nothing to keep"},
		"zh": {"配置里声明", "API 看不到", "无需保留"},
	} {
		d := newDesk(db, in, Config{}, book, func() time.Time { return noon })
		d.Lang = lang
		for i, line := range []string{"list", "release ordinary-4090", "keep m-1 until 7d because wanted"} {
			a, err := d.Ask(context.Background(), bot.Request{Words: strings.Fields(line), Local: true})
			if err != nil {
				t.Fatal(err)
			}
			if shown := bot.Plain(a.Message, 300); !strings.Contains(shown, want[i]) || a.Form != nil || i > 0 && !a.Failed {
				t.Errorf("%s: %s lacks %q:\n%s", lang, line, want[i], shown)
			}
		}
	}
}

// Every wrong entry is named with its path.
func TestMachinesAreChecked(t *testing.T) {
	t.Setenv("TEST_KEY", "k")
	for entry, want := range map[string]string{
		`{rate: 1, from: 2026-12-01}`:                                      "accounts[0].machines[0].name: every machine needs a name",
		`{name: a, rate: 1}`:                                               `accounts[0].machines[0].from: "" is no time`,
		`{name: a, rate: 1, from: yesterday}`:                              `accounts[0].machines[0].from: "yesterday" is no time`,
		`{name: a, rate: -1, from: 2026-12-01}`:                            "accounts[0].machines[0].rate:",
		`{name: a, count: 0, from: 2026-12-01}`:                            "accounts[0].machines[0].count:",
		`{name: a, kind: toaster, from: 2026-12-01}`:                       `accounts[0].machines[0].kind: "toaster" is none of`,
		`{name: a, from: 2026-12-02, until: 2026-12-01}`:                   "accounts[0].machines[0].until: it ends before it begins",
		"{name: a, from: 2026-12-01}\n      - {name: a, from: 2026-12-01}": `accounts[0].machines[1].name: "a" is the name of machines[0] too`,
	} {
		text := withMachines[:strings.Index(withMachines, "      - {")] + "      - " + entry + "\n"
		c, err := ParseConfig([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		c.Store = t.TempDir() + "/x.db"
		if got := c.Check(t.Context(), providers.All()).Error(); !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", entry, got, want)
		}
	}
}
