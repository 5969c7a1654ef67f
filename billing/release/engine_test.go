package release

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
)

var (
	ann = Person{ID: "U1", Team: "T1", Name: "Ann"}
	bob = Person{ID: "U2", Team: "T1", Name: "Bob"}
	eve = Person{ID: "U9", Team: "T1", Name: "Eve"}
)

func disk(id string) billing.Resource {
	r := billing.Resource{Name: "ds-" + id, State: billing.StateUnattached, Billed: billing.Yes, Rate: rate("0.5"), Owner: "team-eval"}
	r.Ref.Kind, r.Ref.ID = billing.KindDisk, id
	return r
}

func machine(id string) billing.Resource {
	r := billing.Resource{Name: "m-" + id, State: billing.StateRunning, Billed: billing.Yes, Rate: rate("9.5"), StoppedRate: rate("0")}
	r.Ref.Kind, r.Ref.ID = billing.KindInstance, id
	r.GPU.Model = "A10"
	return r
}

// choose proposes what a person sees now.
func choose(t *testing.T, e *Engine, id billing.ResourceID, v billing.Verb) Action {
	t.Helper()
	p, err := e.Plan(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	a, err := e.Propose(context.Background(), Proposal{Resource: id, Verb: v, Fingerprint: p.Fingerprint, By: ann, Exported: Exports()})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func approve(t *testing.T, e *Engine, id ActionID) {
	t.Helper()
	if _, err := e.Approve(context.Background(), id, ann); err != nil {
		t.Fatal(err)
	}
}

// runs lets an engine work for a while of fake time and ends it.
func runs(e *Engine, d time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { _ = e.Run(ctx) })
	time.Sleep(d)
	cancel()
	done.Wait()
}

func (w *world) now(id ActionID) Action {
	a, err := w.store.Action(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func TestDeleteIsVerified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, disk("d-1"))
		w.cloud.takes = 10 * time.Minute
		e := w.engine()
		a := choose(t, e, 1, billing.VerbDelete)
		approve(t, e, a.ID)
		done := make(chan struct{})
		ctx, cancel := context.WithCancel(context.Background())
		go func() { defer close(done); _ = e.Run(ctx) }()
		time.Sleep(9 * time.Minute)
		if got := w.now(a.ID); got.State != Verifying || got.RequestID != "req-1" || !got.SeenAt.IsZero() {
			t.Errorf("while it is still listed: %+v", got)
		}
		time.Sleep(90 * time.Second)
		if got := w.now(a.ID); got.State != Verifying || got.SeenAt.IsZero() {
			t.Errorf("after one listing without it: %+v", got)
		}
		time.Sleep(time.Minute)
		cancel()
		<-done
		got := w.now(a.ID)
		if got.State != Done || got.Why.Key != "release.done.gone" || got.Place.Message != "m1" || w.cloud.deletes != 1 {
			t.Errorf("after two: %+v, %d deletes", got, w.cloud.deletes)
		}
		if diff := cmp.Diff([]State{Approved, Running, Verifying, Verifying, Done}, w.told); diff != "" {
			t.Errorf("told: %s", diff)
		}
		if diff := cmp.Diff([]string{a.Token}, w.cloud.tokens); diff != "" {
			t.Errorf("tokens: %s", diff)
		}
		moves, _ := w.store.History(context.Background(), a.ID)
		if len(moves) != 4 || moves[0].Who != ann || moves[1].Who != (Person{}) {
			t.Errorf("history: %+v", moves)
		}
	})
}

func TestStopIsVerified(t *testing.T) {
	tests := []struct {
		name   string
		change func(*world)
		state  State
		why    string
	}{
		{"stopped", func(*world) {}, Done, "release.done.stopped"},
		{"slowly", func(w *world) { w.cloud.takes = 10 * time.Minute }, Done, "release.done.stopped"},
		{"stopped in place and billed on", func(w *world) { w.cloud.inPlace = true }, Failed, "release.failed.still_billed"},
		{"runs on", func(w *world) { w.cloud.takes = time.Hour }, Failed, "release.failed.still_running"},
		{"no such thing, and yet it stopped", func(w *world) { w.cloud.lost = &billing.Error{Kind: billing.Missing}; w.cloud.takes = 0 }, Done, "release.done.stopped"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, machine("i-1"))
				tt.change(w)
				e := w.engine()
				a := choose(t, e, 1, billing.VerbStop)
				approve(t, e, a.ID)
				runs(e, 40*time.Minute)
				if got := w.now(a.ID); got.State != tt.state || got.Why.Key != tt.why || w.cloud.stops != 1 || w.cloud.deletes != 0 {
					t.Errorf("%s %s, %d stops", got.State, got.Why.Key, w.cloud.stops)
				}
			})
		})
	}
}

