package contract

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"gpuspend/billing"
)

// read is one way to read an account.
type read struct {
	name string
	run  func(ctx context.Context) error
}

// reads lists every read that a provider offers: one a scope, and one a capability.
func reads(s Subject, p billing.Provider) []read {
	all := []read{}
	add := func(name string, run func(ctx context.Context) error) { all = append(all, read{name, run}) }
	if scopes, err := p.Scopes(context.Background()); err == nil {
		for _, scope := range scopes {
			add("list "+string(scope.Kind), func(ctx context.Context) error { return last(p.Resources(ctx, scope)) })
		}
	}
	if v, ok := p.(billing.Identifier); ok {
		add("identify", func(ctx context.Context) error { _, err := v.Identify(ctx); return err })
	}
	if v, ok := p.(billing.Balancer); ok {
		add("balance", func(ctx context.Context) error { _, err := v.Balance(ctx); return err })
	}
	if v, ok := p.(billing.Charger); ok {
		add("charges", func(ctx context.Context) error { return last(v.Charges(ctx, s.Window)) })
	}
	if v, ok := p.(billing.Committer); ok {
		add("commitments", func(ctx context.Context) error { return last(v.Commitments(ctx)) })
	}
	if v, ok := p.(billing.Merchant); ok {
		add("offers", func(ctx context.Context) error { return last(v.Offers(ctx, billing.OfferQuery{})) })
	}
	if v, ok := p.(billing.Organizer); ok {
		add("members", func(ctx context.Context) error { return last(v.Members(ctx)) })
	}
	if v, ok := p.(billing.Meter); ok {
		now := billing.Period{Start: s.Now.Add(-time.Hour), End: s.Now.Add(1000 * time.Hour)}
		add("utilisation", func(ctx context.Context) error { return last(v.Utilisation(ctx, now)) })
	}
	if v, ok := p.(billing.Finder); ok && len(s.Release) > 0 {
		add("find", func(ctx context.Context) error { _, err := v.Find(ctx, s.Release[0]); return err })
	}
	return all
}

// last walks a sequence to its end and gives its error.
func last[T any](seq iter.Seq2[T, error]) error {
	for _, err := range seq {
		if err != nil {
			return err
		}
	}
	return nil
}

// faultParts: one part a fault; every read must come back with the right kind.
func faultParts() []part {
	var all []part
	for _, f := range []Fault{Auth, Denied, Missing, Conflict, Limited, Down, Page, Portal, Garbage, Truncated, Reset, Inside} {
		all = append(all, part{string(f) + " has its kind", func(b *bench) { b.fails(f) }})
	}
	return all
}

func (b *bench) fails(f Fault) {
	p := b.open(false)
	all := reads(b.s, p) // scopes may need the cloud
	if !b.cloud.Break(f) {
		b.needsHTTP(f)
		return
	}
	want := f.Kind()
	if f == Inside {
		want = b.s.Inside
	}
	for _, r := range all {
		kind := want
		if k, ok := b.s.Kinds[string(f)+"/"+r.name]; ok {
			kind = k
		}
		began := elapsed()
		err := r.run(context.Background())
		var e *billing.Error
		switch {
		case !errors.As(err, &e):
			b.t.Errorf("%s: %v, want a *billing.Error", r.name, err)
		case e.Kind != kind:
			b.t.Errorf("%s: %v is %s, want %s", r.name, err, e.Kind, kind)
		case e.Op == "" || billing.SayOf(err).IsZero():
			b.t.Errorf("%s: %v lacks its operation or its sentence", r.name, err)
		case f == Limited && e.RetryAfter != 2*time.Minute:
			b.t.Errorf("%s: wait %v, want 2m", r.name, e.RetryAfter)
		}
		if took := elapsed() - began; took > 90*time.Second {
			b.t.Errorf("%s took %v to fail", r.name, took)
		}
	}
}

// loop: a page token that comes back ends the walk with an error. A cloud without pages plays lists that name a next
// page all the same: they must be refused, for the first page alone would make things look gone.
func loop(b *bench) {
	b.breaks(Loop, billing.Invalid)
}

// broken: a list whose second page fails gives an error, never a shorter list. Where there are no pages, nothing is
// asked for twice, so that the list is whole.
func broken(b *bench) {
	want := billing.Upstream
	if b.s.Unpaged {
		want = ""
	}
	b.breaks(Later, want)
}

