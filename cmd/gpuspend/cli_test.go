//go:build !nodemo

package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"gpuspend/storage"
)

// runs is the program with arguments: exit code, standard output, standard error.
func runs(t *testing.T, args ...string) (int, string, string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// invocation is one line typed into a shell and what comes of it.
type invocation struct {
	args []string
	code int
	out  string // is in standard output
	err  string // is in standard error
}

func (i invocation) check(t *testing.T) {
	t.Helper()
	code, out, errs := runs(t, i.args...)
	if code != i.code {
		t.Errorf("%q ends with %d, want %d\n%s%s", i.args, code, i.code, out, errs)
	}
	if !strings.Contains(out, i.out) || !strings.Contains(errs, i.err) {
		t.Errorf("%q says\n%s\nand in error\n%s\nwant %q and %q", i.args, out, errs, i.out, i.err)
	}
	if i.code != exitOK && errs == "" && out == "" {
		t.Errorf("%q fails without a word", i.args)
	}
	if n := strings.Count(strings.TrimSpace(errs), "\n") + 1; i.code == exitWords && n > 6 {
		t.Errorf("%q answers with %d lines of error:\n%s", i.args, n, errs)
	}
	for _, leak := range []string{"goroutine ", "panic:", "SQL logic", "sqlite3:"} {
		if strings.Contains(out+errs, leak) {
			t.Errorf("%q shows %q:\n%s%s", i.args, leak, out, errs)
		}
	}
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// emptyStore is a store in which nothing has been kept.
func emptyStore(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "empty.db")
	db, err := storage.Open(t.Context(), file, storage.Options{Now: storyAt, Wall: storyAt})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// The commands themselves: exit codes and sentences.
func TestCommandLine(t *testing.T) {
	empty, missing := emptyStore(t), filepath.Join(t.TempDir(), "missing.db")
	t.Setenv("CLI_KEY", "k")
	good := written(t, "good.yaml", "store: "+empty+"\naccounts:\n  - {name: a, provider: runpod, credentials: {read: {api_key: '${CLI_KEY}'}}}\n")
	bad := written(t, "bad.yaml", "zone: Mars\nacounts: []\n")
	worse := written(t, "worse.yaml", "accounts: [\n")
	unsound := written(t, "unsound.yaml", `accounts:
  - {name: a, provider: runpod, proxy: "no proxy at all", credentials: {read: {api_key: '${CLI_KEY}'}}}
  - {name: b, provider: runpod, ca_file: /no/such/ca.pem, credentials: {read: {api_key: '${CLI_KEY}'}}}
`)
	foreign := written(t, "foreign.db", strings.Repeat("this is no database ", 100))
	for name, i := range map[string]invocation{
		"version":          {[]string{"version"}, exitOK, "gpuspend ", ""},
		"help":             {[]string{"help"}, exitOK, "gpuspend demo", ""},
		"no command":       {[]string{}, exitOK, "Available Commands", ""},
		"help of one":      {[]string{"ask", "--help"}, exitOK, "Exit codes:", ""},
		"mistyped command": {[]string{"serv"}, exitWords, "", "serve"},
		"unknown command":  {[]string{"frobnicate"}, exitWords, "", "frobnicate"},
		"unknown import":   {[]string{"import", "fokus"}, exitWords, "", "focus"},
		"unknown flag":     {[]string{"ask", "--dmeo", "status"}, exitWords, "", "--dmeo"},
		"too much":         {[]string{"version", "now"}, exitWords, "", "now"},
		"no source":        {[]string{"ask", "status"}, exitWords, "", "demo db config"},
		"two sources":      {[]string{"ask", "--demo", "--db", empty, "status"}, exitWords, "", "demo"},
		"serve of nothing": {[]string{"serve"}, exitWords, "", "config"},
		"check good":       {[]string{"check", "--config", good}, exitOK, "is good: 1 accounts", ""},
		"check bad":        {[]string{"check", "--config", bad}, exitFailed, "did you mean accounts?", "3 errors"},
		"check worse":      {[]string{"check", "--config", worse}, exitFailed, "", "read the configuration"},
		"check proxy":      {[]string{"check", "--config", unsound}, exitFailed, "accounts[0].proxy", ""},
		"check ca file":    {[]string{"check", "--config", unsound}, exitFailed, "accounts[1].ca_file", ""},
		"check listed":     {[]string{"check", "--config", written(t, "list.yaml", "slack: {bot_token: ['${CLI_KEY}']}\n")}, exitFailed, "slack.bot_token", ""},
		"check nothing":    {[]string{"check", "--config", missing}, exitFailed, "", "missing.db"},
		"once bad":         {[]string{"once", "--config", bad}, exitFailed, "", "did you mean accounts?"},
		"serve bad":        {[]string{"serve", "--config", bad}, exitFailed, "", "did you mean accounts?"},
		"import nothing":   {[]string{"import", "focus", "--db", missing, "--account", "x"}, exitWords, "", ""},
		"demo speed":       {[]string{"demo", "--speed", "0"}, exitWords, "", "--speed"},
		"demo address":     {[]string{"demo", "--addr", "256.0.0.1:http"}, exitFailed, "", "--addr"},
		"ask missing":      {[]string{"ask", "--db", missing, "status"}, exitFailed, "", "missing.db"},
		"ask foreign":      {[]string{"ask", "--db", foreign, "status"}, exitFailed, "", "foreign.db"},
		"ask folder":       {[]string{"ask", "--db", t.TempDir(), "status"}, exitFailed, "", "gpuspend"},
		"ask empty":        {[]string{"ask", "--db", empty, "status"}, exitFailed, "Nothing has been stored yet", ""},
		"ask empty cost":   {[]string{"ask", "--db", empty, "cost"}, exitFailed, "Nothing has been stored yet", ""},
		"ask empty zh":     {[]string{"ask", "--db", empty, "--lang", "zh", "余额"}, exitFailed, "。", ""},
		"ask config":       {[]string{"ask", "--config", good, "list"}, exitFailed, "Nothing has been stored yet", ""},
		"ask tz":           {[]string{"ask", "--db", empty, "--tz", "Mars/Olympus", "status"}, exitWords, "", "--tz"},
		"ask tz local":     {[]string{"ask", "--db", empty, "--tz", "Local", "status"}, exitWords, "", "machine's"},
		"ask lang":         {[]string{"ask", "--db", empty, "--lang", "fr", "status"}, exitWords, "", "--lang"},
		"ask now":          {[]string{"ask", "--db", empty, "--now", "yesterday", "status"}, exitWords, "", "--now"},
		"ask mistyped":     {[]string{"ask", "--db", empty, "cots", "month"}, exitWords, "", "cost month"},
	} {
		t.Run(name, i.check)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("asking a store that is not there made one")
	}
}

// demoStoreFile is a store in which the demo has lived, read by nobody else.
func demoStoreFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "asked.db")
	d, err := newDemo(t.Context(), file, Options{Log: slog.New(slog.DiscardHandler)}, &demoClock{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// What people type at three in the morning, and what somebody types who means harm.
func TestAskAnswersWhateverIsTyped(t *testing.T) {
	db := demoStoreFile(t)
	before, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(words ...string) []string {
		return append([]string{"ask", "--db", db, "--now", "2026-12-02T09:57:00+08:00", "--tz", "Asia/Shanghai"}, words...)
	}
	for name, i := range map[string]invocation{
		"good":            {ask("balance"), exitOK, "compute-c", ""},
		"one line":        {ask("cost month by provider"), exitOK, "Cloud A", ""},
		"shouted":         {ask("STATUS"), exitOK, "compute-c", ""},
		"slash kept":      {ask("/gpu balance"), exitOK, "compute-c", ""},
		"chinese":         {ask("--lang", "zh", "余额"), exitOK, "余额", ""},
		"swapped letters": {ask("statsu"), exitWords, "", "Did you mean: status"},
		"two in one":      {ask("cost", "mnoth"), exitWords, "", "cost month"},
		"wrong cut":       {ask("cost", "month", "by", "povider"), exitWords, "", "cost month by provider"},
		"impossible day":  {ask("cost", "2026-02-30"), exitWords, "", "2026-02-30"},
		"backwards":       {ask("cost", "2026-11-30..2026-11-01"), exitWords, "", "2026-11-30"},
		"far away":        {ask("cost", "0001-01-01..9999-12-31"), exitOK, "Cloud A", ""},
		"plea":            {ask("why", "is", "it", "so", "expensive"), exitWords, "", "why"},
		"release nothing": {ask("release"), exitWords, "", "handle"},
		"release unknown": {ask("release", "r-0000"), exitWords, "", "r-0000"},
		"keep for ever":   {ask("keep", "r-0000", "until", "doomsday"), exitWords, "", ""},
		"nobody":          {ask("--as", "U0NOBODY", "status"), exitFailed, "", ""},
		"markup":          {ask("<!channel> *bold* `x` <http://evil|click> &amp;"), exitWords, "", ""},
		"very long":       {ask(strings.Repeat("x", 100_000)), exitWords, "", ""},
		"long mistake":    {ask(append([]string{"cots"}, strings.Split(strings.Repeat("month ", 5000), " ")...)...), exitWords, "", "cots"},
		"very many":       {ask(strings.Split(strings.Repeat("by ", 5000), " ")...), exitWords, "", ""},
		"control":         {ask("\x1b[2J\x1b]0;owned\x07\r\x00status"), exitWords, "", ""},
		"no text":         {ask("\xff\xfe\xfd"), exitWords, "", ""},
		"turned around":   {ask("\u202etsoc\u202c"), exitWords, "", ""},
		"injection":       {ask("list", "'; DROP TABLE charges; --"), exitWords, "", ""},
		"path":            {ask("balance", "../../etc/passwd"), exitWords, "", ""},
		"template":        {ask("{{.word}}", "%s%n%x"), exitWords, "", ""},
		"emoji":           {ask("💸"), exitWords, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			i.check(t)
			_, out, errs := runs(t, i.args...)
			if !utf8.ValidString(out + errs) {
				t.Errorf("the answer is no UTF-8: %q", out+errs)
			}
			if strings.ContainsAny(out+errs, "\x1b\x07\x00\r\u202e") {
				t.Errorf("the answer lets control characters through: %q", out+errs)
			}
			if len(out+errs) > 10_000 {
				t.Errorf("the answer has %d bytes", len(out+errs))
			}
		})
	}
	after, err := os.ReadFile(db)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("asking changed the store (%v)", err)
	}
}

// The documented form of --json holds for answers and for refusals to answer.
func TestAskJSON(t *testing.T) {
	code, out, _ := runs(t, "ask", "--db", emptyStore(t), "--json", "status")
	var got map[string]json.RawMessage
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitFailed {
		t.Fatalf("%d, %v: %s", code, err, out)
	}
	for _, key := range []string{"command", "as_of", "timezone", "text", "blocks", "data", "warnings"} {
		if _, there := got[key]; !there {
			t.Errorf("%s is missing in %s", key, out)
		}
	}
	if string(got["timezone"]) != `"UTC"` || string(got["warnings"]) == "null" || string(got["as_of"]) != "null" {
		t.Errorf("an empty store answers %s", out)
	}
}