// An order that nobody answers is looked into after a while; it does not hold the engine up for good.
func TestOrderThatIsNeverAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, disk("d-1"))
		w.cloud.hangs = true
		e := w.engine()
		a := choose(t, e, 1, billing.VerbDelete)
		approve(t, e, a.ID)
		runs(e, 40*time.Minute)
		if got := w.now(a.ID); got.State != Done || w.cloud.deletes != 1 {
			t.Errorf("%s %s, %d deletes; want it found gone", got.State, got.Why.Key, w.cloud.deletes)
		}
	})
}

// What the cloud answers decides: a refusal is the end, everything else is looked into.
func TestAnswersOfTheCloud(t *testing.T) {
	say := billing.Say("sim.snapshot_running")
	tests := []struct {
		name          string
		refuses, lost error
		state         State
		why           string
		deletes       int
	}{
		{"in use", &billing.Error{Kind: billing.Conflict, Say: say}, nil, Failed, "release.failed.refused", 0},
		{"no permission", &billing.Error{Kind: billing.Denied}, nil, Failed, "release.failed.refused", 0},
		{"bad credential", &billing.Error{Kind: billing.Auth}, nil, Failed, "release.failed.refused", 0},
		{"our fault", &billing.Error{Kind: billing.Invalid}, nil, Failed, "release.failed.refused", 0},
		{"too many requests", &billing.Error{Kind: billing.Limited}, nil, Failed, "release.failed.refused", 0},
		{"missing, yet listed", &billing.Error{Kind: billing.Missing}, nil, Failed, "release.failed.still_listed", 0},
		{"missing and gone", nil, &billing.Error{Kind: billing.Missing}, Done, "release.done.gone", 1},
		{"cut off before it was taken", &billing.Error{Kind: billing.Upstream}, nil, Failed, "release.failed.still_listed", 0},
		{"cut off after it was taken", nil, &billing.Error{Kind: billing.Upstream}, Done, "release.done.gone", 1},
		{"nobody knows", nil, errors.New("?"), Done, "release.done.gone", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, disk("d-1"))
				w.cloud.refuses, w.cloud.lost = tt.refuses, tt.lost
				e := w.engine()
				a := choose(t, e, 1, billing.VerbDelete)
				approve(t, e, a.ID)
				runs(e, 40*time.Minute)
				got := w.now(a.ID)
				if got.State != tt.state || got.Why.Key != tt.why || w.cloud.deletes != tt.deletes {
					t.Errorf("%s %s, %d deletes", got.State, got.Why.Key, w.cloud.deletes)
				}
				if tt.name == "in use" && !cmp.Equal(got.Why.Args["say"], say) {
					t.Errorf("the cloud's own sentence is lost: %v", got.Why)
				}
			})
		})
	}
}

func TestAPanicOfAProviderIsAnUnknownOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, disk("d-1"))
		w.cloud.panics = true
		e := w.engine()
		a := choose(t, e, 1, billing.VerbDelete)
		approve(t, e, a.ID)
		got, err := e.Carry(context.Background(), a.ID)
		if err != nil || got.State != Verifying || got.Why.Key != "release.verifying.unsure" {
			t.Errorf("%v %s %s", err, got.State, got.Why.Key)
		}
	})
}

// A cloud that can tell beforehand is asked first; what it would refuse is never ordered.
func TestRehearsal(t *testing.T) {
	say := billing.Say("sim.in_use")
	tests := []struct {
		name    string
		answer  func() error
		state   State
		deletes int
	}{
		{"it would go", func() error { return nil }, Done, 1},
		{"it can't tell", func() error { return &billing.Error{Kind: billing.Absent} }, Done, 1},
		{"it would be refused", func() error { return &billing.Error{Kind: billing.Conflict, Say: say} }, Failed, 0},
		{"nobody could be asked", func() error { return &billing.Error{Kind: billing.Upstream} }, Failed, 0},
		{"a panic", func() error { panic("?") }, Failed, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, disk("d-1"))
				w.rehearsal = tt.answer
				e := w.engine()
				a := choose(t, e, 1, billing.VerbDelete)
				approve(t, e, a.ID)
				runs(e, 5*time.Minute)
				if got := w.now(a.ID); got.State != tt.state || w.cloud.deletes != tt.deletes {
					t.Errorf("%s %v, %d deletes", got.State, got.Why, w.cloud.deletes)
				}
			})
		})
	}
}

