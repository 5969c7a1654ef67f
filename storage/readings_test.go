package storage

import (
	"errors"
	"testing"

	"gpuspend/billing"
)

func TestFailuresStandBesideTheLastReading(t *testing.T) {
	db := openStore(t)
	id := account(t, db, "lab")
	denied := &billing.Error{Kind: billing.Denied, Op: "list", Say: billing.Say("error.denied_for", "permission", "disks:read"), Err: errors.New("token abc refused")}
	fails := func(n int, err error) {
		t.Helper()
		must(t, db.RecordFailure(t.Context(), id, billing.ReadBalance, billing.Scope{}, minute(n), err))
	}
	want := func(what string, r billing.Reading) {
		t.Helper()
		r.Account, r.Of = id, billing.ReadBalance
		got, err := db.Readings(t.Context(), id)
		must(t, err)
		diff(t, what, []billing.Reading{r}, got)
	}
	fails(0, denied)
	want("never read", billing.Reading{TriedAt: minute(0), ErrorKind: billing.Denied, Say: denied.Say, FailingSince: minute(0)})
	fails(1, errors.New("puzzling"))
	want("fails on", billing.Reading{TriedAt: minute(1), ErrorKind: billing.Unknown, Say: billing.Say("error.unknown"), FailingSince: minute(0)})
	must(t, db.RecordBalance(t.Context(), id, billing.Balance{ReadAt: minute(2)}))
	want("read", billing.Reading{CompleteAt: minute(2), TriedAt: minute(2)})
	fails(1, denied) // came in late
	want("read since", billing.Reading{CompleteAt: minute(2), TriedAt: minute(2)})
	fails(3, denied)
	want("fails again", billing.Reading{CompleteAt: minute(2), TriedAt: minute(3), ErrorKind: billing.Denied, Say: denied.Say, FailingSince: minute(3)})

	wantKind(t, db.RecordFailure(t.Context(), id, billing.ReadBalance, billing.Scope{}, t0, nil), billing.Invalid, "")
	wantKind(t, db.RecordFailure(t.Context(), 99, billing.ReadBalance, billing.Scope{}, t0, denied), billing.Missing, "")
}
