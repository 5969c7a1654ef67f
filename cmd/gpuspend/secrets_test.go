//go:build !nodemo

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"gpuspend/billing"
	"gpuspend/billing/providers"
	"gpuspend/bot/localslack"
	"gpuspend/notify"
)

// The canaries. Wherever one of them turns up, a secret has leaked.
const (
	canaryRead    = "rpa_CANARYREADCANARYREAD0123456789"
	canaryRelease = "rpa_CANARYRELEASECANARY9876543210"
	canaryBot     = "xoxb-canary-1111-2222"
	canaryApp     = "xapp-canary-3333-4444"
	canarySigning = "canary55667788signing"
	canaryPod     = "hf_CANARYOFAPOD0123456789" // in the environment of somebody's pod
)

func canaries() []string {
	return []string{canaryRead, canaryRelease, canaryBot, canaryApp, canarySigning, canaryPod}
}

// noCanary looks for secrets in whatever people or disks get to see.
func noCanary(t *testing.T, where string, text []byte) {
	t.Helper()
	for _, c := range canaries() {
		if i := bytes.Index(text, []byte(c)); i >= 0 {
			t.Errorf("%s holds %s: …%q…", where, c, text[max(0, i-80):min(len(text), i+len(c)+20)])
		}
	}
}

// parrot is a RunPod that says back what it was sent: in bodies, in headers, in the wrong places of good answers.
type parrot struct {
	mu   sync.Mutex
	mode string
	seen map[string]bool // Authorization headers that came
}

func (p *parrot) be(mode string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = mode
}

func (p *parrot) heard(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen["Bearer "+key]
}

func (p *parrot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	mode, auth := p.mode, r.Header.Get("Authorization")
	p.seen[auth] = true
	p.mu.Unlock()
	if mode == "no bill" && strings.HasPrefix(r.URL.Path, "/v2/billing/") && r.URL.Path != "/v2/billing/balance" {
		mode = "403"
	}
	write := r.Method != http.MethodGet && r.URL.Path != "/graphql"
	if refuse, ok := strings.CutPrefix(mode, "write-"); ok {
		mode = ""
		if write {
			mode = refuse
		}
	}
	if _, err := fmt.Sscan(mode, new(int)); err == nil {
		var code int
		_, _ = fmt.Sscan(mode, &code)
		w.Header().Set("Content-Type", `text/plain; you="`+auth+`"`)
		w.Header().Set("Location", "http://elsewhere.test/?key="+strings.TrimPrefix(auth, "Bearer "))
		w.Header().Set("Retry-After", auth)
		w.Header().Set("X-Request-Id", auth)
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, "you sent Authorization: %s and may not", auth)
		return
	}
	switch mode {
	case "garbage":
		_, _ = fmt.Fprintf(w, "%s {not JSON", auth)
	case "types":
		q, _ := json.Marshal(auth)
		_, _ = fmt.Fprintf(w, `{"pods":%[1]s,"networkVolumes":%[1]s,"endpoints":%[1]s,"records":%[1]s,"gpus":%[1]s,"balanceAmount":%[1]s,"data":%[1]s}`, q)
	case "page":
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, "<html><body>you sent %s</body></html>", auth)
	case "cut":
		w.Header().Set("Content-Length", "9999")
		_, _ = fmt.Fprintf(w, `{"pods":[{"id":"%s`, auth)
	default:
		p.good(w, r)
	}
}

