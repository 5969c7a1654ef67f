package release

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/billing"
)

// Where a second person is needed, who proposed can't approve, nor can who is no approver; an approval counts only while
// both may, and a proposal waits hours for it, not for ever.
func TestSecondPerson(t *testing.T) {
	carl := Person{ID: "U3", Team: "T1", Name: "Carl"}
	setting := func(t *testing.T) (*world, *Engine, Action) {
		w := newWorld(t, disk("d-1"))
		e := w.engine()
		e.o.Second = func(_ billing.Holding, today billing.Money) bool { return today.Sign() > 0 || !today.Known() }
		e.o.MayApprove = func(p Person, _ billing.Holding) bool { return p.ID == carl.ID || p.ID == ann.ID }
		return w, e, choose(t, e, 1, billing.VerbDelete)
	}
	ctx := context.Background()
	synctest.Test(t, func(t *testing.T) {
		w, e, a := setting(t)
		elsewhere := ann
		elsewhere.Team = "E1" // her id in another workspace of the enterprise
		for _, c := range []struct {
			who  Person
			want string
		}{{ann, "release.second.self"}, {elsewhere, "release.second.self"}, {Person{ID: "U2"}, "release.second.denied"}, {Person{}, "release.second.self"}} {
			if _, err := e.Approve(ctx, a.ID, c.who); billing.KindOf(err) != billing.Denied || billing.SayOf(err).Key != c.want {
				t.Errorf("%+v: %v, want %s", c.who, err, c.want)
			}
		}
		runs(e, time.Hour)
		if w.cloud.deletes != 0 {
			t.Fatal("deleted without a second person")
		}
		if _, err := e.Approve(ctx, a.ID, carl); err != nil {
			t.Fatal(err)
		}
		runs(e, 5*time.Minute)
		if w.cloud.deletes != 1 || w.actor.ID != carl.ID {
			t.Errorf("%d deletes, in the name of %+v", w.cloud.deletes, w.actor)
		}
	})
	synctest.Test(t, func(t *testing.T) { // the proposer was taken off the list between approval and act
		w, e, a := setting(t)
		if _, err := e.Approve(ctx, a.ID, carl); err != nil {
			t.Fatal(err)
		}
		w.allowed = nil
		if got, err := e.Carry(ctx, a.ID); err != nil || got.State != Failed || got.Why.Key != "release.denied" || w.cloud.deletes != 0 {
			t.Errorf("%+v %v, %d deletes", got, err, w.cloud.deletes)
		}
	})
	synctest.Test(t, func(t *testing.T) { // the rule came after the click
		w, e, _ := setting(t)
		second := e.o.Second
		e.o.Second = func(billing.Holding, billing.Money) bool { return false }
		approve(t, e, 1)
		e.o.Second = second
		if got, err := e.Carry(ctx, 1); err != nil || got.State != Failed || got.Why.Key != "release.second.self" || w.cloud.deletes != 0 {
			t.Errorf("%+v %v, %d deletes", got, err, w.cloud.deletes)
		}
	})
	synctest.Test(t, func(t *testing.T) { // nobody answers
		w, e, a := setting(t)
		runs(e, 5*time.Hour)
		if got, _ := w.store.Action(ctx, a.ID); got.State != Expired || w.cloud.deletes != 0 {
			t.Errorf("%+v, %d deletes", got, w.cloud.deletes)
		}
	})
}
