package storage

import (
	"reflect"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
)

// fired is an alert as it begins.
func fired(fingerprint string, at time.Time) notify.Alert {
	return notify.Alert{Fingerprint: fingerprint, Rule: "balance", Severity: billing.SeverityWarning, State: notify.Firing, FiredAt: at, UpdatedAt: at}
}

func alertsOf(t *testing.T, db *DB, since time.Time) []notify.Alert {
	t.Helper()
	all, err := db.Alerts(t.Context(), since)
	must(t, err)
	return all
}

func TestAlertRoundTrip(t *testing.T) {
	db, id, listing := observed(t)
	listing(t0, disk("d", billing.StateUnattached, ""))
	var full notify.Alert
	n := 0
	populate(t, reflect.ValueOf(&full).Elem(), &n)
	full.ID, full.Account, full.Resource, full.State = 0, id, 1, notify.Firing
	bare := fired("bare", t0)
	must(t, db.Commit(t.Context(), []notify.Alert{full, bare}, nil))
	full.ID, bare.ID = 1, 2
	diff(t, "alerts", []notify.Alert{full, bare}, alertsOf(t, db, full.ResolvedAt.Add(time.Hour)))

	orphan := fired("orphan", t0)
	orphan.Resource = 99
	wantKind(t, db.Commit(t.Context(), []notify.Alert{orphan}, nil), billing.Missing, "")
}

func TestAnAlertFiresOnce(t *testing.T) {
	db := openStore(t)
	letter := notify.Letter{Route: notify.Route{Name: "slack:C1"}, CreatedAt: t0, TryAt: t0}
	must(t, db.Commit(t.Context(), []notify.Alert{fired("f", t0)}, []notify.Letter{letter}))
	wantKind(t, db.Commit(t.Context(), []notify.Alert{fired("f", minute(1))}, []notify.Letter{letter}), billing.Conflict, "")
	due, err := db.Due(t.Context(), minute(9))
	must(t, err)
	if len(due) != 1 {
		t.Errorf("%d letters, want one: the alert and its letter are one transaction", len(due))
	}
	over := alertsOf(t, db, t0)[0]
	over.State, over.ResolvedAt, over.UpdatedAt = notify.Resolved, minute(2), minute(2)
	must(t, db.Commit(t.Context(), []notify.Alert{over, fired("f", minute(3))}, nil))
	if got := alertsOf(t, db, minute(2)); len(got) != 2 || got[0].State != notify.Resolved || got[1].State != notify.Firing {
		t.Errorf("alerts are %+v, want the old one resolved and a new one", got)
	}
	if got := alertsOf(t, db, minute(2).Add(1)); len(got) != 2 {
		t.Errorf("%d alerts since the same millisecond, want 2", len(got))
	}
	if got := alertsOf(t, db, minute(3)); len(got) != 1 {
		t.Errorf("%d alerts, want the firing one alone", len(got))
	}
	wantKind(t, db.Commit(t.Context(), []notify.Alert{{ID: 99, State: notify.Firing}}, nil), billing.Missing, "")
}

// What people said stands, whatever the pipeline read before they said it.
func TestPeoplesWordsOutliveACommit(t *testing.T) {
	db := openStore(t)
	must(t, db.Commit(t.Context(), []notify.Alert{fired("f", t0)}, nil))
	read := alertsOf(t, db, t0)[0]
	must(t, db.Take(t.Context(), "f", "U1", "T1", minute(1)))
	must(t, db.Snooze(t.Context(), "f", minute(60), "known", "U2", "T1", minute(2)))
	read.Severity, read.UpdatedAt = billing.SeverityUrgent, minute(3)
	must(t, db.Commit(t.Context(), []notify.Alert{read}, nil))
	want := read
	want.TakenBy, want.TakenAt, want.SnoozedTill, want.SnoozedWhy = "U1", minute(1), minute(60), "known"
	diff(t, "alert", []notify.Alert{want}, alertsOf(t, db, t0))

	read.State, read.ResolvedAt = notify.Resolved, minute(4)
	must(t, db.Commit(t.Context(), []notify.Alert{read}, nil))
	wantKind(t, db.Take(t.Context(), "f", "U1", "T1", minute(5)), billing.Missing, "error.alert_over")
	wantKind(t, db.Snooze(t.Context(), "other", minute(60), "", "U1", "T1", minute(5)), billing.Missing, "error.alert_over")
}