func (p *parrot) good(w http.ResponseWriter, r *http.Request) {
	pod := `{"id":"pod-1","name":"train-1","status":"RUNNING","cost":5.38,"disk":50,"actions":["stop","terminate"],"mounts":{"persistent":{"size":100}},
		"gpu":{"id":"NVIDIA H100 80GB HBM3","count":2},"cloud":"SECURE","dataCenterId":"US-KS-2","createdAt":"1999-12-01T00:00:00Z","startedAt":"1999-12-01T00:02:00Z",
		"env":{"HF_TOKEN":"` + canaryPod + `"},"args":"--token ` + canaryPod + `","ssh":{"proxy":{"command":"ssh ` + canaryPod + `"}}}`
	answer := map[string]string{
		"/graphql": `{"data":{"myself":{"id":"user_1","clientBalance":42.5}}}`, "/v2/billing/balance": `{"balanceAmount":42.5,"billingMode":"PREPAID"}`,
		"/v2/pods": `{"pods":[` + pod + `]}`, "/v2/pods/pod-1": pod, "/v2/network-volumes": `{"networkVolumes":[]}`, "/v2/serverless": `{"endpoints":[]}`,
		"/v2/catalog/gpus": `{"gpus":[]}`, "/v2/clusters": `{"clusters":[]}`}[r.URL.Path]
	switch {
	case answer == "" && strings.HasPrefix(r.URL.Path, "/v2/billing/"):
		answer = `{"records":[]}`
	case answer == "":
		w.WriteHeader(http.StatusNotFound)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, answer)
}

// parrotDoor stands between the program and its Slack and says back what it was sent, when it is told to.
type parrotDoor struct {
	next http.RoundTripper
	mu   sync.Mutex
	mode string
}

func (d *parrotDoor) be(mode string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mode = mode
}

// RoundTrip passes a request on, or answers it as a broken proxy would.
func (d *parrotDoor) RoundTrip(r *http.Request) (*http.Response, error) {
	d.mu.Lock()
	mode := d.mode
	d.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	said := fmt.Sprintf("<html>you sent %s with %s</html>", r.Header.Get("Authorization"), body)
	code := map[string]int{"page": 200, "500": 500, "403": 403}[mode]
	if code == 0 {
		r.Body = io.NopCloser(bytes.NewReader(body))
		return d.next.RoundTrip(r)
	}
	return &http.Response{StatusCode: code, Status: http.StatusText(code) + " " + r.Header.Get("Authorization"), Header: http.Header{"Content-Type": {"text/html"}},
		Body: io.NopCloser(strings.NewReader(said)), Request: r}, nil
}

// aviary is the whole program in a bubble with a cloud and a Slack that say back what they hear.
type aviary struct {
	*App
	cloud *parrot
	door  *parrotDoor
	slack *localslack.Workspace
	log   *logged
	store string
	said  bytes.Buffer // texts of errors
}

// caged leads RunPod's driver to the parrot, and gives the key of the account "loose" to a provider that panics with it.
func caged(cloud *parrot) billing.Driver {
	d := providers.All()[slices.IndexFunc(providers.All(), func(d billing.Driver) bool { return d.Name == "runpod" })]
	open := d.Open
	d.Open = func(c billing.Config, e billing.Env) (billing.Provider, error) {
		if c.Account == "loose" {
			return loose{c.Fields["api_key"]}, nil
		}
		e.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			cloud.ServeHTTP(w, r)
			return w.Result(), nil
		})
		return open(c, e)
	}
	return d
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// loose is a cloud whose driver has a bug: it panics with its key in its mouth.
type loose struct{ key billing.Secret }

func (l loose) Scopes(context.Context) ([]billing.Scope, error) { panic(l.key.Reveal()) }

func (l loose) Resources(context.Context, billing.Scope) iter.Seq2[billing.Resource, error] {
	panic(errors.New(l.key.Reveal()))
}

