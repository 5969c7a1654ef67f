package notify_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
)

// letter puts one letter into the outbox.
func (w *world) letter(about, push string) {
	l := notify.Letter{Route: notify.Route{Name: "ops", Receiver: "slack"}, Fingerprint: about, CreatedAt: w.now, TryAt: w.now,
		Message: notify.Message{Push: push}}
	if err := w.log.Commit(context.Background(), nil, []notify.Letter{l}); err != nil {
		w.t.Fatal(err)
	}
}

func TestFailuresAreTriedAgainOrGivenUp(t *testing.T) {
	tests := []struct {
		kind   billing.ErrorKind
		waits  bool // the letter stays due
		failed string
	}{
		{billing.Limited, true, ""},
		{billing.Upstream, true, ""},
		{billing.Unknown, true, ""},
		{billing.Auth, true, ""},
		{billing.Missing, false, "missing"},
		{billing.Denied, false, "denied"},
		{billing.Invalid, false, "invalid"},
	}
	for _, tt := range tests {
		w := newWorld(t)
		w.channel.answers = []error{failure(tt.kind, 0)}
		w.letter("a", "one")
		w.deliver()
		l := w.log.letters[0]
		if waits := l.DeliveredAt.IsZero() && l.TryAt.After(w.now) && l.Failed == ""; waits != tt.waits || l.Failed != tt.failed {
			t.Errorf("%s: waits %t, failed %q", tt.kind, waits, l.Failed)
		}
		if l.Tries != 1 {
			t.Errorf("%s: %d tries recorded", tt.kind, l.Tries)
		}
	}
}

// A route that asked for a pause gets nothing else meanwhile, and the order stays.
func TestPauseHoldsTheRoute(t *testing.T) {
	w := newWorld(t)
	w.channel.answers = []error{failure(billing.Limited, 10*time.Second)}
	w.letter("a", "one")
	w.letter("b", "two")
	w.deliver()
	if w.channel.tries != 1 {
		t.Fatalf("%d tries in spite of the pause", w.channel.tries)
	}
	w.wait(11 * time.Second)
	w.deliver()
	if len(w.channel.posted) != 2 || w.channel.posted[0].Message.Push != "one" {
		t.Fatalf("posted:\n%s", w.pushes())
	}
}

// What was overtaken by a newer message about the same thing is not sent after it.
func TestOvertakenIsNotSent(t *testing.T) {
	w := newWorld(t)
	w.channel.answers = []error{failure(billing.Upstream, 0)}
	w.letter("a", "old")
	w.deliver()
	w.letter("a", "new")
	w.deliver() // the old one still waits
	w.wait(time.Hour)
	w.deliver()
	if len(w.channel.posted) != 1 || w.channel.posted[0].Message.Push != "new" || w.log.letters[0].Failed != "superseded" {
		t.Fatalf("posted:\n%s and the old one ended as %q", w.pushes(), w.log.letters[0].Failed)
	}
}

// An edit of a message that somebody deleted is posted.
func TestEditOfDeletedMessageIsPosted(t *testing.T) {
	w := newWorld(t)
	w.letter("a", "old")
	w.deliver()
	w.channel.answers = []error{failure(billing.Missing, 0)}
	w.letter("a", "new")
	w.log.letters[1].Edits = notify.EditsLast
	w.deliver()
	if len(w.channel.posted) != 2 || w.channel.posted[1].Message.Push != "new" {
		t.Fatalf("posted:\n%s", w.pushes())
	}
}

// Run sends when it is woken, and again when a pause is over.
func TestRunWaitsAndWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		start := time.Now()
		w.now = time.Time{}
		p, err := notify.New(notify.Options{Log: w.log, Writer: silent{}, Now: time.Now,
			Routes:    []notify.Route{{Name: "ops", Receiver: "slack"}},
			Receivers: map[string]notify.Receiver{"slack": w.channel}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { p.Run(ctx); close(ended) }()
		synctest.Wait()

		w.channel.answers = []error{failure(billing.Limited, 7*time.Second)}
		w.letter("a", "one")
		p.Wake()
		synctest.Wait()
		time.Sleep(7*time.Second + time.Millisecond)
		synctest.Wait()
		if len(w.channel.posted) != 1 {
			t.Fatalf("%d posted %s after the start", len(w.channel.posted), time.Since(start))
		}
		stop()
		<-ended
	})
}

// silent writes nothing: for tests that post letters by hand.
type silent struct{}

func (silent) Write(notify.View, string, []billing.Finding) (notify.Message, error) {
	return notify.Message{}, nil
}

func (silent) Over(notify.View, string, notify.Alert, notify.Message) (notify.Message, error) {
	return notify.Message{}, nil
}

func (silent) Held(string, []string) notify.Message { return notify.Message{} }

func (silent) Astray(string, notify.Route) notify.Block { return notify.Block{} }

func TestNewRefusesRoutesWithoutReceiver(t *testing.T) {
	_, err := notify.New(notify.Options{Log: &paper{}, Writer: silent{}, Now: time.Now,
		Routes: []notify.Route{{Name: "ops", Receiver: "pigeon"}}})
	if err == nil {
		t.Error("a route without a receiver is taken")
	}
}
