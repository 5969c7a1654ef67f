package slack

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"

	"gpuspend/bot"
	"gpuspend/bot/blocks"
	"gpuspend/notify"
)

// command answers a slash command, to the person alone.
func (c *Client) command(ctx context.Context, s slack.SlashCommand) {
	a := ask{responseURL: s.ResponseURL, trigger: s.TriggerID,
		person: c.person(ctx, who{s.UserID, s.TeamID, s.EnterpriseID, s.UserName}),
		place:  bot.Place{Channel: s.ChannelID, Private: s.ChannelName == "directmessage" || strings.HasPrefix(s.ChannelID, "D")}}
	c.answer(ctx, a, s.Text)
}

// answer answers one line.
func (c *Client) answer(ctx context.Context, a ask, line string) {
	desk, now := c.desk.Load(), c.o.Now()
	p := desk.Private(a.person, now)
	got, err := desk.Ask(ctx, bot.Request{Words: bot.Split(line), Person: a.person, Place: a.place, Print: p, Now: now})
	switch {
	case err != nil:
		c.tell(ctx, a, desk.Apology(p, err))
	case got.Form != nil:
		c.open(ctx, a, *got.Form, notify.Button{Action: bot.ActionRun, Value: line})
	default:
		c.tell(ctx, a, got.Message)
	}
}

// pressed answers a button, a menu entry, or a choice in a form.
func (c *Client) pressed(ctx context.Context, i slack.InteractionCallback) {
	person := c.person(ctx, whoOf(i))
	if i.Container.Type == "view" {
		c.redraw(ctx, i, person)
		return
	}
	a := ask{responseURL: i.ResponseURL, trigger: i.TriggerID, person: person, place: placeOf(i)}
	for _, b := range i.ActionCallback.BlockActions {
		value := b.Value
		if b.SelectedOption.Value != "" {
			value = b.SelectedOption.Value
		}
		if action, value := blocks.Pressed(b.ActionID, value); action != "" {
			c.press(ctx, a, bot.Press{Action: action, Value: value, Person: person, Place: a.place})
		}
	}
}

func (c *Client) press(ctx context.Context, a ask, b bot.Press) {
	desk := c.desk.Load()
	out, err := desk.Press(ctx, b)
	switch {
	case err != nil:
		c.tell(ctx, a, desk.Apology(desk.Private(a.person, c.o.Now()), err))
	case out.Form != nil:
		c.open(ctx, a, *out.Form, notify.Button{Action: b.Action, Value: b.Value})
	default:
		if len(out.Private.Blocks) > 0 {
			c.tell(ctx, a, out.Private)
		}
		if len(out.Public.Blocks) > 0 {
			c.everybody(ctx, b.Place, out.Public)
		}
	}
}

// redraw shows a form again after a choice that changes it. A view that has changed meanwhile is left alone.
func (c *Client) redraw(ctx context.Context, i slack.InteractionCallback, person bot.Person) {
	f, err := c.desk.Load().Redraw(ctx, submissionOf(i, person))
	if err != nil {
		c.o.Log.Warn("slack: form not drawn again", "error", err)
		return
	}
	if _, err = c.api.UpdateViewContext(ctx, blocks.Form(f), "", i.View.Hash, i.View.ID); err != nil && said(err) != "hash_conflict" {
		c.o.Log.Warn("slack: form not drawn again", "error", failed("slack: views.update", err))
	}
}

