package slack

import (
	"context"

	"github.com/slack-go/slack"

	"gpuspend/billing"
	"gpuspend/bot"
	"gpuspend/bot/blocks"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// send sends a message in the richest form that the workspace takes: with Slack's table, with tables as preformatted
// text, without blocks. A refusal of blocks posted nothing, so that trying the next form never posts twice.
func (c *Client) send(p words.Printer, m notify.Message, post func(...slack.MsgOption) error) error {
	more := func(n int) string { return p.Text("bot.more", "count", n) }
	err := post(rendered(m, blocks.Options{More: more})...)
	if refusesBlocks(err) {
		c.o.Log.Warn("slack: blocks refused; trying without a table", "error", failed("slack: post", err))
		err = post(rendered(m, blocks.Options{More: more, Preformatted: true})...)
	}
	if refusesBlocks(err) {
		c.o.Log.Error("slack: blocks refused; sending text", "error", failed("slack: post", err))
		err = post(quiet(slack.MsgOptionText(blocks.PlainText(m), false))...)
	}
	return err
}

func rendered(m notify.Message, o blocks.Options) []slack.MsgOption {
	return quiet(slack.MsgOptionText(blocks.Text(m), false), slack.MsgOptionBlocks(blocks.Message(m, o)...))
}

// quiet keeps Slack from adding previews of links.
func quiet(options ...slack.MsgOption) []slack.MsgOption {
	return append(options, slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl())
}

// ask is where an answer belongs: to one person, at the place where he asked.
type ask struct {
	responseURL string
	trigger     string
	person      bot.Person
	place       bot.Place
}

// tell answers one person alone: by the response URL, else as an ephemeral message, else in a direct message.
func (c *Client) tell(ctx context.Context, a ask, m notify.Message) {
	p := c.desk.Load().Private(a.person, c.o.Now())
	var err error
	if a.responseURL != "" {
		err = c.send(p, m, func(o ...slack.MsgOption) error {
			o = append(o, slack.MsgOptionResponseURL(a.responseURL, slack.ResponseTypeEphemeral))
			_, _, err := c.api.PostMessageContext(ctx, a.place.Channel, o...)
			return err
		})
		if err == nil {
			return
		}
		c.o.Log.Warn("slack: response URL", "error", failed("slack: response url", err))
	}
	if a.place.Channel != "" && !a.place.Private {
		err = c.send(p, m, func(o ...slack.MsgOption) error {
			_, err := c.api.PostEphemeralContext(ctx, a.place.Channel, a.person.ID, append(o, inThread(a.place.Thread)...)...)
			return err
		})
		if err == nil {
			return
		}
	}
	if err = c.postDirect(ctx, p, a.person.ID, m); err != nil {
		c.o.Log.Error("slack: an answer reached nobody", "user", a.person.ID, "error", err)
	}
}

func inThread(ts string) []slack.MsgOption {
	if ts == "" {
		return nil
	}
	return []slack.MsgOption{slack.MsgOptionTS(ts)}
}

func (c *Client) postDirect(ctx context.Context, p words.Printer, user string, m notify.Message) error {
	channel, err := c.direct(ctx, user)
	if err != nil {
		return err
	}
	err = c.send(p, m, func(o ...slack.MsgOption) error {
		_, _, err := c.api.PostMessageContext(ctx, channel, o...)
		return err
	})
	return failed("slack: chat.postMessage", err)
}

// Say posts to a channel, else, where the bot is not in it or none is given, to a person directly.
func (c *Client) Say(ctx context.Context, channel, user string, m notify.Message) error {
	ctx, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	if channel != "" {
		_, err := c.post(ctx, c.shared(), channel, "", m)
		if k := billing.KindOf(err); k != billing.Missing && k != billing.Denied {
			return err
		}
	}
	return c.postDirect(ctx, c.shared(), user, m)
}

// everybody posts under the message that was pressed.
func (c *Client) everybody(ctx context.Context, at bot.Place, m notify.Message) {
	thread := firstOf(at.Thread, at.Message)
	err := c.send(c.shared(), m, func(o ...slack.MsgOption) error {
		_, _, err := c.api.PostMessageContext(ctx, at.Channel, append(o, inThread(thread)...)...)
		return err
	})
	if err != nil {
		c.o.Log.Error("slack: note not posted", "channel", at.Channel, "error", failed("slack: chat.postMessage", err))
	}
}

// open opens a form. A trigger lives 3 s: where that was too short, the person gets a button with a fresh one.
func (c *Client) open(ctx context.Context, a ask, f bot.Form, again notify.Button) {
	_, err := c.api.OpenViewContext(ctx, a.trigger, blocks.Form(f))
	if err == nil {
		return
	}
	c.o.Log.Warn("slack: form not opened", "form", f.Callback, "error", failed("slack: views.open", err))
	p := c.desk.Load().Private(a.person, c.o.Now())
	m := c.desk.Load().Apology(p, failed("slack: views.open", err))
	if code := said(err); code == "expired_trigger_id" || code == "exchanged_trigger_id" {
		text := p.Rich("bot.slack.late")
		again.Label = p.Text("bot.slack.again")
		m = notify.Message{Push: text.String(), Blocks: []notify.Block{notify.Section(text), notify.Actions(again)}}
	}
	c.tell(ctx, a, m)
}
