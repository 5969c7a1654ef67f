package storage

import (
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/release"
)

// proposal is an action on a resource, filled as far as who proposes fills it.
func proposal(t *testing.T, id billing.ResourceID) release.Action {
	t.Helper()
	var a release.Action
	n := 0
	populate(t, reflect.ValueOf(&a).Elem(), &n)
	a.Resource = id
	return a
}

func TestActionRoundTrip(t *testing.T) {
	db, account, listing := observed(t)
	d := disk("d-1", billing.StateUnattached, "1")
	d.Name = "scratch"
	listing(t0, d)
	given := proposal(t, 1)
	got, err := db.Propose(t.Context(), given)
	must(t, err)
	want := given
	want.ID, want.Account, want.State, want.Token = 1, account, release.Proposed, got.Token
	want.Ref, want.Handle, want.Name = billing.ResourceRef{Account: account, Kind: billing.KindDisk, Region: "eu", ID: "d-1"}, handle(1), "scratch"
	want.MovedAt = given.ProposedAt
	// What only moves and notes set is not taken from a proposal.
	want.Approver, want.RequestID, want.Job, want.Why = release.Person{}, "", "", billing.Text{}
	want.SeenAt = got.SeenAt
	diff(t, "proposed", want, got)
	if !got.SeenAt.IsZero() || len(got.Token) < 20 {
		t.Errorf("seen %v, token %q", got.SeenAt, got.Token)
	}

	change := release.Change{Who: release.Person{ID: "U1", Team: "T1", Name: "Ann"}, Approver: release.Person{ID: "U2", Team: "T2", Name: "Bo"}}
	_, err = db.Move(t.Context(), 1, release.Proposed, release.Approved, minute(1), change)
	must(t, err)
	ordered := release.Change{RequestID: "req-1", Job: "job-1", Why: billing.Say("release.ordered", "n", 3)}
	_, err = db.Move(t.Context(), 1, release.Approved, release.Running, minute(2), release.Change{})
	must(t, err)
	moved, err := db.Move(t.Context(), 1, release.Running, release.Verifying, minute(3), ordered)
	must(t, err)
	want.State, want.MovedAt, want.Approver = release.Verifying, minute(3), change.Approver
	want.RequestID, want.Job, want.Why = "req-1", "job-1", ordered.Why
	diff(t, "moved", want, moved)

	want.Place, want.SeenAt = release.Place{Channel: "C", Message: "1.2"}, minute(4)
	must(t, db.Note(t.Context(), 1, want.Place, minute(4)))
	must(t, db.Note(t.Context(), 1, release.Place{}, time.Time{})) // leaves both
	found, err := db.Action(t.Context(), 1)
	must(t, err)
	diff(t, "noted", want, found)

	history, err := db.History(t.Context(), 1)
	must(t, err)
	diff(t, "history", []release.Move{
		{Action: 1, At: minute(1), From: release.Proposed, To: release.Approved, Who: change.Who},
		{Action: 1, At: minute(2), From: release.Approved, To: release.Running},
		{Action: 1, At: minute(3), From: release.Running, To: release.Verifying, Why: ordered.Why},
	}, history)
}

