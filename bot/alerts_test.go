package bot_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/bot"
	"gpuspend/notify"
)

// The newest step of each thing stands once, the most severe first; what is over does not; what reached nobody is said.
func TestAlerts(t *testing.T) {
	in := install(t)
	a, shown := in.says(t, viewer(), "alerts")
	data := a.Data.(bot.AlertsData)
	if len(data.Alerts) != 2 || data.Alerts[0].Severity != "urgent" || data.Alerts[0].Handle != "a-nq6y" || *data.Alerts[1].SnoozedWhy != "being copied" {
		t.Errorf("%+v", data.Alerts)
	}
	if len(data.Undelivered) != 2 || *data.Undelivered[0].Failed != "missing" || data.Undelivered[1].Failed != nil {
		t.Errorf("%+v", data.Undelivered)
	}
	contains(t, shown, "2 alerts stand", "compute-c", "a-nq6y", "quiet until 14:05: being copied", "slack:C0OLD: no such place", "ops: tried 3 times, trying on")
	for _, b := range a.Message.Blocks {
		for _, x := range b.Menu {
			if x.Value != "balance/1/0/24h" {
				t.Errorf("a menu stands on %s", x.Value)
			}
		}
	}
}

func TestTakeAndSnoozeByWord(t *testing.T) {
	in := install(t)
	for _, line := range []string{"take NQ6Y", "take a-nq6y"} {
		_, shown := in.says(t, viewer(), line)
		contains(t, shown, "Taken by vi at 10:05")
	}
	for _, line := range []string{"snooze a-nq6y 4h because top-up is on its way", "snooze nq6y 3d", "snooze a-nq6y until 2026-12-05", "稍后 a-nq6y 2小时 因为 在充值"} {
		in.says(t, viewer(), line)
	}
	if diff := cmp.Diff([]string{"balance/1/0/24h " + viewerID, "balance/1/0/24h " + viewerID}, in.notes.taken); diff != "" {
		t.Error(diff)
	}
	want := []time.Time{wednesday.Add(4 * time.Hour), wednesday.Add(3 * day), time.Date(2026, 12, 6, 0, 0, 0, 0, shanghai), wednesday.Add(2 * time.Hour)}
	if diff := cmp.Diff(want, in.notes.snoozed, cmp.Comparer(time.Time.Equal)); diff != "" {
		t.Error(diff)
	}
}

// A look does nothing, and a slip of the finger gets a sentence with what was meant.
func TestTakeAndSnoozeSayWhatIsWrong(t *testing.T) {
	in := install(t)
	for line, near := range map[string]string{"take a-nq6x": "take a-nq6y", "take": "alerts", "snooze a-nq6y": "snooze a-nq6y 4h because top-up is on its way",
		"snooze a-nq6y yesterday": "snooze a-nq6y 4h because top-up is on its way", "snooze a-nq6y -4h": "snooze a-nq6y 4h because top-up is on its way"} {
		_, err := in.Ask(t.Context(), bot.Request{Words: bot.Split(line), Person: viewer(), Now: wednesday})
		var w *bot.WordsError
		if !errors.As(err, &w) || w.Nearest != near {
			t.Errorf("%s: %v", line, err)
		}
	}
	a, err := in.Ask(t.Context(), bot.Request{Words: []string{"take", "a-nq6y"}, Person: viewer(), Now: wednesday, Dry: true})
	if err != nil || !a.Failed || len(in.notes.taken)+len(in.notes.snoozed) > 0 {
		t.Errorf("%v, %+v, %v", err, a, in.notes)
	}
}

func TestAHandleIsTypedAsPeopleType(t *testing.T) {
	if got := notify.TidyHandle(" NQ6Y "); got != "a-nq6y" {
		t.Error(got)
	}
}