// Whatever changed between the click and the act stops it: nothing is sent.
func TestNothingIsSent(t *testing.T) {
	tests := []struct {
		name   string
		change func(w *world)
		wait   time.Duration
		state  State
		why    string
	}{
		{"another owner", func(w *world) { w.cloud.change("d-1", func(r *billing.Resource) { r.Owner = "team-sft" }) }, 0, Failed, "release.failed.changed"},
		{"attached", func(w *world) {
			w.cloud.change("d-1", func(r *billing.Resource) { r.AttachedTo, r.State = []string{"i-1"}, billing.StateAttached })
		}, 0, Failed, "release.refused.in_use"},
		{"protected", func(w *world) { w.cloud.change("d-1", func(r *billing.Resource) { r.Protected = true }) }, 0, Failed, "release.refused.protected"},
		{"gone", func(w *world) { w.cloud.things = nil }, 0, Failed, "release.refused.gone"},
		{"the cloud can't be read", func(w *world) {
			w.refresh = func(billing.Scope) error { return &billing.Error{Kind: billing.Auth} }
		}, 0, Failed, "release.failed.look"},
		{"read-only meanwhile", func(w *world) { w.closed = errors.New("no") }, 0, Failed, "release.refused.read_only"},
		{"the approver may not any more", func(w *world) { w.allowed = nil }, 0, Failed, "release.denied"},
		{"the program was down too long", func(*world) {}, 16 * time.Minute, Expired, "release.expired"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, disk("d-1"))
				e := w.engine()
				a := choose(t, e, 1, billing.VerbDelete)
				approve(t, e, a.ID)
				tt.change(w)
				time.Sleep(tt.wait)
				runs(e, time.Hour)
				if got := w.now(a.ID); got.State != tt.state || got.Why.Key != tt.why || w.cloud.deletes != 0 {
					t.Errorf("%s %s, %d deletes", got.State, got.Why.Key, w.cloud.deletes)
				}
			})
		})
	}
}

func TestWhoMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		w := newWorld(t, disk("d-1"))
		e := w.engine()
		a := choose(t, e, 1, billing.VerbDelete)
		if _, err := e.Approve(ctx, a.ID, eve); billing.KindOf(err) != billing.Denied || w.now(a.ID).State != Proposed {
			t.Errorf("a stranger: %v", err)
		}
		if _, err := e.Decline(ctx, a.ID, eve); billing.KindOf(err) != billing.Denied {
			t.Errorf("a stranger declines: %v", err)
		}
		w.allowed = nil
		if _, err := e.Approve(ctx, a.ID, ann); billing.KindOf(err) != billing.Denied {
			t.Errorf("an empty list lets nobody: %v", err)
		}
		if _, err := e.Decline(ctx, a.ID, Person{ID: ann.ID, Team: "T2"}); billing.KindOf(err) != billing.Denied {
			t.Errorf("the same id of another team: %v", err)
		}
		if got, err := e.Decline(ctx, a.ID, ann); err != nil || got.State != Declined {
			t.Errorf("who proposed may decline: %v", err)
		}
		w.allowed = []string{"U1"}
		if _, err := e.Approve(ctx, a.ID, ann); billing.SayOf(err).Key != "release.taken.declined" {
			t.Errorf("declined is declined: %v", err)
		}
		if nobody, _ := New(Options{Store: w.store, Reader: w, Opener: w, Now: time.Now, About: func(billing.AccountID) About { return About{} }}); nobody.o.MayAct(ann, billing.Holding{}, billing.VerbStop) {
			t.Error("without a list somebody may")
		}
	})
}

func TestProposalsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, disk("d-1"), disk("d-2"))
		e := w.engine()
		a, b := choose(t, e, 1, billing.VerbDelete), choose(t, e, 2, billing.VerbDelete)
		time.Sleep(16 * time.Minute)
		if _, err := e.Approve(context.Background(), b.ID, ann); billing.SayOf(err).Key != "release.expired" {
			t.Errorf("too late: %v", err)
		}
		runs(e, 2*time.Minute)
		if w.now(a.ID).State != Expired || w.now(b.ID).State != Expired || w.cloud.deletes != 0 {
			t.Errorf("%s, %s, %d deletes", w.now(a.ID).State, w.now(b.ID).State, w.cloud.deletes)
		}
	})
}

