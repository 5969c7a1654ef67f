package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/providers"
	"gpuspend/billing/release"
	"gpuspend/bot"
	"gpuspend/notify"
)

// An account that is added is read, one that is removed is not read any more, and neither needs a restart.
func TestApplyChangesAccounts(t *testing.T) {
	c := Config{Accounts: toyAccounts("a")}
	r := newRig(t, c)
	c.Store = r.store
	if err := r.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Accounts = toyAccounts("a", "b")
	if err := r.Apply(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := r.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.cloud.readsOf("b") == 0 {
		t.Error("b was added and not read")
	}
	before := r.cloud.readsOf("a")
	c.Accounts = toyAccounts("b")
	if err := r.Apply(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := r.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := r.cloud.readsOf("a"); n != before {
		t.Errorf("a was removed and read %d more times", n-before)
	}
	r.at = r.at.Add(2 * pollsDeaf)
	if err := r.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code, body := health(r.App); code != 200 {
		t.Errorf("an account that was removed turns /healthz red: %d %s", code, body)
	}
}

// Who may release follows the configuration at once.
func TestApplyChangesOperators(t *testing.T) {
	c := Config{Accounts: toyAccounts("a"), Slack: SlackConfig{Team: "T1"}, Releases: ReleasesConfig{Operators: []string{"U1"}}}
	c.Accounts[0].Release = "allow"
	r := newRig(t, c)
	c.Store = r.store
	id := r.present.Load().accounts[0].ID
	may := func(user string) bool {
		return r.mayAct(release.Person{ID: user, Team: "T1"}, billing.Holding{Account: id}, billing.VerbDelete)
	}
	role := func(user string) bot.Role {
		return r.Desk().Roles.Of(bot.Person{ID: user, Team: "T1", Standing: bot.Member}, bot.Place{})
	}
	if !may("U1") || may("U2") {
		t.Fatal("before: U1 alone may release")
	}
	c.Releases.Operators = []string{"U2"}
	if err := r.Apply(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if may("U1") || !may("U2") || role("U1") != bot.Nobody || role("U2") != bot.Operator {
		t.Errorf("after: U1 %t %d, U2 %t %d", may("U1"), role("U1"), may("U2"), role("U2"))
	}
	c.Accounts = toyAccounts("a") // the very slice that the program holds must not change under it
	if err := r.Apply(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if may("U2") {
		t.Error("the account does not allow releases any more, and U2 may still release there")
	}
	if _, err := r.OpenForRelease(t.Context(), id); billing.KindOf(err) != billing.Denied {
		t.Errorf("a read-only account was opened for release: %v", err)
	}
}

// What needs a restart is refused with a sentence, and so is what can't work; then nothing of the rest is taken over.
func TestApplyRefusesWhole(t *testing.T) {
	for name, change := range map[string]struct {
		to   func(c *Config)
		want string
	}{
		"store":   {func(c *Config) { c.Store += ".other" }, "store"},
		"slack":   {func(c *Config) { c.Slack.BotToken = SecretConfig{Env: "OTHER"} }, "slack"},
		"listen":  {func(c *Config) { c.Listen = "127.0.0.1:1" }, "listen"},
		"cloud":   {func(c *Config) { c.Accounts[1].Provider = "tyo" }, `"tyo" is no cloud`},
		"address": {func(c *Config) { c.Accounts[1].BaseURL = "wrong" }, "account b"},
		"no key": {func(c *Config) {
			c.Accounts[1].Credentials.Read = map[string]SecretConfig{"api_key": {Env: "NO_SUCH_ENV"}}
		}, "NO_SUCH_ENV"},
		"bad zone": {func(c *Config) { c.Zone = "Mars/Olympus" }, "Mars/Olympus"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Config{Accounts: toyAccounts("a")})
			before := r.present.Load()
			c := Config{Store: r.store, Accounts: toyAccounts("a", "b"), Releases: ReleasesConfig{Operators: []string{"U1"}}}
			change.to(&c)
			err := r.Apply(t.Context(), c)
			if err == nil || !strings.Contains(err.Error(), change.want) {
				t.Fatalf("got %v, want something about %s", err, change.want)
			}
			if r.present.Load() != before {
				t.Error("the present was replaced all the same")
			}
			if r.holds(t, "b") {
				t.Error("the refused account is in the store")
			}
			if err := r.Poll(t.Context()); err != nil {
				t.Errorf("the old configuration does not go on: %v", err)
			}
		})
	}
}

// One account's failure never stops another.
func TestOneAccountFailsAlone(t *testing.T) {
	r := newRig(t, Config{Accounts: toyAccounts("a", "b", "c")})
	r.cloud.refuse("a", true)
	err := r.Poll(t.Context())
	if billing.KindOf(err) != billing.Auth || !strings.Contains(err.Error(), "toy: read a") {
		t.Errorf("the poll says %v", err)
	}
	v, err := r.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range v.Accounts {
		want := map[bool]string{true: "500", false: ""}[a.Name != "a"]
		got := ""
		if a.Balance.Cash.Known() {
			got = "500"
		}
		if got != want || (len(a.Holdings) == 1) != (a.Name != "a") {
			t.Errorf("%s: balance %q, %d things", a.Name, got, len(a.Holdings))
		}
	}
	r.cloud.refuse("a", false)
	if err := r.Poll(t.Context()); err != nil {
		t.Errorf("after the key was mended: %v", err)
	}
}

func health(a *App) (int, string) {
	w := httptest.NewRecorder()
	a.routes().ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
	return w.Code, w.Body.String()
}

// /healthz gives the first reading some minutes, is red when it does not come, green while readings are fresh, and red with the account's name when not.
func TestHealthFollowsReadings(t *testing.T) {
	r := newRig(t, Config{Accounts: toyAccounts("a", "b")})
	if code, body := health(r.App); code != 200 {
		t.Errorf("at the start: %d %s", code, body)
	}
	r.at = r.at.Add(firstPoll + time.Second)
	if code, body := health(r.App); code != 503 || !strings.Contains(body, "account a has not been read yet") {
		t.Errorf("when the first reading does not come: %d %s", code, body)
	}
	if err := r.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code, body := health(r.App); code != 200 || body != "ok\n" {
		t.Errorf("after it: %d %s", code, body)
	}
	r.at = r.at.Add(pollsDeaf + time.Minute)
	r.cloud.refuse("b", true)
	_ = r.Poll(t.Context()) // fails for b, which is what is tested
	code, body := health(r.App)
	if d := cmp.Diff("account b was not read for 1h0m0s\n", body); code != 503 || d != "" {
		t.Errorf("with b deaf: %d\n%s", code, d)
	}
}

// A letter that is tried again and again, as while Slack is down, turns /healthz red though its next try is never far.
func TestHealthFollowsTheOutbox(t *testing.T) {
	r := newRig(t, Config{Accounts: toyAccounts("a")})
	if err := r.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	later := notify.Letter{Route: notify.Route{Name: "x"}, CreatedAt: r.at, TryAt: r.at.Add(30 * time.Minute)} // meant for later
	tried := notify.Letter{Route: notify.Route{Name: "x"}, CreatedAt: r.at, TryAt: r.at.Add(12 * time.Minute), Tries: 5}
	if err := r.db.Commit(t.Context(), nil, []notify.Letter{later, tried}); err != nil {
		t.Fatal(err)
	}
	if code, body := health(r.App); code != 200 {
		t.Errorf("at once: %d %s", code, body)
	}
	r.at = r.at.Add(outboxDeaf + time.Minute)
	if code, body := health(r.App); code != 503 || body != "1 messages wait for more than 10m0s\n" {
		t.Errorf("after a while: %d %s", code, body)
	}
}

// reloadConfig is a file that check finds good: reloads reads through the real table of clouds, which calls nobody.
func reloadConfig(t *testing.T, store, operators string) string {
	t.Helper()
	dir := filepath.Dir(store)
	key := filepath.Join(dir, "key")
	if err := os.WriteFile(key, []byte("k\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("store: %s\naccounts:\n  - name: a\n    provider: runpod\n    credentials: {read: {api_key: {file: %s}}}\nreleases: {operators: [%s]}\n",
		store, key, operators)
}

// SIGHUP takes over a good file; a wrong one changes nothing and says so in the log.
func TestReloadsAtSignal(t *testing.T) {
	store := filepath.Join(t.TempDir(), "reload.db")
	file := filepath.Join(filepath.Dir(store), "gpuspend.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(reloadConfig(t, store, "U1"))
	c, err := readChecked(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	log := &logged{}
	a, err := New(t.Context(), Options{Config: c, Drivers: providers.All(), Now: time.Now, Log: log.logger()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	hup := make(chan os.Signal) // unbuffered: the second is taken only when the first was worked off
	done := make(chan struct{})
	go func() { defer close(done); a.reloads(ctx, file, hup) }()
	signal := func() { hup <- syscall.SIGHUP; hup <- syscall.SIGHUP }
	operators := func() []string { return a.present.Load().config.Releases.Operators }

	write(reloadConfig(t, store, "U2"))
	signal()
	if d := cmp.Diff([]string{"U2"}, operators()); d != "" {
		t.Errorf("a good file: %s", d)
	}
	write(strings.ReplaceAll(reloadConfig(t, store, "U3"), "provider: runpod", "provider: runpdo"))
	signal()
	if d := cmp.Diff([]string{"U2"}, operators()); d != "" {
		t.Errorf("a wrong file: %s", d)
	}
	if s := log.String(); !strings.Contains(s, "configuration not taken over") || !strings.Contains(s, "did you mean runpod?") {
		t.Errorf("the log does not say why: %s", s)
	}
	stop()
	<-done
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