func openAviary(t *testing.T, ctx context.Context) *aviary {
	t.Helper()
	v := &aviary{cloud: &parrot{seen: map[string]bool{}}, log: &logged{}, store: filepath.Join(t.TempDir(), "leak.db")}
	v.slack = localslack.New(localslack.Options{TeamID: "T0LOCAL", BotToken: canaryBot, AppToken: canaryApp, Ping: 20 * time.Second,
		People:   []localslack.Person{{ID: "U0OP", Name: "ana", Locale: "en-GB"}},
		Channels: []localslack.Channel{{ID: "C0OPS", Name: "ops"}}})
	pipe := localslack.NewPipeListener()
	network := &http.Transport{DialContext: pipe.Dial}
	v.door = &parrotDoor{next: network}
	key := func(name string) map[string]SecretConfig { return map[string]SecretConfig{"api_key": {Env: name}} }
	c := Config{Store: v.store, Slack: SlackConfig{Team: "T0LOCAL"}, Routes: []RouteConfig{{To: "slack:C0OPS"}},
		Releases: ReleasesConfig{Operators: []string{"U0OP"}}, Rules: RulesConfig{Balance: BalanceRule{Floors: map[string]billing.Decimal{"main": decimal(t, "1000")}}},
		Accounts: []AccountConfig{
			{Name: "main", Provider: "runpod", Release: "allow", Credentials: CredentialsConfig{Read: key("CANARY_READ"), Release: key("CANARY_RELEASE")}},
			{Name: "loose", Provider: "runpod", Credentials: CredentialsConfig{Read: key("CANARY_READ")}}}}
	var err error
	v.App, err = New(ctx, Options{Config: c, Drivers: []billing.Driver{caged(v.cloud)}, Now: time.Now, Log: v.log.logger(),
		Slack: SlackDoor{Bot: billing.NewSecret(canaryBot), App: billing.NewSecret(canaryApp), Signing: billing.NewSecret(canarySigning),
			APIURL: "http://slack.test/api/", Client: &http.Client{Transport: v.door, Timeout: 20 * time.Second},
			Dialer: &websocket.Dialer{NetDialContext: pipe.Dial, HandshakeTimeout: 10 * time.Second}}})
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		if err := v.slack.Serve(ctx, pipe); err != nil {
			t.Errorf("workspace: %v", err)
		}
	})
	running.Go(func() {
		if err := v.Run(ctx); err != nil {
			t.Errorf("run: %v", err)
		}
	})
	t.Cleanup(func() { // the bubble's context has ended by now
		running.Wait()
		network.CloseIdleConnections()
		_ = v.Close() // the test has closed it, unless it failed
	})
	v.until(t, "the link", func() bool { return v.slack.Links() > 0 })
	return v
}

