//go:build !nodemo && unix

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gpuspend/billing/release"
	"gpuspend/bot/localslack"
	"gpuspend/storage"
)

// asProgram in the environment makes this test binary the program itself.
const asProgram = "GPUSPEND_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		go func() { // the test holds the other end: a program whose test has died must not live on
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(3)
		}()
		main()
	}
	os.Exit(m.Run())
}

// instant is when the program is killed.
type instant int

const (
	never       instant = iota
	beforeOrder         // it was acknowledged, and the program looks once more
	inFlight            // the order has arrived, and the cloud has not acted on it
	acted               // the cloud has acted, and its answer is on the way
	unverified          // the cloud has answered, and nobody has verified
)

// killed is one volume at a small RunPod that remembers, a Slack, and a program to be killed.
type killed struct {
	*testing.T
	ctx         context.Context
	dir, config string
	slack       *localslack.Workspace
	reached     chan struct{} // the armed instant has come

	mu               sync.Mutex
	armed            instant
	arrived, carried int // orders that came in, and that the cloud carried out
	there            bool
}

const (
	killVolume = "vol-ckpt-old"
	killName   = "ckpt-old"
)

// ServeHTTP is the cloud.
func (k *killed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	volume := `{"id":"` + killVolume + `","name":"` + killName + `","size":500,"dataCenter":"US-KS-2","type":"STANDARD"}`
	answer := func(code int, body string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
	switch path := r.Method + " " + r.URL.Path; {
	case key != "key-read" && key != "key-release":
		answer(401, `{"title":"Unauthorized"}`)
	case path == "POST /graphql":
		answer(200, `{"data":{"myself":{"id":"user_1","clientBalance":100}}}`)
	case path == "GET /v2/billing/balance":
		answer(200, `{"balanceAmount":100,"billingMode":"PREPAID"}`)
	case path == "GET /v2/pods":
		answer(200, `{"pods":[],"pagination":{}}`)
	case path == "GET /v2/serverless":
		answer(200, `{"endpoints":[],"pagination":{}}`)
	case path == "GET /v2/network-volumes":
		if k.comes(r, beforeOrder) || k.delivered() && k.comes(r, unverified) {
			return
		}
		if !k.present() {
			volume = ""
		}
		answer(200, `{"networkVolumes":[`+volume+`],"pagination":{}}`)
	case !k.present():
		answer(404, `{"title":"Not Found"}`)
	case path == "GET /v2/network-volumes/"+killVolume:
		answer(200, volume)
	case path == "DELETE /v2/network-volumes/"+killVolume && key == "key-release":
		k.order()
		if k.comes(r, inFlight) {
			return
		}
		k.carry()
		if !k.comes(r, acted) {
			w.WriteHeader(http.StatusNoContent)
		}
	default:
		answer(403, `{"title":"Forbidden"}`) // bills and offers too
	}
}

// comes holds a request at the armed instant until who sent it is dead.
func (k *killed) comes(r *http.Request, i instant) bool {
	k.mu.Lock()
	armed := k.armed == i
	k.mu.Unlock()
	if !armed {
		return false
	}
	select {
	case k.reached <- struct{}{}:
	default:
	}
	<-r.Context().Done()
	return true
}

func (k *killed) arm(i instant) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.armed = i
}

func (k *killed) present() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.there
}

func (k *killed) delivered() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.arrived > 0
}

func (k *killed) order() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.arrived++
}

func (k *killed) carry() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.carried++
	k.there = false
}

// asked checks the orders that came in and the deletions that were carried out.
func (k *killed) asked(arrived, carried int) {
	k.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.arrived != arrived || k.carried != carried {
		k.Errorf("%d orders arrived and %d were carried out, want %d and %d", k.arrived, k.carried, arrived, carried)
	}
}