func TestLetterRoundTrip(t *testing.T) {
	db := openStore(t)
	var full notify.Letter
	n := 0
	populate(t, reflect.ValueOf(&full).Elem(), &n)
	full.ID, full.DeliveredAt, full.Failed = 0, time.Time{}, ""
	must(t, db.Commit(t.Context(), nil, []notify.Letter{full}))
	due, err := db.Due(t.Context(), full.TryAt)
	must(t, err)
	full.ID = 1
	diff(t, "letters", []notify.Letter{full}, due)
}

func TestOutbox(t *testing.T) {
	db := openStore(t)
	letter := func(route, fingerprint string, n int) notify.Letter {
		return notify.Letter{Route: notify.Route{Name: route}, Fingerprint: fingerprint, CreatedAt: minute(n), TryAt: minute(n)}
	}
	must(t, db.Commit(t.Context(), nil, []notify.Letter{letter("a", "f", 0), letter("a", "f", 1), letter("b", "f", 1), letter("a", "g", 5)}))
	due := func(n int, want ...int64) []notify.Letter {
		t.Helper()
		all, err := db.Due(t.Context(), minute(n))
		must(t, err)
		var got []int64
		for _, l := range all {
			got = append(got, l.ID)
		}
		diff(t, "due", want, got)
		return all
	}
	due(-1)
	l := due(1, 1, 2, 3)

	l[0].Tries, l[0].TryAt = 1, minute(3) // later
	must(t, db.Sent(t.Context(), l[0]))
	l[1].DeliveredAt, l[1].Receipt = minute(2), "C1/2" // delivered
	must(t, db.Sent(t.Context(), l[1]))
	l[2].Failed = "denied" // given up
	must(t, db.Sent(t.Context(), l[2]))
	due(2)
	due(3, 1)

	last := func(fingerprint, route string, want int64) {
		t.Helper()
		got, ok, err := db.Last(t.Context(), fingerprint, route)
		must(t, err)
		if ok != (want > 0) || got.ID != want {
			t.Errorf("last of %s on %s is %d, %v; want %d", fingerprint, route, got.ID, ok, want)
		}
	}
	last("f", "a", 2)
	last("f", "b", 0)
	last("g", "a", 0)
	l[0].DeliveredAt, l[0].Receipt = minute(4), "C1/4"
	must(t, db.Sent(t.Context(), l[0]))
	last("f", "a", 1) // the newest delivered, not the newest written

	l[0].DeliveredAt, l[0].Receipt = time.Time{}, "" // somebody with an older copy
	must(t, db.Sent(t.Context(), l[0]))
	due(4)
	wantKind(t, db.Sent(t.Context(), notify.Letter{ID: 99}), billing.Missing, "")
}

// What was given up, or is tried in vain, is shown; what arrived, waits for its first try or was overtaken is not.
func TestUndelivered(t *testing.T) {
	d := openStore(t)
	at := t0
	letter := func(name string) notify.Letter {
		return notify.Letter{Route: notify.Route{Name: name}, Message: notify.Message{Push: name}, CreatedAt: at, TryAt: at}
	}
	gone, trying, fresh, heard, stale, old := letter("gone"), letter("trying"), letter("fresh"), letter("heard"), letter("stale"), letter("old")
	gone.Failed, trying.Tries, heard.DeliveredAt, heard.Tries, stale.Failed = "missing", 2, at, 1, "superseded"
	old.Failed, old.CreatedAt = "missing", at.Add(-8*24*time.Hour)
	if err := d.Commit(t.Context(), nil, []notify.Letter{gone, trying, fresh, heard, stale, old}); err != nil {
		t.Fatal(err)
	}
	all, err := d.Undelivered(t.Context(), at.Add(-7*24*time.Hour))
	if err != nil || len(all) != 2 || all[0].Route.Name != "trying" || all[1].Route.Name != "gone" {
		t.Errorf("%v, %+v", err, all)
	}
}
