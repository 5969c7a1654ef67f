package storage

import (
	"testing"

	"gpuspend/billing"
)

// A mark is kept as it was made, a new one of its kind takes its place, and one that has ended takes no more notes.
func TestMarks(t *testing.T) {
	db, _, listing := observed(t)
	listing(t0, disk("d-1", billing.StateUnattached, "1"))
	m := billing.Mark{Resource: 1, Kind: billing.MarkLease, Due: minute(60), By: "U1", Team: "T1", Name: "Ann", Channel: "C1", Reason: "night run", MadeAt: t0}
	first, err := db.PutMark(t.Context(), m)
	must(t, err)
	m.Due = minute(90)
	second, err := db.PutMark(t.Context(), m)
	must(t, err)
	if err := db.NoteMark(t.Context(), first); billing.KindOf(err) != billing.Missing {
		t.Errorf("a replaced mark takes notes: %v", err)
	}
	second.ToldAt, second.Idle = minute(3), true
	must(t, db.NoteMark(t.Context(), second))
	other := m
	other.Kind, other.Due = billing.MarkRemove, minute(30)
	other, err = db.PutMark(t.Context(), other)
	must(t, err)
	all, err := db.Marks(t.Context())
	must(t, err)
	diff(t, "open", []billing.Mark{other, second}, all)
	must(t, db.EndMark(t.Context(), other.ID, "used", minute(5)))
	if err := db.EndMark(t.Context(), other.ID, "used", minute(5)); billing.KindOf(err) != billing.Missing {
		t.Errorf("ended twice: %v", err)
	}
	if _, err := db.PutMark(t.Context(), billing.Mark{Resource: 1, Kind: billing.MarkLease, Due: minute(1), MadeAt: t0}); billing.KindOf(err) != billing.Invalid {
		t.Errorf("a mark of nobody: %v", err)
	}
}
