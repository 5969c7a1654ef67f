package main

import (
	"context"
	"slices"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/release"
	"gpuspend/notify"
)

// tendEvery is how often marks are looked at.
const tendEvery = time.Minute

// keepMarks tends people's marks until ctx ends.
func (a *App) keepMarks(ctx context.Context) error {
	every := tendEvery
	if a.o.Speed > 1 {
		every = max(time.Duration(float64(every)/a.o.Speed), time.Second)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := a.tend(ctx); err != nil && ctx.Err() == nil {
			a.o.Log.Error("marks not tended", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// tend does what each mark asks for now. A notice counts from the moment the chat took it; what the chat did not take is
// tried again, and nothing follows it meanwhile.
func (a *App) tend(ctx context.Context) error {
	marks, err := a.db.Marks(ctx)
	if err != nil {
		return err
	}
	for _, m := range marks {
		if err := a.tendOne(ctx, m); err != nil && billing.KindOf(err) != billing.Missing { // missing: ended meanwhile
			a.o.Log.Warn("mark not tended", "mark", m.ID, "kind", m.Kind, "error", err)
		}
	}
	return ctx.Err()
}

func (a *App) tendOne(ctx context.Context, m billing.Mark) error {
	h, err := a.db.Holding(ctx, m.Resource)
	if err != nil {
		return err
	}
	now := a.o.Now()
	next := release.Due(m, h, now)
	switch next {
	case release.Over:
		return a.db.EndMark(ctx, m.ID, "over", now)
	case release.Idle:
		m.Idle = true
		return a.db.NoteMark(ctx, m)
	case release.Used:
		if err := a.db.EndMark(ctx, m.ID, "used", now); err != nil {
			return err
		}
		return a.sayMark(ctx, m, a.Desk().MarkMessage(next, m, h, billing.Text{}))
	case release.Notice, release.Ask:
		return a.tellMark(ctx, next, m, h)
	case release.Halt:
		return a.halt(ctx, m, h)
	}
	return nil
}

// tellMark says what is coming, or asks, and notes when it arrived. A question that was asked twice is the last word.
func (a *App) tellMark(ctx context.Context, next release.Next, m billing.Mark, h billing.Holding) error {
	if err := a.sayMark(ctx, m, a.Desk().MarkMessage(next, m, h, billing.Text{})); err != nil {
		return err
	}
	now := a.o.Now()
	switch {
	case next == release.Notice:
		m.ToldAt = now
	case m.AskedAt.IsZero():
		m.AskedAt = now
	default:
		return a.db.EndMark(ctx, m.ID, "asked", now)
	}
	return a.db.NoteMark(ctx, m)
}

// halt stops a machine whose lease is over, in the name of who leased it, through the engine and all its rules. The mark
// ends first, so that no second stop can follow from it; a refusal is said.
func (a *App) halt(ctx context.Context, m billing.Mark, h billing.Holding) error {
	if err := a.db.EndMark(ctx, m.ID, "halted", a.o.Now()); err != nil {
		return err
	}
	var why billing.Text
	if err := a.orderStop(ctx, m); err != nil {
		a.o.Log.Warn("lease not enforced", "mark", m.ID, "error", err)
		why = billing.SayOf(err)
	}
	return a.sayMark(ctx, m, a.Desk().MarkMessage(release.Halt, m, h, why))
}

func (a *App) orderStop(ctx context.Context, m billing.Mark) error {
	plan, err := a.engine.Plan(ctx, m.Resource)
	if err != nil {
		return err
	}
	if !plan.Refused.IsZero() {
		return &billing.Error{Kind: billing.Conflict, Op: "end lease", Say: plan.Refused}
	}
	i := slices.IndexFunc(plan.Options, func(o release.Option) bool { return o.Verb == billing.VerbStop })
	if i < 0 {
		return &billing.Error{Kind: billing.Conflict, Op: "end lease", Say: billing.Say("release.failed.no_choice", "name", plan.Holding.Name)}
	}
	who := release.Person{ID: m.By, Team: m.Team, Name: m.Name}
	action, err := a.engine.Propose(ctx, release.Proposal{Resource: m.Resource, Verb: billing.VerbStop, Fingerprint: plan.Fingerprint, By: who,
		Reason: m.Reason, Lang: a.Desk().Lang, Saves: plan.Options[i].Saves, StillBills: plan.Options[i].StillBills, Place: release.Place{Channel: m.Channel}})
	if err != nil {
		return err
	}
	_, err = a.engine.Approve(ctx, action.ID, who)
	return err
}

// sayMark posts where the mark was made, else to who made it. Without a chat nothing was said, and nothing follows.
func (a *App) sayMark(ctx context.Context, m billing.Mark, message notify.Message) error {
	if a.chat == nil {
		return &billing.Error{Kind: billing.Absent, Op: "say mark"}
	}
	return a.chat.Say(ctx, m.Channel, m.By, message)
}
