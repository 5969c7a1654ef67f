package localslack_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"gpuspend/bot/localslack"
)

func options() localslack.Options {
	return localslack.Options{
		Title: "Example Lab",
		People: []localslack.Person{
			{ID: "U0BOT", Name: "gpuspend", RealName: "gpuspend", Bot: true},
			{ID: "U0LIN", Name: "lin", RealName: "Lin Mei", Locale: "zh-CN", TZ: "Asia/Shanghai", Email: "lin@example.com"},
			{ID: "U0ADA", Name: "ada", RealName: "Ada Berg", Locale: "en-US", TZ: "Europe/Berlin", Email: "ada@example.com"},
			{ID: "U0GUEST", Name: "guest", RealName: "Gus Guest", Locale: "en-US", Guest: true},
			{ID: "U0OUT", Name: "out", RealName: "Otto Outside", Locale: "en-US", Stranger: true},
			{ID: "U0GONE", Name: "gone", Deleted: true},
		},
		Channels: []localslack.Channel{{ID: "C0OPS", Name: "gpu-ops", Topic: "What the machines cost"}, {ID: "C0LOG", Name: "gpu-log"}},
		Groups:   []localslack.Group{{ID: "S0CALL", Handle: "oncall", Name: "On call", Members: []string{"U0ADA"}}},
		BotToken: "xoxb-test", AppToken: "xapp-test",
	}
}

// lab is a workspace that serves, and an unchanged slack-go client for it.
type lab struct {
	*localslack.Workspace
	api  *slack.Client
	http *http.Client
	url  string
	dial func(context.Context, string, string) (net.Conn, error)
	stop func()
}

// open serves a workspace on real loopback TCP until the test ends.
func open(t *testing.T, o localslack.Options) *lab {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, o, l, "http://"+l.Addr().String(), (&net.Dialer{}).DialContext)
}

// openPipe serves it in memory, for synctest.
func openPipe(t *testing.T, o localslack.Options) *lab {
	t.Helper()
	l := localslack.NewPipeListener()
	return serve(t, o, l, "http://slack.test", l.Dial)
}

func serve(t *testing.T, o localslack.Options, l net.Listener, url string, dial func(context.Context, string, string) (net.Conn, error)) *lab {
	t.Helper()
	w := localslack.New(o)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Serve(ctx, l) }()
	tr := &http.Transport{DialContext: dial}
	b := &lab{Workspace: w, url: url, dial: dial, http: &http.Client{Transport: tr}}
	b.api = slack.New(o.BotToken, slack.OptionAPIURL(url+"/api/"), slack.OptionAppLevelToken(o.AppToken), slack.OptionHTTPClient(b.http))
	stopped := false
	b.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
		tr.CloseIdleConnections()
	}
	t.Cleanup(b.stop)
	return b
}

// connect runs a Socket Mode client that hands every request to handle and acks with what it returns; a nil handle
// never acks.
func (b *lab) connect(t *testing.T, handle func(socketmode.Event) any) (stop func()) {
	t.Helper()
	c := socketmode.New(b.api, socketmode.OptionDialer(&websocket.Dialer{NetDialContext: b.dial}))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{}, 2)
	go func() { _ = c.RunContext(ctx); done <- struct{}{} }()
	go func() {
		defer func() { done <- struct{}{} }()
		for {
			select {
			case <-ctx.Done():
				return
			case e := <-c.Events:
				if e.Request == nil || e.Request.EnvelopeID == "" || handle == nil {
					continue
				}
				_ = c.AckCtx(ctx, e.Request.EnvelopeID, handle(e))
			}
		}
	}()
	once := false
	stop = func() {
		if once {
			return
		}
		once = true
		cancel()
		<-done
		<-done
	}
	t.Cleanup(stop)
	b.until(t, func() bool { return b.Links() > 0 })
	return stop
}

// until waits for a condition of the workspace.
func (b *lab) until(t *testing.T, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := b.Wait(ctx, cond); err != nil {
		t.Fatal(err)
	}
}

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("decode %s: %v", raw, err)
	}
	return v
}
