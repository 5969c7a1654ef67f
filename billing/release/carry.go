package release

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"gpuspend/billing"
)

// Carry takes one action one step further, as far as can be done now: what is approved is looked at again and ordered
// from the cloud, what was running when the program died is looked for, what is verifying is looked at once more. It
// gives the action as it then stands, and an error only where the store fails; what a cloud says is in the action.
func (e *Engine) Carry(ctx context.Context, id ActionID) (Action, error) {
	a, err := e.o.Store.Action(ctx, id)
	if err != nil {
		return Action{}, err
	}
	switch a.State {
	case Proposed:
		return e.expire(ctx, a)
	case Approved:
		return e.act(ctx, a)
	case Running:
		return e.resume(ctx, a)
	case Verifying:
		return e.verify(ctx, a)
	}
	return a, nil
}

// expire ends what waited too long; nothing is ever done because nobody answered.
func (e *Engine) expire(ctx context.Context, a Action) (Action, error) {
	life := e.o.ProposalLife
	if a.State == Proposed {
		plan, err := e.Plan(ctx, a.Resource)
		if err != nil {
			return a, err
		}
		life = e.life(plan)
	}
	if e.o.Now().Sub(a.MovedAt) <= life {
		return a, nil
	}
	return e.step(ctx, a, Expired, Change{Why: billing.Say("release.expired", "after", life)})
}

// step moves an action on. Where somebody else moved it first, that is how it stands, and no error.
func (e *Engine) step(ctx context.Context, a Action, to State, c Change) (Action, error) {
	moved, err := e.move(ctx, a, to, c)
	if billing.KindOf(err) == billing.Conflict {
		return e.o.Store.Action(ctx, a.ID)
	}
	return moved, err
}

// act carries an approved action out: it looks again, and where everything is as the person saw it, it gives the order,
// once. That it is running is written down before the order is given.
func (e *Engine) act(ctx context.Context, a Action) (Action, error) {
	if e.o.Now().Sub(a.MovedAt) > e.o.ProposalLife {
		return e.expire(ctx, a)
	}
	plan, err := e.Plan(ctx, a.Resource)
	if err != nil {
		return a, err
	}
	if why := e.denied(a, a.Approver, plan); !why.IsZero() {
		return e.step(ctx, a, Failed, Change{Why: why})
	}
	why, err := e.unfit(ctx, a)
	if err != nil || ctx.Err() != nil {
		return a, err
	}
	if !why.IsZero() {
		return e.step(ctx, a, Failed, Change{Why: why})
	}
	cloud, err := e.o.Opener.OpenForRelease(withActor(ctx, a.Approver), a.Account)
	if err != nil {
		return e.step(ctx, a, Failed, Change{Why: billing.Say("release.failed.refused", "name", a.called(), "say", billing.SayOf(err))})
	}
	act := billing.Act{Verb: a.Verb, Ref: a.Ref, Token: a.Token}
	if err := rehearse(ctx, cloud, act); err != nil {
		if ctx.Err() != nil {
			return a, nil // nothing was ordered; the next start begins anew
		}
		return e.step(ctx, a, Failed, Change{Why: billing.Say("release.failed.refused", "name", a.called(), "say", billing.SayOf(err))})
	}
	if a, err = e.move(ctx, a, Running, Change{}); err != nil {
		if billing.KindOf(err) == billing.Conflict {
			return e.o.Store.Action(ctx, a.ID) // another engine has it
		}
		return a, err
	}
	receipt, err := order(ctx, cloud, act)
	if err != nil {
		e.o.Log.Warn("release: the cloud answered", "action", a.ID, "error_kind", billing.KindOf(err), "error", err)
	}
	to, c := outcome(a, receipt, err)
	// What the cloud answered is written down even when the program is told to stop meanwhile.
	return e.step(context.WithoutCancel(ctx), a, to, c)
}

// unfit says why an approved action must not be carried out now; zero where it may. Its scope, and those of what goes
// with it, are read again first.
func (e *Engine) unfit(ctx context.Context, a Action) (billing.Text, error) {
	plan, err := e.Plan(ctx, a.Resource)
	if err != nil {
		return billing.Text{}, err
	}
	look := []billing.Holding{plan.Holding}
	for _, o := range plan.Options {
		if o.Verb == a.Verb && len(o.Goes) > 1 {
			look = append(look, o.Goes[1:]...)
		}
	}
	began := e.o.Now().Truncate(time.Millisecond) // as fine as the store keeps times
	failed := e.look(ctx, look...)
	if plan, err = e.Plan(ctx, a.Resource); err != nil {
		return billing.Text{}, err
	}
	// A scope that can't be read does not matter where the resource was found in another.
	if failed != nil && (len(look) > 1 || plan.Holding.LastSeen.Before(began)) {
		return billing.Say("release.failed.look", "name", a.called(), "say", billing.SayOf(failed)), nil
	}
	_, why := plan.choice(a.Verb, a.Fingerprint)
	return why, nil
}

