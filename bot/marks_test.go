package bot_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/release"
	"gpuspend/bot"
)

// A lease needs who may stop the machine; it is extended by a button and ended by a word.
func TestLease(t *testing.T) {
	in := install(t)
	_, shown := in.says(t, viewer(), "lease r-7k2f 8h")
	contains(t, shown, "You can look but not release in compute-c")
	a, shown := in.says(t, operator(), "lease r-7k2f 8h")
	contains(t, shown, "infer-a10-2 (r-7k2f) is leased until")
	want := billing.Mark{Resource: 1, Kind: billing.MarkLease, Due: wednesday.Add(8 * time.Hour), By: operatorID, Team: team, Name: "op", Channel: "C0OTHER", MadeAt: wednesday}
	if diff := cmp.Diff([]billing.Mark{want}, in.notes.marks); diff != "" || a.Failed {
		t.Fatal(diff)
	}
	m := in.MarkMessage(release.Notice, want, billing.Holding{Handle: "r-7k2f", Resource: billing.Resource{Name: "infer-a10-2"}}, billing.Text{})
	contains(t, plainOf(m), "infer-a10-2: its lease ends, I stop it", "18:05 UTC+8")
	all := buttons(m)
	if out := in.press(t, viewer(), all[1].Action, all[1].Value); len(in.notes.marks) != 1 || out.Public.Push != "" {
		t.Error("a viewer extended a lease")
	}
	contains(t, plainOf(in.press(t, operator(), all[1].Action, all[1].Value).Public), "op extended infer-a10-2")
	if got := in.notes.marks[1].Due; !got.Equal(wednesday.Add(12 * time.Hour)) {
		t.Errorf("extended to %v", got)
	}
	_, shown = in.says(t, operator(), "lease r-7k2f off")
	contains(t, shown, "The lease of infer-a10-2 is off")
	_, shown = in.says(t, operator(), "lease r-7k2f off")
	contains(t, shown, "has no lease")
	in.engine.second = true
	_, shown = in.says(t, operator(), "lease r-7k2f 8h")
	contains(t, shown, "needs a second person")
	in.engine.second, in.engine.refused = false, billing.Say("error.conflict")
	if a, _ = in.says(t, operator(), "lease r-7k2f 8h"); !a.Failed || len(in.notes.marks) > 0 {
		t.Error("a lease where nothing may be released")
	}
	for _, bad := range []string{"lease r-7k2f", "lease r-7k2f 5m", "lease r-7k2f 31d", "lease r-7k2f soon"} {
		if _, err := in.Ask(t.Context(), bot.Request{Words: bot.Split(bad), Person: operator()}); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// A removal is a question of a day, a week from now at the earliest.
func TestRemoveMark(t *testing.T) {
	in := install(t)
	_, shown := in.says(t, viewer(), "remove r-7k2f on 2d because run is over")
	contains(t, shown, "I ask Wed 9 Dec 10:05 UTC+8 about deleting it", "Use undoes the mark.")
	m := in.notes.marks[0]
	if m.Kind != billing.MarkRemove || !m.Due.Equal(wednesday.Add(7*24*time.Hour)) || m.Reason != "run is over" {
		t.Errorf("%+v", m)
	}
	q := in.MarkMessage(release.Ask, m, billing.Holding{Handle: "r-7k2f", Resource: billing.Resource{Name: "infer-a10-2"}}, billing.Text{})
	contains(t, plainOf(q), "today is the day", "Reason: run is over")
	if all := buttons(q); all[0].Action != bot.ActionGrant || len(in.engine.proposed) > 0 {
		t.Errorf("%+v", all)
	}
	if _, err := in.Ask(t.Context(), bot.Request{Words: bot.Split("remove r-7k2f on never"), Person: viewer()}); err == nil {
		t.Error("no date is taken")
	}
}

// Stop now, ask later: the stop is ordered as any stop, and the question is a mark.
func TestStopAndAsk(t *testing.T) {
	in := install(t)
	f := in.press(t, operator(), bot.ActionRelease, "r-7k2f").Form
	if r := in.submit(t, operator(), f, map[string][]string{"do": {"stop_ask"}}); len(r.Errors) > 0 {
		t.Fatal(r.Errors)
	}
	if p := in.engine.proposed[0]; p.Verb != billing.VerbStop || p.Saves != cny("6840.00") || len(in.engine.approved) != 1 {
		t.Errorf("%+v", p)
	}
	if m := in.notes.marks[0]; m.Kind != billing.MarkRemove || !m.Due.Equal(wednesday.Add(7*24*time.Hour)) || m.By != operatorID {
		t.Errorf("%+v", m)
	}
}