func decimal(t *testing.T, s string) billing.Decimal {
	t.Helper()
	d, err := billing.ParseDecimal(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (v *aviary) until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
	defer cancel()
	if err := v.slack.Wait(ctx, cond); err != nil {
		t.Fatalf("%s was not seen\n%s", what, v.log)
	}
}

// hears keeps what an error says.
func (v *aviary) hears(err error) {
	if err != nil {
		_, _ = fmt.Fprintf(&v.said, "%v | %+v | %#v\n", err, err, err)
		_, _ = fmt.Fprintln(&v.said, v.words.For("en", nil, time.Now()).Say(billing.SayOf(err)))
	}
}

// asks types a line and waits for its answer.
func (v *aviary) asks(t *testing.T, line string) {
	t.Helper()
	n := len(v.slack.Messages("C0OPS"))
	if err := v.slack.Command(t.Context(), "U0OP", "C0OPS", line); err != nil {
		t.Fatal(err)
	}
	v.until(t, "an answer to "+line, func() bool { return len(v.slack.Messages("C0OPS")) > n })
}

// releases opens the form of the pod, sends it back, and waits for the action to end.
func (v *aviary) releases(t *testing.T, want string) {
	t.Helper()
	view, err := v.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	handle := view.Accounts[0].Holdings[0].Handle
	if err := v.slack.Command(t.Context(), "U0OP", "C0OPS", "/gpu release "+handle); err != nil {
		t.Fatal(err)
	}
	v.until(t, "the form", func() bool { return len(v.slack.Views("U0OP")) > 0 })
	form := v.slack.Views("U0OP")[0]
	noCanary(t, "a form", form.JSON)
	reply, err := v.slack.Submit(t.Context(), "U0OP", form.ID, nil)
	if err != nil || reply.Action == "errors" {
		t.Fatalf("the form was not taken: %+v, %v\n%s", reply, err, v.log)
	}
	v.until(t, want, func() bool {
		return slices.ContainsFunc(v.slack.Messages("C0OPS"), func(m localslack.Message) bool { return strings.Contains(m.Text, want) })
	})
}

// seen is everything in the workspace.
func (v *aviary) seen() []byte {
	var b bytes.Buffer
	for _, channel := range []string{"C0OPS", v.slack.OpenDM("U0OP")} {
		for _, m := range v.slack.Messages(channel) {
			_ = json.NewEncoder(&b).Encode(m)
		}
	}
	for _, f := range v.slack.Views("U0OP") {
		b.Write(f.JSON)
		b.WriteString(f.PrivateMetadata)
	}
	for _, a := range v.slack.Acks() {
		_, _ = fmt.Fprintf(&b, "%+v", a)
	}
	return b.Bytes()
}

// onDisk is every byte of the store, with its log beside it.
func (v *aviary) onDisk(t *testing.T) []byte {
	t.Helper()
	files, err := filepath.Glob(v.store + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no store: %v", err)
	}
	var all []byte
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// No secret comes out, whatever clouds, proxies and our own bugs do with it.
func TestNoSecretComesOut(t *testing.T) {
	t.Setenv("CANARY_READ", canaryRead)
	t.Setenv("CANARY_RELEASE", canaryRelease)
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		v := openAviary(t, ctx)
		v.hears(v.Poll(ctx))
		v.hears(v.Deliver(ctx))
		for _, line := range []string{"/gpu status", "/gpu balance", "/gpu cost month by resource", "/gpu list", "/gpu forgotten", "/gpu " + strings.Repeat("x", 50)} {
			v.asks(t, line)
		}
		v.cloud.be("write-403")
		v.releases(t, "not stopped")
		if !v.cloud.heard(canaryRead) || !v.cloud.heard(canaryRelease) {
			t.Fatal("the cloud was not asked with both keys: this test tests nothing")
		}
		v.parrots(t, ctx)
		v.brokenSlack(t, ctx)
		v.panics(t)
		v.strangers(t)
		time.Sleep(2 * time.Hour) // schedules, retries, the outbox: everything runs with what went wrong
		noCanary(t, "the store in use", v.onDisk(t))
		stop()
		time.Sleep(time.Minute)
		v.hears(v.Close())
		noCanary(t, "the store", v.onDisk(t))
		noCanary(t, "the log", []byte(v.log.String()))
		noCanary(t, "Slack", v.seen())
		noCanary(t, "an error", v.said.Bytes())
		if !bytes.Contains(v.onDisk(t), []byte("train-1")) || !bytes.Contains(v.seen(), []byte("train-1")) || v.said.Len() == 0 || !strings.Contains(v.log.String(), "excerpt") {
			t.Error("nothing was written, said or logged: this test tests nothing")
		}
	})
}

// parrots lets the cloud say back its keys in every way a cloud or a proxy may.
func (v *aviary) parrots(t *testing.T, ctx context.Context) {
	t.Helper()
	for _, mode := range []string{"401", "403", "404", "409", "429", "500", "302", "garbage", "types", "page", "cut"} {
		v.cloud.be(mode)
		err := v.Poll(ctx)
		if err == nil {
			t.Errorf("%s: the poll says nothing", mode)
		}
		v.hears(err)
		view, err := v.Look(ctx)
		v.hears(err)
		for _, h := range view.Accounts[0].Holdings {
			provider, err := v.OpenForRelease(ctx, h.Account)
			v.hears(err)
			act := billing.Act{Verb: billing.VerbStop, Ref: h.Ref}
			_, err = provider.(billing.Stopper).Stop(ctx, act)
			v.hears(err)
			_, err = provider.(billing.Releaser).Release(ctx, act)
			v.hears(err)
		}
		v.hears(v.Deliver(ctx))
		v.asks(t, "/gpu status")
	}
	v.cloud.be("")
}

