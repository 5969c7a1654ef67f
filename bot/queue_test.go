package bot_test

import (
	"context"
	"testing"
	"time"

	"gpuspend/bot"
	"gpuspend/notify"
)

// The first working day of a week, Monday or after a holiday, has the queue of what is nobody's; no other day has.
func TestUnownedQueueOncePerWeek(t *testing.T) {
	for date, want := range map[string]bool{"2026-12-07": true, "2026-12-08": false, "2026-10-08": true, "2026-10-09": false} { // 8 October: Thursday, after the holidays
		in := install(t)
		day, err := time.ParseInLocation(time.DateOnly, date, shanghai)
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
		a, shown := in.says(t, viewer(), "digest")
		if got := a.Data.(bot.DigestData).Unowned != nil; got != want {
			t.Errorf("%s: %v\n%s", date, got, shown)
		}
		if want {
			contains(t, shown, "nobody owns", "Who owns these?")
		}
	}
}
