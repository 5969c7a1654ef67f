package slack_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/bot/localslack"
	"gpuspend/notify"
)

// inLab runs a conversation in fake time.
func inLab(t *testing.T, talk func(t *testing.T, b *lab)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := open(t)
		defer b.end()
		talk(t, b)
	})
}

// A command is acknowledged at once and answered to the person alone, in the person's language.
func TestCommand(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		b.types(t, "U0OP", "/gpu balance")
		m := b.said(t, "C0OPS", 1)[0]
		contains(t, shown(m), "compute-c lasts until", "CN¥38.40", `"type":"table"`)
		if m.Ephemeral != "U0OP" {
			t.Errorf("everybody sees it: %+v", m)
		}
		b.types(t, "U0LIN", "/gpu 余额")
		contains(t, shown(b.said(t, "C0OPS", 2)[1]), "能用到", "¥38.40")
		for _, a := range b.Acks() {
			if a.After > 100*time.Millisecond {
				t.Errorf("acknowledged after %v", a.After)
			}
		}
		b.types(t, "U0OP", "/gpu balanse")
		contains(t, shown(b.said(t, "C0OPS", 3)[2]), "Did you mean: balance")
	})
}

// Guests, strangers and the unlisted get a sentence; a member of a listed group gets an answer.
func TestWhoMayLook(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		for i, c := range []struct{ user, want string }{{"U0GUEST", "Guests"}, {"U0OUT", "only answer members"}, {"U0NEW", "not on the list"}, {"U0IN", "lasts until"}} {
			b.types(t, c.user, "/gpu balance")
			m := b.said(t, "C0OPS", i+1)[i]
			contains(t, shown(m), c.want)
			if c.user != "U0IN" && strings.Contains(shown(m), "compute-c") {
				t.Errorf("%s learns %s", c.user, shown(m))
			}
		}
	})
}

// Without users:read only listed ids are answered, in the configured language.
func TestWithoutUsersRead(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		b.Fail("users.info", 2, localslack.Fault{Error: "missing_scope"})
		b.types(t, "U0LIN", "/gpu balance")
		contains(t, shown(b.said(t, "C0OPS", 1)[0]), "lasts until")
		b.types(t, "U0IN", "/gpu balance")
		contains(t, shown(b.said(t, "C0OPS", 2)[1]), "not on the list")
	})
}

// The form opens, is drawn again with the choice, holds wrong input and orders once.
func TestRelease(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		b.types(t, "U0OP", "/gpu release r-7k2f")
		v := b.form(t, "U0OP")
		contains(t, string(v.JSON), "Release sft-07", "saves CN¥6,800.00/month", "Stop it")
		if err := b.ViewAction(t.Context(), "U0OP", v.ID, "do", "delete"); err != nil {
			t.Fatal(err)
		}
		b.until(t, func() bool { return strings.Contains(string(b.Views("U0OP")[0].JSON), "Type sft-07 to delete") })
		r, err := b.Submit(t.Context(), "U0OP", v.ID, map[string]map[string]any{"typed": {"typed": "sft-08"}})
		if err != nil || r.Action != "errors" || !strings.Contains(r.Errors["typed"], "sft-07") || b.engine.ordered() != 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		r, err = b.Submit(t.Context(), "U0OP", v.ID, map[string]map[string]any{"typed": {"typed": "sft-07"}, "reason": {"reason": "done"}})
		if err != nil || r.Action != "" || b.engine.ordered() != 1 || len(b.Views("U0OP")) != 0 {
			t.Fatalf("%+v, %v, %d ordered", r, err, b.engine.ordered())
		}
		contains(t, dump(t, b.engine.proposed[0]), "C0OPS", "done", "fp", `"delete"`)
	})
}

// An order that takes longer than Slack waits closes the form in time and is done all the same.
func TestSlowRelease(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		b.engine.slow = 20 * time.Second
		b.types(t, "U0OP", "/gpu release r-7k2f")
		v := b.form(t, "U0OP")
		r, err := b.Submit(t.Context(), "U0OP", v.ID, nil)
		if err != nil || r.Action != "" {
			t.Fatalf("%+v, %v", r, err)
		}
		time.Sleep(30 * time.Second)
		if b.engine.ordered() != 1 {
			t.Errorf("%d ordered", b.engine.ordered())
		}
	})
}

// A form that Slack would not open any more is offered again behind a fresh button.
func TestLateForm(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		b.Fail("views.open", 1, localslack.Fault{Error: "expired_trigger_id"})
		b.types(t, "U0OP", "/gpu release r-7k2f")
		m := b.said(t, "C0OPS", 1)[0]
		contains(t, shown(m), "too long for Slack")
		if err := b.Click(t.Context(), "U0OP", "C0OPS", m.TS, "run", ""); err != nil {
			t.Fatal(err)
		}
		b.form(t, "U0OP")
	})
}

