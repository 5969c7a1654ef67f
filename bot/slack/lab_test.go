package slack_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/billing/release"
	"gpuspend/bot"
	"gpuspend/bot/localslack"
	"gpuspend/bot/slack"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

const (
	botToken = "xoxb-canary-7f3a"
	appToken = "xapp-canary-91bc"
	signing  = "signing-canary-55de"
)

var shanghai = time.FixedZone("Asia/Shanghai", 8*3600)

// lab is the bot at work in a local workspace, over a pipe.
type lab struct {
	*localslack.Workspace
	bot     *slack.Client
	desk    *bot.Desk
	engine  *engine
	notes   *notes
	store   *store
	log     *lockedBuffer
	opens   *counter
	end     func()
	restart func() // the same bot with the same store, as after a crash
}

func people() []localslack.Person {
	return []localslack.Person{
		{ID: "U0BOT", Name: "gpuspend", Bot: true},
		{ID: "U0OP", Name: "ada", Locale: "en-US", TZ: "Europe/Berlin"},
		{ID: "U0LIN", Name: "lin", Locale: "zh-CN", TZ: "Asia/Shanghai"},
		{ID: "U0IN", Name: "inger", Locale: "en-US"},
		{ID: "U0NEW", Name: "new", Locale: "en-US"},
		{ID: "U0GUEST", Name: "gus", Guest: true},
		{ID: "U0OUT", Name: "otto", Stranger: true},
	}
}

// open starts a workspace and the bot in it. end, which the test must call before its bubble ends, stops both.
func open(t *testing.T) *lab {
	t.Helper()
	b := &lab{engine: &engine{}, notes: &notes{}, store: &store{}, log: &lockedBuffer{}}
	b.Workspace = localslack.New(localslack.Options{People: people(), BotToken: botToken, AppToken: appToken,
		Channels: []localslack.Channel{{ID: "C0OPS", Name: "ops"}, {ID: "C0LOG", Name: "log"}},
		Groups:   []localslack.Group{{ID: "S0GPU", Handle: "gpu", Members: []string{"U0IN"}}}})
	l := localslack.NewPipeListener()
	transport := &http.Transport{DialContext: l.Dial}
	b.opens = &counter{next: transport}
	b.desk = desk(t, b)
	options := slack.Options{BotToken: billing.NewSecret(botToken), AppToken: billing.NewSecret(appToken),
		SigningSecret: billing.NewSecret(signing), APIURL: "http://slack.test/api/", HTTPClient: &http.Client{Transport: b.opens},
		Dialer: &websocket.Dialer{NetDialContext: l.Dial}, Desk: b.desk, Dedupe: b.store, Words: b.desk.Words,
		Log: slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := b.Serve(ctx, l); err != nil {
			t.Error(err)
		}
	})
	stop := b.start(t, options)
	b.restart = func() {
		stop()
		b.until(t, func() bool { return b.Links() == 0 })
		stop = b.start(t, options)
	}
	b.end = sync.OnceFunc(func() {
		stop()
		cancel()
		wg.Wait()
		transport.CloseIdleConnections()
		for _, secret := range []string{botToken, appToken, signing, "/response/"} {
			if strings.Contains(b.log.String(), secret) {
				t.Errorf("%q is in the log", secret)
			}
		}
	})
	return b
}

// start runs a bot until stop is called.
func (b *lab) start(t *testing.T, o slack.Options) (stop func()) {
	t.Helper()
	client, err := slack.New(o)
	if err != nil {
		t.Fatal(err)
	}
	b.bot = client
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- client.Run(ctx) }()
	b.until(t, func() bool { return b.Links() > 0 })
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func desk(t *testing.T, b *lab) *bot.Desk {
	t.Helper()
	w, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	return &bot.Desk{Look: func(context.Context) (notify.View, error) { return view(), nil }, Book: book{}, Engine: b.engine, Keeper: b.notes,
		Alerts: b.notes, Words: w, Zone: shanghai, Lang: "en", Now: time.Now,
		Roles: bot.Roles{Team: "T0LOCAL", Acting: bot.Acting{Operators: []string{"U0OP"}}, Viewers: []string{"U0LIN"}, Groups: []string{"S0GPU"}}}
}

func (b *lab) until(t *testing.T, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := b.Wait(ctx, cond); err != nil {
		t.Fatalf("%v\n%s", err, b.log.String())
	}
}

// said waits until a channel has n messages and gives them.
func (b *lab) said(t *testing.T, channel string, n int) []localslack.Message {
	t.Helper()
	b.until(t, func() bool { return len(b.Messages(channel)) >= n })
	return b.Messages(channel)
}

func (b *lab) types(t *testing.T, user, line string) {
	t.Helper()
	if err := b.Command(t.Context(), user, "C0OPS", line); err != nil {
		t.Fatal(err)
	}
}

