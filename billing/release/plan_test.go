package release

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gpuspend/billing"
)

// Test81: a delete of what may hold data is refused until every item of the checklist is ticked, an owner's own list
// goes before the usual one, and what holds no data asks nothing.
func Test81Checklist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		empty := thing(billing.KindDisk, "empty", "1", func(r *billing.Resource) { r.HoldsData = billing.No })
		own := thing(billing.KindDisk, "own", "1", func(r *billing.Resource) { r.Owner = "team-cv" })
		w := newWorld(t, machine("i-1"), empty, own)
		e := w.engine()
		e.o.Checklist = func(h billing.Holding) []string {
			if h.Owner == "team-cv" {
				return []string{"onnx export"}
			}
			return nil
		}
		propose := func(name string, v billing.Verb, ticked ...string) (Action, error) {
			p, err := e.Plan(ctx, w.store.find(t, name))
			if err != nil {
				t.Fatal(err)
			}
			return e.Propose(ctx, Proposal{Resource: p.Holding.ID, Verb: v, Fingerprint: p.Fingerprint, By: ann, Exported: ticked})
		}
		for _, c := range []struct {
			name   string
			verb   billing.Verb
			ticked []string
			want   string // key of the refusal
		}{
			{"i-1", billing.VerbDelete, nil, "release.failed.unticked_stop"},
			{"i-1", billing.VerbDelete, []string{"logs", "curves", "checkpoints"}, "release.failed.unticked_stop"},
			{"own", billing.VerbDelete, Exports(), "release.failed.unticked"},
			{"own", billing.VerbDelete, []string{"onnx export"}, ""},
			{"empty", billing.VerbDelete, nil, ""},
			{"i-1", billing.VerbStop, nil, ""},
		} {
			a, err := propose(c.name, c.verb, c.ticked...)
			if got := billing.SayOf(err).Key; c.want != "" && got != c.want || c.want == "" && err != nil {
				t.Errorf("%s %s %v: %v %q, want %q", c.verb, c.name, c.ticked, err, got, c.want)
			}
			if c.want == "" && !slices.Equal(a.Exported, c.ticked) {
				t.Errorf("%s: kept ticks %v", c.name, a.Exported)
			}
		}
	})
}

