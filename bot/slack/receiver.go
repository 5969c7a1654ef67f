package slack

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// The names of the metadata that our messages carry, by which they are found again after an ambiguous failure.
const (
	letterEvent = "gpuspend_letter"
	actionEvent = "gpuspend_action"
)

// Receiver delivers letters of the outbox to channels and people.
func (c *Client) Receiver() notify.Receiver { return receiver{c} }

type receiver struct{ c *Client }

// Deliver posts a letter, or edits the message that it replaces. The receipt is "channel/ts". Trying again is the
// outbox's business; a second try first looks whether the first arrived after all.
func (r receiver) Deliver(ctx context.Context, l notify.Letter) (string, error) {
	c := r.c
	p := c.o.Words.For(l.Route.Lang, c.shared().Zone, c.o.Now())
	if channel, ts, ok := strings.Cut(l.Edits, "/"); ok {
		receipt, err := c.edit(ctx, p, channel, ts, l.Message)
		if billing.KindOf(err) != billing.Missing {
			return receipt, err
		}
		// The message is gone or too old to be edited: what has to be said is said anew.
	}
	channel, err := c.channel(ctx, l.Route.Target)
	if err != nil {
		return "", err
	}
	_, thread, _ := strings.Cut(l.Thread, "/")
	if l.Tries > 0 {
		if ts := c.arrived(ctx, channel, thread, letterEvent, l.ID); ts != "" {
			return channel + "/" + ts, nil
		}
	}
	return c.post(ctx, p, channel, thread, l.Message, metadata(letterEvent, l.ID))
}

// channel turns a target into a conversation: a user is written to directly.
func (c *Client) channel(ctx context.Context, target string) (string, error) {
	switch {
	case target == "":
		return "", &billing.Error{Kind: billing.Invalid, Op: "slack: deliver", Err: errors.New("the route names no channel")}
	case strings.HasPrefix(target, "U"), strings.HasPrefix(target, "W"):
		return c.direct(ctx, target)
	}
	return target, nil
}

func metadata(event string, id int64) slack.MsgOption {
	return slack.MsgOptionMetadata(slack.SlackMetadata{EventType: event,
		EventPayload: map[string]any{"id": strconv.FormatInt(id, 10)}})
}

func (c *Client) post(ctx context.Context, p words.Printer, channel, thread string, m notify.Message, extra ...slack.MsgOption) (string, error) {
	var receipt string
	err := c.send(p, m, func(o ...slack.MsgOption) error {
		ch, ts, err := c.api.PostMessageContext(ctx, channel, append(append(o, inThread(thread)...), extra...)...)
		receipt = ch + "/" + ts
		return err
	})
	if err != nil {
		return "", failed("slack: chat.postMessage", err)
	}
	return receipt, nil
}

func (c *Client) edit(ctx context.Context, p words.Printer, channel, ts string, m notify.Message) (string, error) {
	err := c.send(p, m, func(o ...slack.MsgOption) error {
		_, _, _, err := c.api.UpdateMessageContext(ctx, channel, ts, o...)
		return err
	})
	if err != nil {
		return "", failed("slack: chat.update", err)
	}
	return channel + "/" + ts, nil
}

// arrived looks for a message of ours among the latest; "" where it is not there, or the app may not look.
func (c *Client) arrived(ctx context.Context, channel, thread, event string, id int64) string {
	want := strconv.FormatInt(id, 10)
	messages, err := c.latest(ctx, channel, thread)
	if err != nil {
		c.o.Log.Debug("slack: can't look whether a message arrived", "error", err)
		return ""
	}
	for _, m := range messages {
		if m.Metadata.EventType == event && m.Metadata.EventPayload["id"] == want {
			return m.Timestamp
		}
	}
	return ""
}

func (c *Client) latest(ctx context.Context, channel, thread string) ([]slack.Message, error) {
	if thread != "" {
		all, _, _, err := c.api.GetConversationRepliesContext(ctx, &slack.GetConversationRepliesParameters{ChannelID: channel,
			Timestamp: thread, Limit: 100, IncludeAllMetadata: true})
		return all, failed("slack: conversations.replies", err)
	}
	h, err := c.api.GetConversationHistoryContext(ctx, &slack.GetConversationHistoryParameters{ChannelID: channel, Limit: 50,
		IncludeAllMetadata: true})
	if err != nil {
		return nil, failed("slack: conversations.history", err)
	}
	return h.Messages, nil
}