// form waits for somebody's open modal.
func (b *lab) form(t *testing.T, user string) localslack.View {
	t.Helper()
	b.until(t, func() bool { return len(b.Views(user)) > 0 })
	return b.Views(user)[0]
}

func contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in %s", w, text)
		}
	}
}

func shown(m localslack.Message) string { return m.Text + string(m.Blocks) }

// view is one prepaid account with one machine.
func view() notify.View {
	now := time.Now()
	h := billing.Holding{ID: 1, Handle: "r-7k2f", Account: 1, FirstSeen: now.Add(-72 * time.Hour), LastSeen: now, StateSince: now.Add(-72 * time.Hour),
		Resource: billing.Resource{Ref: billing.ResourceRef{Account: 1, Kind: billing.KindInstance, Region: "cn", ID: "i-1"}, Name: "sft-07",
			State: billing.StateRunning, Billed: billing.Yes, Rate: billing.Rate{Hourly: billing.MustMoney("9.5", "CNY")}}}
	return notify.View{Now: now, Zone: shanghai, Hours: notify.WorkingDays(), Settings: notify.Defaults(), Accounts: []notify.AccountView{{
		Account: billing.Account{ID: 1, Name: "compute-c", Driver: "sim", Currency: "CNY"}, Release: true, Holdings: []billing.Holding{h},
		Balance: billing.Balance{ReadAt: now, Mode: billing.Prepaid, Cash: billing.MustMoney("38.4", "CNY")},
		Outlook: ledger.Outlook{Burn: billing.MustMoney("9.5", "CNY"), EmptyAt: now.Add(4 * time.Hour)}}}}
}

type book struct{}

func (book) Billed(context.Context, ledger.Question) ([]ledger.Row, bool, error) {
	return nil, false, nil
}

func (book) Metered(context.Context, billing.Period) ([]ledger.Metered, error) { return nil, nil }

func (book) Coverage(context.Context) ([]ledger.Covered, error) { return nil, nil }

// engine offers a stop and a delete, and counts what is ordered. slow makes ordering take that long.
type engine struct {
	mu       sync.Mutex
	proposed []release.Proposal
	approved int
	slow     time.Duration
}

func (e *engine) Plan(context.Context, billing.ResourceID) (release.Plan, error) {
	h := view().Accounts[0].Holdings[0]
	return release.Plan{Holding: h, Account: "compute-c", Fingerprint: "fp", Today: billing.MustMoney("6840", "CNY"), ReadAt: time.Now(), Options: []release.Option{
		{Verb: billing.VerbStop, Saves: billing.MustMoney("6800", "CNY"), StillBills: billing.MustMoney("40", "CNY")},
		{Verb: billing.VerbDelete, Saves: billing.MustMoney("6840", "CNY"), StillBills: billing.ZeroMoney("CNY"), Goes: []billing.Holding{h}, Typed: h.Name}}}, nil
}

func (e *engine) Propose(_ context.Context, p release.Proposal) (release.Action, error) {
	time.Sleep(e.slow)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.proposed = append(e.proposed, p)
	return release.Action{ID: 1}, nil
}

func (e *engine) Approve(context.Context, release.ActionID, release.Person) (release.Action, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.approved++
	return release.Action{ID: 1}, nil
}

func (e *engine) Decline(_ context.Context, id release.ActionID, _ release.Person) (release.Action, error) {
	return release.Action{ID: id, State: release.Declined}, nil
}

func (e *engine) Open(context.Context) ([]release.Action, error) { return nil, nil }

func (e *engine) ordered() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.approved
}

type notes struct {
	mu    sync.Mutex
	taken int
}

func (n *notes) KeepResource(context.Context, billing.ResourceID, billing.Keep, string) error {
	return nil
}

func (n *notes) Unkeep(context.Context, billing.ResourceID, time.Time) error { return nil }

func (n *notes) Alerts(context.Context, time.Time) ([]notify.Alert, error) { return nil, nil }

func (n *notes) Undelivered(context.Context, time.Time) ([]notify.Letter, error) { return nil, nil }

func (n *notes) Take(context.Context, string, string, string, time.Time) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.taken++
	return nil
}

func (n *notes) Snooze(context.Context, string, time.Time, string, string, string, time.Time) error {
	return nil
}

// store remembers events, as the product's store does.
type store struct {
	mu     sync.Mutex
	ids    map[string]bool
	broken bool
}

func (s *store) SeenEvent(_ context.Context, id string, _ time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return false, errors.New("disk full")
	}
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	before := s.ids[id]
	s.ids[id] = true
	return before, nil
}

// counter counts openings of connections.
type counter struct {
	next http.RoundTripper
	mu   sync.Mutex
	n    int
}

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "apps.connections.open") {
		c.mu.Lock()
		c.n++
		c.mu.Unlock()
	}
	return c.next.RoundTrip(r)
}

func (c *counter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func dump(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
