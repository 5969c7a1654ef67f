//go:build !nodemo

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Reading errors and value errors of one file are said together, each once.
func TestCheckSaysBothKindsAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := "langauge: en\nzone: Mars/Base\nlisten: nonsense\nstore: /no/such/folder/x.db\nhours: {start: \"25:00\", days: [funday]}\n" +
		"accounts:\n  - {name: a, provider: runpdo, poll: {balance: 90}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := readAndCheck(t.Context(), file)
	if err == nil {
		t.Fatal("a wrong file is good")
	}
	for _, want := range []string{"langauge: unknown key", "zone: ", "listen: ", "store: there is no folder", "hours.start: ", "hours.days: ",
		"accounts[0].provider: ", "accounts[0].poll.balance: "} {
		if strings.Count(err.Error(), want) != 1 {
			t.Errorf("%q is said %d times in\n%s", want, strings.Count(err.Error(), want), err)
		}
	}
}

func TestOneProgramPerStore(t *testing.T) {
	store := filepath.Join(t.TempDir(), "x.db")
	unlock, err := lockStore(store)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockStore(store); err == nil || !strings.Contains(err.Error(), "one store has one") {
		t.Errorf("a second program got %v", err)
	}
	unlock()
	again, err := lockStore(store)
	if err != nil {
		t.Fatalf("after the first ended: %v", err)
	}
	again()
}

func TestSecretsThatAreNone(t *testing.T) {
	dir := t.TempDir()
	long, lines := filepath.Join(dir, "long"), filepath.Join(dir, "lines")
	if err := os.WriteFile(long, bytes.Repeat([]byte("k"), secretMost+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lines, []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range []SecretConfig{{File: "/dev/zero"}, {File: dir}, {File: long}, {File: lines}, {Exec: "printf 'a\\nb'"}} {
		if got, err := s.Reveal(t.Context()); err == nil || !got.Empty() {
			t.Errorf("%+v was taken for a secret", s)
		}
	}
}

// With --demo words act, in a world that ends with the answer; as somebody, they are answered as Slack would answer him.
func TestAskDemoActsAndKnowsItsPeople(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"keep", "ds-imagenet-old", "until", "30d", "because", "paper"}, exitOK, "is kept"},
		{[]string{"release", "ds-imagenet-old"}, exitOK, "Delete now"},
		{[]string{"--as", "U0GUEST", "status"}, exitFailed, "Guests"},
		{[]string{"--as", demoViewer, "status"}, exitOK, "compute-c"},
		{[]string{"--as", "U0NOBODY", "status"}, exitFailed, ""},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), append([]string{"ask", "--demo"}, c.args...), nil, &out, &errs); code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%v: code %d, %s%s", c.args, code, out.String(), errs.String())
		}
	}
}

func TestDemoRefusesNonsense(t *testing.T) {
	for _, args := range [][]string{{"--speed", "NaN"}, {"--speed", "-1"}, {"--addr", ""}, {"--addr", ":8080"}, {"--addr", "nonsense"}} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), append([]string{"demo"}, args...), nil, &out, &errs); code != exitWords || errs.Len() == 0 {
			t.Errorf("%v: code %d, %s", args, code, errs.String())
		}
	}
}

func TestErrorsNameTheirAccountOnce(t *testing.T) {
	err := named("main", errors.Join(errors.New("down"), errors.New("down"), errors.New("denied")))
	if err.Error() != "account main: down\naccount main: denied" {
		t.Errorf("got %q", err)
	}
}