func TestOneActionAtATime(t *testing.T) {
	db, _, listing := observed(t)
	listing(t0, disk("d-1", billing.StateUnattached, ""), disk("d-2", billing.StateUnattached, ""))
	first, err := db.Propose(t.Context(), proposal(t, 1))
	must(t, err)
	_, err = db.Propose(t.Context(), proposal(t, 1))
	wantKind(t, err, billing.Conflict, "error.action_open")
	if got := billing.SayOf(err).Args["handle"]; got != handle(1) || !strings.Contains(err.Error(), "action 1") {
		t.Errorf("%v names %v", err, got)
	}
	other, err := db.Propose(t.Context(), proposal(t, 2))
	must(t, err)
	if first.Token == other.Token {
		t.Error("two actions have one token")
	}
	_, err = db.Propose(t.Context(), proposal(t, 99))
	wantKind(t, err, billing.Missing, "")
	mixed := proposal(t, 1)
	mixed.Saves = billing.ZeroMoney("USD")
	_, err = db.Propose(t.Context(), mixed)
	wantKind(t, err, billing.Invalid, "")

	_, err = db.Move(t.Context(), first.ID, release.Proposed, release.Declined, minute(1), release.Change{})
	must(t, err)
	again, err := db.Propose(t.Context(), proposal(t, 1))
	must(t, err)
	open, err := db.Open(t.Context())
	must(t, err)
	if len(open) != 2 || open[0].ID != other.ID || open[1].ID != again.ID {
		t.Errorf("open: %+v", open)
	}
	for since, want := range map[time.Time]int{minute(1): 1, minute(2): 0} {
		ended, err := db.Ended(t.Context(), since)
		must(t, err)
		if len(ended) != want || want == 1 && ended[0].ID != first.ID {
			t.Errorf("ended since %s: %+v", since, ended)
		}
	}
}

func TestMoveIsCompareAndSwap(t *testing.T) {
	db, _, listing := observed(t)
	listing(t0, disk("d-1", billing.StateUnattached, ""))
	a, err := db.Propose(t.Context(), proposal(t, 1))
	must(t, err)
	for _, tt := range []struct {
		name     string
		id       release.ActionID
		from, to release.State
		kind     billing.ErrorKind
	}{
		{"not on the table", a.ID, release.Proposed, release.Running, billing.Conflict},
		{"from where it is not", a.ID, release.Running, release.Verifying, billing.Conflict},
		{"no such action", 99, release.Proposed, release.Approved, billing.Missing},
	} {
		_, err := db.Move(t.Context(), tt.id, tt.from, tt.to, minute(1), release.Change{})
		if billing.KindOf(err) != tt.kind {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.kind)
		}
	}
	history, err := db.History(t.Context(), a.ID)
	must(t, err)
	if len(history) != 0 {
		t.Errorf("history of refused moves: %+v", history)
	}
	wantKind(t, db.Note(t.Context(), 99, release.Place{}, t0), billing.Missing, "")
}

// Two clicks, of two programs even, are one release.
func TestTwoMovesOneWins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	dbs := []*DB{openAt(t, path), openAt(t, path)}
	id := account(t, dbs[0], "a")
	must(t, dbs[0].Observe(t.Context(), id, disks, t0, []billing.Resource{disk("d-1", billing.StateUnattached, "")}))
	a, err := dbs[0].Propose(t.Context(), proposal(t, 1))
	must(t, err)
	const clicks = 8
	errs := make([]error, clicks)
	var group sync.WaitGroup
	for i := range clicks {
		group.Go(func() {
			_, errs[i] = dbs[i%2].Move(context.Background(), a.ID, release.Proposed, release.Approved, minute(1), release.Change{})
		})
	}
	group.Wait()
	won := 0
	for _, err := range errs {
		switch billing.KindOf(err) {
		case "":
			won++
		case billing.Conflict:
		default:
			t.Error(err)
		}
	}
	history, err := dbs[0].History(t.Context(), a.ID)
	must(t, err)
	if won != 1 || len(history) != 1 {
		t.Errorf("%d of %d clicks won, history has %d lines; want 1 and 1", won, clicks, len(history))
	}
}

func TestHistoryIsAppendOnly(t *testing.T) {
	db, _, listing := observed(t)
	listing(t0, disk("d-1", billing.StateUnattached, ""))
	a, err := db.Propose(t.Context(), proposal(t, 1))
	must(t, err)
	_, err = db.Move(t.Context(), a.ID, release.Proposed, release.Declined, minute(1), release.Change{})
	must(t, err)
	for _, statement := range []string{"DELETE FROM action_moves", "UPDATE action_moves SET user_id = 'U9'", "DELETE FROM actions"} {
		if _, err := db.writer.Exec(statement); err == nil {
			t.Errorf("%s went through", statement)
		}
	}
}