func thing(k billing.Kind, id, hourly string, change ...func(*billing.Resource)) billing.Resource {
	r := billing.Resource{Name: id, State: billing.StateAvailable, Billed: billing.Yes}
	r.Ref.Kind, r.Ref.ID = k, id
	if hourly != "" {
		r.Rate = rate(hourly)
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

func on(machine string) func(*billing.Resource) {
	return func(r *billing.Resource) { r.AttachedTo, r.State = []string{machine}, billing.StateAttached }
}

func goesWith(r *billing.Resource) { r.GoesWith = true }

func from(source string) func(*billing.Resource) {
	return func(r *billing.Resource) { r.Sources = []string{source} }
}

// perMonth is an hourly rate of which 720 hours make so many fen.
func perMonth(s string) billing.Rate {
	m, err := cny(s).MulRatio(1, 720)
	if err != nil {
		panic(err)
	}
	return billing.Rate{Hourly: m}
}

// The modal of the model messages: CN¥7,074.00 a month in all; a stop saves 6,840.00 and leaves 234.00, a delete saves
// 6,875.00 and leaves 199.00.
func TestPlanOfTheModelModal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := machine("i-1")
		m.Name, m.Rate = "infer-a10-2", perMonth("6840")
		priced := func(s string) func(*billing.Resource) { return func(r *billing.Resource) { r.Rate = perMonth(s) } }
		w := newWorld(t, m,
			thing(billing.KindDisk, "sys", "", on("i-1"), goesWith, priced("35")), thing(billing.KindDisk, "d-eval-2", "", on("i-1"), priced("175")),
			thing(billing.KindIP, "ip", "", on("i-1"), priced("14.40")), thing(billing.KindSnapshot, "s-1", "", from("sys"), priced("5")),
			thing(billing.KindSnapshot, "s-2", "", from("d-eval-2"), priced("4.6")),
			thing(billing.KindDisk, "other", "", on("i-2"), priced("1000")), thing(billing.KindSnapshot, "old", "", from("gone"), priced("1000")))
		p, err := w.engine().Plan(context.Background(), w.store.find(t, "i-1"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range p.Options {
			got = append(got, fmt.Sprint(o.Verb, " saves ", o.Saves.Rounded(2), " leaves ", o.StillBills.Rounded(2),
				" goes ", ids(o.Goes), " stays ", ids(o.Stays), " typed ", o.Typed, " away ", o.MayNotReturn, " more ", o.LeavesMore))
		}
		want := []string{
			"stop saves 6840.00 leaves 234.00 goes [] stays [sys d-eval-2 ip s-1 s-2] typed  away true more false",
			"delete saves 6875.00 leaves 199.00 goes [i-1 sys] stays [d-eval-2 ip s-1 s-2] typed infer-a10-2 away false more false"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if p.Today.Rounded(2) != "7074.00" || p.Account != "a-prod" || p.Provider != "Cloud A" || !p.Refused.IsZero() {
			t.Errorf("%+v", p)
		}
	})
}

func ids(hs []billing.Holding) []string {
	out := []string{}
	for _, h := range hs {
		out = append(out, h.Ref.ID)
	}
	return out
}

func TestOptions(t *testing.T) {
	tests := []struct {
		name   string
		thing  billing.Resource
		around []billing.Resource
		cloud  func(*world)
		want   string // verb saves leaves typed more, one a choice
	}{
		{"a stopped machine is only deleted", change(machine("x"), func(r *billing.Resource) { r.State = billing.StateStopped }), nil, nil, "delete 6840 0 m-x false;"},
		{"a cloud that can't stop", machine("x"), nil, func(w *world) { w.cloud.onlyDeletes = true }, "delete 6840 0 m-x false;"},
		{"a stop that leaves more than it saves", change(machine("x"), func(r *billing.Resource) { r.StoppedRate = rate("9") }), nil, nil,
			"stop 360 6480  true;delete 6840 0 m-x false;"},
		{"an unknown stopped rate", change(machine("x"), func(r *billing.Resource) { r.StoppedRate = billing.Rate{} }), nil, nil, "stop    false;delete 6840 0 m-x false;"},
		{"an unknown price beside", machine("x"), []billing.Resource{thing(billing.KindDisk, "d", "", on("x"))}, nil, "stop 6840   false;delete 6840  m-x false;"},
		{"two currencies", machine("x"), []billing.Resource{thing(billing.KindDisk, "d", "", on("x"),
			func(r *billing.Resource) { r.Rate.Hourly = billing.MustMoney("1", "USD") })}, nil, "stop 6840   false;delete 6840 720 m-x false;"},
		{"not billed at all", thing(billing.KindSnapshot, "x", "", func(r *billing.Resource) { r.Billed = billing.No }), nil, nil, "delete 0 0 x false;"},
		{"perhaps billed", thing(billing.KindSnapshot, "x", "1", func(r *billing.Resource) { r.Billed = billing.Unsure }), nil, nil, "delete   x false;"},
		{"nothing on it", thing(billing.KindIP, "x", "0.2", func(r *billing.Resource) { r.HoldsData = billing.No }), nil, nil, "delete 144 0  false;"},
		{"a disk and its snapshots", disk("x"), []billing.Resource{thing(billing.KindSnapshot, "s", "0.1", from("x"))}, nil, "delete 360 72 ds-x false;"},
		{"a cluster on a volume, which stays", thing(billing.KindCluster, "x", "40"), []billing.Resource{thing(billing.KindDisk, "d", "1", on("x"))}, nil, "delete 28800 720 x false;"},
		{"an endpoint", thing(billing.KindEndpoint, "x", "2", func(r *billing.Resource) { r.HoldsData = billing.No }), nil, nil, "delete 1440 0  false;"},
		{"a network volume", thing(billing.KindFilesystem, "x", "1"), nil, nil, "delete 720 0 x false;"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, append(tt.around, tt.thing)...)
				if tt.cloud != nil {
					tt.cloud(w)
				}
				p, err := w.engine().Plan(context.Background(), w.store.find(t, "x"))
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				for _, o := range p.Options {
					got += fmt.Sprintf("%s %s %s %s %v;", o.Verb, o.Saves.Amount(), o.StillBills.Amount(), o.Typed, o.LeavesMore)
				}
				if got != tt.want {
					t.Errorf(" got %s\nwant %s (refused %v)", got, tt.want, p.Refused)
				}
			})
		})
	}
}

