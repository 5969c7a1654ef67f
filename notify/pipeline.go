package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"gpuspend/billing"
)

// EditsLast as Letter.Edits asks for an edit of whatever message about the same thing is there when the letter goes out.
const EditsLast = "last"

// Pipeline judges views and delivers letters. Make one with New; Judge and Run may be called at the same time.
type Pipeline struct {
	o     Options
	wake  chan struct{}
	where atomic.Pointer[places]

	judging sync.Mutex             // one judgement at a time
	posts   map[string][]time.Time // of the last hour, by route; a restart may forget them
}

// Options are what a pipeline is made of.
type Options struct {
	Rules     []Rule
	Log       Log
	Writer    Writer
	Routes    []Route
	Choose    func(f billing.Finding, all []Route) []Route // which routes hear of it; nil: all
	Fallback  Route                                        // hears what a route could not take; zero for none
	Receivers map[string]Receiver                          // by Route.Receiver
	Now       func() time.Time                             // the clock of the outbox
	Logger    *slog.Logger                                 // nil for none
	PerHour   int                                          // posts a route gets within an hour, before the rest are put together; 0: 10
}

// New checks the options: every route has a receiver, and the clock, the log and the writer are there.
func New(o Options) (*Pipeline, error) {
	if o.Log == nil || o.Writer == nil || o.Now == nil {
		return nil, errors.New("make pipeline: it needs a log, a writer and a clock")
	}
	routes := o.Routes
	if o.Fallback.Name != "" {
		routes = append([]Route{o.Fallback}, routes...)
	}
	for _, r := range routes {
		if o.Receivers[r.Receiver] == nil {
			return nil, fmt.Errorf("make pipeline: route %s: no receiver %q", r.Name, r.Receiver)
		}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.PerHour <= 0 {
		o.PerHour = 10
	}
	p := &Pipeline{o: o, wake: make(chan struct{}, 1), posts: map[string][]time.Time{}}
	p.Reroute(o.Routes, o.Fallback)
	return p, nil
}

// Reroute changes where messages go from now on; letters that are on their way go where they were sent. Every route
// must have a receiver that New was given.
func (p *Pipeline) Reroute(routes []Route, fallback Route) { p.where.Store(&places{routes, fallback}) }

// places are where messages go. They are replaced whole, never changed.
type places struct {
	routes   []Route
	fallback Route
}

// memory is how long a resolved alert is remembered as one that came back.
const memory = 30 * 24 * time.Hour

// week is how long a shared message is edited before it may be told anew.
const week = 7 * 24 * time.Hour

// Judge runs the rules over a view, and writes what changed with the letters that tell it, in one transaction.
func (p *Pipeline) Judge(ctx context.Context, v View) error {
	p.judging.Lock()
	defer p.judging.Unlock()
	var findings []billing.Finding
	for _, r := range p.o.Rules {
		findings = append(findings, r.Find(v)...)
	}
	stored, err := p.o.Log.Alerts(ctx, v.Now.Add(-memory))
	if err != nil {
		return fmt.Errorf("judge: read alerts: %w", err)
	}
	var alerts []Alert
	var letters []draft
	var faults []error
	for _, g := range sortOut(v, p.o.Rules, findings, stored) {
		more, err := p.letters(ctx, v, g)
		if err != nil {
			// Its alerts stay as they were, so that it is told once its message can be made.
			faults = append(faults, fmt.Errorf("judge %s: %w", g.topic, err))
			continue
		}
		letters = append(letters, more...)
		alerts = append(alerts, p.changes(g, v.Now)...)
	}
	if len(alerts)+len(letters) > 0 {
		if err := p.o.Log.Commit(ctx, alerts, p.hold(v.Now, letters)); err != nil {
			return fmt.Errorf("judge: keep alerts: %w", err)
		}
		p.Wake()
	}
	return errors.Join(faults...)
}

// changes gives the alerts of a group that begin, change or end.
func (p *Pipeline) changes(g group, now time.Time) []Alert {
	var out []Alert
	for _, it := range g.items {
		if a, changed := alert(it.reason, it.finding, it.alert, now); changed {
			out = append(out, a)
			p.o.Logger.Info("alert", "fingerprint", a.Fingerprint, "reason", string(it.reason))
		}
	}
	return out
}

// letters writes a group's message for every route that hears of it.
func (p *Pipeline) letters(ctx context.Context, v View, g group) ([]draft, error) {
	if !g.stirred() {
		return nil, nil
	}
	findings := g.worst()
	var out []draft
	for _, route := range p.where.Load().routes {
		mine := p.forRoute(route, findings)
		l, ok, err := p.letter(ctx, v, g, route, mine)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, draft{l, urgent(mine)})
		}
	}
	return out, nil
}

// forRoute leaves the findings that a route hears of.
func (p *Pipeline) forRoute(route Route, findings []billing.Finding) []billing.Finding {
	if p.o.Choose == nil {
		return findings
	}
	var mine []billing.Finding
	for _, f := range findings {
		for _, r := range p.o.Choose(f, p.where.Load().routes) {
			if r.Name == route.Name {
				mine = append(mine, f)
			}
		}
	}
	return mine
}

// letter writes a group's message for one route; ok is false where there is nothing to send.
func (p *Pipeline) letter(ctx context.Context, v View, g group, route Route, mine []billing.Finding) (l Letter, ok bool, err error) {
	last, heard, err := p.o.Log.Last(ctx, g.topic, route.Name)
	if err != nil {
		return Letter{}, false, err
	}
	l = Letter{Route: route, Fingerprint: g.topic, CreatedAt: v.Now, TryAt: p.o.Now()}
	gone, over := g.over()
	switch {
	case len(mine) > 0:
		l.Message, err = p.o.Writer.Write(v, route.Lang, mine)
		post := g.loud() && !(g.shared && heard && v.Now.Sub(last.CreatedAt) < week)
		if !post {
			l.Edits = EditsLast
		}
	case over && heard:
		l.Message, err = p.o.Writer.Over(v, route.Lang, gone, last.Message)
		l.Edits = EditsLast
	default:
		return Letter{}, false, nil
	}
	return l, true, err
}

// Wake makes Run look at the outbox at once.
func (p *Pipeline) Wake() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}
