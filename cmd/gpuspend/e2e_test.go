//go:build !nodemo

package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"gpuspend/billing"
	"gpuspend/billing/providers/sim"
	"gpuspend/billing/release"
	"gpuspend/bot/localslack"
)

// stage is the whole program in a bubble: simulated clouds, a Slack over pipes, and a clock that runs with the bubble's.
type stage struct {
	*testing.T
	ctx   context.Context
	store string
	now   func() time.Time
	world *sim.World
	slack *localslack.Workspace
	pipe  *localslack.PipeListener
	app   *App
	end   func()
}

// begin builds the stage. The story is told a while after the bubble begins, so that things grow old in it.
func begin(t *testing.T, untilStory time.Duration) *stage {
	t.Helper()
	first := time.Now()
	origin := storyAt().Add(-untilStory)
	s := &stage{T: t, store: filepath.Join(t.TempDir(), "week.db"), now: func() time.Time { return origin.Add(time.Since(first)) },
		pipe: localslack.NewPipeListener()}
	s.world = sim.NewWorld(sim.Options{Seed: demoSeed, Start: origin.Add(-3 * 24 * time.Hour), Story: storyAt(), Now: s.now})
	s.slack = localslack.New(localslack.Options{TeamID: demoTeam, Now: s.now, Ping: 20 * time.Second,
		People: []localslack.Person{{ID: demoOperator, Name: "ana", Locale: "en-GB"}, {ID: demoViewer, Name: "bo", Locale: "en-GB"}, {ID: demoChinese, Name: "chen", Locale: "zh-CN"},
			{ID: "U0GUEST", Name: "gil", Guest: true}},
		Channels: []localslack.Channel{{ID: demoChannel, Name: "gpu-bills"}}})
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := s.slack.Serve(s.ctx, s.pipe); err != nil {
			t.Errorf("workspace: %v", err)
		}
	})
	t.Cleanup(func() { s.stop(); cancel(); serving.Wait() })
	return s
}

// start runs the program as a fresh process would: everything it knows is in the store.
func (s *stage) start() {
	s.Helper()
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DialContext: s.pipe.Dial}}
	c := demoConfig(s.store)
	for i := range c.Accounts { // seldom enough that a week takes seconds
		c.Accounts[i].Poll = PollConfig{Balance: Duration(30 * time.Minute), Inventory: Duration(2 * time.Hour), Charges: Duration(12 * time.Hour), Offers: Duration(96 * time.Hour)}
	}
	app, err := New(s.ctx, Options{Config: c, Drivers: s.world.Drivers(), Now: s.now, Source: demoSource, Log: slog.New(slog.DiscardHandler),
		Slack: SlackDoor{Bot: billing.NewSecret("xoxb-local"), App: billing.NewSecret("xapp-local"), APIURL: "http://slack.local/api/", Client: client,
			Dialer: &websocket.Dialer{NetDialContext: s.pipe.Dial, HandshakeTimeout: 10 * time.Second}}})
	if err != nil {
		s.Fatal(err)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan error, 1)
	go func() { done <- app.Run(ctx) }()
	s.app = app
	s.end = func() {
		cancel()
		if err := <-done; err != nil {
			s.Errorf("run: %v", err)
		}
		client.CloseIdleConnections()
		if err := app.Close(); err != nil {
			s.Errorf("close: %v", err)
		}
	}
	s.until(time.Minute, "the link to Slack", func() bool { return s.slack.Links() > 0 })
}

func (s *stage) stop() {
	if s.end != nil {
		s.end()
		s.end = nil
	}
}

// until waits in the bubble's time for something to be seen in Slack.
func (s *stage) until(patience time.Duration, what string, cond func() bool) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	if err := s.slack.Wait(ctx, cond); err != nil {
		s.Fatalf("%s was not seen within %s; the channel says:\n%s", what, patience, s.channel())
	}
}

