//go:build !nodemo

package sim_test

import (
	"context"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/sim"
)

func TestStopLeavesTheDisks(t *testing.T) {
	for _, tt := range []struct {
		cloud, name string
		rate        string
		billed      billing.Tri
	}{
		{a, "infer-a10-2", "0.040690104166666667", billing.Yes}, // its system disk goes on
		{b, "npu-eval-1", "0", billing.No},                      // its system disk is listed and billed apart
		{c, "notebook-3", "0.040690104166666667", billing.Yes},
	} {
		w, at := begin(1)
		p := open(t, w, tt.cloud, true)
		was := inventory(t, p)[tt.name]
		if _, err := p.Stop(context.Background(), billing.Act{Verb: billing.VerbStop, Ref: was.Ref, Token: "t"}); err != nil {
			t.Fatal(err)
		}
		at.pass(time.Minute)
		if r := inventory(t, p)[tt.name]; r.State != billing.StateStopping || r.Rate != was.Rate {
			t.Errorf("%s after a minute: %s at %v", tt.name, r.State, r.Rate)
		}
		at.pass(2 * time.Minute)
		r := inventory(t, p)[tt.name]
		if r.State != billing.StateStopped || r.Rate.Hourly.Amount() != tt.rate || r.Billed != tt.billed {
			t.Errorf("%s after three minutes: %s at %v, billed %d", tt.name, r.State, r.Rate, r.Billed)
		}
		if r.Rate != was.StoppedRate && r.Rate.Hourly != was.StoppedRate.Hourly {
			t.Errorf("%s was to cost %v when stopped and costs %v", tt.name, was.StoppedRate, r.Rate)
		}
		from := at.at
		at.pass(4 * day)
		lines := charges(t, p, from.Truncate(time.Hour).Add(time.Hour), from.Add(day))
		if got := total(t, lines, func(l billing.Charge) bool { return l.ResourceID == was.Ref.ID && l.Part == billing.PartInstance }); got.Sign() != 0 {
			t.Errorf("%s stopped still costs %v for the machine", tt.name, got)
		}
		if tt.cloud == a && total(t, lines, func(l billing.Charge) bool { return l.ResourceID == was.Ref.ID && l.Part == billing.PartDisk }).Sign() <= 0 {
			t.Errorf("%s stopped: its system disk is not billed", tt.name)
		}
	}
}

func TestDiskOutlivesItsMachine(t *testing.T) {
	w, at := begin(1)
	p := open(t, w, a, true)
	ref := w.Ref(a, "infer-a10-2")
	receipt, err := p.Release(context.Background(), billing.Act{Verb: billing.VerbDelete, Ref: ref, Token: "t"})
	if err != nil || receipt.RequestID == "" || receipt.Done {
		t.Fatalf("receipt %+v, error %v", receipt, err)
	}
	at.pass(119 * time.Second)
	if r := inventory(t, p)["infer-a10-2"]; r.State != billing.StateDeleting || r.Billed != billing.Yes {
		t.Errorf("within two minutes: %s, billed %d", r.State, r.Billed)
	}
	at.pass(2*time.Minute + 2*time.Second)
	all := inventory(t, p)
	if r, listed := all["infer-a10-2"]; listed {
		t.Errorf("after four minutes: %s", r.State)
	}
	for _, name := range []string{"d-eval-2", "eip-sh-02"} {
		if r := all[name]; r.State != billing.StateUnattached || r.AttachedTo != nil || r.Rate.Hourly.Sign() <= 0 {
			t.Errorf("%s: %s on %v at %v", name, r.State, r.AttachedTo, r.Rate)
		}
	}
	if _, listed := all["snap-eval-2a"]; !listed {
		t.Error("the snapshot went with the machine")
	}
	if _, err := p.Find(context.Background(), ref); billing.KindOf(err) != billing.Missing {
		t.Errorf("find: %v", err)
	}
	if _, err := p.Release(context.Background(), billing.Act{Ref: ref, Token: "other"}); billing.KindOf(err) != billing.Missing {
		t.Errorf("release again: %v", err)
	}
}

