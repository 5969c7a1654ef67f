package main

import (
	"context"
	"fmt"
	"time"

	"gpuspend/notify"
)

// Morning writes the digest of the day for every route that wants one, once, on working days from the start of work to
// its end: after an outage late, and never twice. What says that it was written is the outbox.
func (a *App) Morning(ctx context.Context) error {
	a.mornings.Lock()
	defer a.mornings.Unlock()
	p, now := a.present.Load(), a.o.Now()
	if !p.in.hours.AtWork(now, p.desk.Zone) {
		return nil
	}
	about := "digest/" + now.In(p.desk.Zone).Format(time.DateOnly)
	for _, r := range p.config.Routes {
		if !r.digests() {
			continue
		}
		for _, route := range a.reachable([]notify.Route{p.route(r)}) {
			if err := a.digest(ctx, p, r, route, about, now); err != nil {
				return fmt.Errorf("digest for %s: %w", route.Name, err)
			}
		}
	}
	return nil
}

// firstRound is how long after its start a program waits with a digest, so that every account was read.
const firstRound = 2 * time.Minute

// morning is Morning for a program that runs on.
func (a *App) morning(ctx context.Context) error {
	if a.o.Now().Sub(a.began) < firstRound {
		return nil
	}
	return a.Morning(ctx)
}

func (a *App) digest(ctx context.Context, p *present, r RouteConfig, route notify.Route, about string, now time.Time) error {
	if written, err := a.db.Written(ctx, about, route.Name); written || err != nil {
		return err
	}
	m, err := p.desk.Digest(ctx, route.Lang, r.Accounts, now)
	if err != nil {
		return err
	}
	if err := a.db.Commit(ctx, nil, []notify.Letter{{Route: route, Fingerprint: about, Message: m, CreatedAt: now, TryAt: now}}); err != nil {
		return err
	}
	a.pipeline.Wake()
	return nil
}

// digests says that a route has the morning's digest.
func (r RouteConfig) digests() bool {
	if r.Digest != "" {
		return r.Digest == "on"
	}
	return len(r.Rules) == 0 && !r.Urgent && !r.Fallback
}