// brokenSlack lets a proxy say back what Slack was sent.
func (v *aviary) brokenSlack(t *testing.T, ctx context.Context) {
	t.Helper()
	for _, mode := range []string{"page", "500", "403"} {
		v.door.be(mode)
		_, err := v.chat.Identity(ctx)
		if err == nil {
			t.Errorf("%s: Slack seems well", mode)
		}
		v.hears(err)
		_, err = v.chat.Receiver().Deliver(ctx, notify.Letter{Route: notify.Route{Target: "C0OPS"}, Message: notify.Message{Push: "x", Blocks: []notify.Block{notify.Section("x")}}})
		v.hears(err)
		_ = v.slack.Command(ctx, "U0OP", "C0OPS", "/gpu status") // its answer can't arrive
		v.slack.DropLinks("test")
		time.Sleep(10 * time.Minute)
	}
	v.door.be("")
	v.until(t, "the link again", func() bool { return v.slack.Links() > 0 })
}

// panics lets an answer panic with a secret in its mouth.
func (v *aviary) panics(t *testing.T) {
	t.Helper()
	good := v.Desk()
	broken := *good
	calls := make(chan struct{}, 8)
	broken.Look = func(context.Context) (notify.View, error) {
		calls <- struct{}{}
		panic(fmt.Errorf("no luck with %s", canaryRead))
	}
	v.chat.Use(&broken)
	defer v.chat.Use(good)
	_ = v.slack.Command(t.Context(), "U0OP", "C0OPS", "/gpu status")
	<-calls
	time.Sleep(time.Minute)
}

// strangers knock at the door for Slack's requests without knowing the signing secret.
func (v *aviary) strangers(t *testing.T) {
	t.Helper()
	for _, body := range []string{"command=/gpu&text=status", "payload={", ""} {
		r := httptest.NewRequest(http.MethodPost, "/slack", strings.NewReader(body))
		r.Header.Set("X-Slack-Request-Timestamp", fmt.Sprint(time.Now().Unix()))
		r.Header.Set("X-Slack-Signature", "v0="+strings.Repeat("ab", 32))
		w := httptest.NewRecorder()
		v.routes().ServeHTTP(w, r)
		if w.Code != http.StatusUnauthorized {
			t.Errorf("a stranger got %d", w.Code)
		}
		_, _ = v.said.Write(w.Body.Bytes())
	}
}

