package bot_test

import (
	"context"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/bot"
	"gpuspend/notify"
)

// What needs somebody comes first, the most severe before the others, three lines at most; what somebody is on is left out.
func TestDigestSaysWhatNeedsYou(t *testing.T) {
	in := install(t)
	a, shown := in.says(t, viewer(), "digest")
	data := a.Data.(bot.DigestData)
	if data.Date != "2026-12-02" || data.From != "2026-12-01" || data.To != "2026-12-01" || len(data.Needs) == 0 {
		t.Errorf("%+v", data)
	}
	contains(t, shown, "Needs you", "runs dry at 14:07", "Compute C", "messages reached nobody")
	in.notes.on = "balance/1/0/"
	_, shown = in.says(t, viewer(), "digest")
	lacks(t, shown, "runs dry at 14:07")
}

// Monday's digest covers Friday to Sunday; the one after a holiday all of it.
func TestDigestCoversTheWeekend(t *testing.T) {
	for now, want := range map[string]string{"2026-12-07": "2026-12-04", "2026-10-08": "2026-09-30", "2026-10-10": "2026-10-09", "2026-10-12": "2026-10-10"} {
		in := install(t)
		day, err := time.ParseInLocation(time.DateOnly, now, shanghai)
		if err != nil {
			t.Fatal(err)
		}
		day = day.Add(10 * time.Hour)
		in.Now = func() time.Time { return day }
		in.Look = func(context.Context) (notify.View, error) {
			v := view()
			v.Hours.Calendar, v.Now = notify.China(), day
			return v, nil
		}
		a, _ := in.says(t, viewer(), "digest")
		if got := a.Data.(bot.DigestData).From; got != want {
			t.Errorf("the digest of %s covers from %s, want %s", now, got, want)
		}
	}
}

// Where nothing needs anybody it is two lines; an account that can't be read is never calm.
func TestDigestOfACalmDay(t *testing.T) {
	in := install(t)
	calm := view()
	calm.Accounts = calm.Accounts[:1]
	calm.Accounts[0].Outlook.EmptyAt, calm.Accounts[0].Outlook.Runway = time.Time{}, 0
	calm.Accounts[0].Balance.Cash = cny("50000")
	in.Look = func(context.Context) (notify.View, error) { return calm, nil }
	in.notes.heard = true
	a, shown := in.says(t, viewer(), "digest")
	contains(t, shown, "nothing needs you")
	if len(a.Message.Blocks) != 2 {
		t.Errorf("a calm digest has %d blocks", len(a.Message.Blocks))
	}
	calm.Accounts[0].Readings[0].ErrorKind, calm.Accounts[0].Readings[0].FailingSince = billing.Auth, wednesday.Add(-time.Hour)
	_, shown = in.says(t, viewer(), "digest")
	lacks(t, shown, "nothing needs you")
}
