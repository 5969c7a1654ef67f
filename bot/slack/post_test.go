package slack_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/release"
	"gpuspend/bot/localslack"
	"gpuspend/notify"
)

func letter() notify.Letter {
	return notify.Letter{ID: 7, Route: notify.Route{Name: "slack:C0OPS", Receiver: "slack", Target: "C0OPS", Lang: "en"}, Message: warning()}
}

func TestDeliver(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		r := b.bot.Receiver()
		receipt, err := r.Deliver(t.Context(), letter())
		if err != nil {
			t.Fatal(err)
		}
		m := b.Messages("C0OPS")[0]
		if m.Text != "🔴 compute-c runs dry at 06:43" || !strings.Contains(string(m.Metadata), `"7"`) {
			t.Errorf("posted %+v", m)
		}
		edited := letter()
		edited.Edits, edited.Message = receipt, notify.Message{Push: "🟡 $200.00 arrived", Blocks: []notify.Block{notify.Section("🟡 $200.00 arrived")}}
		again, err := r.Deliver(t.Context(), edited)
		if err != nil || again != receipt || len(b.Messages("C0OPS")) != 1 || b.Messages("C0OPS")[0].Text != "🟡 $200.00 arrived" {
			t.Errorf("%s, %v, %+v", again, err, b.Messages("C0OPS"))
		}
		under := letter()
		under.Thread = receipt
		if _, err = r.Deliver(t.Context(), under); err != nil || b.Messages("C0OPS")[1].ThreadTS != m.TS {
			t.Errorf("%v, %+v", err, b.Messages("C0OPS"))
		}
		private := letter()
		private.Route.Target = "U0LIN"
		if _, err = r.Deliver(t.Context(), private); err != nil || len(b.Messages(b.OpenDM("U0LIN"))) != 1 {
			t.Errorf("%v", err)
		}
		// The message to edit is gone: what has to be said is said anew.
		edited.Edits = "C0OPS/1.000001"
		again, err = r.Deliver(t.Context(), edited)
		if err != nil || again == edited.Edits || len(b.Messages("C0OPS")) != 3 {
			t.Errorf("%s, %v", again, err)
		}
	})
}

// Every failure has its kind, by which the outbox decides; nothing is tried again here but what posted nothing.
func TestDeliverFails(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault localslack.Fault
		want  billing.ErrorKind
		after time.Duration
	}{
		{"too fast", localslack.Fault{RetryAfter: 7 * time.Second}, billing.Limited, 7 * time.Second},
		{"no such channel", localslack.Fault{Error: "channel_not_found"}, billing.Missing, 0},
		{"archived", localslack.Fault{Error: "is_archived"}, billing.Missing, 0},
		{"not in it", localslack.Fault{Error: "not_in_channel"}, billing.Missing, 0},
		{"a bad token", localslack.Fault{Error: "invalid_auth"}, billing.Auth, 0},
		{"a scope is missing", localslack.Fault{Error: "missing_scope"}, billing.Denied, 0},
		{"Slack broken", localslack.Fault{Error: "internal_error"}, billing.Upstream, 0},
		{"Slack down", localslack.Fault{Status: 503}, billing.Upstream, 0},
		{"the connection breaks", localslack.Fault{AfterAccept: true}, billing.Upstream, 0},
		{"too slow", localslack.Fault{Delay: time.Minute}, billing.Upstream, 0},
		{"refused for good", localslack.Fault{Error: "no_text"}, billing.Invalid, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inLab(t, func(t *testing.T, b *lab) {
				b.Fail("chat.postMessage", 1, c.fault)
				_, err := b.bot.Receiver().Deliver(t.Context(), letter())
				var e *billing.Error
				if !errors.As(err, &e) || e.Kind != c.want || e.RetryAfter != c.after {
					t.Fatalf("%v, want %s after %v", err, c.want, c.after)
				}
				if strings.Contains(err.Error(), botToken) {
					t.Error("the token is in the error")
				}
				if n := len(b.Messages("C0OPS")); n > 1 {
					t.Errorf("%d messages", n)
				}
			})
		})
	}
}

// Slack had taken the letter before the connection broke: the second try finds it, and does not post it twice.
func TestNoDuplicate(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		b.Fail("chat.postMessage", 1, localslack.Fault{AfterAccept: true})
		l := letter()
		if _, err := b.bot.Receiver().Deliver(t.Context(), l); billing.KindOf(err) != billing.Upstream {
			t.Fatal(err)
		}
		l.Tries = 1
		receipt, err := b.bot.Receiver().Deliver(t.Context(), l)
		all := b.Messages("C0OPS")
		if err != nil || len(all) != 1 || receipt != "C0OPS/"+all[0].TS {
			t.Errorf("%s, %v, %d messages", receipt, err, len(all))
		}
		// Without the right to look, a rare duplicate is better than silence.
		b.Fail("conversations.history", 1, localslack.Fault{Error: "missing_scope"})
		if _, err = b.bot.Receiver().Deliver(t.Context(), l); err != nil || len(b.Messages("C0OPS")) != 2 {
			t.Errorf("%v, %d messages", err, len(b.Messages("C0OPS")))
		}
	})
}

func TestDeliverWithoutTable(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		l := letter()
		l.Message.Blocks = append(l.Message.Blocks, notify.Grid(notify.Table{Columns: []notify.Column{{Title: "Account"}}, Rows: [][]notify.Rich{{"compute-c"}}}))
		b.Fail("chat.postMessage", 1, localslack.Fault{Error: "invalid_blocks"})
		if _, err := b.bot.Receiver().Deliver(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		contains(t, string(b.Messages("C0OPS")[0].Blocks), "```Account")
	})
}

// One message a release, edited to its end; a direct message where the bot is not in the channel.
func TestTell(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		a := release.Action{ID: 41, Handle: "r-7k2f", Name: "sft-07", Verb: billing.VerbStop, State: release.Approved, By: release.Person{ID: "U0OP", Name: "ada"},
			Place: release.Place{Channel: "C0OPS"}, Lang: "en", ProposedAt: time.Now(), MovedAt: time.Now()}
		for _, s := range []release.State{release.Approved, release.Running, release.Verifying, release.Done} {
			a.State = s
			place, err := b.bot.Teller().Tell(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			a.Place = place
		}
		all := b.Messages("C0OPS")
		if len(all) != 1 || all[0].Edits != 3 {
			t.Fatalf("%d messages: %+v", len(all), all)
		}
		contains(t, shown(all[0]), "✅", "sft-07", "stopped", "By ada")

		b.Archive("C0LOG")
		a.Place = release.Place{Channel: "C0LOG"}
		place, err := b.bot.Teller().Tell(t.Context(), a)
		dm := b.OpenDM("U0OP")
		if err != nil || place.Channel != dm || len(b.Messages(dm)) != 1 {
			t.Errorf("%+v, %v", place, err)
		}
		// The place is kept when Slack fails: the next state is edited into the same message.
		b.Fail("chat.update", 1, localslack.Fault{Status: 503})
		a.Place = place
		if same, err := b.bot.Teller().Tell(t.Context(), a); err == nil || same != place {
			t.Errorf("%+v, %v", same, err)
		}
	})
}

func TestIdentity(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		id, err := b.bot.Identity(t.Context())
		if err != nil || id.Team != "T0LOCAL" || id.User != "U0BOT" {
			t.Errorf("%+v, %v", id, err)
		}
	})
}