// submission takes a form that was sent back. What is wrong with it goes into the acknowledgement; where the desk needs
// longer than Slack waits, the form closes and the person hears of a failure afterwards.
func (c *Client) submission(ctx context.Context, in incoming) {
	i := *in.interaction
	if c.handledBefore(ctx, in) {
		c.acked(in, nil)
		return
	}
	type result struct {
		reply bot.Reply
		err   error
	}
	desk := c.desk.Load()
	person := c.person(ctx, whoOf(i))
	done := make(chan result, 1)
	go c.safely(ctx, func(ctx context.Context) {
		r, err := desk.Submit(ctx, submissionOf(i, person))
		done <- result{r, err}
	})
	late := time.NewTimer(submitTimeout)
	defer late.Stop()
	var r result
	acked := false
	select {
	case r = <-done:
	case <-late.C:
		c.acked(in, nil)
		acked = true
		select {
		case r = <-done:
		case <-ctx.Done():
			return
		}
	}
	p := desk.Private(person, c.o.Now())
	a := ask{person: person, place: r.reply.Place}
	switch {
	case r.err != nil && !acked:
		c.acked(in, refusedForm(i, desk.Apology(p, r.err).Push))
	case r.err != nil:
		c.tell(ctx, a, desk.Apology(p, r.err))
	case len(r.reply.Errors) > 0 && !acked:
		c.acked(in, slack.NewErrorsViewSubmissionResponse(r.reply.Errors))
	case len(r.reply.Errors) > 0:
		for _, e := range r.reply.Errors {
			c.tell(ctx, a, plainMessage(e))
		}
	default:
		if !acked {
			c.acked(in, nil)
		}
		c.after(ctx, a, r.reply)
	}
}

// after says what a form that was taken leads to.
func (c *Client) after(ctx context.Context, a ask, r bot.Reply) {
	if len(r.Private.Blocks) > 0 {
		c.tell(ctx, a, r.Private)
	}
	if len(r.Public.Blocks) > 0 {
		c.everybody(ctx, r.Place, r.Public)
	}
}

func plainMessage(s string) notify.Message {
	return notify.Message{Push: s, Blocks: []notify.Block{notify.Section(notify.Plain(s))}}
}

// refusedForm puts a sentence under the first input of a form: Slack shows errors only there.
func refusedForm(i slack.InteractionCallback, sentence string) any {
	for _, b := range i.View.Blocks.BlockSet {
		if in, ok := b.(*slack.InputBlock); ok {
			return slack.NewErrorsViewSubmissionResponse(map[string]string{in.BlockID: sentence})
		}
	}
	return nil
}

func submissionOf(i slack.InteractionCallback, person bot.Person) bot.Submission {
	s := bot.Submission{Callback: i.View.CallbackID, Private: i.View.PrivateMetadata, Person: person}
	if i.View.State != nil {
		s.Values = blocks.Values(i.View.State.Values)
	}
	return s
}

func whoOf(i slack.InteractionCallback) who {
	return who{i.User.ID, firstOf(i.User.TeamID, i.Team.ID), i.Enterprise.ID, i.User.Name}
}

func placeOf(i slack.InteractionCallback) bot.Place {
	channel := firstOf(i.Channel.ID, i.Container.ChannelID)
	p := bot.Place{Channel: channel, Thread: i.Container.ThreadTs, Private: strings.HasPrefix(channel, "D")}
	if !i.Container.IsEphemeral {
		p.Message = i.Container.MessageTs
	}
	return p
}

var mention = regexp.MustCompile(`<@[A-Z0-9]+(\|[^>]*)?>`)

// mentioned answers somebody who named the bot in a channel, or wrote to it directly.
func (c *Client) mentioned(ctx context.Context, e slackevents.EventsAPIEvent) {
	switch m := e.InnerEvent.Data.(type) {
	case *slackevents.AppMentionEvent:
		if m.BotID == "" && m.User != "" {
			c.answerMessage(ctx, e, who{id: m.User, team: e.TeamID}, m.Channel, m.ThreadTimeStamp, m.Text)
		}
	case *slackevents.MessageEvent:
		if m.ChannelType == "im" && m.BotID == "" && m.SubType == "" && m.User != "" {
			c.answerMessage(ctx, e, who{id: m.User, team: e.TeamID}, m.Channel, m.ThreadTimeStamp, m.Text)
		}
	}
}

func (c *Client) answerMessage(ctx context.Context, _ slackevents.EventsAPIEvent, w who, channel, thread, text string) {
	a := ask{person: c.person(ctx, w), place: bot.Place{Channel: channel, Thread: thread, Private: strings.HasPrefix(channel, "D")}}
	c.answer(ctx, a, strings.TrimSpace(mention.ReplaceAllString(text, " ")))
}
