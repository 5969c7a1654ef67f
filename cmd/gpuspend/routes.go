package main

import (
	"context"
	"fmt"
	"strings"

	"gpuspend/notify"
	"gpuspend/notify/email"
	"gpuspend/notify/rules"
	"gpuspend/notify/words"
)

// newPipeline joins rules, words, outbox and receivers.
func (a *App) newPipeline(ctx context.Context, p *present) (*notify.Pipeline, error) {
	receivers, err := a.receivers(ctx, p)
	if err != nil {
		return nil, err
	}
	return notify.New(notify.Options{Rules: rules.All(), Log: a.db, Writer: words.Writer{Book: a.words},
		Routes: a.reachable(p.routes()), Receivers: receivers, Now: a.o.Now, Logger: a.o.Log})
}

// slackApp is the name of the receiver that is the Slack app.
const slackApp = "slack"

// receivers opens every way to be warned.
func (a *App) receivers(ctx context.Context, p *present) (map[string]notify.Receiver, error) {
	all := map[string]notify.Receiver{}
	if a.chat != nil {
		all[slackApp] = a.chat.Receiver()
	}
	for name, r := range p.config.Receivers {
		receiver, err := r.open(ctx, speech{words: a.words, zone: p.desk.Zone, now: a.o.Now})
		if err != nil {
			return nil, fmt.Errorf("receiver %s: %w", name, err)
		}
		all[name] = receiver
	}
	return all, nil
}

// reachable leaves out the routes to a Slack app that is not there: the demo's `ask` and `once` know none.
func (a *App) reachable(all []notify.Route) []notify.Route {
	var out []notify.Route
	for _, r := range all {
		if r.Receiver != slackApp || a.chat != nil {
			out = append(out, r)
		}
	}
	return out
}

// routes reads where messages go. Shared places have the configured language; a person's own is looked up when he asks.
func (p *present) routes() []notify.Route {
	var list []notify.Route
	for _, r := range p.config.Routes {
		receiver, target, _ := strings.Cut(r.To, ":")
		lang := r.Language
		if lang == "" {
			lang = p.in.lang
		}
		list = append(list, notify.Route{Name: r.To, Receiver: receiver, Target: target, Lang: lang})
	}
	return list
}

// checkRoute says what is wrong with where a route leads.
func (c Config) checkRoute(to string) error {
	receiver, target, _ := strings.Cut(to, ":")
	if receiver == slackApp {
		switch {
		case target == "" || !strings.Contains("CGDU", target[:1]):
			return fmt.Errorf("%q is no place; write slack:C0123… (a channel's id) or slack:U0123… (a person's id)", to)
		case !c.Slack.BotToken.Given():
			return fmt.Errorf("a route to Slack needs slack.bot_token; a Slack channel without an app is a receiver of kind slack_webhook")
		}
		return nil
	}
	r, ok := c.Receivers[receiver]
	switch {
	case !ok:
		return fmt.Errorf("%q leads nowhere: it is neither slack:… nor the name of one of receivers%s", to, nearest(receiver, c.Receivers))
	case r.Kind == kindEmail:
		return email.CheckTo(target)
	case target != "":
		return fmt.Errorf("%q: a robot has one place; write only %s", to, receiver)
	}
	return nil
}
