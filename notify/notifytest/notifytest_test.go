package notifytest

import (
	"context"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
)

// model is the simplest receiver that keeps every promise: it shows that the suite can be passed.
type model struct {
	answer Answer
	seen   []Seen
}

const limit = 4000

func (m *model) Deliver(ctx context.Context, l notify.Letter) (string, error) {
	fault := func(k billing.ErrorKind) error { return &billing.Error{Kind: k, Op: "post"} }
	switch {
	case ctx.Err() != nil:
		return "", fault(billing.Upstream)
	case m.answer == Limited:
		return "", &billing.Error{Kind: billing.Limited, Op: "post", RetryAfter: 30 * time.Second}
	case m.answer == Broken:
		return "", fault(billing.Upstream)
	case m.answer == Gone:
		return "", fault(billing.Missing)
	case m.answer == Revoked:
		return "", fault(billing.Auth)
	}
	var b strings.Builder
	b.WriteString(l.Message.Push)
	for _, x := range l.Message.Blocks {
		b.WriteString("\n" + x.Text.String())
	}
	text := b.String()
	m.seen = append(m.seen, Seen{Text: text[:min(len(text), limit)], Edits: l.Edits != ""})
	return "C1/1", nil
}

func TestModelReceiverKeepsThePromises(t *testing.T) {
	Run(t, func(*testing.T) Fixture {
		m := &model{}
		return Fixture{Receiver: m, Target: "C1", Answer: func(a Answer) { m.answer = a }, Seen: func() []Seen { return m.seen },
			Secrets: []string{"xoxb-1"}, Edits: true, MaxBytes: limit}
	})
}
