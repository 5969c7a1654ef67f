package release

import (
	"testing"
	"time"

	"gpuspend/billing"
)

// A lease is stopped only after a delivered notice, and a removal only asks; use undoes it.
func TestDue(t *testing.T) {
	at := time.Date(2026, 12, 2, 10, 0, 0, 0, time.UTC)
	of := func(s billing.State) billing.Holding { return billing.Holding{Resource: billing.Resource{State: s}} }
	lease := billing.Mark{Kind: billing.MarkLease, MadeAt: at, Due: at.Add(8 * time.Hour)}
	told := lease
	told.ToldAt = at.Add(7*time.Hour + 55*time.Minute) // late: the chat was down
	remove := billing.Mark{Kind: billing.MarkRemove, MadeAt: at, Due: at.Add(48 * time.Hour), ToldAt: at, Idle: true}
	asked := remove
	asked.AskedAt = at.Add(RemoveGrace)
	with := func(m billing.Mark, f func(*billing.Mark)) billing.Mark { f(&m); return m }
	for _, c := range []struct {
		name  string
		mark  billing.Mark
		state billing.State
		after time.Duration
		want  Next
	}{
		{"early", lease, billing.StateRunning, time.Hour, Wait},
		{"half an hour before", lease, billing.StateRunning, 7*time.Hour + 30*time.Minute, Notice},
		{"a short lease: a quarter before", with(lease, func(m *billing.Mark) { m.Due = at.Add(time.Hour) }), billing.StateRunning, 45 * time.Minute, Notice},
		{"over, but never told", lease, billing.StateRunning, 48 * time.Hour, Notice},
		{"told late, at the end", told, billing.StateRunning, 8 * time.Hour, Wait},
		{"told late, ten minutes after that", told, billing.StateRunning, 8*time.Hour + 5*time.Minute, Halt},
		{"stopped meanwhile", told, billing.StateStopped, 9 * time.Hour, Over},
		{"gone", lease, billing.StateTerminated, time.Hour, Over},
		{"a removal not told of yet", with(remove, func(m *billing.Mark) { m.ToldAt = time.Time{} }), billing.StateUnattached, 99 * 24 * time.Hour, Notice},
		{"the day named, sooner than a week after the notice", remove, billing.StateUnattached, 48 * time.Hour, Wait},
		{"a week after the notice", remove, billing.StateUnattached, RemoveGrace, Ask},
		{"asked, not yet a day ago", asked, billing.StateUnattached, RemoveGrace + time.Hour, Wait},
		{"asked, a day ago", asked, billing.StateUnattached, RemoveGrace + 24*time.Hour, Ask},
		{"in use again", remove, billing.StateAttached, time.Hour, Used},
		{"still in use since it was marked", with(remove, func(m *billing.Mark) { m.Idle = false }), billing.StateRunning, time.Hour, Wait},
		{"seen out of use", with(remove, func(m *billing.Mark) { m.Idle = false }), billing.StateStopped, time.Hour, Idle},
	} {
		if got := Due(c.mark, of(c.state), at.Add(c.after)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
