package contract

import (
	"context"
	"time"

	"gpuspend/billing"
)

// do carries out an act; an Absent error stands for an ability that the provider lacks.
func do(p billing.Provider, verb billing.Verb, ref billing.ResourceRef) (billing.Receipt, error) {
	act := billing.Act{Verb: verb, Ref: ref, Token: "0198f3c2-test-token"}
	lacks := &billing.Error{Kind: billing.Absent, Op: string(verb)}
	if verb == billing.VerbStop {
		if s, ok := p.(billing.Stopper); ok {
			return s.Stop(context.Background(), act)
		}
		return billing.Receipt{}, lacks
	}
	if r, ok := p.(billing.Releaser); ok {
		return r.Release(context.Background(), act)
	}
	return billing.Receipt{}, lacks
}

// settle gives the cloud its time to carry out what it accepted.
func (b *bench) settle() { time.Sleep(b.s.Settling) }

// readOnly: an account opened for reading reads everything that it can, and no write reaches the cloud.
func readOnly(b *bench) {
	p := b.open(false)
	for _, r := range reads(b.s, p) {
		if err := r.run(context.Background()); err != nil {
			b.t.Errorf("%s at a read-only opening: %v", r.name, err)
		}
	}
	acts := []Refusal{}
	if b.s.Stop != nil {
		acts = append(acts, Refusal{Verb: billing.VerbStop, Ref: *b.s.Stop})
	}
	for _, ref := range b.s.Release {
		acts = append(acts, Refusal{Verb: billing.VerbDelete, Ref: ref})
	}
	for _, a := range acts {
		if _, err := do(p, a.Verb, a.Ref); billing.KindOf(err) != billing.Denied {
			b.t.Errorf("%s %+v at a read-only opening: %v, want Denied", a.Verb, a.Ref, err)
		}
	}
	if n := b.cloud.Writes(); n > 0 {
		b.t.Errorf("%d writes reached the cloud", n)
	}
}

// stop: the machine comes to be stopped, at the rate that was promised, and a second stop changes nothing.
func stop(b *bench) {
	p := b.open(true)
	if b.s.Stop == nil || !b.has(p, billing.CanStop) {
		if billing.Has(p, billing.CanStop) {
			b.t.Error("the cloud can stop, but the subject names nothing to stop")
		}
		return
	}
	before, ok := find(b.list(p), *b.s.Stop)
	if !ok || before.State != billing.StateRunning {
		b.t.Fatalf("%+v does not run: %s", *b.s.Stop, before.State)
	}
	for range 2 {
		if _, err := do(p, billing.VerbStop, before.Ref); err != nil {
			b.t.Fatalf("stop: %v", err)
		}
		b.settle()
		after, ok := find(b.list(p), before.Ref)
		if !ok || after.State != billing.StateStopped {
			b.t.Fatalf("after the stop it is %q (listed: %v)", after.State, ok)
		}
		if text(after.Rate.Hourly) != text(before.StoppedRate.Hourly) {
			b.t.Errorf("stopped it costs %v, promised were %v", after.Rate.Hourly, before.StoppedRate.Hourly)
		}
	}
}

// release: the thing leaves the listing, nothing else does, and a second release changes nothing and proves nothing.
func release(b *bench) {
	p := b.open(true)
	if len(b.s.Release) == 0 || !b.has(p, billing.CanRelease) {
		if billing.Has(p, billing.CanRelease) {
			b.t.Error("the cloud can release, but the subject names nothing to release")
		}
		return
	}
	left := len(b.list(p))
	for _, ref := range b.s.Release {
		if _, ok := find(b.list(p), ref); !ok {
			b.t.Fatalf("%+v is not listed", ref)
		}
		if _, err := do(p, billing.VerbDelete, ref); err != nil {
			b.t.Fatalf("release %+v: %v", ref, err)
		}
		b.settle()
		after := b.list(p)
		if _, ok := find(after, ref); ok {
			b.t.Errorf("%+v is still listed", ref)
		}
		if left--; len(after) != left {
			b.t.Errorf("%d things are left, want %d", len(after), left)
		}
		receipt, err := do(p, billing.VerbDelete, ref)
		if k := billing.KindOf(err); receipt.Done || err != nil && k != billing.Missing {
			b.t.Errorf("second release of %+v: %+v, %v; want no error or Missing, and never done", ref, receipt, err)
		}
		if again := b.list(p); len(again) != left {
			b.t.Errorf("the second release left %d things of %d", len(again), left)
		}
	}
}

// refused: acts that must not be done are not, with a sentence, and leave everything as it was.
func refused(b *bench) {
	p := b.open(true)
	all := b.list(p)
	if len(b.s.Refused) == 0 {
		b.t.Error("the subject names no act that must be refused")
	}
	for _, r := range b.s.Refused {
		receipt, err := do(p, r.Verb, r.Ref)
		if billing.KindOf(err) != r.Kind || receipt.Done {
			b.t.Errorf("%s %+v: %+v, %v; want %s", r.Verb, r.Ref, receipt, err, r.Kind)
		}
		if billing.SayOf(err).IsZero() {
			b.t.Errorf("%s %+v: no sentence", r.Verb, r.Ref)
		}
	}
	for kind := range b.s.Counts {
		ref := unknownRef(all, kind)
		receipt, err := do(p, billing.VerbDelete, ref)
		if k := billing.KindOf(err); receipt.Done || k != billing.Missing && k != billing.Absent {
			b.t.Errorf("release of a %s that does not exist: %+v, %v; want Missing", kind, receipt, err)
		}
	}
	b.settle()
	for i, r := range b.list(p) {
		if i >= len(all) || all[i].Ref != r.Ref || all[i].State != r.State {
			b.t.Errorf("%+v changed", r.Ref)
		}
	}
}

// lost: an act whose answer is lost is reported as unsure and sent once; looking is what follows.
func lost(b *bench) {
	if !b.cloud.Break(Lost) {
		b.needsHTTP(Lost)
		return
	}
	if len(b.s.Release) == 0 {
		b.t.Error("the subject names nothing to release")
		return
	}
	_, err := do(b.open(true), billing.VerbDelete, b.s.Release[0])
	if k := billing.KindOf(err); k != billing.Upstream && k != billing.Unknown {
		b.t.Errorf("release without an answer: %v, want Upstream", err)
	}
	if n := b.cloud.Writes(); n != 1 {
		b.t.Errorf("%d writes, want 1", n)
	}
}

// needsHTTP: only a cloud without HTTP may lack a fault.
func (b *bench) needsHTTP(f Fault) {
	if !b.s.Simulated {
		b.t.Errorf("the fake cannot play %q", f)
	}
}