func newKilled(t *testing.T) *killed {
	k := &killed{T: t, dir: t.TempDir(), there: true, reached: make(chan struct{}, 1),
		slack: localslack.New(localslack.Options{TeamID: demoTeam, People: []localslack.Person{{ID: demoOperator, Name: "ana", Locale: "en-GB"}},
			Channels: []localslack.Channel{{ID: demoChannel, Name: "gpu-bills"}}})}
	var cancel context.CancelFunc
	k.ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
	cloud := httptest.NewServer(k)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	life, end := context.WithCancel(context.Background())
	serving.Go(func() { _ = k.slack.Serve(life, l) })
	t.Cleanup(func() { cancel(); end(); serving.Wait(); cloud.Close() })
	k.config = filepath.Join(k.dir, "gpuspend.yaml")
	text := fmt.Sprintf(`
store: %s
accounts:
  - name: lab
    provider: runpod
    base_url: %s
    release: allow
    credentials:
      read: {api_key: "${KILL_READ}"}
      release: {api_key: "${KILL_RELEASE}"}
    poll: {inventory: 30s}
slack: {bot_token: "${KILL_BOT}", app_token: "${KILL_APP}", api_url: "http://%s/api/"}
releases: {operators: [%s], settle: 300ms, patience: 20s}
`, filepath.Join(k.dir, "store.db"), cloud.URL, l.Addr(), demoOperator)
	if err := os.WriteFile(k.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return k
}

// process is the real program, in a process of its own.
type process struct {
	k     *killed
	cmd   *exec.Cmd
	log   *logged
	ended bool
}

func (k *killed) start() *process {
	k.Helper()
	p := &process{k: k, cmd: exec.Command(os.Args[0], "serve", "--config", k.config), log: &logged{}}
	p.cmd.Env = []string{asProgram + "=1", "KILL_READ=key-read", "KILL_RELEASE=key-release", "KILL_BOT=xoxb-local", "KILL_APP=xapp-local"}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if _, err := p.cmd.StdinPipe(); err != nil {
		k.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		k.Fatal(err)
	}
	k.Cleanup(func() {
		if !p.ended {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
		if k.Failed() {
			k.Logf("process %d:\n%s", p.cmd.Process.Pid, p.log)
		}
	})
	k.until("the link to Slack", func() bool { return k.slack.Links() > 0 })
	return p
}

// end sends a signal and waits until the process is gone, its link too.
func (p *process) end(s syscall.Signal) error {
	p.k.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.k.Fatal(err)
	}
	err := p.cmd.Wait()
	p.ended = true
	p.k.until("the end of the link", func() bool { return p.k.slack.Links() == 0 })
	return err
}

func (k *killed) until(what string, cond func() bool) {
	k.Helper()
	if err := k.slack.Wait(k.ctx, cond); err != nil {
		k.Fatalf("%s was not seen: %v; the channel says %q", what, err, k.said())
	}
}

// said is what the channel says of the volume, to everybody.
func (k *killed) said() (lines []string) {
	for _, m := range k.slack.Messages(demoChannel) {
		if m.Ephemeral == "" && strings.Contains(m.Text, killName+":") {
			lines = append(lines, m.Text)
		}
	}
	return lines
}

// ends waits until the newest of so many messages says how it ended.
func (k *killed) ends(messages int, how string) {
	k.Helper()
	k.until("the end", func() bool {
		said := k.said()
		return len(said) > 0 && strings.ContainsAny(said[len(said)-1], "✅🔴") && len(said) >= messages
	})
	if said := k.said(); len(said) != messages || !strings.Contains(said[messages-1], how) {
		k.Errorf("the channel says %q, want %d messages, the last with %q", said, messages, how)
	}
}

// submits opens the form, which takes until the program has read the cloud, arms the cloud, and sends the form back.
func (k *killed) submits(at instant) {
	k.Helper()
	for len(k.slack.Views(demoOperator)) == 0 {
		if err := k.slack.Command(k.ctx, demoOperator, demoChannel, "/gpu release "+killName); err != nil {
			k.Fatal(err)
		}
		soon, cancel := context.WithTimeout(k.ctx, 300*time.Millisecond)
		_ = k.slack.Wait(soon, func() bool { return len(k.slack.Views(demoOperator)) > 0 })
		cancel()
	}
	k.arm(at)
	r, err := k.slack.Submit(k.ctx, demoOperator, k.slack.Views(demoOperator)[0].ID, map[string]map[string]any{"do": {"do": "delete"}, "exported": {"exported": release.Exports()}, "typed": {"typed": killName}})
	if err != nil || r.Action != "" {
		k.Fatalf("submit: %+v %v", r, err)
	}
}

// state is where an action stands in the store.
func (k *killed) state(id release.ActionID) release.State {
	k.Helper()
	db, err := storage.OpenReadOnly(k.ctx, filepath.Join(k.dir, "store.db"))
	if err != nil {
		k.Fatal(err)
	}
	defer db.Close()
	a, err := db.Action(k.ctx, id)
	if err != nil {
		k.Fatal(err)
	}
	return a.State
}

// killing is when the program is killed, and what comes of it.
type killing struct {
	at      instant
	state   release.State // in the store, at the instant
	orders  int           // sent in all, before anybody presses again
	deletes int
	how     string
}

// The real program is killed (SIGKILL) in the middle of a release and started again on its store. Whatever the instant,
// the cloud carries out one deletion at most, no order is sent again on the program's own account, and the message comes
// to a true end.
func TestKilledInTheMiddle(t *testing.T) {
	if testing.Short() {
		t.Skip("kills real processes, which takes some 15 s of real time: not with -short")
	}
	var all sync.WaitGroup // at once, however few processors there are: they wait for the pace of RunPod's client
	defer all.Wait()
	for name, c := range map[string]killing{
		"before the order":        {beforeOrder, release.Approved, 1, 1, "✅"},
		"order in flight":         {inFlight, release.Running, 1, 0, "press again"},
		"carried out, no answer":  {acted, release.Running, 1, 1, "✅"},
		"answered, not verified":  {unverified, release.Verifying, 1, 1, "✅"},
		"not at all, for measure": {never, "", 1, 1, "✅"},
	} {
		all.Go(func() { t.Run(name, func(t *testing.T) { c.run(newKilled(t)) }) })
	}
}

// run is one such life: killed at an instant, started again, and watched to its end.
func (c killing) run(k *killed) {
	p := k.start()
	k.submits(c.at)
	if c.at != never {
		select {
		case <-k.reached:
		case <-k.ctx.Done():
			k.Fatal("the instant did not come")
		}
		if err := p.end(syscall.SIGKILL); err == nil {
			k.Fatal("the program ended well, though it was killed")
		}
		if got := k.state(1); got != c.state {
			k.Errorf("the store says %s, want %s", got, c.state)
		}
		k.arm(never)
		p = k.start()
	}
	k.ends(1, c.how)
	k.asked(c.orders, c.deletes)
	if c.deletes == 0 { // the person does what the message says
		if err := p.end(syscall.SIGTERM); err != nil {
			k.Errorf("told to end: %v", err)
		}
		p = k.start()
		k.submits(never)
		k.ends(2, "✅")
		k.asked(c.orders+1, 1)
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		k.Errorf("told to end: %v", err)
	}
}
