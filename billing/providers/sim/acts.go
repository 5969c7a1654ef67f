//go:build !nodemo

package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gpuspend/billing"
)

// Outcome says what a cloud made of an act.
type Outcome string

// The outcomes.
const (
	CarriedOut Outcome = "carried_out"
	Repeated   Outcome = "repeated" // the token was known: the same receipt, nothing done again
	Refused    Outcome = "refused"
	Ignored    Outcome = "ignored" // taken and never carried out (Fault.Deaf), or already so
)

// Deed is one act as it reached a cloud.
type Deed struct {
	Driver  string
	Verb    billing.Verb
	Ref     billing.ResourceRef
	Token   string
	At      time.Time // UTC
	Outcome Outcome
}

// taken is an act that a cloud has accepted, kept under its token.
type taken struct {
	verb    billing.Verb
	ref     billing.ResourceRef
	receipt billing.Receipt
}

// act is the way of every order: once per token, refused where it must be, under way where not.
func (p *account) act(ctx context.Context, verb billing.Verb, a billing.Act) (billing.Receipt, error) {
	op := p.op(string(verb))
	if !p.write {
		return billing.Receipt{}, p.readOnly(op)
	}
	now, done, err := p.enter(ctx, op)
	if err != nil {
		return billing.Receipt{}, err
	}
	defer done()
	a.Ref.Account = 0
	deed := Deed{p.c.name, verb, a.Ref, a.Token, now, Refused}
	defer func() { p.w.asked = append(p.w.asked, deed) }()
	if before, known := p.c.receipts[a.Token]; known && a.Token != "" {
		if before.verb != verb || before.ref != a.Ref {
			return billing.Receipt{}, refuse(op, billing.Invalid, billing.Text{}, "the token stands for another act")
		}
		deed.Outcome = Repeated
		return before.receipt, nil
	}
	t, err := p.allow(op, verb, a.Ref)
	if err != nil {
		return billing.Receipt{}, err
	}
	already := verb == billing.VerbStop && t.r.State != billing.StateRunning
	r := p.c.accept(verb, t, a.Token)
	deed.Outcome = Ignored
	if !already && !p.c.fault.Deaf {
		deed.Outcome = CarriedOut
		p.c.begin(verb, t)
	}
	if p.c.fault.Lose {
		return billing.Receipt{}, refuse(op, billing.Upstream, billing.Text{}, "the connection broke before the answer came")
	}
	return r, nil
}

func (p *account) readOnly(op string) error {
	return refuse(op, billing.Denied, billing.Say("sim.refused.read_only", "account", p.name), "the account was opened for reading")
}

// allow finds what an act is about and says why it can't be done.
func (p *account) allow(op string, verb billing.Verb, ref billing.ResourceRef) (*thing, error) {
	if kind := p.c.fault.Refuse; kind != "" {
		return nil, refuse(op, kind, billing.Text{}, "the simulation was told to refuse")
	}
	t := p.c.find(ref.ID)
	ref.Account = 0
	if t == nil || t.r.Ref != ref {
		return nil, refuse(op, billing.Missing, billing.Text{}, "no "+string(ref.Kind)+" "+ref.ID)
	}
	if why := p.c.objection(verb, t); !why.IsZero() {
		return nil, refuse(op, billing.Conflict, why, why.Key)
	}
	if verb == billing.VerbStop && !t.machine() {
		return nil, refuse(op, billing.Invalid, billing.Text{}, "a "+string(ref.Kind)+" can't be stopped")
	}
	return t, nil
}

// objection is the cloud's reason against an act, zero for none.
func (c *cloud) objection(verb billing.Verb, t *thing) billing.Text {
	name := t.r.Name
	switch {
	case t.r.State == billing.StateDeleting || t.r.State == billing.StateTerminated:
		return billing.Say("sim.refused.going", "name", name)
	case t.r.Managed != "":
		return billing.Say("sim.refused.managed", "name", name, "by", t.r.Managed)
	case verb == billing.VerbStop:
		return billing.Text{}
	case !t.r.NotReleasable.IsZero():
		return t.r.NotReleasable
	case t.r.Protected:
		return billing.Say("sim.refused.protected", "name", name)
	case t.r.State == billing.StateAttached:
		return billing.Say("sim.refused.in_use", "name", name, "by", c.find(t.r.AttachedTo[0]).r.Name)
	}
	for _, kind := range []billing.Kind{billing.KindImage, billing.KindInstance} {
		if users := c.madeFrom(t, kind); len(users) > 0 {
			return billing.Say("sim.refused.in_use", "name", name, "by", users[0].r.Name)
		}
	}
	return billing.Text{}
}

// accept gives a receipt and keeps it under the token.
func (c *cloud) accept(verb billing.Verb, t *thing, token string) billing.Receipt {
	c.acts++
	r := billing.Receipt{RequestID: fmt.Sprintf("REQ-%s-%08X", c.prefix, uint32(draw(c.w.seed, "request", c.name, fmt.Sprint(c.acts))))}
	r.Done = verb == billing.VerbStop && t.r.State == billing.StateStopped
	if c.name == nameB {
		r.Job = fmt.Sprintf("job-%d", c.acts)
	}
	if token != "" {
		c.receipts[token] = taken{verb, t.r.Ref, r}
	}
	return r
}

// begin starts what takes a while: a stop about two minutes, a release two to four. Costs go on until the end.
func (c *cloud) begin(verb billing.Verb, t *thing) {
	now := c.w.at
	spread := time.Duration(drawAt(c.w.seed, string(verb), t.r.Ref.ID, now)%121) * time.Second
	if verb == billing.VerbStop {
		c.turn(t, billing.StateStopping)
		c.w.schedule(now.Add(time.Minute+spread/2+c.fault.Slow+30*time.Second), func() {
			if t.r.State == billing.StateStopping {
				c.halt(t)
			}
		})
		return
	}
	c.turn(t, billing.StateDeleting)
	c.w.schedule(now.Add(2*time.Minute+spread+c.fault.Slow), func() { c.remove(t) })
}

// followed is the receipt of an act that came before: done where it has been carried out meanwhile.
func (c *cloud) followed(before taken) billing.Receipt {
	r := before.receipt
	t := c.find(before.ref.ID)
	switch before.verb {
	case billing.VerbDelete:
		r.Done = t == nil
	case billing.VerbStop:
		r.Done = t == nil || t.r.State == billing.StateStopped
	}
	return r
}

func refuse(op string, kind billing.ErrorKind, say billing.Text, why string) error {
	return &billing.Error{Kind: kind, Op: op, Say: say, Err: errors.New(why)}
}

// Asked lists every act that reached a cloud, whatever it made of it, in order.
func (w *World) Asked() []Deed {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Deed(nil), w.asked...)
}

// Deeds lists the acts that the clouds really carried out, in order.
func (w *World) Deeds() []Deed { return w.deeds("") }

// Deletes lists the deletions that the clouds really carried out, in order: tests count them.
func (w *World) Deletes() []Deed { return w.deeds(billing.VerbDelete) }

func (w *World) deeds(verb billing.Verb) []Deed {
	var found []Deed
	for _, d := range w.Asked() {
		if d.Outcome == CarriedOut && (verb == "" || d.Verb == verb) {
			found = append(found, d)
		}
	}
	return found
}
