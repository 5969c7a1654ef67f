package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers"
)

const goodConfig = `
zone: Asia/Shanghai
language: zh
currency: CNY
rates:
  USD: {rate: 7.12, source: bank table, date: 2026-12-01}
store: /tmp/x.db
hours: {start: "09:30", end: "19:00", days: [mon, tue, sat]}
slack:
  bot_token: ${TEST_BOT}
  app_token: {file: %FILE%}
accounts:
  - name: runpod-main
    provider: runpod
    credentials:
      read: {api_key: "${TEST_KEY}"}
      release: {api_key: {exec: "echo release-key"}}
    release: allow
    poll: {balance: 2m, charges: 1d}
routes:
  - to: slack:C0123
    language: en
viewers: {channels: [C0123], groups: [S01]}
releases: {operators: [U0123]}
rules:
  balance: {steps: [12h, 3h], floors: {runpod-main: 20}}
  forgotten: {disk: 3d, push: {USD: 5.50}}
`

func TestGoodConfig(t *testing.T) {
	t.Setenv("TEST_BOT", "xoxb-1")
	t.Setenv("TEST_KEY", "rk")
	file := filepath.Join(t.TempDir(), "app")
	if err := os.WriteFile(file, []byte("xapp-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := ParseConfig([]byte(strings.ReplaceAll(goodConfig, "%FILE%", file)))
	if err != nil {
		t.Fatal(err)
	}
	if p := c.Check(t.Context(), providers.All()); len(p) > 0 {
		t.Fatal(p)
	}
	if d := time.Duration(c.Accounts[0].Poll.Charges); d != 24*time.Hour {
		t.Errorf("1d is %s", d)
	}
	s, err := c.Accounts[0].Credentials.Release["api_key"].Reveal(t.Context())
	if err != nil || s.Reveal() != "release-key" {
		t.Errorf("exec gave %q, %v", s.Reveal(), err)
	}
	h, err := c.hours()
	if err != nil || h.Start != 9*time.Hour+30*time.Minute || !h.Days[time.Saturday] || h.Days[time.Friday] {
		t.Errorf("hours %+v, %v", h, err)
	}
	set, err := c.settings([]billing.Account{{Name: "runpod-main", Currency: "USD"}})
	if err != nil || set.DiskAge != 72*time.Hour || set.BalanceFloors["runpod-main"][0] != billing.MustMoney("20", "USD") ||
		set.ForgottenPush[0] != billing.MustMoney("5.5", "USD") || set.BalanceSteps[1] != 3*time.Hour {
		t.Errorf("settings %+v, %v", set, err)
	}
}

// Every error is reported at once, with path and, where the file can be pointed at, the line.
func TestEveryConfigErrorAtOnce(t *testing.T) {
	_, err := ParseConfig([]byte("zone: UTC\nlangage: en\naccounts:\n  - name: a\n    provider: runpod\n    credentials:\n      read:\n        api_key: rk-plain-secret\n    poll: {balance: 90}\nrules:\n  balance: {steps: [24h, -3h]}\n"))
	var p Problems
	if !errors.As(err, &p) {
		t.Fatal(err)
	}
	for _, want := range []string{
		"line 2, langage: unknown key; did you mean language?",
		"line 8, accounts[0].credentials.read.api_key: a secret is never written here; give ${ENV}, {file: PATH} or {exec: COMMAND}",
		`line 9, accounts[0].poll.balance: "90" is no duration; write it like 15m, 24h or 7d`,
		`line 11, rules.balance.steps[1]: "-3h" is not greater than zero`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("missing %q in\n%s", want, err)
		}
	}
	if len(p) != 4 {
		t.Errorf("%d problems, want 4:\n%s", len(p), err)
	}
	if strings.Contains(err.Error(), "rk-plain-secret") {
		t.Error("the error holds the secret")
	}
}

func TestEveryWrongValueAtOnce(t *testing.T) {
	c, err := ParseConfig([]byte(`
zone: Local
language: fr
rates: {USD: {rate: 0, date: yesterday}}
accounts:
  - {name: a, provider: runpdo}
  - {name: a, provider: runpod, release: allow, credentials: {read: {api_kye: "${NO_SUCH_ENV}"}}}
routes: [{to: "#general"}]
viewers: {users: [ana]}
rules: {balance: {floors: {b: 5}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	p := c.Check(t.Context(), providers.All())
	for _, want := range []string{
		"zone: ", "language: ", "rates.USD.rate: ", "rates.USD.date: ", "rates.USD.source: ", "currency: ",
		"accounts[0].provider: \"runpdo\" is no cloud I know; did you mean runpod?",
		"accounts[1].name: \"a\" is the name of accounts[0] too",
		"accounts[1].credentials.read.api_key: RunPod needs it",
		"accounts[1].credentials.read.api_kye: RunPod has no such key; did you mean api_key?",
		"accounts[1].credentials.release.api_key: RunPod needs it",
		"routes[0].to: ", "viewers.users[0]: ", "releases.operators: ", "rules.balance.floors.b: ",
	} {
		if !strings.Contains(p.Error(), want) {
			t.Errorf("missing %q in\n%s", want, p)
		}
	}
}

func TestSecretPlacesThatFail(t *testing.T) {
	for _, s := range []SecretConfig{{Env: "NO_SUCH_ENV"}, {File: "/no/such/file"}, {Exec: "exit 3"}, {Exec: "true"}} {
		if got, err := s.Reveal(t.Context()); err == nil || !got.Empty() {
			t.Errorf("%+v gave %v", s, err)
		}
	}
}

// What is no secret may stand in the file; a secret never may, whatever stands beside it.
func TestPlainFieldsOfCredentials(t *testing.T) {
	c, err := ParseConfig([]byte("accounts:\n  - name: a\n    provider: alibaba\n    credentials:\n      read: {regions: cn-shanghai}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s, err := c.Accounts[0].Credentials.Read["regions"].Reveal(t.Context()); err != nil || s.Reveal() != "cn-shanghai" {
		t.Errorf("regions are %q, %v", s.Reveal(), err)
	}
	for name, plain := range plainFields(providers.All()) {
		_, err := ParseConfig([]byte("accounts:\n  - name: a\n    credentials:\n      read: {" + name + ": AKIA123}\n"))
		if plain != (err == nil) {
			t.Errorf("%s in plain: %v", name, err)
		}
	}
	if _, err := ParseConfig([]byte("slack: {bot_token: regions}\n")); err == nil {
		t.Error("a token in plain was taken")
	}
}