func TestSystemDiskGoesWithItsMachine(t *testing.T) {
	w, at := begin(1)
	p := open(t, w, b, true)
	if disk := inventory(t, p)["npu-eval-1-sys"]; !disk.GoesWith || len(disk.AttachedTo) != 1 {
		t.Errorf("system disk: %+v", disk)
	}
	receipt, err := p.Release(context.Background(), billing.Act{Ref: w.Ref(b, "npu-eval-1"), Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	follower := p.(billing.Follower)
	if r, err := follower.Follow(context.Background(), receipt); err != nil || r.Done {
		t.Errorf("followed at once: %+v, %v", r, err)
	}
	at.pass(5 * time.Minute)
	if _, listed := inventory(t, p)["npu-eval-1-sys"]; listed {
		t.Error("the system disk is left")
	}
	if r, err := follower.Follow(context.Background(), receipt); err != nil || !r.Done || r.RequestID != receipt.RequestID {
		t.Errorf("followed at the end: %+v, %v", r, err)
	}
	if _, err := follower.Follow(context.Background(), billing.Receipt{Job: "job-99"}); billing.KindOf(err) != billing.Missing {
		t.Errorf("unknown job: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		cloud, name string
		verb        billing.Verb
		kind        billing.ErrorKind
		key         string
	}{
		{a, "ds-sft-current", billing.VerbDelete, billing.Conflict, "sim.refused.in_use"},
		{a, "eip-sh-01", billing.VerbDelete, billing.Conflict, "sim.refused.in_use"},
		{a, "snap-base", billing.VerbDelete, billing.Conflict, "sim.refused.in_use"},
		{a, "vault-1", billing.VerbDelete, billing.Conflict, "sim.refused.protected"},
		{a, "infer-asg-7f", billing.VerbDelete, billing.Conflict, "sim.refused.managed"},
		{a, "infer-asg-7f", billing.VerbStop, billing.Conflict, "sim.refused.managed"},
		{a, "scratch-uf6", billing.VerbStop, billing.Invalid, ""},
		{b, "a100-month-1", billing.VerbDelete, billing.Conflict, "sim.refused.paid_ahead"},
		{b, "npu-eval-1-sys", billing.VerbDelete, billing.Conflict, "sim.refused.in_use"},
		{c, "nv-ckpt-1", billing.VerbDelete, billing.Conflict, "sim.refused.in_use"},
		{c, "nothing", billing.VerbDelete, billing.Missing, ""},
	} {
		w, _ := begin(1)
		p := open(t, w, tt.cloud, true)
		act := billing.Act{Verb: tt.verb, Ref: w.Ref(tt.cloud, tt.name), Token: "t"}
		do := p.Release
		if tt.verb == billing.VerbStop {
			do = p.Stop
		}
		_, err := do(context.Background(), act)
		if billing.KindOf(err) != tt.kind || tt.key != "" && billing.SayOf(err).Key != tt.key {
			t.Errorf("%s %s: %v (%s)", tt.verb, tt.name, err, billing.SayOf(err).Key)
		}
		if rehearser, can := p.(billing.Rehearser); can {
			if err := rehearser.Rehearse(context.Background(), act); billing.KindOf(err) != tt.kind {
				t.Errorf("rehearsed %s %s: %v", tt.verb, tt.name, err)
			}
		}
		if asked := w.Asked(); len(w.Deeds()) != 0 || len(asked) != 1 || asked[0].Outcome != sim.Refused {
			t.Errorf("%s %s: asked %+v", tt.verb, tt.name, asked)
		}
	}
}

func TestReadingMayNotWrite(t *testing.T) {
	w, _ := begin(1)
	p := open(t, w, a, false)
	act := billing.Act{Verb: billing.VerbDelete, Ref: w.Ref(a, "scratch-uf6"), Token: "t"}
	_, release := p.Release(context.Background(), act)
	_, stop := p.Stop(context.Background(), act)
	rehearse := p.(billing.Rehearser).Rehearse(context.Background(), act)
	for _, err := range []error{release, stop, rehearse} {
		if billing.KindOf(err) != billing.Denied {
			t.Errorf("got %v", err)
		}
	}
	if len(w.Deeds()) != 0 {
		t.Error("something was done")
	}
}

func TestOneTokenIsOneDeed(t *testing.T) {
	w, at := begin(1)
	p := open(t, w, a, true)
	act := billing.Act{Verb: billing.VerbDelete, Ref: w.Ref(a, "ds-imagenet-old"), Token: "act-1"}
	first, err := p.Release(context.Background(), act)
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.Release(context.Background(), act)
	if err != nil || again.RequestID != first.RequestID || again.Done {
		t.Errorf("at once: %+v, %v; first %+v", again, err, first)
	}
	at.pass(5 * time.Minute)
	again, err = p.Release(context.Background(), act)
	if err != nil || again.RequestID != first.RequestID || again.Done {
		t.Errorf("when it is gone: %+v, %v", again, err)
	}
	act.Ref = w.Ref(a, "scratch-uf6")
	if _, err := p.Release(context.Background(), act); billing.KindOf(err) != billing.Invalid {
		t.Errorf("the token for something else: %v", err)
	}
	if deletes := w.Deletes(); len(deletes) != 1 || deletes[0].Token != "act-1" || deletes[0].Driver != a || !deletes[0].At.Equal(story) {
		t.Errorf("deletes: %+v", deletes)
	}
	if asked := w.Asked(); len(asked) != 4 {
		t.Errorf("asked %d times", len(asked))
	}
}

func TestTwoTokensForOneMachine(t *testing.T) {
	w, at := begin(1)
	p := open(t, w, c, true)
	ref := w.Ref(c, "eval-batch-2")
	if _, err := p.Stop(context.Background(), billing.Act{Ref: ref, Token: "1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Stop(context.Background(), billing.Act{Ref: ref, Token: "2"}); err != nil {
		t.Errorf("a second stop: %v", err)
	}
	at.pass(4 * time.Minute)
	if r, err := p.Stop(context.Background(), billing.Act{Ref: ref, Token: "3"}); err != nil || !r.Done {
		t.Errorf("a third stop, of what is stopped: %+v, %v", r, err)
	}
	if _, err := p.Release(context.Background(), billing.Act{Ref: ref, Token: "4"}); err != nil {
		t.Fatal(err)
	}
	_, err := p.Release(context.Background(), billing.Act{Ref: ref, Token: "5"})
	if billing.KindOf(err) != billing.Conflict || billing.SayOf(err).Key != "sim.refused.going" {
		t.Errorf("a second release: %v", err)
	}
	if n := len(w.Deeds()); n != 2 {
		t.Errorf("%d deeds, want one stop and one delete", n)
	}
}

func TestFaults(t *testing.T) {
	ctx := context.Background()
	scope := billing.Scope{Kind: billing.KindSnapshot, Region: "cn-shanghai"}
	list := func(p billing.Provider, s billing.Scope) (n int, err error) {
		for _, e := range p.Resources(ctx, s) {
			if e != nil {
				err = e
				continue
			}
			n++
		}
		return n, err
	}
	w, at := begin(1)
	p := open(t, w, a, true)
	act := billing.Act{Verb: billing.VerbDelete, Ref: w.Ref(a, "scratch-uf6"), Token: "t"}
	for _, tt := range []struct {
		fault sim.Fault
		kind  billing.ErrorKind
	}{
		{sim.Fault{Fail: billing.Auth}, billing.Auth}, {sim.Fault{Fail: billing.Upstream}, billing.Upstream}, {sim.Fault{Limited: time.Second}, billing.Limited},
		{sim.Fault{Denied: []billing.Kind{billing.KindSnapshot}}, billing.Denied}, {sim.Fault{Cut: true}, billing.Upstream},
		{sim.Fault{}, ""},
	} {
		w.Fault(a, tt.fault)
		n, err := list(p, scope)
		if billing.KindOf(err) != tt.kind || tt.fault.Cut != (err != nil && n > 0) {
			t.Errorf("%+v: %d listed, %v", tt.fault, n, err)
		}
	}
	w.Fault(a, sim.Fault{Denied: []billing.Kind{billing.KindSnapshot}})
	if _, err := list(p, billing.Scope{Kind: billing.KindDisk, Region: "cn-shanghai"}); err != nil {
		t.Errorf("disks with snapshots denied: %v", err)
	}
	w.Fault(a, sim.Fault{Refuse: billing.Auth})
	if _, err := p.Release(ctx, act); billing.KindOf(err) != billing.Auth {
		t.Errorf("refused: %v", err)
	}
	w.Fault(a, sim.Fault{Deaf: true})
	if _, err := p.Release(ctx, act); err != nil || len(w.Deletes()) != 0 {
		t.Errorf("deaf: %v, %d deletes", err, len(w.Deletes()))
	}
	at.pass(time.Hour)
	if _, listed := inventory(t, p)["scratch-uf6"]; !listed {
		t.Error("deaf, and yet it is gone")
	}
	w.Fault(a, sim.Fault{Lose: true, Slow: time.Hour})
	act.Token = "t2"
	if _, err := p.Release(ctx, act); billing.KindOf(err) != billing.Upstream || len(w.Deletes()) != 1 {
		t.Errorf("lost: %v, %d deletes", err, len(w.Deletes()))
	}
	at.pass(30 * time.Minute)
	if inventory(t, p)["scratch-uf6"].State != billing.StateDeleting {
		t.Error("a slow release was quick")
	}
}

func TestContextEnds(t *testing.T) {
	w, _ := begin(1)
	p := open(t, w, a, true)
	ctx, cancel := context.WithCancel(context.Background())
	w.Fault(a, sim.Fault{Hang: true})
	answered := make(chan error)
	go func() {
		_, err := p.Balance(ctx)
		answered <- err
	}()
	cancel()
	if err := <-answered; billing.KindOf(err) != billing.Upstream {
		t.Errorf("a hanging cloud: %v", err)
	}
	w.Fault(a, sim.Fault{})
	if _, err := p.Release(ctx, billing.Act{Ref: w.Ref(a, "scratch-uf6")}); billing.KindOf(err) != billing.Upstream || len(w.Asked()) != 0 {
		t.Errorf("release with an ended context: %v", err)
	}
}

func TestHandsOfTests(t *testing.T) {
	w, _ := begin(1)
	p := open(t, w, a, true)
	w.Protect(a, "scratch-uf6", true)
	w.Retag(a, "ds-imagenet-old", "chen", "eval")
	all := inventory(t, p)
	if !all["scratch-uf6"].Protected || all["ds-imagenet-old"].Owner != "chen" || all["ds-imagenet-old"].Tags["project"] != "eval" {
		t.Errorf("got %+v", all["ds-imagenet-old"])
	}
	w.Attach(a, "ds-imagenet-old", "vault-1")
	if r := inventory(t, p)["ds-imagenet-old"]; r.State != billing.StateAttached || r.AttachedTo[0] != w.Ref(a, "vault-1").ID {
		t.Errorf("got %+v", r)
	}
	w.Attach(c, "nv-ckpt-1", "")
	if r := inventory(t, open(t, w, c, false))["sft-07"]; r.AtZero != billing.FateLost || r.SafeOn != "" {
		t.Errorf("without its volume: %s, %q", r.AtZero, r.SafeOn)
	}
	all["vault-1"].Tags["owner"] = "somebody"
	if got := inventory(t, p)["vault-1"].Tags["owner"]; got != "ana" {
		t.Errorf("a caller changed the world: %q", got)
	}
}

// TestUnknownPrice holds that a card which the price list lacks has no rate, and never the rate 0.
func TestUnknownPrice(t *testing.T) {
	w, at := begin(1)
	w.Launch(a, sim.Machine{Name: "new-card", GPU: "H200", Cards: 8})
	at.pass(150 * time.Minute)
	r := inventory(t, open(t, w, a, false))["new-card"]
	if r.Rate.Hourly.Known() || r.Rate.Source != billing.RateUnknown || r.Billed != billing.Yes {
		t.Errorf("rate %v from %q, billed %d", r.Rate.Hourly, r.Rate.Source, r.Billed)
	}
}