// rehearse asks a cloud that can tell whether it would take an order, and gives none. A cloud that can't tell for this
// one fails with Absent, which speaks against nothing.
func rehearse(ctx context.Context, cloud billing.Provider, act billing.Act) (err error) {
	r, ok := cloud.(billing.Rehearser)
	if !ok {
		return nil
	}
	defer recovered("rehearse", &err)
	if err = r.Rehearse(ctx, act); billing.KindOf(err) == billing.Absent {
		return nil
	}
	return err
}

// orderPatience is how long an order may take to be answered. An order that is not is looked into, like any answer that
// leaves open whether it was taken.
const orderPatience = 2 * time.Minute

// order gives the one order of an action. A panic of a provider is an unknown outcome.
func order(ctx context.Context, cloud billing.Provider, act billing.Act) (r billing.Receipt, err error) {
	defer recovered(string(act.Verb), &err)
	ctx, cancel := context.WithTimeout(ctx, orderPatience)
	defer cancel()
	switch act.Verb {
	case billing.VerbStop:
		if s, ok := cloud.(billing.Stopper); ok {
			return s.Stop(ctx, act)
		}
	case billing.VerbDelete:
		if r, ok := cloud.(billing.Releaser); ok {
			return r.Release(ctx, act)
		}
	}
	return billing.Receipt{}, &billing.Error{Kind: billing.Absent, Op: "release: " + string(act.Verb)}
}

// recovered turns a panic of a provider into an error. A panic's own words may hold anything, so that only those of the
// Go runtime are kept.
func recovered(op string, err *error) {
	if p := recover(); p != nil {
		why := fmt.Errorf("panic with a value of type %T", p)
		if e, ok := p.(runtime.Error); ok {
			why = fmt.Errorf("panic: %w", e)
		}
		*err = &billing.Error{Kind: billing.Unknown, Op: "release: " + op, Err: why}
	}
}

// outcome decides what an answer to an order means. A refusal is the end; an answer that leaves open whether the order
// was taken, and "no such thing", have to be looked into.
func outcome(a Action, r billing.Receipt, err error) (State, Change) {
	c := Change{RequestID: r.RequestID, Job: r.Job}
	switch billing.KindOf(err) {
	case "":
		return Verifying, c
	case billing.Missing:
		c.Why = billing.Say("release.verifying.missing", "name", a.called())
		return Verifying, c
	case billing.Upstream, billing.Unknown:
		c.Why = billing.Say("release.verifying.unsure", "name", a.called())
		return Verifying, c
	}
	c.Why = billing.Say("release.failed.refused", "name", a.called(), "say", billing.SayOf(err))
	return Failed, c
}

// resume takes up an action that was running when the program ended. Whether its order was given nobody knows: it is
// never given again. Listings will tell, and where they show nothing, a person has to press again.
func (e *Engine) resume(ctx context.Context, a Action) (Action, error) {
	return e.step(ctx, a, Verifying, Change{Why: billing.Say(interrupted, "name", a.called())})
}

// interrupted marks an action whose order may never have been given.
const interrupted = "release.verifying.interrupted"

// look reads the scopes that can list holdings again, each as a whole. It tries them all, and fails with what failed.
func (e *Engine) look(ctx context.Context, hs ...billing.Holding) error {
	done := map[billing.Scope]bool{}
	var errs []error
	for _, h := range hs {
		scopes, err := e.scopes(ctx, h)
		if err != nil {
			return err
		}
		for _, s := range scopes {
			if done[s] {
				continue
			}
			done[s] = true
			if err := e.o.Reader.Refresh(ctx, h.Account, s); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// scopes are the scopes that can list a holding, as far as they have ever been read.
func (e *Engine) scopes(ctx context.Context, h billing.Holding) ([]billing.Scope, error) {
	readings, err := e.o.Store.Readings(ctx, h.Account)
	if err != nil {
		return nil, err
	}
	var scopes []billing.Scope
	for _, r := range readings {
		if inScope(h, r) {
			scopes = append(scopes, r.Scope)
		}
	}
	if len(scopes) == 0 {
		scopes = []billing.Scope{{Kind: h.Ref.Kind, Region: h.Ref.Region}}
	}
	return scopes, nil
}

// since is how long an action has been in its state.
func (e *Engine) since(a Action) time.Duration { return e.o.Now().Sub(a.MovedAt) }
