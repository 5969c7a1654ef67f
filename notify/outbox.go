package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gpuspend/billing"
)

// The pace of new attempts.
const (
	firstWait = 5 * time.Second
	longWait  = 10 * time.Minute
	idleWait  = 30 * time.Second // how often Run looks although nobody woke it
	// unclassedTries is how often a letter is tried whose failure nobody classed.
	unclassedTries = 10
)

// Run delivers what is due until ctx ends: when Judge wakes it, when a letter may be tried again, and now and then.
func (p *Pipeline) Run(ctx context.Context) {
	for {
		wait, err := p.Deliver(ctx)
		if err != nil && ctx.Err() == nil {
			p.o.Logger.Error("deliver", "error", err)
			wait = firstWait
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-p.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// Deliver sends every letter that is due, and says how long to wait for the next attempt. A letter counts as delivered
// only when its receiver said so; a crash between the two may send it twice, and never loses it.
func (p *Pipeline) Deliver(ctx context.Context) (wait time.Duration, err error) {
	now := p.o.Now()
	due, err := p.o.Log.Due(ctx, now)
	if err != nil {
		return idleWait, fmt.Errorf("deliver: read outbox: %w", err)
	}
	wait = idleWait
	held := map[string]bool{} // routes that asked for a pause
	for _, l := range due {
		if ctx.Err() != nil {
			return wait, ctx.Err()
		}
		if held[l.Route.Name] {
			continue
		}
		done, err := p.send(ctx, l)
		if err != nil {
			return wait, err
		}
		if done.TryAt.After(now) && done.DeliveredAt.IsZero() && done.Failed == "" {
			held[l.Route.Name] = true
			wait = min(wait, done.TryAt.Sub(now))
		}
	}
	return wait, nil
}

// send tries one letter and records how it went.
func (p *Pipeline) send(ctx context.Context, l Letter) (Letter, error) {
	l, stale, err := p.address(ctx, l)
	if err != nil {
		return l, err
	}
	if stale {
		l.Failed = "superseded"
		return l, p.record(ctx, l)
	}
	receipt, err := p.hand(ctx, l)
	if ctx.Err() != nil && err != nil {
		return l, ctx.Err() // nobody knows whether it arrived: it stays due
	}
	if err != nil && l.Edits != "" && billing.KindOf(err) == billing.Missing {
		l.Edits = "" // the message to edit is gone; what it says is not
		receipt, err = p.hand(ctx, l)
	}
	l.Tries++
	if err == nil {
		l.DeliveredAt, l.Receipt = p.o.Now(), receipt
		return l, p.record(ctx, l)
	}
	p.o.Logger.Warn("letter not delivered", "route", l.Route.Name, "tries", l.Tries, "error", err)
	if wait, again := retry(err, l.Tries); again {
		l.TryAt = p.o.Now().Add(wait)
		return l, p.record(ctx, l)
	}
	return p.give(ctx, l, err)
}

// address finds the message that a letter edits. A letter that was overtaken by a newer one about the same thing is stale.
func (p *Pipeline) address(ctx context.Context, l Letter) (Letter, bool, error) {
	if l.Fingerprint == "" {
		return l, false, nil
	}
	last, heard, err := p.o.Log.Last(ctx, l.Fingerprint, l.Route.Name)
	if err != nil {
		return l, false, fmt.Errorf("deliver: read the last letter: %w", err)
	}
	if heard && last.ID > l.ID {
		return l, true, nil
	}
	if l.Edits == EditsLast {
		l.Edits = ""
		if heard {
			l.Edits = last.Receipt
		}
	}
	return l, false, nil
}

func (p *Pipeline) hand(ctx context.Context, l Letter) (string, error) {
	r := p.o.Receivers[l.Route.Receiver]
	if r == nil {
		return "", &billing.Error{Kind: billing.Invalid, Op: "deliver", Err: fmt.Errorf("no receiver %q", l.Route.Receiver)}
	}
	return r.Deliver(ctx, l)
}

// retry says whether and when a failed letter is tried again.
func retry(err error, tries int) (wait time.Duration, again bool) {
	wait = min(firstWait<<min(tries-1, 10), longWait)
	switch billing.KindOf(err) {
	case billing.Limited:
		var e *billing.Error
		if errors.As(err, &e) && e.RetryAfter > 0 {
			wait = e.RetryAfter
		}
		return wait, true
	case billing.Upstream:
		return wait, true
	case billing.Auth:
		return longWait, true // a person gives the bot a new token, and the letters are still there
	case billing.Unknown:
		return wait, tries < unclassedTries
	}
	return 0, false
}

// give gives a letter up on its route and hands what it says to the fallback, once. The copy is written first: a crash
// between the two sends it twice, and never loses it.
func (p *Pipeline) give(ctx context.Context, l Letter, why error) (Letter, error) {
	l.Failed = string(billing.KindOf(why))
	to := p.where.Load().fallback
	if to.Name != "" && to.Name != l.Route.Name {
		copied := Letter{Route: to, Fingerprint: l.Fingerprint, Message: l.Message, CreatedAt: l.CreatedAt, TryAt: p.o.Now()}
		copied.Message.Blocks = append(append([]Block{}, l.Message.Blocks...), p.o.Writer.Astray(to.Lang, l.Route))
		if err := p.o.Log.Commit(ctx, nil, []Letter{copied}); err != nil {
			return l, fmt.Errorf("deliver: hand to the fallback: %w", err)
		}
		p.Wake()
	}
	return l, p.record(ctx, l)
}

func (p *Pipeline) record(ctx context.Context, l Letter) error {
	if err := p.o.Log.Sent(ctx, l); err != nil {
		return fmt.Errorf("deliver: record: %w", err)
	}
	return nil
}