// The same envelope three times is one proposal; and what was not seen can't be proposed.
func TestProposeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		w := newWorld(t, disk("d-1"))
		e := w.engine()
		p, _ := e.Plan(ctx, 1)
		order := Proposal{Resource: 1, Verb: billing.VerbDelete, Fingerprint: p.Fingerprint, By: ann, Exported: Exports()}
		var done sync.WaitGroup
		errs := make([]error, 3)
		for i := range errs {
			done.Go(func() {
				a, err := e.Propose(ctx, order)
				if errs[i] = err; err == nil {
					_, errs[i] = e.Approve(ctx, a.ID, ann)
				}
			})
		}
		done.Wait()
		good := 0
		for _, err := range errs {
			if err == nil {
				good++
			} else if billing.KindOf(err) != billing.Conflict {
				t.Error(err)
			}
		}
		runs(e, 5*time.Minute)
		if good != 1 || w.cloud.deletes != 1 {
			t.Errorf("%d went through, %d deletes", good, w.cloud.deletes)
		}
		w = newWorld(t, machine("i-1"))
		for _, bad := range []Proposal{{Resource: 1, Verb: billing.VerbDelete, Fingerprint: "other"}, {Resource: 1, Verb: "reboot", Fingerprint: p.Fingerprint}} {
			if _, err := w.engine().Propose(ctx, bad); billing.KindOf(err) != billing.Conflict {
				t.Errorf("%+v: %v", bad, err)
			}
		}
	})
}

// Two people click at once, in two processes even: one delete, and the other learns who was faster.
func TestTwoClicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		w := newWorld(t, disk("d-1"))
		engines := []*Engine{w.engine(), w.engine()}
		a := choose(t, engines[0], 1, billing.VerbDelete)
		var all, clicks sync.WaitGroup
		errs := make([]error, 8)
		for _, e := range engines {
			all.Go(func() { _ = e.Run(ctx) })
		}
		for i := range errs {
			clicks.Go(func() { _, errs[i] = engines[i%2].Approve(ctx, a.ID, []Person{ann, bob}[i%2]) })
		}
		clicks.Wait()
		winner := w.now(a.ID).Approver.Name
		good := 0
		for _, err := range errs {
			if err == nil {
				good++
				continue
			}
			if say := billing.SayOf(err); say.Key != "release.taken" || say.Args["who"] != winner {
				t.Errorf("the slower one learns %v", say)
			}
		}
		for range 8 {
			clicks.Go(func() { _, _ = engines[0].Carry(ctx, a.ID) })
		}
		time.Sleep(5 * time.Minute)
		cancel()
		all.Wait()
		clicks.Wait()
		if good != 1 || w.cloud.deletes != 1 || w.now(a.ID).State != Done {
			t.Errorf("%d approvals, %d deletes, %s", good, w.cloud.deletes, w.now(a.ID).State)
		}
	})
}

// The program is killed before or after each thing it does to the outside, and started again: there is never a second
// delete, and never an action that is lost.
func TestKilledAnywhere(t *testing.T) {
	for _, after := range []bool{false, true} {
		for at := 1; at <= 14; at++ {
			t.Run(fmt.Sprintf("operation %d after=%v", at, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { killed(t, at, after) })
			})
		}
	}
}

func killed(t *testing.T, at int, after bool) {
	w := newWorld(t, disk("d-1"))
	e := w.engine()
	a := choose(t, e, 1, billing.VerbDelete)
	approve(t, e, a.ID)
	w.mu.Lock()
	w.ops, w.killAt, w.after = 0, at, after
	w.mu.Unlock()
	died := make(chan struct{})
	go func() {
		defer close(died)
		for range 10 {
			_, _ = e.Carry(context.Background(), a.ID)
			time.Sleep(time.Minute)
		}
	}()
	<-died
	w.mu.Lock()
	w.killAt = 0
	w.mu.Unlock()
	next := w.engine()
	if err := next.Recover(context.Background()); err != nil {
		t.Fatal(err)
	}
	runs(next, time.Hour)
	got := w.now(a.ID)
	switch {
	case w.cloud.deletes == 1 && got.State == Done:
	case w.cloud.deletes == 0 && got.State == Failed && got.Why.Key == "release.failed.interrupted":
		b := choose(t, next, 1, billing.VerbDelete) // press again
		approve(t, next, b.ID)
		runs(next, time.Hour)
		if w.now(b.ID).State != Done || w.cloud.deletes != 1 {
			t.Errorf("pressed again: %s, %d deletes", w.now(b.ID).State, w.cloud.deletes)
		}
	default:
		t.Errorf("%s %s, %d deletes", got.State, got.Why.Key, w.cloud.deletes)
	}
}

func TestToldOrNotItIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, disk("d-1"))
		w.tellErr = errors.New("slack is down")
		blind := 0
		e := w.engine()
		a := choose(t, e, 1, billing.VerbDelete)
		approve(t, e, a.ID)
		w.refresh = func(billing.Scope) error { // the cloud can't be read for three minutes after the order
			if blind++; blind > 1 && blind < 5 {
				return &billing.Error{Kind: billing.Upstream}
			}
			return nil
		}
		runs(e, 20*time.Minute)
		if got := w.now(a.ID); got.State != Done || got.Place != (Place{}) {
			t.Errorf("%+v", got)
		}
	})
}

func TestUnreadToTheEndIsNotDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, disk("d-1"))
		e := w.engine()
		a := choose(t, e, 1, billing.VerbDelete)
		approve(t, e, a.ID)
		n := 0
		w.refresh = func(billing.Scope) error {
			if n++; n > 2 { // the look before the act, and one listing without it
				return &billing.Error{Kind: billing.Upstream}
			}
			return nil
		}
		runs(e, 2*time.Hour)
		if got := w.now(a.ID); got.State != Failed || got.Why.Key != "release.failed.unread" || got.SeenAt.IsZero() {
			t.Errorf("%s %s %s", got.State, got.Why.Key, got.SeenAt)
		}
	})
}

// A stop, too, is done only when two listings say so, one after the other.
func TestOneListingIsNotEnoughForAStop(t *testing.T) {
	for name, second := range map[string]func(w *world) error{
		"the second can't be read": func(*world) error { return &billing.Error{Kind: billing.Upstream} },
		"it was started again in between": func(w *world) error {
			w.cloud.change("i-1", func(r *billing.Resource) {
				if r.State = billing.StateRunning; time.Now().Minute()%2 == 0 {
					r.State = billing.StateStopped
				}
			})
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, machine("i-1"))
				e := w.engine()
				a := choose(t, e, 1, billing.VerbStop)
				approve(t, e, a.ID)
				n := 0
				w.refresh = func(billing.Scope) error {
					if n++; n > 2 {
						return second(w)
					}
					return nil
				}
				runs(e, 40*time.Minute)
				if got := w.now(a.ID); got.State != Failed || got.SeenAt.IsZero() {
					t.Errorf("%s %s", got.State, got.Why.Key)
				}
			})
		})
	}
}

// Where one scope of several can't be read, that does not hold up what was found in another.
func TestAScopeBesideThatCantBeRead(t *testing.T) {
	for _, broken := range []string{"other", ""} {
		t.Run("project "+broken, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, disk("d-1"))
				denied := billing.Scope{Kind: billing.KindDisk, Project: "other"}
				w.store.readings[denied] = billing.Reading{Of: billing.ReadInventory, Scope: denied}
				w.refresh = func(s billing.Scope) error {
					if s.Project == broken {
						return &billing.Error{Kind: billing.Denied}
					}
					if s.Project == "other" {
						return errors.New("nothing of ours is in it")
					}
					return nil
				}
				e := w.engine()
				a := choose(t, e, 1, billing.VerbDelete)
				approve(t, e, a.ID)
				runs(e, 10*time.Minute)
				want := map[string]State{"other": Done, "": Failed}[broken]
				if got := w.now(a.ID); got.State != want {
					t.Errorf("%s %v, want %s", got.State, got.Why, want)
				}
			})
		})
	}
}

func TestSpeedShortensPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, disk("d-1"))
		w.speed = 60
		e := w.engine()
		a := choose(t, e, 1, billing.VerbDelete)
		approve(t, e, a.ID)
		runs(e, 3*time.Second)
		if w.now(a.ID).State != Done {
			t.Error(w.now(a.ID).State)
		}
	})
}
