package bot

import (
	"context"
	"errors"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/release"
	"gpuspend/notify/words"
)

// Press answers a button or a menu entry. An action that nobody knows, of an older release say, fails as Invalid.
func (d *Desk) Press(ctx context.Context, b Press) (Outcome, error) {
	now := d.now()
	p := d.Private(b.Person, now)
	role := d.Roles.Of(b.Person, b.Place)
	if role == Nobody {
		d.note(b.Person, b.Action)
		return Outcome{Private: say(p, d.Roles.refusal(b.Person).Key).Message}, nil
	}
	switch b.Action {
	case ActionRelease, ActionStop:
		return d.pressRelease(ctx, b, p)
	case ActionApprove, ActionDecline:
		return d.pressDecide(ctx, b, p)
	case ActionAsk:
		return d.pressAsk(ctx, b, p)
	case ActionGrant:
		return d.pressGrant(ctx, b, p)
	case ActionExtend:
		return d.pressExtend(ctx, b, p)
	case ActionDeny:
		return d.pressDeny(ctx, b, p)
	case ActionMine:
		return d.pressMine(ctx, b, p)
	case ActionKeep:
		return d.pressKeep(ctx, b, p)
	case ActionTake:
		return d.pressTake(ctx, b, p, now)
	case ActionSnooze:
		f := snoozeForm(p, carried{Alert: b.Value, Place: b.Place})
		return Outcome{Form: &f}, nil
	case ActionRun:
		a, err := d.Ask(ctx, Request{Words: []string{b.Value}, Person: b.Person, Place: b.Place, Print: p, Now: now})
		if a.Form != nil {
			return Outcome{Form: a.Form}, err
		}
		return Outcome{Private: a.Message}, err
	}
	return Outcome{}, &billing.Error{Kind: billing.Invalid, Op: "press " + b.Action, Say: billing.Say("bot.press.unknown")}
}

// pressRelease opens the form of a resource, or says why there is none.
func (d *Desk) pressRelease(ctx context.Context, b Press, p words.Printer) (Outcome, error) {
	r := d.complete(Request{Words: []string{b.Value}, Person: b.Person, Place: b.Place, Print: p, Now: p.Now})
	a, err := releaseCommand(ctx, d, r)
	if err != nil {
		return gone(p, b, err)
	}
	if a.Form != nil {
		return Outcome{Form: a.Form}, nil
	}
	return Outcome{Private: a.Message}, nil
}

// gone says that what a button stood for is not there any more: to who pressed it, its handle is no mistyped word.
func gone(p words.Printer, b Press, err error) (Outcome, error) {
	var w *WordsError
	if !errors.As(err, &w) {
		return Outcome{}, err
	}
	return Outcome{Private: say(p, "bot.press.gone", "handle", b.Value).Message}, nil
}

func (d *Desk) pressKeep(ctx context.Context, b Press, p words.Printer) (Outcome, error) {
	v, err := d.Look(ctx)
	if err != nil {
		return Outcome{}, err
	}
	r := d.complete(Request{Person: b.Person, Place: b.Place, Print: p, Now: p.Now})
	x, err := find(r, v, b.Value, "keep")
	if err != nil {
		return gone(p, b, err)
	}
	f := keepForm(p, x, b.Place)
	return Outcome{Form: &f}, nil
}

// pressTake notes who looks after an alert, and says so to everybody.
func (d *Desk) pressTake(ctx context.Context, b Press, p words.Printer, now time.Time) (Outcome, error) {
	if d.Alerts == nil {
		return Outcome{}, &billing.Error{Kind: billing.Absent, Op: "take alert", Say: billing.Say("bot.press.unknown")}
	}
	if err := d.Alerts.Take(ctx, b.Value, b.Person.ID, b.Person.Team, now); err != nil {
		return Outcome{}, err
	}
	shared := d.Shared(now)
	return Outcome{Public: say(shared, "bot.taken", "who", personName(b.Person), "time", now).Message}, nil
}

func personName(p Person) string {
	if p.Name != "" {
		return p.Name
	}
	return p.ID
}

// Submit takes a form that was sent back. Errors by input name keep it open.
func (d *Desk) Submit(ctx context.Context, s Submission) (Reply, error) {
	c, err := parseCarried(s.Private)
	if err != nil {
		return Reply{}, err
	}
	now := d.now()
	p := d.Private(s.Person, now)
	role := d.Roles.Of(s.Person, c.Place)
	switch {
	case role == Nobody:
		d.note(s.Person, s.Callback)
		return Reply{Private: say(p, d.Roles.refusal(s.Person).Key).Message, Place: c.Place}, nil
	case s.Callback == formRelease:
		return d.submitRelease(ctx, s, c, p)
	case s.Callback == formAsk:
		return d.submitAsk(ctx, s, c, p)
	case s.Callback == formDeny:
		return d.submitDeny(s, c, p)
	case s.Callback == formKeep:
		return d.submitKeep(ctx, s, c, p)
	case s.Callback == formSnooze:
		return d.submitSnooze(ctx, s, c, p)
	}
	return Reply{}, &billing.Error{Kind: billing.Invalid, Op: "submit " + s.Callback, Say: billing.Say("bot.press.unknown")}
}

