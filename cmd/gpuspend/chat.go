package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gorilla/websocket"

	"gpuspend/billing"
	"gpuspend/billing/release"
	"gpuspend/bot"
	"gpuspend/bot/slack"
	"gpuspend/storage"
)

// SlackDoor is how Slack is reached: keys, and for the demo and tests another address and another network.
type SlackDoor struct {
	Bot, App, Signing billing.Secret
	APIURL            string            // "" for Slack's own
	Client            *http.Client      // nil for one with timeouts
	Dialer            *websocket.Dialer // nil for the real network
}

// slackDoor fetches the keys of a configuration.
func slackDoor(ctx context.Context, c SlackConfig) (d SlackDoor, err error) {
	var errs [3]error
	d.APIURL = c.APIURL
	d.Bot, errs[0] = c.BotToken.Reveal(ctx)
	d.App, errs[1] = c.AppToken.Reveal(ctx)
	d.Signing, errs[2] = c.SigningSecret.Reveal(ctx)
	return d, errors.Join(errs[:]...)
}

// newChat joins Slack to the desk; nil where no bot token is configured.
func (a *App) newChat(desk *bot.Desk) (*slack.Client, error) {
	d := a.o.Slack
	if d.Bot.Empty() {
		return nil, nil
	}
	return slack.New(slack.Options{BotToken: d.Bot, AppToken: d.App, SigningSecret: d.Signing, APIURL: d.APIURL,
		HTTPClient: d.Client, Dialer: d.Dialer, Desk: desk, Dedupe: handled{a.db}, Now: a.o.Now, Log: a.o.Log, Words: a.words,
		Remember: a.remember})
}

// remember keeps who somebody is, so that ask --as answers him as Slack would.
func (a *App) remember(ctx context.Context, p bot.Person, locale string) {
	zone := ""
	if p.Zone != nil {
		zone = p.Zone.String()
	}
	err := a.db.RememberPerson(ctx, storage.Person{Team: p.Team, ID: p.ID, Name: p.Name, Locale: locale, Zone: zone,
		Standing: string(p.Standing), ReadAt: a.o.Now()})
	if err != nil {
		a.o.Log.Warn("a person was not remembered", "error", err)
	}
}

// handled remembers chat events in the store, so that a redelivery after a restart is handled once, too.
type handled struct{ db *storage.DB }

// SeenEvent says whether the event was there already.
func (h handled) SeenEvent(ctx context.Context, id string, at time.Time) (bool, error) {
	first, err := h.db.SeenEvent(ctx, id, at)
	return !first && err == nil, err
}

// Tell shows a release's progress where there is a chat; without one the store alone knows.
func (a *App) Tell(ctx context.Context, action release.Action) (release.Place, error) {
	if a.chat == nil {
		return action.Place, nil
	}
	return a.chat.Teller().Tell(ctx, action)
}

// runChat answers people, but not before it is known whose people they are. A Slack that is down is waited for; a token
// that is refused ends the program with its sentence.
func (a *App) runChat(ctx context.Context) error {
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		err := a.team(ctx)
		if err == nil {
			return a.chat.Run(ctx)
		}
		if !billing.KindOf(err).Retryable() || ctx.Err() != nil {
			return err
		}
		a.o.Log.Warn("Slack can't be reached", "error", err, "again_in", wait)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// team fills in the workspace that ids belong to, where the configuration leaves it to the bot's own.
func (a *App) team(ctx context.Context) error {
	p := a.present.Load()
	if a.chat == nil || p.config.Slack.Team != "" {
		return nil
	}
	who, err := a.chat.Identity(ctx)
	if err != nil {
		return err
	}
	next := *p
	desk := *p.desk
	desk.Roles.Team = who.Team
	next.desk = &desk
	a.present.Store(&next)
	a.chat.Use(&desk)
	return nil
}