// alert posts a message with buttons as the outbox would.
func (b *lab) alert(t *testing.T) localslack.Message {
	t.Helper()
	receipt, err := b.bot.Receiver().Deliver(t.Context(), notify.Letter{ID: 7, Route: notify.Route{Target: "C0OPS", Lang: "en"}, Message: warning()})
	if err != nil {
		t.Fatal(err)
	}
	m := b.Messages("C0OPS")
	last := m[len(m)-1]
	if receipt != "C0OPS/"+last.TS {
		t.Errorf("receipt %s of %s", receipt, last.TS)
	}
	return last
}

func warning() notify.Message {
	return notify.Message{Push: "🔴 compute-c runs dry at 06:43", Blocks: []notify.Block{notify.Section("🔴 compute-c runs dry at 06:43"),
		notify.Section("sft-07", notify.Button{Label: "Release…", Action: "release", Value: "r-7k2f"}, notify.Button{Label: "Keep…", Action: "keep", Value: "r-7k2f"}),
		notify.Actions(notify.Button{Label: "I'm on it", Action: "take", Value: "fp-1"}, notify.Button{Label: "Snooze", Action: "snooze", Value: "fp-1"})}}
}

// The same envelope three times is one click, and everybody sees in the thread who took it. A store that fails changes
// nothing of that within one process.
func TestRedelivery(t *testing.T) {
	for _, broken := range []bool{false, true} {
		t.Run(fmt.Sprint("store broken ", broken), func(t *testing.T) { redelivery(t, broken) })
	}
}

func redelivery(t *testing.T, broken bool) {
	inLab(t, func(t *testing.T, b *lab) {
		b.store.broken = broken
		m := b.alert(t)
		id, err := b.ClickEnvelope(t.Context(), "U0OP", "C0OPS", m.TS, "take", "")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := b.Redeliver(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		all := b.said(t, "C0OPS", 2)
		synctest.Wait()
		if b.notes.taken != 1 || len(b.Messages("C0OPS")) != 2 {
			t.Errorf("taken %d times, %d messages", b.notes.taken, len(b.Messages("C0OPS")))
		}
		if all[1].ThreadTS != m.TS || !strings.Contains(shown(all[1]), "Taken by ada") {
			t.Errorf("told as %+v", all[1])
		}
	})
}

// A redelivery after a restart is one click too: the store remembers. And a button of before the restart works.
func TestRestart(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		m := b.alert(t)
		id, err := b.ClickEnvelope(t.Context(), "U0OP", "C0OPS", m.TS, "take", "")
		if err != nil {
			t.Fatal(err)
		}
		b.said(t, "C0OPS", 2)
		b.restart()
		if err := b.Redeliver(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if b.notes.taken != 1 {
			t.Errorf("taken %d times", b.notes.taken)
		}
		if err := b.Click(t.Context(), "U0OP", "C0OPS", m.TS, "menu", "release r-7k2f"); err != nil {
			t.Fatal(err)
		}
		b.form(t, "U0OP")
	})
}

// Where Slack does not say who somebody is, a team of its own still gives a stranger away.
func TestStrangerWithoutUsersRead(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		b.desk.Roles.Operators, b.desk.Roles.Team = []string{"U0OUT"}, ""
		b.Fail("users.info", 1, localslack.Fault{Error: "missing_scope"})
		m := b.alert(t)
		if err := b.Click(t.Context(), "U0OUT", "C0OPS", m.TS, "take", ""); err != nil {
			t.Fatal(err)
		}
		contains(t, shown(b.said(t, "C0OPS", 2)[1]), "only answer members")
		if b.notes.taken > 0 {
			t.Error("taken by a stranger")
		}
	})
}

// A stranger or a guest who clicks learns nothing and does nothing.
func TestStrangersClick(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		b.desk.Roles.Operators = append(b.desk.Roles.Operators, "U0OUT", "U0GUEST")
		b.desk.Roles.Team = ""
		m := b.alert(t)
		for i, user := range []string{"U0OUT", "U0GUEST", "U0NEW"} {
			for _, c := range [][2]string{{"take", ""}, {"menu", "release r-7k2f"}} {
				if err := b.Click(t.Context(), user, "C0OPS", m.TS, c[0], c[1]); err != nil {
					t.Fatal(err)
				}
			}
			for _, said := range b.said(t, "C0OPS", 3+2*i)[1+2*i:] {
				if said.Ephemeral != user || strings.Contains(shown(said), "compute-c") {
					t.Errorf("%s was told %+v", user, said)
				}
			}
			if len(b.Views(user)) > 0 || b.notes.taken > 0 {
				t.Errorf("%s got through", user)
			}
		}
	})
}