func (s *stage) channel() string {
	var b strings.Builder
	for _, m := range s.slack.Messages(demoChannel) {
		fmt.Fprintf(&b, "%s edits=%d to=%s %s\n", m.TS, m.Edits, m.Ephemeral, m.Text)
	}
	return b.String()
}

// find returns the messages of the channel whose push line contains all the words.
func (s *stage) find(words ...string) (found []localslack.Message) {
	for _, m := range s.slack.Messages(demoChannel) {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(m.Text, w) }) {
			found = append(found, m)
		}
	}
	return found
}

func (s *stage) types(user, line string) {
	s.Helper()
	if err := s.slack.Command(s.ctx, user, demoChannel, line); err != nil {
		s.Fatalf("%s: %v", line, err)
	}
}

// releases opens the modal of a resource by its name, chooses to delete, types the name and submits.
func (s *stage) releases(user, name string) {
	s.Helper()
	s.types(user, "/gpu release "+name)
	s.until(10*time.Second, "the release form", func() bool { return len(s.slack.Views(user)) == 1 })
	view := s.slack.Views(user)[0]
	if strings.Contains(string(view.JSON), "initial_option") {
		s.Errorf("what can't be undone is preselected: %s", view.JSON)
	}
	r, err := s.slack.Submit(s.ctx, user, view.ID, map[string]map[string]any{"do": {"do": "delete"}, "exported": {"exported": release.Exports()}, "typed": {"typed": name}, "reason": {"reason": "dataset is in OSS"}})
	if err != nil || r.Action == "errors" {
		s.Fatalf("submit: %+v %v", r, err)
	}
}

// A simulated week of the whole program: it polls, warns once, is topped up, answers, is clicked, releases, is
// restarted in the middle, verifies, and finds what has been forgotten meanwhile.
func TestAWeek(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, 4*time.Hour)
		s.start()

		s.until(8*time.Hour, "the balance warning", func() bool { return len(s.find("🔴 Compute C runs dry")) == 1 })
		s.world.TopUp("compute-c", billing.MustMoney("9000", "CNY"))
		s.until(2*time.Hour, "the top-up", func() bool {
			m := s.find("🟢 Compute C lasts until")
			return len(m) == 1 && m[0].Edits > 0
		})

		s.types(demoOperator, "/gpu status")
		s.until(10*time.Second, "the status", func() bool {
			return slices.ContainsFunc(s.slack.Messages(demoChannel), func(m localslack.Message) bool { return m.Ephemeral == demoOperator })
		})

		ref := s.world.Ref("cloud-a", "ds-imagenet-old")
		s.releases(demoOperator, "ds-imagenet-old")
		s.until(5*time.Minute, "the order", func() bool { return len(s.world.Deletes()) == 1 })
		s.stop() // in the middle: the cloud has taken the order, nobody has verified it
		s.start()
		s.until(30*time.Minute, "the proof", func() bool {
			m := s.find("✅", "ds-imagenet-old")
			return len(m) == 1 && m[0].Edits > 0
		})

		time.Sleep(7 * 24 * time.Hour) // of the bubble: a week goes by
		synctest.Wait()
		if n := len(s.find("scratch-uf6")) + len(s.find("nobody uses")) + len(s.find("costs", "month")); n == 0 {
			t.Errorf("after a week nothing is said of unattached disks:\n%s", s.channel())
		}
		if d := s.world.Deletes(); len(d) != 1 || d[0].Ref.ID != ref.ID {
			t.Errorf("deletes at the clouds: %+v, want the one that was clicked", d)
		}
		t.Logf("the week in the channel:\n%s", s.channel())
		seen := map[string]int{}
		for _, m := range s.slack.Messages(demoChannel) {
			if m.Ephemeral == "" {
				seen[m.Text]++
			}
		}
		for text, n := range seen {
			if n > 1 {
				t.Errorf("said %d times: %s", n, text)
			}
		}
	})
}
