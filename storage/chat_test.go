package storage

import (
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestSeenEvent(t *testing.T) {
	db := openStore(t)
	for _, c := range []struct {
		id    string
		at    time.Time
		first bool
	}{
		{"envelope 1", t0, true},
		{"envelope 1", t0, false},
		{"envelope 2", t0, true},
		{"envelope 1", t0.Add(eventsKept), false},
		{"envelope 1", t0.Add(eventsKept + time.Millisecond), true}, // forgotten
	} {
		first, err := db.SeenEvent(t.Context(), c.id, c.at)
		must(t, err)
		if first != c.first {
			t.Errorf("%s at %s: first is %v", c.id, c.at, first)
		}
	}
	var kept int
	must(t, db.readers.QueryRow("SELECT count(*) FROM chat_events").Scan(&kept))
	if kept != 1 {
		t.Errorf("%d events are kept, want the last alone", kept)
	}
}

func TestSeenEventOnceAmongMany(t *testing.T) {
	db := openStore(t)
	var firsts atomic.Int32
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			first, err := db.SeenEvent(t.Context(), "envelope", t0)
			if err != nil {
				t.Error(err)
			}
			if first {
				firsts.Add(1)
			}
		})
	}
	group.Wait()
	if firsts.Load() != 1 {
		t.Errorf("%d deliveries were the first", firsts.Load())
	}
}

func TestPeople(t *testing.T) {
	db := openStore(t)
	var ann Person
	n := 0
	populate(t, reflect.ValueOf(&ann).Elem(), &n)
	ann.Team, ann.ID = "T1", "U1"
	must(t, db.RememberPerson(t.Context(), Person{Team: "T1", ID: "U1", Name: "old"}))
	must(t, db.RememberPerson(t.Context(), ann))
	must(t, db.RememberPerson(t.Context(), Person{Team: "T2", ID: "U1", Name: "somebody else"}))
	got, ok, err := db.Person(t.Context(), "T1", "U1")
	must(t, err)
	if !ok {
		t.Fatal("nobody found")
	}
	diff(t, "person", ann, got)
	if _, ok, err := db.Person(t.Context(), "T1", "U9"); ok || err != nil {
		t.Errorf("found nobody: %v, %v", ok, err)
	}
}