func TestMenu(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		m := b.alert(t)
		if err := b.Click(t.Context(), "U0OP", "C0OPS", m.TS, "menu", "release r-7k2f"); err != nil {
			t.Fatal(err)
		}
		contains(t, string(b.form(t, "U0OP").JSON), "Release sft-07")
		if err := b.Click(t.Context(), "U0LIN", "C0OPS", m.TS, "menu", "release r-7k2f"); err != nil {
			t.Fatal(err)
		}
		last := b.said(t, "C0OPS", 2)[1]
		contains(t, shown(last), "你可以查看，但不能释放「compute-c」的资源")
		if last.Ephemeral != "U0LIN" {
			t.Errorf("everybody reads the refusal: %+v", last)
		}
	})
}

// A mention in a channel and a direct message are answered like a command.
func TestMention(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		if err := b.Say(t.Context(), "U0OP", "C0OPS", "<@U0BOT> balance", ""); err != nil {
			t.Fatal(err)
		}
		all := b.said(t, "C0OPS", 2)
		contains(t, shown(all[1]), "compute-c lasts until")
		dm := b.OpenDM("U0OP")
		if err := b.Say(t.Context(), "U0OP", dm, "help cost", ""); err != nil {
			t.Fatal(err)
		}
		contains(t, shown(b.said(t, dm, 2)[1]), "cost month by provider")
		synctest.Wait()
		if n := len(b.Messages(dm)); n != 2 {
			t.Errorf("the bot answers itself: %d messages", n)
		}
	})
}

// A workspace that takes no tables gets them as text; one that takes no blocks at all gets text alone.
func TestBlocksRefused(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		b.Fail("response", 1, localslack.Fault{Status: 400, Error: "invalid_blocks"})
		b.types(t, "U0OP", "/gpu balance")
		first := b.said(t, "C0OPS", 1)[0]
		contains(t, shown(first), "```Account")
		b.Fail("response", 2, localslack.Fault{Status: 400, Error: "invalid_blocks"})
		b.types(t, "U0OP", "/gpu balance")
		second := b.said(t, "C0OPS", 2)[1]
		contains(t, second.Text, "```", "CN¥38.40")
	})
}

// A used-up response URL is no reason to keep an answer to oneself.
func TestAnotherWay(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		b.Fail("response", 1, localslack.Fault{Status: 404, Error: "used_url"})
		b.types(t, "U0OP", "/gpu balance")
		if m := b.said(t, "C0OPS", 1)[0]; m.Ephemeral != "U0OP" {
			t.Errorf("%+v", m)
		}
		b.Fail("response", 1, localslack.Fault{Status: 404, Error: "used_url"})
		b.Fail("chat.postEphemeral", 1, localslack.Fault{Error: "user_not_in_channel"})
		b.types(t, "U0OP", "/gpu balance")
		contains(t, shown(b.said(t, b.OpenDM("U0OP"), 1)[0]), "compute-c")
	})
}

// A response URL is a key to somebody's conversation: it is in no log, whatever breaks. open's end looks.
func TestResponseURLIsNotLogged(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		b.Fail("response", 1, localslack.Fault{AfterAccept: true})
		b.types(t, "U0OP", "/gpu balance")
		b.said(t, "C0OPS", 2)
		contains(t, b.log.String(), "slack: response URL")
	})
}

// A panic in one answer is that answer's alone.
func TestPanic(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		look, broken := b.desk.Look, true
		b.desk.Look = func(ctx context.Context) (notify.View, error) {
			if broken {
				broken = false
				panic("a bug")
			}
			return look(ctx)
		}
		b.types(t, "U0OP", "/gpu balance")
		synctest.Wait()
		b.types(t, "U0OP", "/gpu balance")
		b.said(t, "C0OPS", 1)
		contains(t, b.log.String(), "a handler panicked")
	})
}

// A hundred questions at once are all acknowledged in time and all answered.
func TestBurst(t *testing.T) {
	inLab(t, func(t *testing.T, b *lab) {
		errs := make(chan error, 100)
		for range 100 {
			go func() { errs <- b.Command(t.Context(), "U0OP", "C0OPS", "/gpu help") }()
		}
		for range 100 {
			if err := <-errs; err != nil {
				t.Fatal(err)
			}
		}
		b.said(t, "C0OPS", 100)
		for _, a := range b.Acks() {
			if a.After > time.Second {
				t.Errorf("acknowledged after %v", a.After)
			}
		}
		if h := b.bot.Health(); h.Dropped != 0 {
			t.Error(fmt.Sprint(h.Dropped, " dropped"))
		}
	})
}