func (b *bench) breaks(f Fault, want billing.ErrorKind) {
	p := b.open(false)
	scopes, err := p.Scopes(context.Background())
	if err != nil {
		b.t.Fatal(err)
	}
	if !b.cloud.Break(f) {
		b.needsHTTP(f)
		return
	}
	if b.s.Paged == "" && !b.s.Simulated {
		b.t.Error("the subject names no kind with pages")
	}
	for _, s := range scopes {
		if s.Kind != b.s.Paged {
			continue
		}
		began := elapsed()
		if err := last(p.Resources(context.Background(), s)); billing.KindOf(err) != want {
			b.t.Errorf("list %s: %v, want %s", s.Kind, err, want)
		}
		if took := elapsed() - began; took > 2*time.Minute {
			b.t.Errorf("list %s took %v to fail", s.Kind, took)
		}
	}
}

// passing: a read survives one refusal that says when to come back, and does come back no sooner.
func passing(b *bench) {
	p := b.open(false)
	for _, r := range reads(b.s, p) {
		if !b.cloud.Break(Once) {
			b.needsHTTP(Once)
			return
		}
		began := elapsed()
		if err := r.run(context.Background()); err != nil {
			b.t.Errorf("%s: %v", r.name, err)
		}
		if took := elapsed() - began; took < 2*time.Second {
			b.t.Errorf("%s came back after %v, asked were 2 s", r.name, took)
		}
	}
}

// cancelled: whatever a read waits for, it gives up with its context.
func cancelled(b *bench) {
	p := b.open(false)
	all := reads(b.s, p)
	for _, f := range []Fault{Hang, Slow, Down} {
		for _, r := range all {
			if !b.cloud.Break(f) {
				b.needsHTTP(f)
				continue
			}
			ctx, cancel := context.WithCancel(context.Background())
			var ended time.Duration
			time.AfterFunc(200*time.Millisecond, func() { ended = elapsed(); cancel() })
			err := r.run(ctx)
			<-ctx.Done()
			if late := elapsed() - ended; late > 100*time.Millisecond {
				b.t.Errorf("%s returned %v after its context (%s)", r.name, late, f)
			}
			if err == nil || billing.KindOf(err) != billing.Upstream {
				b.t.Errorf("%s with an ended context: %v, want Upstream", r.name, err)
			}
		}
	}
}

// slow: an answer that drips ends with an error although nobody cancels.
func slow(b *bench) {
	p := b.open(false)
	all := reads(b.s, p)
	if !b.cloud.Break(Slow) {
		b.needsHTTP(Slow)
		return
	}
	for _, r := range all {
		began := elapsed()
		if err := r.run(context.Background()); billing.KindOf(err) != billing.Upstream {
			b.t.Errorf("%s: %v, want Upstream", r.name, err)
		}
		if took := elapsed() - began; took > 5*time.Minute {
			b.t.Errorf("%s took %v", r.name, took)
		}
	}
}

// secrets: no value, error or log line holds a credential or a secret of the cloud's answers.
func secrets(b *bench) {
	var out strings.Builder
	note := func(v any) { fmt.Fprintf(&out, "%v\n%+v\n%#v\n", v, v, v) }
	p := b.open(true)
	for _, r := range b.list(p) {
		note(r)
	}
	note(p)
	if c, ok := p.(billing.Charger); ok {
		for charge := range c.Charges(context.Background(), b.s.Window) {
			note(charge)
		}
	}
	all := reads(b.s, p)
	for _, f := range []Fault{Healthy, Auth, Denied, Missing, Conflict, Limited, Down, Page, Portal, Garbage, Truncated, Reset, Inside} {
		if !b.cloud.Break(f) {
			continue
		}
		for _, r := range all {
			if err := r.run(context.Background()); err != nil {
				note(err)
				note(billing.SayOf(err))
			}
		}
		for _, ref := range b.s.Release {
			if f != Healthy {
				_, err := do(p, billing.VerbDelete, ref)
				note(err)
			}
		}
	}
	out.WriteString(b.log.String())
	for _, f := range b.driver.Fields {
		if f.Secret && strings.Contains(out.String(), b.s.Fields[f.Name]) {
			b.t.Errorf("%s comes out", f.Name)
		}
	}
	for _, s := range b.s.Secrets {
		if i := strings.Index(out.String(), s); i >= 0 {
			b.t.Errorf("a secret of the answers comes out: %s", out.String()[max(0, i-80):i])
		}
	}
}