// The program as people run it: what it prints about configurations that are wrong, and about a cloud that refuses.
func TestNoSecretIsPrinted(t *testing.T) {
	cloud := &parrot{seen: map[string]bool{}, mode: "401"}
	server := httptest.NewServer(cloud)
	defer server.Close()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte(canaryRead+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CANARY_READ", canaryRead)
	t.Setenv("CANARY_BOT", canaryBot)
	accounts := "accounts: [{name: a, provider: runpod, base_url: " + server.URL + ", credentials: {read: {api_key: %s}}}]\n"
	for name, c := range map[string]struct {
		config string
		good   bool
	}{
		"good":          {fmt.Sprintf(accounts, "{file: "+secret+"}"), true},
		"env":           {fmt.Sprintf(accounts, "'${CANARY_READ}'"), true},
		"written":       {fmt.Sprintf(accounts, canaryRead), false},
		"quoted":        {fmt.Sprintf(accounts, `"`+canaryRead+`"`), false},
		"block":         {"accounts:\n  - name: a\n    provider: runpod\n    credentials:\n      read:\n        api_key: |\n          " + canaryRead + "\n", false},
		"in a list":     {fmt.Sprintf(accounts, "["+canaryRead+"]"), false},
		"in a map":      {fmt.Sprintf(accounts, "{value: "+canaryRead+"}"), false},
		"half in env":   {fmt.Sprintf(accounts, "'Bearer "+canaryRead+"${X}'"), false},
		"open quote":    {fmt.Sprintf(accounts, `"`+canaryRead), false},
		"colon":         {"slack:\n  bot_token: a: " + canaryBot + "\n" + fmt.Sprintf(accounts, "{file: "+secret+"}"), false},
		"tab":           {"slack:\n\tbot_token: " + canaryBot + "\n", false},
		"whole section": {"slack: " + canaryBot + "\n" + fmt.Sprintf(accounts, "{file: "+secret+"}"), false},
		"anchor":        {"slack: {bot_token: &x " + canaryBot + ", app_token: *x}\n", false},
		"failing exec":  {fmt.Sprintf(accounts, "{exec: 'cat "+secret+"; cat "+secret+" >&2; exit 3'}"), false},
		"missing file":  {fmt.Sprintf(accounts, "{file: "+secret+".gone}"), false},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "gpuspend.yaml")
			text := "store: " + filepath.Join(filepath.Dir(file), "s.db") + "\n" + c.config
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			for _, args := range [][]string{{"check"}, {"once"}, {"serve"}, {"ask", "--now", "2026-12-02T10:00:00Z"}} {
				if c.good && args[0] == "once" && name != "good" {
					continue // it reads the cloud, which takes its time; once is enough
				}
				args = append(args, "--config", file)
				ctx := t.Context()
				if args[0] == "serve" {
					ctx = ended
				} else if args[0] == "ask" {
					args = append(args, "status")
				}
				var out bytes.Buffer
				code := run(ctx, args, strings.NewReader(""), &out, &out)
				noCanary(t, args[0], out.Bytes())
				if args[0] == "check" && (code == exitOK) != c.good {
					t.Errorf("check ended with %d: %s", code, out.String())
				}
				if args[0] == "once" && (code != exitFailed || !c.good && out.Len() == 0) {
					t.Errorf("once ended with %d: %s", code, out.String())
				}
			}
		})
	}
	if !cloud.heard(canaryRead) {
		t.Error("the cloud was never asked: this test tests nothing")
	}
}

// once keeps what it could read though another account failed, and a part of this one, says which, and ends with 1.
func TestOnceKeepsWhatItCouldRead(t *testing.T) {
	good := httptest.NewServer(&parrot{seen: map[string]bool{}, mode: "no bill"})
	defer good.Close()
	bad := httptest.NewServer(&parrot{seen: map[string]bool{}, mode: "401"})
	defer bad.Close()
	dir := t.TempDir()
	store, key := filepath.Join(dir, "once.db"), filepath.Join(dir, "key")
	if err := os.WriteFile(key, []byte(canaryRead), 0o600); err != nil {
		t.Fatal(err)
	}
	account := func(name, url string) string {
		return fmt.Sprintf("  - {name: %s, provider: runpod, base_url: %q, credentials: {read: {api_key: {file: %q}}}}\n", name, url, key)
	}
	file := filepath.Join(dir, "gpuspend.yaml")
	if err := os.WriteFile(file, []byte("store: "+store+"\naccounts:\n"+account("broken", bad.URL)+account("well", good.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := run(t.Context(), []string{"once", "--config", file}, strings.NewReader(""), &out, &out); code != exitFailed {
		t.Errorf("ends with %d", code)
	}
	if n := strings.Count(out.String(), "account=well"); !strings.Contains(out.String(), "account=broken") || n != 1 {
		t.Errorf("says %s", out.String())
	}
	out.Reset()
	if code := run(t.Context(), []string{"ask", "--config", file, "--json", "balance"}, strings.NewReader(""), &out, &out); code != exitOK {
		t.Errorf("ask ends with %d", code)
	}
	var got struct {
		Data struct {
			Accounts []struct{ Account, Available string }
		}
		Warnings []string
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(got.Data.Accounts, func(a struct{ Account, Available string }) bool {
		return a.Account == "well" && strings.HasPrefix(a.Available, "42.5")
	}) ||
		!strings.Contains(strings.Join(got.Warnings, "\n"), "broken") {
		t.Errorf("kept %+v", got)
	}
}
