package localslack_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"gpuspend/bot/localslack"
)

// sampleTime is when the sample messages play: a night in Shanghai.
var sampleTime = time.Date(2026, 12, 1, 17, 12, 0, 0, time.UTC)

func sampleOptions() localslack.Options {
	o := options()
	now := sampleTime
	o.Now = func() time.Time { return now }
	o.Banner = func() localslack.Banner {
		return localslack.Banner{Text: "Wed 2 Dec 01:12 · demo book, article prices", Speed: "60×"}
	}
	o.Hints = []string{"/gpu status", "/gpu unused", "/gpu estimate 8xA100-80G 30h disk=1TB", "/gpu release infer-a10-2", "/gpu help"}
	return o
}

// postSamples posts the model messages as the app would.
func (b *lab) postSamples(t *testing.T) {
	t.Helper()
	raw, err := os.ReadFile("testdata/messages.json")
	if err != nil {
		t.Fatal(err)
	}
	type sample struct {
		Channel, Text string
		Thread        *int
		Edit          bool
		Blocks        slack.Blocks
	}
	var stamps []string
	for i, m := range decode[[]sample](t, raw) {
		if u, ok := strings.CutPrefix(m.Channel, "D:"); ok {
			m.Channel = b.OpenDM(u)
		}
		opts := []slack.MsgOption{slack.MsgOptionText(m.Text, false), slack.MsgOptionBlocks(m.Blocks.BlockSet...)}
		send := opts
		if m.Thread != nil {
			send = append(send, slack.MsgOptionTS(stamps[*m.Thread]))
		}
		_, ts, err := b.api.PostMessage(m.Channel, send...)
		if err != nil {
			t.Fatalf("sample %d: %v", i, err)
		}
		stamps = append(stamps, ts)
		if m.Edit {
			if _, _, _, err := b.api.UpdateMessage(m.Channel, ts, opts...); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestSamplesPassValidation(t *testing.T) {
	b := open(t, sampleOptions())
	b.postSamples(t)
	raw, err := os.ReadFile("testdata/modals.json")
	if err != nil {
		t.Fatal(err)
	}
	for lang, m := range decode[map[string]json.RawMessage](t, raw) {
		if code, why := b.validate(t, "view", string(m)); code != "" {
			t.Errorf("%s modal: %s (%s)", lang, code, why)
		}
	}
}

func TestPageKeepsOthersOut(t *testing.T) {
	b := open(t, options())
	ask := func(method, path, host, header, value string) int {
		t.Helper()
		r, err := http.NewRequest(method, b.url+path, strings.NewReader(`{"user":"U0LIN","channel":"C0OPS","text":"hi"}`))
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			r.Host = host
		}
		if header != "" {
			r.Header.Set(header, value)
		}
		if strings.HasPrefix(header, "Origin") {
			r.Header.Set("X-Local", "1")
		}
		a, err := b.http.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		_, _ = io.Copy(io.Discard, a.Body)
		return a.StatusCode
	}
	for _, c := range []struct {
		method, path, host, header, value string
		want                              int
	}{
		{"GET", "/", "", "", "", 200},
		{"GET", "/", "localhost:80", "", "", 200},
		{"GET", "/", "rebound.example", "", "", 421},
		{"GET", "/local/state", "rebound.example:80", "", "", 421},
		{"GET", "/local/state", "8.8.8.8", "", "", 421},
		{"POST", "/local/say", "", "", "", 403},
		{"POST", "/local/say", "", "X-Local", "1", 200},
		{"POST", "/local/say", "", "Origin", "http://elsewhere.example", 403},
		{"POST", "/local/say", "", "Origin", b.url, 200},
		{"GET", "/local/say", "", "", "", 404},
	} {
		if got := ask(c.method, c.path, c.host, c.header, c.value); got != c.want {
			t.Errorf("%s %s host %q %s: %d, want %d", c.method, c.path, c.host, c.header, got, c.want)
		}
	}
}

func TestPageHeaders(t *testing.T) {
	b := open(t, options())
	r, err := b.http.Get(b.url + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(r.Body)
	csp := r.Header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
		t.Errorf("policy %q", csp)
	}
	if !bytes.Contains(body, []byte("<title>gpuspend</title>")) || bytes.Contains(body, []byte("onclick=")) || bytes.Contains(body, []byte("style=")) {
		t.Errorf("page %s", body)
	}
}

type pageState struct {
	Me       string
	Channels []struct {
		ID       string
		DM       bool
		Messages []localslack.Message
	}
	Notices []struct{ Kind, About string }
	Views   []json.RawMessage
}

func (b *lab) state(t *testing.T, user string) pageState {
	t.Helper()
	r, err := b.http.Get(b.url + "/local/state?user=" + user)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return decode[pageState](t, raw)
}

func TestPageShowsOnlyWhatThePersonSees(t *testing.T) {
	b := open(t, options())
	if _, err := b.api.PostEphemeral("C0OPS", "U0LIN", slack.MsgOptionText("for Lin", false)); err != nil {
		t.Fatal(err)
	}
	b.OpenDM("U0LIN")
	_ = b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu status")
	lin, ada := b.state(t, "U0LIN"), b.state(t, "U0ADA")
	if len(lin.Channels[0].Messages) != 1 || len(ada.Channels[0].Messages) != 0 {
		t.Errorf("Lin sees %+v, Ada %+v", lin.Channels[0].Messages, ada.Channels[0].Messages)
	}
	if len(lin.Notices) != 1 || lin.Notices[0].Kind != "absent" || len(ada.Notices) != 0 {
		t.Errorf("Lin is told %+v, Ada %+v", lin.Notices, ada.Notices)
	}
	if len(ada.Channels) != 3 {
		t.Errorf("Ada sees %d conversations", len(ada.Channels))
	}
	if s := b.state(t, "U0BOT"); s.Me != "U0LIN" {
		t.Errorf("nobody acts as the app: %s", s.Me)
	}
}

// openSampleModal answers "/gpu release" with the model's modal in the asker's language, and everything else with ok.
func (b *lab) openSampleModal(t *testing.T) chan slack.InteractionCallback {
	t.Helper()
	raw, err := os.ReadFile("testdata/modals.json")
	if err != nil {
		t.Fatal(err)
	}
	modals := decode[map[string]slack.ModalViewRequest](t, raw)
	got := make(chan slack.InteractionCallback, 20)
	b.connect(t, func(e socketmode.Event) any {
		switch d := e.Data.(type) {
		case slack.SlashCommand:
			lang := "en"
			if d.UserID == "U0LIN" {
				lang = "zh"
			}
			if strings.HasPrefix(d.Text, "release") {
				if _, err := b.api.OpenView(d.TriggerID, modals[lang]); err != nil {
					t.Errorf("views.open: %v", err)
				}
				return nil
			}
			_, _ = b.api.PostEphemeral(d.ChannelID, d.UserID, slack.MsgOptionText("You typed `"+d.Text+"`.", false))
		case slack.InteractionCallback:
			got <- d
			if d.Type == slack.InteractionTypeViewSubmission && d.View.State.Values["reason"]["reason"].Value == "bad" {
				return slack.NewErrorsViewSubmissionResponse(map[string]string{"saved": "Not deleted: logs, training curves and checkpoints are not ticked."})
			}
		}
		return nil
	})
	return got
}

func TestPageHearsOfChanges(t *testing.T) {
	b := open(t, sampleOptions())
	r, err := b.http.Get(b.url + "/local/events")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	events := bufio.NewScanner(r.Body)
	next := func(want string) {
		t.Helper()
		for events.Scan() {
			if events.Text() == "event: "+want {
				return
			}
		}
		t.Fatalf("no event %q: %v", want, events.Err())
	}
	next("change")
	b.say(t, "C0OPS", slack.NewDividerBlock())
	next("change")
	next("banner")
}
