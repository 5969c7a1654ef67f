package slack

import (
	"context"
	"strings"

	"gpuspend/billing"
	"gpuspend/billing/release"
	"gpuspend/bot"
)

// Teller shows how releases go: one message each, posted once and edited from then on.
func (c *Client) Teller() release.Teller { return teller{c} }

type teller struct{ c *Client }

// Tell posts or edits the message of an action. Where the bot is not in the channel, the person who asked reads it in a
// direct message.
func (t teller) Tell(ctx context.Context, a release.Action) (release.Place, error) {
	c := t.c
	ctx, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	p := c.o.Words.For(a.Lang, c.shared().Zone, c.o.Now())
	m := bot.Progress(a, p)
	place := a.Place
	if place.Message != "" {
		_, err := c.edit(ctx, p, place.Channel, place.Message, m)
		if billing.KindOf(err) != billing.Missing {
			return place, err
		}
	}
	receipt, err := "", error(&billing.Error{Kind: billing.Missing, Op: "slack: tell"})
	mark := metadata(actionEvent, int64(a.ID))
	if place.Channel != "" {
		if ts := c.toldBefore(ctx, a); ts != "" {
			place.Message = ts
			_, err = c.edit(ctx, p, place.Channel, ts, m)
			return place, err
		}
		receipt, err = c.post(ctx, p, place.Channel, place.Thread, m, mark)
	}
	if k := billing.KindOf(err); (k == billing.Missing || k == billing.Denied) && a.By.ID != "" {
		place.Thread = ""
		var dm string
		if dm, err = c.direct(ctx, a.By.ID); err == nil {
			receipt, err = c.post(ctx, p, dm, "", m, mark)
		}
	}
	if err != nil {
		return a.Place, err
	}
	place.Channel, place.Message, _ = strings.Cut(receipt, "/")
	return place, nil
}

// toldBefore finds the message of an action whose first telling ended without an answer, so that there is one and not
// two. An action that begins can't have one.
func (c *Client) toldBefore(ctx context.Context, a release.Action) string {
	if a.Place.Message != "" || a.State == release.Proposed || a.State == release.Approved {
		return ""
	}
	return c.arrived(ctx, a.Place.Channel, a.Place.Thread, actionEvent, int64(a.ID))
}
