// Package notifytest holds every receiver to what all of them promise.
package notifytest

import (
	"context"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
)

// Answer is how the service behind a receiver answers.
type Answer string

// The answers that a fixture's service must be able to give.
const (
	Fine    Answer = "fine"
	Limited Answer = "limited" // 429 with Retry-After: 30
	Broken  Answer = "broken"  // 503
	Gone    Answer = "gone"    // no such channel, or the robot was removed from it
	Revoked Answer = "revoked" // the credential is refused
)

// Fixture is one receiver before a fake of its service, in the test's own process.
type Fixture struct {
	Receiver notify.Receiver
	Target   string        // a place that the fake knows
	Answer   func(Answer)  // how the fake answers from now on
	Seen     func() []Seen // what arrived, oldest first; nil where the fake can't tell
	Secrets  []string      // what no error may show: tokens, addresses with a key in them
	Edits    bool          // the service can edit a message
	MaxBytes int           // of one message's text, as the service counts; 0 for no limit
}

// Seen is a message that arrived at the fake.
type Seen struct {
	Text  string // all of it that people read, as the service shows it
	Edits bool   // it replaced another one
	Pings bool   // the service would call somebody by a mention in it
}

// Run holds a receiver to the promises. start makes a fresh fixture.
func Run(t *testing.T, start func(t *testing.T) Fixture) {
	t.Run("delivered once, with a receipt", func(t *testing.T) { delivered(t, start(t)) })
	t.Run("failures have their kinds", func(t *testing.T) { kinds(t, start) })
	t.Run("errors leak no secret", func(t *testing.T) { leaks(t, start) })
	t.Run("an ended context is no delivery", func(t *testing.T) { ended(t, start(t)) })
	t.Run("a long message arrives within the limits", func(t *testing.T) { long(t, start(t)) })
	t.Run("names neither format nor ping", func(t *testing.T) { names(t, start(t)) })
	t.Run("an edit replaces", func(t *testing.T) { edits(t, start(t)) })
}

// Letter is a warning as it leaves the outbox, for a target.
func Letter(target string) notify.Letter {
	m := notify.Message{Push: "🔴 RunPod runs dry at 06:43, before work starts. $22.85 short of 10:00.",
		Blocks: []notify.Block{
			notify.Section(notify.Bold("runpod-main") + notify.Plain("   balance ") + notify.Bold("$38.40")),
			notify.Actions(notify.Button{Label: "Top up ↗", URL: "https://console.example/billing", Style: notify.StylePrimary},
				notify.Button{Label: "I'm on it", Action: "take", Value: "balance/2/0/6h"}),
			notify.Context("Balance read 01:12."),
		}}
	return notify.Letter{ID: 7, Route: notify.Route{Name: "test", Target: target, Lang: "en"}, Fingerprint: "balance/2", Message: m}
}

func deliver(t *testing.T, f Fixture, l notify.Letter) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	return f.Receiver.Deliver(ctx, l)
}

func delivered(t *testing.T, f Fixture) {
	receipt, err := deliver(t, f, Letter(f.Target))
	if err != nil {
		t.Fatalf("a service that answers well: %v", err)
	}
	if receipt == "" {
		t.Error("no receipt: nothing says that it arrived, and nothing can be edited")
	}
	if f.Seen == nil {
		return
	}
	seen := f.Seen()
	if len(seen) != 1 {
		t.Fatalf("%d messages arrived, want 1", len(seen))
	}
	for _, want := range []string{"runs dry at 06:43", "runpod-main", "$38.40", "Balance read 01:12."} {
		if !strings.Contains(seen[0].Text, want) {
			t.Errorf("what arrived lacks %q:\n%s", want, seen[0].Text)
		}
	}
}

