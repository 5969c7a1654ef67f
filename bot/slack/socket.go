package slack

import (
	"context"
	"io"
	"log"
	"sync"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"
)

// Bounds on the pause after a link that ended for good, a refused token say.
const (
	restartFirst = time.Second
	restartMost  = 5 * time.Minute
)

// Run works until ctx ends, and returns when everything has ended. With an app token it keeps a Socket Mode link;
// without one it only works off what Handler takes in.
func (c *Client) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	wg.Go(func() { c.work(ctx) })
	if !c.o.AppToken.Empty() {
		wg.Go(func() { c.keepLink(ctx) })
	}
	wg.Wait()
	return nil
}

// keepLink runs the link again whenever slack-go gives up.
func (c *Client) keepLink(ctx context.Context) {
	pause := restartFirst
	for ctx.Err() == nil {
		began := time.Now()
		err := c.runLink(ctx)
		if ctx.Err() != nil {
			return
		}
		err = failed("slack: socket mode", err)
		c.link.lost(err.Error())
		c.o.Log.Error("slack: link ended", "error", err, "again_in", pause)
		if time.Since(began) > restartMost {
			pause = restartFirst
		}
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
		}
		pause = min(2*pause, restartMost)
	}
}

// runLink runs one socketmode client to its end. Its events are drained until then, come what may: a client whose
// events are not taken stays disconnected without a word.
func (c *Client) runLink(ctx context.Context) error {
	sm := socketmode.New(c.opener, socketmode.OptionDialer(c.dialer()), socketmode.OptionReadLimit(4<<20),
		socketmode.OptionLog(log.New(io.Discard, "", 0)))
	ended := make(chan error, 1)
	go func() { ended <- sm.RunContext(ctx) }()
	for {
		select {
		case err := <-ended:
			return err
		case e := <-sm.Events:
			c.event(ctx, sm, e)
		}
	}
}

// event takes one event of the link. It must be quick.
func (c *Client) event(ctx context.Context, sm *socketmode.Client, e socketmode.Event) {
	switch e.Type {
	case socketmode.EventTypeConnected:
		c.link.connected(time.Now())
		c.o.Log.Info("slack: connected")
	case socketmode.EventTypeConnecting:
		c.link.lost("")
	case socketmode.EventTypeConnectionError:
		if f, ok := e.Data.(*slack.ConnectionErrorEvent); ok {
			err := failed("slack: socket mode", f.ErrorObj)
			c.link.lost(err.Error())
			c.o.Log.Warn("slack: not connected", "error", err, "again_in", f.Backoff)
		}
	}
	if e.Request == nil || e.Request.EnvelopeID == "" {
		return
	}
	in := incoming{id: e.Request.EnvelopeID, ack: func(payload any) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ackTimeout)
		defer cancel()
		return sm.AckCtx(ctx, e.Request.EnvelopeID, payload)
	}}
	switch data := e.Data.(type) {
	case slack.SlashCommand:
		in.command = &data
	case slack.InteractionCallback:
		in.interaction = &data
	case slackevents.EventsAPIEvent:
		in.event = &data
	}
	c.take(in)
}
