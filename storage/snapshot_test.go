package storage

import (
	"context"
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