func change(r billing.Resource, f func(*billing.Resource)) billing.Resource { f(&r); return r }

func TestRefusals(t *testing.T) {
	own := billing.Say("sim.paid_until")
	tests := []struct {
		name   string
		thing  billing.Resource
		around []billing.Resource
		world  func(*world)
		want   string
	}{
		{"protected", change(disk("x"), func(r *billing.Resource) { r.Protected = true }), nil, nil, "release.refused.protected"},
		{"managed", change(machine("x"), func(r *billing.Resource) { r.Managed = "Auto Scaling group asg-infer" }), nil, nil, "release.refused.managed"},
		{"not releasable", change(machine("x"), func(r *billing.Resource) { r.NotReleasable = own }), nil, nil, "sim.paid_until"},
		{"a disk in use", thing(billing.KindDisk, "x", "1", on("i-7")), nil, nil, "release.refused.in_use"},
		{"a disk in use somewhere", change(disk("x"), func(r *billing.Resource) { r.State = billing.StateAttached }), nil, nil, "release.refused.attached"},
		{"an address in use", thing(billing.KindIP, "x", "1", on("i-7")), nil, nil, "release.refused.in_use"},
		{"a snapshot that an image uses", thing(billing.KindSnapshot, "x", "1"), []billing.Resource{thing(billing.KindImage, "img", "", from("x"))}, nil, "release.refused.image"},
		{"on its way out", change(machine("x"), func(r *billing.Resource) { r.State = billing.StateDeleting }), nil, nil, "release.refused.deleting"},
		{"terminated", change(machine("x"), func(r *billing.Resource) { r.State = billing.StateTerminated }), nil, nil, "release.refused.gone"},
		{"another kind", thing(billing.KindReservation, "x", "1"), nil, nil, "release.refused.kind"},
		{"a cloud that can do nothing", disk("x"), nil, func(w *world) { w.closed = errors.New("read-only") }, "release.refused.read_only"},
		{"the cloud's own reason", disk("x"), nil, func(w *world) { w.closed = &billing.Error{Kind: billing.Denied, Say: own} }, "sim.paid_until"},
		{"seen too long ago", disk("x"), nil, func(*world) { time.Sleep(3 * time.Hour) }, "release.refused.stale"},
		{"missing in the last listing", disk("x"), nil, func(w *world) { w.store.observe(billing.Scope{Kind: billing.KindDisk}, nil, time.Now()) }, "release.refused.gone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, append(tt.around, tt.thing)...)
				id := w.store.find(t, "x")
				if tt.world != nil {
					tt.world(w)
				}
				p, err := w.engine().Plan(context.Background(), id)
				if err != nil || p.Refused.Key != tt.want || len(p.Options) != 0 {
					t.Errorf("%v: refused %v, %d options; want %s", err, p.Refused, len(p.Options), tt.want)
				}
				if _, err := w.engine().Propose(context.Background(), Proposal{Resource: id, Verb: billing.VerbDelete, Fingerprint: p.Fingerprint, By: ann}); billing.SayOf(err).Key != tt.want {
					t.Errorf("proposed all the same: %v", err)
				}
			})
		})
	}
	w := &world{t: t}
	w.store, w.cloud = &memory{w: w}, &cloud{w: w}
	if _, err := w.engine().Plan(context.Background(), 99); billing.KindOf(err) != billing.Missing {
		t.Errorf("nobody knows it: %v", err)
	}
}

