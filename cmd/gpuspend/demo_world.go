//go:build !nodemo

package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/sim"
	"gpuspend/bot"
	"gpuspend/bot/localslack"
)

// demoSource stands under every table made from the simulated clouds.
const demoSource = "demo book, article prices"

// storyAt is the instant around which the demo's story is told: Wednesday, 2 December 2026, 09:57 in Shanghai.
func storyAt() time.Time { return time.Date(2026, 12, 2, 1, 57, 0, 0, time.UTC) }

// demoSeed makes the same world at every run.
const demoSeed = 20261202

// demoDays is how much history the demo has before its story.
const demoDays = 36

// The people and channels of the demo.
const (
	demoTeam     = "T0LOCAL"
	demoOperator = "U0ANA"
	demoChinese  = "U0CHEN"
	demoViewer   = "U0BO"
	demoChannel  = "C0GPUBILLS"
)

// demoConfig watches the three simulated clouds. They need no keys.
func demoConfig(store string) Config {
	c := Config{Zone: "Asia/Shanghai", Language: "en", Currency: "CNY", Store: store,
		Slack:    SlackConfig{Team: demoTeam},
		Hours:    HoursConfig{Quiet: "none"}, // its night is the story
		Routes:   []RouteConfig{{To: "slack:" + demoChannel}},
		Viewers:  ViewersConfig{Users: []string{demoViewer}, Channels: []string{demoChannel}},
		Releases: ReleasesConfig{Operators: []string{demoOperator, demoChinese}}}
	for _, a := range []struct{ name, cloud string }{{"cloud-a", "cloud-a"}, {"cloud-b", "cloud-b"}, {"compute-c", "compute-c"}} {
		c.Accounts = append(c.Accounts, AccountConfig{Name: a.name, Provider: a.cloud, Release: "allow"})
	}
	return c
}

// demo is a program over a simulated world, with its history already read.
type demo struct {
	*App
	clock *demoClock
	world *sim.World
}

// newDemo makes the world and lets the program live through the weeks before the story, poll by poll, so that its
// memory (first seen, state since, balances) is its own.
func newDemo(ctx context.Context, store string, o Options, clock *demoClock, after func(context.Context, *App) error) (*demo, error) {
	first := storyAt().Add(-demoDays * 24 * time.Hour)
	clock.Set(first)
	world := sim.NewWorld(sim.Options{Seed: demoSeed, Start: first, Story: storyAt(), Now: clock.Now})
	o.Config, o.Drivers, o.Now, o.Source = demoConfig(store), world.Drivers(), clock.Now, demoSource
	o.Prices = &PriceWorld{Name: sim.Letter, Row: sim.ByCard, Extras: sim.Rates, Titles: map[string]string{}}
	o.Backfill = demoDays * 24 * time.Hour
	app, err := New(ctx, o)
	if err != nil {
		return nil, err
	}
	d := &demo{App: app, clock: clock, world: world}
	for t := first; !t.After(storyAt()); t = t.Add(step(storyAt().Sub(t))) {
		clock.Set(t)
		var only []billing.ReadingOf
		if storyAt().Sub(t) > metered {
			only = []billing.ReadingOf{billing.ReadBalance, billing.ReadInventory}
		}
		if err := app.Poll(ctx, only...); err != nil {
			return nil, errors.Join(err, app.Close())
		}
		if after == nil {
			continue
		}
		if err := after(ctx, app); err != nil {
			return nil, errors.Join(err, app.Close())
		}
	}
	return d, nil
}

// metered is how long before the story no bill may be in yet, so that our own meter counts: there the history is read as
// often as in life, and the bill of the time before it at once.
const metered = 36 * time.Hour

// step is how long the program waits between two readings of its history.
func step(left time.Duration) time.Duration {
	switch {
	case left > metered:
		return min(left-metered, 24*time.Hour)
	case left > 0:
		return min(left, 30*time.Minute)
	}
	return time.Hour // past the story: ends the loop
}

// demoDesk answers from a fresh demo world at one instant; the caller ends it.
func demoDesk(ctx context.Context, now func() time.Time) (asked, error) {
	dir, err := os.MkdirTemp("", "gpuspend-ask-")
	if err != nil {
		return asked{}, err
	}
	clean := func() { _ = os.RemoveAll(dir) } // a folder of our own in the temporary place
	d, err := newDemo(ctx, filepath.Join(dir, "demo.db"), Options{Log: slog.New(slog.DiscardHandler)}, &demoClock{}, nil)
	if err != nil {
		clean()
		return asked{}, err
	}
	desk := *d.Desk()
	desk.Zone = time.UTC // the documented default of ask; --tz says another
	if now != nil {
		d.clock.Set(now())
	}
	standing := func(_ context.Context, id string) bot.Standing { return demoStanding(id) }
	return asked{desk: &desk, standing: standing, end: func() { _ = d.Close(); clean() }}, nil
}

// demoStanding is what the demo's workspace says of its people.
func demoStanding(id string) bot.Standing {
	for _, p := range demoPeople() {
		switch {
		case p.ID != id:
		case p.Guest:
			return bot.Guest
		case p.Stranger:
			return bot.Stranger
		default:
			return bot.Member
		}
	}
	return bot.Unknown
}

// demoPeople are the members of the demo's workspace.
func demoPeople() []localslack.Person {
	return []localslack.Person{
		{ID: demoOperator, Name: "ana", RealName: "Ana (may release)", Locale: "en-GB", TZ: "Asia/Shanghai", Email: "ana@example.com"},
		{ID: demoChinese, Name: "chen", RealName: "陈晨（运维）", Locale: "zh-CN", TZ: "Asia/Shanghai", Email: "chen@example.com"},
		{ID: demoViewer, Name: "bo", RealName: "Bo (may look)", Locale: "en-GB", TZ: "Europe/Berlin", Email: "bo@example.com"},
		{ID: "U0GUEST", Name: "gil", RealName: "Gil (guest)", Locale: "en-US", TZ: "America/New_York", Guest: true},
		{ID: "U0OTHER", Name: "sam", RealName: "Sam (other company)", Locale: "en-US", TZ: "America/New_York", Stranger: true},
	}
}