func kinds(t *testing.T, start func(t *testing.T) Fixture) {
	for answer, want := range map[Answer]billing.ErrorKind{
		Limited: billing.Limited, Broken: billing.Upstream, Gone: billing.Missing, Revoked: billing.Auth,
	} {
		f := start(t)
		f.Answer(answer)
		receipt, err := deliver(t, f, Letter(f.Target))
		if got := billing.KindOf(err); got != want {
			t.Errorf("%s: kind %q, want %q (%v)", answer, got, want, err)
		}
		if receipt != "" {
			t.Errorf("%s: a receipt %q for what did not arrive", answer, receipt)
		}
		if answer == Limited {
			wait(t, err)
		}
		f.Answer(Fine)
		if _, err := deliver(t, f, Letter(f.Target)); err != nil {
			t.Errorf("after %s: %v", answer, err)
		}
	}
}

func wait(t *testing.T, err error) {
	t.Helper()
	if e, ok := err.(*billing.Error); !ok || e.RetryAfter < 30*time.Second || e.RetryAfter > time.Minute {
		t.Errorf("limited: the error is %#v, want a *billing.Error that says 30 s, or a minute where the service can't say", err)
	}
}

func leaks(t *testing.T, start func(t *testing.T) Fixture) {
	for _, answer := range []Answer{Limited, Broken, Gone, Revoked} {
		f := start(t)
		f.Answer(answer)
		_, err := deliver(t, f, Letter(f.Target))
		for _, secret := range f.Secrets {
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error shows a secret", answer)
			}
		}
	}
}

func ended(t *testing.T, f Fixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	receipt, err := f.Receiver.Deliver(ctx, Letter(f.Target))
	if err == nil || receipt != "" {
		t.Errorf("delivered %q although nobody waited", receipt)
	}
}

func long(t *testing.T, f Fixture) {
	l := Letter(f.Target)
	for range 400 {
		l.Message.Blocks = append(l.Message.Blocks, notify.Section(notify.Plain(strings.Repeat("很长的名字 long name 🧹 ", 20))))
	}
	if _, err := deliver(t, f, l); err != nil {
		t.Fatalf("a long message: %v", err)
	}
	if f.Seen == nil {
		return
	}
	seen := f.Seen()
	if len(seen) == 0 || !strings.Contains(seen[0].Text, "runs dry") {
		t.Fatal("of a long message the first line did not arrive")
	}
	for _, s := range seen {
		if f.MaxBytes > 0 && len(s.Text) > f.MaxBytes {
			t.Errorf("%d bytes arrived, the service takes %d", len(s.Text), f.MaxBytes)
		}
	}
}

func names(t *testing.T, f Fixture) {
	l := Letter(f.Target)
	l.Message.Blocks = append(l.Message.Blocks, notify.Section(notify.Code("<!channel> @all <@U1> *x*")))
	if _, err := deliver(t, f, l); err != nil {
		t.Fatal(err)
	}
	if f.Seen == nil {
		return
	}
	for _, s := range f.Seen() {
		if s.Pings {
			t.Errorf("a name pings:\n%s", s.Text)
		}
		if !strings.Contains(s.Text, "*x*") {
			t.Errorf("a name lost letters or was formatted:\n%s", s.Text)
		}
	}
}

func edits(t *testing.T, f Fixture) {
	receipt, err := deliver(t, f, Letter(f.Target))
	if err != nil {
		t.Fatal(err)
	}
	l := Letter(f.Target)
	l.Edits, l.Message.Push = receipt, "🟢 RunPod lasts again"
	again, err := deliver(t, f, l)
	if err != nil {
		t.Fatalf("edit: %v", err)
	}
	if again != receipt {
		t.Errorf("the receipt of an edit is %q, want that of the message, %q", again, receipt)
	}
	if f.Seen == nil {
		return
	}
	seen := f.Seen()
	if f.Edits && (len(seen) != 2 || !seen[1].Edits) {
		t.Errorf("an edit arrived as %+v", seen)
	}
	if !f.Edits && len(seen) != 1 {
		t.Errorf("a service that can't edit was told %d times, want once", len(seen))
	}
}