// submitRelease proposes and, since an operator's click is the approval, approves. The engine looks again before it
// acts and posts how it goes.
func (d *Desk) submitRelease(ctx context.Context, s Submission, c carried, p words.Printer) (Reply, error) {
	refuse := func(t billing.Text) (Reply, error) {
		return Reply{Errors: map[string]string{inputDo: p.Say(t)}, Place: c.Place}, nil
	}
	if d.Engine == nil {
		return refuse(billing.Say("bot.release.nothing_here"))
	}
	plan, err := d.Engine.Plan(ctx, c.Resource)
	if err != nil {
		return refuse(billing.SayOf(err))
	}
	plan = d.within(Request{Person: s.Person}, plan)
	if !plan.Refused.IsZero() {
		return refuse(plan.Refused)
	}
	chosen := one(s.Values, inputDo)
	if !offered(plan, chosen) || chosen == stopAsk && d.Marker == nil {
		return refuse(billing.Say("bot.release.choose"))
	}
	if errs := incomplete(p, s, plan, option(plan, chosen)); len(errs) > 0 {
		return Reply{Errors: errs, Place: c.Place}, nil
	}
	reply, err := d.order(ctx, s, c, plan, option(plan, chosen))
	if err != nil {
		d.log().Warn("release refused", "resource", c.Handle, "error", err)
		return refuse(billing.SayOf(err))
	}
	if chosen == stopAsk {
		m := billing.Mark{Resource: c.Resource, Kind: billing.MarkRemove, Due: askDay(p.Now), By: s.Person.ID, Team: s.Person.Team,
			Name: personName(s.Person), Channel: c.Place.Channel, Reason: one(s.Values, inputReason), MadeAt: p.Now}
		if _, err := d.Marker.PutMark(ctx, m); err != nil {
			return Reply{}, err
		}
	}
	return reply, nil
}

// offered says that a plan has a choice.
func offered(plan release.Plan, chosen string) bool {
	if chosen == stopAsk {
		return deletable(plan) && offered(plan, string(billing.VerbStop))
	}
	return len(plan.Options) > 0 && string(option(plan, chosen).Verb) == chosen
}

// incomplete holds the rules that the name is typed, and every item of the checklist ticked, before data can be lost.
// A form that was not drawn again yet has no inputs for them.
func incomplete(p words.Printer, s Submission, plan release.Plan, o release.Option) map[string]string {
	errs := map[string]string{}
	wrong := func(input, say string) {
		if _, there := s.Values[input]; !there {
			input = inputDo
		}
		errs[input] = say
	}
	if missing := o.Unticked(s.Values[inputExport]); len(missing) > 0 {
		wrong(inputExport, p.Say(plan.UntickedText(missing)))
	}
	if o.Typed != "" && one(s.Values, inputTyped) != o.Typed {
		wrong(inputTyped, p.Text("bot.release.typed_wrong", "name", o.Typed))
	}
	return errs
}

// order proposes and approves, or asks a second person where one is needed. Who asked for it hears of it.
func (d *Desk) order(ctx context.Context, s Submission, c carried, plan release.Plan, o release.Option) (Reply, error) {
	who := person(s.Person)
	lang := d.Lang
	if c.Place.Private && s.Person.Lang != "" {
		lang = s.Person.Lang
	}
	a, err := d.Engine.Propose(ctx, release.Proposal{Resource: c.Resource, Verb: o.Verb, Fingerprint: c.Fingerprint, By: who,
		Reason: one(s.Values, inputReason), Exported: s.Values[inputExport], Lang: lang, Saves: o.Saves, StillBills: o.StillBills,
		Place: release.Place{Channel: c.Place.Channel, Thread: c.Place.Thread}})
	if err != nil {
		return Reply{}, err
	}
	if plan.Second {
		return Reply{Public: d.secondMessage(a.ID, s, plan, o), Place: d.askPlace(c.Place)}, nil
	}
	if _, err = d.Engine.Approve(ctx, a.ID, who); err != nil {
		return Reply{}, err
	}
	if c.Asker != "" {
		shared := d.Shared(d.now())
		return Reply{Public: answered(c.Asker, c.AskerName, shared.Rich("bot.ask.granted", "who", personName(s.Person), "name", planName(plan))), Place: c.Place}, nil
	}
	return Reply{Place: c.Place}, nil
}

// person is who clicks, as the engine keeps him.
func person(p Person) release.Person {
	return release.Person{ID: p.ID, Team: p.Team, Name: personName(p)}
}

// one is the single value of an input.
func one(values map[string][]string, name string) string {
	if v := values[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// Redraw gives the form again with another choice made: what is deleted, what stays and what must be typed differ.
func (d *Desk) Redraw(ctx context.Context, s Submission) (Form, error) {
	c, err := parseCarried(s.Private)
	if err != nil {
		return Form{}, err
	}
	p := d.Private(s.Person, d.now())
	if s.Callback != formRelease || d.Engine == nil {
		return Form{}, &billing.Error{Kind: billing.Denied, Op: "redraw " + s.Callback}
	}
	v, err := d.Look(ctx)
	if err != nil {
		return Form{}, err
	}
	x, err := find(d.complete(Request{Person: s.Person, Print: p, Now: p.Now}), v, c.Handle, "release")
	if err != nil {
		return Form{}, err
	}
	plan, err := d.Engine.Plan(ctx, c.Resource)
	if err != nil {
		return Form{}, err
	}
	if plan = d.within(Request{Person: s.Person}, plan); len(plan.Options) == 0 {
		return Form{}, &billing.Error{Kind: billing.Conflict, Op: "redraw " + s.Callback, Say: plan.Refused}
	}
	f := releaseForm(p, x, plan, one(s.Values, inputDo), true, c.Place)
	f.Private = c.String() // what the person saw first is what the engine compares
	return f, nil
}