func TestFingerprint(t *testing.T) {
	base := billing.Holding{ID: 7, Account: 1, Resource: machine("i-1")}
	of := func(f func(*billing.Holding), goes ...billing.Holding) string {
		h := base
		f(&h)
		return fingerprint(h, group{goes: append([]billing.Holding{h}, goes...)})
	}
	same := of(func(*billing.Holding) {})
	for name, f := range map[string]func(*billing.Holding){
		"a later sight":    func(h *billing.Holding) { h.LastSeen = time.Unix(1, 0) },
		"a new price":      func(h *billing.Holding) { h.Rate = rate("1") },
		"a step of a boot": func(h *billing.Holding) { h.State = billing.StateStarting },
		"another tag":      func(h *billing.Holding) { h.Tags = map[string]string{"a": "b"} },
	} {
		if of(f) != same {
			t.Errorf("%s changes the fingerprint", name)
		}
	}
	for name, f := range map[string]func(*billing.Holding){
		"another generation": func(h *billing.Holding) { h.ID = 8 },
		"another owner":      func(h *billing.Holding) { h.Owner = "x" },
		"another attachment": func(h *billing.Holding) { h.AttachedTo = []string{"i-2"} },
		"stopped":            func(h *billing.Holding) { h.State = billing.StateStopped },
		"protection":         func(h *billing.Holding) { h.Protected = true },
		"a manager":          func(h *billing.Holding) { h.Managed = "asg" },
		"paid ahead":         func(h *billing.Holding) { h.NotReleasable = billing.Say("k") },
	} {
		if of(f) == same {
			t.Errorf("%s leaves the fingerprint as it is", name)
		}
	}
	if of(func(*billing.Holding) {}, billing.Holding{ID: 9}) == same {
		t.Error("another disk that is deleted with it leaves the fingerprint as it is")
	}
}

// Whatever hangs on a machine: what a choice saves and what it leaves is today's cost.
func TestSavesAndLeavesAreToday(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hourly := func(name string) billing.Rate {
			if rapid.IntRange(0, 19).Draw(t, name+" known") == 0 {
				return billing.Rate{}
			}
			return rate(fmt.Sprintf("%d.%06d", rapid.IntRange(0, 99).Draw(t, name), rapid.IntRange(0, 999999).Draw(t, name+" rest")))
		}
		h := billing.Holding{ID: 1, Resource: machine("i-1")}
		h.Rate, h.StoppedRate = hourly("rate"), hourly("stopped")
		h.Billed = rapid.SampledFrom([]billing.Tri{billing.Yes, billing.Yes, billing.No}).Draw(t, "billed")
		around := []billing.Holding{h}
		for i := range rapid.IntRange(0, 6).Draw(t, "things") {
			k := rapid.SampledFrom([]billing.Kind{billing.KindDisk, billing.KindIP, billing.KindSnapshot}).Draw(t, "kind")
			r := thing(k, fmt.Sprint("t", i), "", on("i-1"))
			r.Rate, r.GoesWith = hourly("price"), rapid.Bool().Draw(t, "with")
			r.Sources = []string{fmt.Sprint("t", i-1)}
			around = append(around, billing.Holding{ID: billing.ResourceID(i + 2), Resource: r})
		}
		g, sums := gather(h, around), prices{About{Currency: "CNY"}}
		today := sums.total(g.all())
		for _, o := range []Option{sums.stop(h, g), sums.delete(g)} {
			if !today.Known() || !o.Saves.Known() || !o.StillBills.Known() {
				continue
			}
			if sum := add(o.Saves, o.StillBills); sum != today {
				t.Fatalf("%s: %s and %s are not %s", o.Verb, o.Saves, o.StillBills, today)
			}
		}
		if len(g.goes)+len(g.stays) > len(around) {
			t.Fatal("something is counted twice")
		}
	})
}

func TestMayHasNoWayOutOfTheEnd(t *testing.T) {
	all := []State{Proposed, Approved, Running, Verifying, Done, Failed, Declined, Expired}
	for _, from := range all {
		ways := 0
		for _, to := range all {
			if May(from, to) {
				ways++
			}
		}
		if from.Final() != (ways == 0) {
			t.Errorf("%s has %d ways out", from, ways)
		}
	}
	if May(Running, Done) || May(Approved, Done) || May(Proposed, Running) {
		t.Error("a step is left out")
	}
}
