package slack

import (
	"context"
	"sync"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"

	"gpuspend/notify/words"
)

// incoming is one delivery of Slack, however it came. ack answers it, once, within 3 s.
type incoming struct {
	id          string // of the envelope; the last resort for telling deliveries apart
	command     *slack.SlashCommand
	interaction *slack.InteractionCallback
	event       *slackevents.EventsAPIEvent
	ack         func(payload any) error
}

// take acknowledges a delivery at once and hands it to the pool. A form that was sent back is different: its
// acknowledgement carries what is wrong with it.
func (c *Client) take(in incoming) {
	if in.interaction != nil && in.interaction.Type == slack.InteractionTypeViewSubmission {
		if !c.enqueue(func(ctx context.Context) { c.submission(ctx, in) }) {
			c.acked(in, refusedForm(*in.interaction, c.shared().Text("bot.slack.busy")))
		}
		return
	}
	c.acked(in, nil)
	c.enqueue(func(ctx context.Context) {
		if c.handledBefore(ctx, in) {
			return
		}
		switch {
		case in.command != nil:
			c.command(ctx, *in.command)
		case in.interaction != nil && in.interaction.Type == slack.InteractionTypeBlockActions:
			c.pressed(ctx, *in.interaction)
		case in.event != nil:
			c.mentioned(ctx, *in.event)
		}
	})
}

func (c *Client) acked(in incoming, payload any) {
	if err := in.ack(payload); err != nil {
		c.o.Log.Warn("slack: not acknowledged", "envelope", in.id, "error", err)
	}
}

// handledBefore says that a delivery was handled already. Where the store can't tell, it is handled: the release engine
// holds its own lock, and a lost click is worse than an answer given twice.
func (c *Client) handledBefore(ctx context.Context, in incoming) bool {
	id := in.key()
	if c.seen.before(id, time.Now()) {
		return true
	}
	if c.o.Dedupe == nil {
		return false
	}
	before, err := c.o.Dedupe.SeenEvent(ctx, id, c.o.Now())
	if err != nil {
		c.o.Log.Error("slack: can't tell whether an event was handled", "error", err)
		return false
	}
	return before
}

// key tells deliveries apart: a redelivery has another envelope but the same event or trigger.
func (in incoming) key() string {
	switch {
	case in.command != nil && in.command.TriggerID != "":
		return "command:" + in.command.TriggerID
	case in.interaction != nil && in.interaction.TriggerID != "":
		return "interaction:" + in.interaction.TriggerID
	case in.event != nil:
		if e, ok := in.event.Data.(*slackevents.EventsAPICallbackEvent); ok && e.EventID != "" {
			return "event:" + e.EventID
		}
	}
	return "envelope:" + in.id
}

// seen remembers what this process took in, so that two deliveries at the same instant are one even before the store
// has answered.
type seen struct {
	mu  sync.Mutex
	ids map[string]time.Time
}

const seenLast = time.Hour

func (s *seen) before(id string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.ids = map[string]time.Time{}
	}
	if len(s.ids) > 5000 {
		for old, at := range s.ids {
			if now.Sub(at) > seenLast {
				delete(s.ids, old)
			}
		}
	}
	_, there := s.ids[id]
	s.ids[id] = now
	return there
}

func (c *Client) shared() words.Printer { return c.desk.Load().Shared(c.o.Now()) }
