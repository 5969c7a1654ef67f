package storage

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"gpuspend/billing"
)

func TestSnapshot(t *testing.T) {
	db, id, listing := observed(t)
	listing(t0, disk("d-1", billing.StateUnattached, "1"), disk("d-2", billing.StateUnattached, "1"))
	listing(minute(1), disk("d-2", billing.StateUnattached, "1"))
	listing(minute(2), disk("d-2", billing.StateUnattached, "1"))
	keep := billing.Keep{By: "U1", At: minute(2)}
	must(t, db.KeepResource(t.Context(), 2, keep, "T1"))
	must(t, db.RecordBalance(t.Context(), id, billing.Balance{ReadAt: minute(2), Cash: billing.MustMoney("7", "CNY")}))
	account(t, db, "imported")
	s, err := db.Snapshot(t.Context())
	must(t, err)
	if len(s.Accounts) != 2 || len(s.Holdings) != 1 || s.Holdings[0].Ref.ID != "d-2" || s.Holdings[0].Keep != keep {
		t.Errorf("snapshot is %+v", s)
	}
	if s.Balances[id].Cash != billing.MustMoney("7", "CNY") || len(s.Balances) != 1 || len(s.Readings[id]) != 2 {
		t.Errorf("snapshot is %+v", s)
	}
}

// A balance and its reading are one write: a snapshot that shows other counts of them saw half of one, and one with two
// accounts more than balances saw its parts at two instants.
func TestSnapshotIsOfOneInstant(t *testing.T) {
	db := openStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	written := make(chan struct{})
	go func() {
		defer close(written)
		for i := 0; ctx.Err() == nil; i++ {
			id, err := db.EnsureAccount(context.Background(), billing.Account{Name: time.Duration(i).String()})
			if err == nil {
				err = db.RecordBalance(context.Background(), id.ID, billing.Balance{ReadAt: t0})
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for range 50 {
		s, err := db.Snapshot(t.Context())
		must(t, err)
		if missing := len(s.Accounts) - len(s.Balances); missing < 0 || missing > 1 || len(s.Readings) != len(s.Balances) {
			t.Fatalf("%d accounts, %d balances, %d readings in one snapshot", len(s.Accounts), len(s.Balances), len(s.Readings))
		}
	}
	cancel()
	<-written
}

// What was read is given again until somebody writes, in this process or another; and then it is read anew.
func TestSnapshotIsReadAgainOnceSomethingWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	db, other := openAt(t, path), openAt(t, path)
	id := account(t, db, "a")
	shown := func() Snapshot {
		t.Helper()
		s, err := db.Snapshot(t.Context())
		must(t, err)
		return s
	}
	must(t, db.Observe(t.Context(), id, billing.Scope{Kind: billing.KindDisk}, t0, []billing.Resource{disk("d-1", billing.StateUnattached, "1"), disk("d-2", billing.StateUnattached, "1")}))
	first := shown()
	if again := shown(); len(first.Holdings) != 2 || &again.Holdings[0] != &first.Holdings[0] {
		t.Error("what nobody changed was read twice")
	}
	changed := disk("d-1", billing.StateUnattached, "1")
	changed.Tags = map[string]string{"owner": "ana"}
	must(t, other.Observe(t.Context(), id, billing.Scope{Kind: billing.KindDisk}, minute(1), []billing.Resource{changed, disk("d-2", billing.StateUnattached, "1")}))
	if s := shown(); s.Holdings[0].Tags["owner"] != "ana" || s.Holdings[1].Tags["owner"] != "" || first.Holdings[0].Tags["owner"] != "" {
		t.Errorf("after another program's write: %+v", s.Holdings)
	}
	must(t, db.RecordBalance(t.Context(), id, billing.Balance{ReadAt: minute(2), Cash: billing.MustMoney("7", "CNY")}))
	if s := shown(); s.Balances[id].Cash != billing.MustMoney("7", "CNY") {
		t.Errorf("after a write of its own: %+v", s.Balances)
	}
}

func TestHeldIsOfOneAccount(t *testing.T) {
	s := Snapshot{Holdings: []billing.Holding{{ID: 1, Account: 2}, {ID: 5, Account: 2}, {ID: 2, Account: 7}}}
	for id, want := range map[billing.AccountID]int{1: 0, 2: 2, 3: 0, 7: 1, 9: 0} {
		held := s.Held(id)
		if len(held) != want || cap(held) != want {
			t.Errorf("account %d holds %d with room for %d, want %d", id, len(held), cap(held), want)
		}
	}
}
