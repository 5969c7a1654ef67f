package localslack_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"

	"gpuspend/bot/localslack"
)

func TestCommand(t *testing.T) {
	b := open(t, options())
	got := make(chan slack.SlashCommand, 1)
	b.connect(t, func(e socketmode.Event) any {
		got <- e.Data.(slack.SlashCommand)
		return nil
	})
	if err := b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu estimate 8xA100 30h"); err != nil {
		t.Fatal(err)
	}
	c := <-got
	if c.Command != "/gpu" || c.Text != "estimate 8xA100 30h" || c.UserID != "U0LIN" || c.ChannelID != "C0OPS" || c.TeamID != "T0LOCAL" {
		t.Errorf("the app got %+v", c)
	}
	if c.TriggerID == "" || !strings.HasPrefix(c.ResponseURL, b.url+"/response/") {
		t.Errorf("trigger %q, response URL %q", c.TriggerID, c.ResponseURL)
	}
	if acks := b.Acks(); len(acks) != 1 || acks[0].After > time.Second {
		t.Errorf("acks %+v", acks)
	}
}

func TestCommandAckCarriesMessage(t *testing.T) {
	b := open(t, options())
	b.connect(t, func(socketmode.Event) any { return map[string]any{"text": "only you"} })
	if err := b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu"); err != nil {
		t.Fatal(err)
	}
	m := b.Messages("C0OPS")
	if len(m) != 1 || m[0].Text != "only you" || m[0].Ephemeral != "U0LIN" {
		t.Errorf("messages %+v", m)
	}
}

func TestNobodyThere(t *testing.T) {
	b := open(t, options())
	if err := b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu status"); err == nil || !strings.Contains(err.Error(), "no app is connected") {
		t.Errorf("without an app: %v", err)
	}
	for _, bad := range [][3]string{{"U0NONE", "C0OPS", "/gpu"}, {"U0LIN", "C0NONE", "/gpu"}, {"U0LIN", "C0OPS", "gpu"}} {
		if err := b.Command(t.Context(), bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

func TestSilentAppTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openPipe(t, options())
		defer b.stop()
		defer b.connect(t, nil)()
		start := time.Now()
		err := b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu status")
		if err == nil || time.Since(start) != 3*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

func TestLateAckIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openPipe(t, options())
		defer b.stop()
		defer b.connect(t, func(socketmode.Event) any { time.Sleep(4 * time.Second); return map[string]any{"text": "too late"} })()
		if err := b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu status"); err == nil {
			t.Error("no error for an ack after 4 s")
		}
		b.until(t, func() bool { return len(b.Acks()) == 1 })
		if a := b.Acks()[0]; a.After != 4*time.Second || len(b.Messages("C0OPS")) != 0 {
			t.Errorf("ack %+v, messages %+v", a, b.Messages("C0OPS"))
		}
	})
}

// A day of connection: slack-go reconnects when no PING comes for 30 s, so one link says that every PING came.
func TestConnectedForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openPipe(t, options())
		defer b.stop()
		var n atomic.Int32
		defer b.connect(t, func(socketmode.Event) any { n.Add(1); return nil })()
		for range 24 {
			time.Sleep(time.Hour)
			if err := b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu status"); err != nil {
				t.Fatal(err)
			}
		}
		if n.Load() != 24 || b.Links() != 1 {
			t.Errorf("%d commands over %d links", n.Load(), b.Links())
		}
	})
}

func TestMuteLooksLikeADeadNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openPipe(t, options())
		defer b.stop()
		var events atomic.Int32
		defer b.connect(t, func(e socketmode.Event) any {
			if e.Type == socketmode.EventTypeEventsAPI {
				events.Add(1)
			}
			return nil
		})()
		b.Mute(true)
		if err := b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu"); err == nil {
			t.Error("a command came through")
		}
		if err := b.Say(t.Context(), "U0LIN", "C0OPS", "<@U0BOT> are you there?", ""); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Second) // the client gives the link up after 30 s
		b.Mute(false)
		b.until(t, func() bool { return b.Links() == 1 })
		time.Sleep(10 * time.Minute)
		if events.Load() != 1 {
			t.Errorf("the mention arrived %d times, want once by retry", events.Load())
		}
		if err := b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu"); err != nil {
			t.Error(err)
		}
	})
}

func TestDropLinksReconnects(t *testing.T) {
	b := open(t, options())
	b.connect(t, func(socketmode.Event) any { return nil })
	b.DropLinks("refresh_requested")
	b.until(t, func() bool { return b.Links() == 1 })
	b.until(t, func() bool { return b.Command(t.Context(), "U0LIN", "C0OPS", "/gpu") == nil })
}

func TestRedeliver(t *testing.T) {
	b := open(t, options())
	ids := make(chan string, 2)
	b.connect(t, func(e socketmode.Event) any { ids <- e.Request.EnvelopeID; return nil })
	ts := b.say(t, "C0OPS", button("go", "release", "r-7k2f"))
	id, err := b.ClickEnvelope(t.Context(), "U0LIN", "C0OPS", ts, "release", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Redeliver(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if one, two := <-ids, <-ids; one != id || two != id {
		t.Errorf("sent %s, then %s and %s", id, one, two)
	}
	if len(b.Acks()) != 2 {
		t.Errorf("acks %+v", b.Acks())
	}
	if err := b.Redeliver(t.Context(), "none"); err == nil {
		t.Error("an unknown envelope was sent")
	}
}

func TestEvents(t *testing.T) {
	b := open(t, options())
	got := make(chan slackevents.EventsAPIEvent, 2)
	b.connect(t, func(e socketmode.Event) any { got <- e.Data.(slackevents.EventsAPIEvent); return nil })
	dm := b.OpenDM("U0ADA")
	for _, s := range [][2]string{{"C0OPS", "just talk"}, {"C0OPS", "<@U0BOT> hello"}, {dm, "hi"}} {
		if err := b.Say(t.Context(), "U0ADA", s[0], s[1], ""); err != nil {
			t.Fatal(err)
		}
	}
	if e := (<-got).InnerEvent.Data.(*slackevents.AppMentionEvent); e.User != "U0ADA" || e.Channel != "C0OPS" {
		t.Errorf("mention %+v", e)
	}
	if e := (<-got).InnerEvent.Data.(*slackevents.MessageEvent); e.Text != "hi" || e.ChannelType != "im" {
		t.Errorf("direct message %+v", e)
	}
}

func TestLinkNeedsATicket(t *testing.T) {
	b := open(t, options())
	r, err := b.http.Get(b.url + "/link?ticket=made-up")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != 401 {
		t.Errorf("status %d", r.StatusCode)
	}
}

func TestServeEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openPipe(t, options())
		stop := b.connect(t, func(socketmode.Event) any { return nil })
		r, err := b.http.Get(b.url + "/local/events")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		_ = b.Say(t.Context(), "U0ADA", "C0OPS", "<@U0BOT> hello", "")
		stop()
		b.until(t, func() bool { return b.Links() == 0 })
		_ = b.Say(t.Context(), "U0ADA", "C0OPS", "<@U0BOT> nobody hears this, a retry waits", "")
		b.stop() // the bubble fails if a goroutine is left
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := localslack.New(options()).Wait(ctx, func() bool { return false }); err == nil {
		t.Error("no error")
	}
}
