package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gpuspend/billing"
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
	return notify.New(notify.Options{Rules: rules.All(), Log: a.db, Writer: words.Writer{Book: a.words}, Choose: a.choose, Fallback: a.fallback(p),
		Routes: a.reachable(p.routes()), Receivers: receivers, Now: a.o.Now, Logger: a.o.Log})
}

// choose leaves the routes that want to hear of a finding, under the configuration of now.
func (a *App) choose(f billing.Finding, all []notify.Route) []notify.Route {
	p := a.present.Load()
	account := a.about(f.Account).Name
	return slices.DeleteFunc(slices.Clone(all), func(r notify.Route) bool {
		i := slices.IndexFunc(p.config.Routes, func(c RouteConfig) bool { return c.To == r.Name })
		return i >= 0 && !p.config.Routes[i].wants(f, account)
	})
}

// wants says that a route hears of a finding about an account. What is about no single account is about all.
func (r RouteConfig) wants(f billing.Finding, account string) bool {
	return (len(r.Accounts) == 0 || account == "" || slices.Contains(r.Accounts, account)) &&
		(len(r.Rules) == 0 || slices.Contains(r.Rules, f.Rule)) && (!r.Urgent || f.Severity >= billing.SeverityUrgent)
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
		if !r.Fallback {
			list = append(list, p.route(r))
		}
	}
	return list
}

// fallback is the route that hears what another could not take; zero for none.
func (a *App) fallback(p *present) notify.Route {
	for _, r := range p.config.Routes {
		if all := a.reachable([]notify.Route{p.route(r)}); r.Fallback && len(all) > 0 {
			return all[0]
		}
	}
	return notify.Route{}
}

func (p *present) route(r RouteConfig) notify.Route {
	receiver, target, _ := strings.Cut(r.To, ":")
	return notify.Route{Name: r.To, Receiver: receiver, Target: target, Lang: cmp.Or(r.Language, p.in.lang)}
}

// checkRoutes says what is wrong with each route, and with all of them together.
func (k *checker) checkRoutes(c Config) {
	accounts, known, before, fallbacks := map[string]bool{}, map[string]bool{}, map[string]int{}, 0
	for _, a := range c.Accounts {
		accounts[a.Name] = true
	}
	for _, r := range rules.All() {
		known[r.Name] = true
	}
	for i, r := range c.Routes {
		path := fmt.Sprintf("routes[%d]", i)
		k.language(path+".language", r.Language)
		if err := c.checkRoute(r.To); err != nil {
			k.wrong(path+".to", "%v", err)
		}
		if j, twice := before[r.To]; twice {
			k.wrong(path+".to", "%q is where routes[%d] leads too; one route may name several accounts and rules", r.To, j)
		}
		before[r.To] = i
		for j, name := range r.Accounts {
			if !accounts[name] {
				k.wrong(fmt.Sprintf("%s.accounts[%d]", path, j), "no account has the name %q%s", name, nearest(name, accounts))
			}
		}
		for j, name := range r.Rules {
			if !known[name] {
				k.wrong(fmt.Sprintf("%s.rules[%d]", path, j), "%q is no warning%s", name, nearest(name, known))
			}
		}
		if r.Digest != "" && r.Digest != "on" && r.Digest != "off" {
			k.wrong(path+".digest", "%q is neither on nor off", r.Digest)
		}
		if r.Fallback {
			fallbacks++
		}
		if r.Fallback && (len(r.Accounts) > 0 || len(r.Rules) > 0 || r.Urgent) {
			k.wrong(path+".fallback", "a fallback hears all that another route could not take; leave out accounts, rules and urgent")
		}
	}
	if fallbacks > 1 || fallbacks == 1 && len(c.Routes) == 1 {
		k.wrong("routes", "one route of several may be the fallback, and not the only one")
	}
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
