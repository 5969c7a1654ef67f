package bot_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gpuspend/billing"
	"gpuspend/billing/release"
	"gpuspend/bot"
	"gpuspend/notify"
)

var channel = bot.Place{Channel: "C0GPU", Message: "171.1"}

func (in installation) press(t *testing.T, p bot.Person, action, value string) bot.Outcome {
	t.Helper()
	out, err := in.Press(t.Context(), bot.Press{Action: action, Value: value, Person: p, Place: channel})
	if err != nil {
		t.Fatalf("%s %s: %v", action, value, err)
	}
	return out
}

func (in installation) submit(t *testing.T, p bot.Person, f *bot.Form, values map[string][]string) bot.Reply {
	t.Helper()
	r, err := in.Submit(t.Context(), bot.Submission{Callback: f.Callback, Private: f.Private, Values: values, Person: p})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// formText is all that a form says.
func formText(f bot.Form) string {
	parts := []string{f.Title, f.Submit}
	for _, b := range f.Blocks {
		switch {
		case b.Text != nil:
			parts = append(parts, b.Text.Text.String())
		case b.Choice != nil:
			parts = append(parts, b.Choice.Label)
			for _, o := range b.Choice.Options {
				mark := "( ) "
				if o.Value == b.Choice.Chosen {
					mark = "(●) "
				}
				parts = append(parts, mark+o.Label, o.Hint)
			}
		case b.Checks != nil:
			parts = append(parts, b.Checks.Label)
			for _, o := range b.Checks.Options {
				parts = append(parts, "[ ] "+o.Label)
			}
		case b.Line != nil:
			parts = append(parts, b.Line.Label)
		}
	}
	return strings.Join(parts, "\n")
}

// The form shows every choice with its effect before it is made, safest first, nothing destructive chosen.
func TestReleaseForm(t *testing.T) {
	in := install(t)
	f := in.press(t, operator(), bot.ActionRelease, "r-7k2f").Form
	want := "Release infer-a10-2\nStop it\ncompute-c · cn-shanghai · machine A10 ×1 · on-demand · team-eval\n" +
		"running 6 days · costs CN¥7,074.00/month in all\nWhat to do\n(●) Stop, keep the disks\nsaves CN¥6,840.00/month · still bills CN¥234.00/month\n" +
		"( ) Stop now, ask me on Wed 9 Dec to delete\ndeleted then: saves CN¥6,875.00/month · still bills CN¥199.00/month\n" +
		"( ) Delete now ⚠ cannot be undone\nsaves CN¥6,875.00/month · still bills CN¥199.00/month\n" +
		"The card goes back to the pool and may not be free again.\nStays and bills: disk d-eval-2 CN¥175.00/month\nReason\n" +
		"Read under a minute ago. I look again before I act; if anything changed I stop and tell you."
	if diff := cmp.Diff(want, formText(*f)); diff != "" {
		t.Error(diff)
	}
	s := bot.Submission{Callback: f.Callback, Private: f.Private, Values: map[string][]string{"do": {"delete"}}, Person: operator()}
	again, err := in.Redraw(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, formText(again), "\nDelete\n", "(●) Delete now", "Deleted: machine infer-a10-2", "Saved elsewhere?", "[ ] model weights\n[ ] logs\n[ ] training curves\n[ ] checkpoints", "Type infer-a10-2 to delete")
	zh := operator()
	zh.Lang = "zh"
	contains(t, formText(*in.press(t, zh, bot.ActionRelease, "r-7k2f").Form), "释放 infer-a10-2", "省 ¥6,840.00/月 · 仍计费 ¥234.00/月", "显卡会退回资源池")
}

// A stop that saves less than it leaves says so before the choices, and one that costs more says how much, and then the
// rate that it goes on at.
func TestReleaseFormOfADearStop(t *testing.T) {
	for _, c := range []struct {
		saves, still string
		want, first  string
	}{
		{"100.00", "6974.00", "saves CN¥100.00/month · still bills CN¥6,974.00/month", "⚠ Stopping saves less than what goes on billing."},
		{"-30.00", "7104.00", "costs CN¥30.00/month more · bills CN¥7,104.00/month", "⚠ Stopped, it costs more than running."},
	} {
		in := install(t)
		in.engine.stop = &release.Option{Verb: billing.VerbStop, Saves: cny(c.saves), StillBills: cny(c.still), LeavesMore: true}
		s := formText(*in.press(t, operator(), bot.ActionRelease, "r-7k2f").Form)
		contains(t, s, c.want, c.first)
		if strings.Index(s, c.first) > strings.Index(s, "What to do") {
			t.Errorf("the warning comes after the choices:\n%s", s)
		}
	}
}

// A click of an operator proposes what was shown and approves it.
func TestReleaseOrders(t *testing.T) {
	in := install(t)
	f := in.press(t, operator(), bot.ActionRelease, "r-7k2f").Form
	r := in.submit(t, operator(), f, map[string][]string{"do": {"stop"}, "reason": {"idle since Tuesday"}})
	if len(r.Errors) > 0 || len(in.engine.approved) != 1 {
		t.Fatalf("%+v, approved %v", r, in.engine.approved)
	}
	want := release.Proposal{Resource: 1, Verb: billing.VerbStop, Fingerprint: "fp", By: release.Person{ID: operatorID, Team: team, Name: "op"},
		Reason: "idle since Tuesday", Place: release.Place{Channel: "C0GPU"}, Lang: "en", Saves: cny("6840.00"), StillBills: cny("234.00")}
	if diff := cmp.Diff(want, in.engine.proposed[0], cmp.Comparer(sameMoney)); diff != "" {
		t.Error(diff)
	}
}

func sameMoney(x, y billing.Money) bool { return x == y }

// What is not right keeps the form open and orders nothing.
func TestReleaseRefused(t *testing.T) {
	in := install(t)
	f := in.press(t, operator(), bot.ActionRelease, "r-7k2f").Form
	for _, c := range []struct {
		name   string
		person bot.Person
		values map[string][]string
		input  string
		want   string
		with   func(*engine)
	}{
		{"the name is not typed", operator(), map[string][]string{"do": {"delete"}, "typed": {"infer"}}, "typed", "type its name exactly: infer-a10-2", nil},
		{"the form has no line to type in yet", operator(), map[string][]string{"do": {"delete"}}, "do", "type its name exactly", nil},
		{"TEST 8.1: one item is not ticked", operator(), map[string][]string{"do": {"delete"}, "typed": {"infer-a10-2"}, "exported": {"logs", "curves", "checkpoints"}}, "exported",
			"Not deleted: not ticked as saved elsewhere: model weights. Tick them, or choose \"Stop, keep the disks\"", nil},
		{"TEST 8.1: nothing is ticked", operator(), map[string][]string{"do": {"delete"}, "typed": {"infer-a10-2"}, "exported": {}}, "exported",
			"model weights, logs, training curves, checkpoints", nil},
		{"no such choice", operator(), map[string][]string{"do": {"explode"}}, "do", "not possible any more", nil},
		{"nothing chosen", operator(), nil, "do", "not possible any more", nil},
		{"a viewer", viewer(), map[string][]string{"do": {"stop"}}, "do", "You can look but not release", nil},
		{"protected meanwhile", operator(), map[string][]string{"do": {"stop"}}, "do", "No such thing", func(e *engine) { e.refused = billing.Say("error.missing") }},
		{"changed meanwhile", operator(), map[string][]string{"do": {"stop"}}, "do", "Refused in this state", func(e *engine) {
			e.fails = &billing.Error{Kind: billing.Conflict, Op: "release: propose"}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if *in.engine = (engine{}); c.with != nil {
				c.with(in.engine)
			}
			r := in.submit(t, c.person, f, c.values)
			contains(t, r.Errors[c.input], c.want)
			if len(in.engine.approved) > 0 {
				t.Error("it was ordered all the same")
			}
		})
	}
}

func TestReleaseOfARefusedResource(t *testing.T) {
	in := install(t)
	in.engine.refused = billing.Say("error.conflict")
	out := in.press(t, operator(), bot.ActionRelease, "r-7k2f")
	if out.Form != nil {
		t.Error("a form for what can't be released")
	}
	contains(t, bot.Plain(out.Private, 100), "Refused in this state")
}

func TestViewerMayLookOnly(t *testing.T) {
	out := install(t).press(t, viewer(), bot.ActionRelease, "r-7k2f")
	contains(t, bot.Plain(out.Private, 100), "You can look but not release in compute-c.")
	if out.Form != nil {
		t.Error("a form for a viewer")
	}
}

// ask only says what acts would do, and fails.
func TestDry(t *testing.T) {
	in := install(t)
	for line, want := range map[string]string{"release infer-a10-2": "Nothing was done", "keep r-aaaa until 31 Dec because paper": "Would keep ds-imagenet-old"} {
		a, err := in.Ask(t.Context(), bot.Request{Words: bot.Split(line), Local: true, Dry: true})
		if err != nil || !a.Failed || a.Form != nil {
			t.Errorf("%s: %+v, %v", line, a, err)
		}
		contains(t, bot.Plain(a.Message, 100), want)
	}
	if len(in.notes.kept)+len(in.engine.proposed) > 0 {
		t.Error("something was done")
	}
}

func TestNothingToReleaseWith(t *testing.T) {
	in := install(t)
	in.Engine = nil
	a, shown := in.says(t, operator(), "release r-7k2f")
	contains(t, shown, "Nothing can be released from here")
	if !a.Failed {
		t.Error("not failed")
	}
}

func TestKeep(t *testing.T) {
	for line, until := range map[string]time.Time{
		"keep r-aaaa until 30d because paper":             time.Date(2027, 1, 2, 0, 0, 0, 0, shanghai),
		"keep r-aaaa until 2026-12-31 because paper":      time.Date(2027, 1, 1, 0, 0, 0, 0, shanghai),
		"keep r-aaaa until 31 Dec because paper":          time.Date(2027, 1, 1, 0, 0, 0, 0, shanghai),
		"keep r-aaaa until 3 Jan because paper":           time.Date(2027, 1, 4, 0, 0, 0, 0, shanghai),
		"keep ds-imagenet-old until always because paper": {},
		"保留 r-aaaa 到 30d 因为 paper":                        time.Date(2027, 1, 2, 0, 0, 0, 0, shanghai),
	} {
		t.Run(line, func(t *testing.T) {
			in := install(t)
			_, shown := in.says(t, viewer(), line)
			contains(t, shown, "ds-imagenet-old", "paper")
			want := []billing.Keep{{Until: until, Reason: "paper", By: viewerID, At: wednesday}}
			if diff := cmp.Diff(want, in.notes.kept); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKeepForm(t *testing.T) {
	in := install(t)
	f := in.press(t, viewer(), bot.ActionKeep, "r-aaaa").Form
	contains(t, formText(*f), "(●) Fri 1 Jan", "for good")
	if r := in.submit(t, viewer(), f, map[string][]string{"until": {"30d"}, "reason": {" "}}); r.Errors["reason"] == "" {
		t.Error("kept without a reason")
	}
	r := in.submit(t, viewer(), f, map[string][]string{"until": {"90d"}, "reason": {"paper"}})
	contains(t, bot.Plain(r.Private, 100), "ds-imagenet-old", "Tue 2 Mar")
	if len(in.notes.kept) != 1 || r.Place != channel {
		t.Errorf("kept %v at %v", in.notes.kept, r.Place)
	}
}

func TestTakeAndSnooze(t *testing.T) {
	in := install(t)
	out := in.press(t, viewer(), bot.ActionTake, "fp-1")
	contains(t, bot.Plain(out.Public, 100), "✋ Taken by vi at 10:05.")
	if diff := cmp.Diff([]string{"fp-1 " + viewerID}, in.notes.taken); diff != "" {
		t.Error(diff)
	}
	f := in.press(t, viewer(), bot.ActionSnooze, "fp-1").Form
	r := in.submit(t, viewer(), f, map[string][]string{"until": {"work"}, "reason": {"topping up"}})
	contains(t, bot.Plain(r.Public, 100), "💤 Snoozed by vi until Thu 10:00: topping up")
	if diff := cmp.Diff([]time.Time{time.Date(2026, 12, 3, 10, 0, 0, 0, shanghai)}, in.notes.snoozed); diff != "" {
		t.Error(diff)
	}
}

func TestRunButton(t *testing.T) {
	in := install(t)
	contains(t, bot.Plain(in.press(t, viewer(), bot.ActionRun, "balance").Private, 100), "compute-c lasts until")
	if f := in.press(t, operator(), bot.ActionRun, "release r-7k2f").Form; f == nil || f.Callback != "release" {
		t.Errorf("form %+v", f)
	}
	if _, err := in.Press(t.Context(), bot.Press{Action: "of another release", Person: viewer()}); billing.KindOf(err) != billing.Invalid {
		t.Errorf("an unknown button: %v", err)
	}
}

// One message is edited from the first state to the last, with who, when and what it does to the bill.
func TestProgress(t *testing.T) {
	in := install(t)
	a := release.Action{ID: 41, Handle: "r-7k2f", Name: "infer-a10-2", Verb: billing.VerbStop, By: release.Person{ID: operatorID, Name: "op"}, Reason: "idle",
		ProposedAt: wednesday, MovedAt: wednesday.Add(2 * time.Minute), Saves: cny("6840.00"), StillBills: cny("234.00"), RequestID: "7C9E"}
	for _, c := range []struct {
		state release.State
		verb  billing.Verb
		lang  string
		want  []string
	}{
		{release.Approved, billing.VerbStop, "en", []string{"⏳ infer-a10-2: stop asked 10:05", "By op, 10:05: \"idle\"", "Saves CN¥6,840.00/month · still bills CN¥234.00/month", "action 41"}},
		{release.Running, billing.VerbDelete, "en", []string{"delete asked 10:05 → deleting", "request 7C9E"}},
		{release.Verifying, billing.VerbStop, "zh", []string{"核对中（1/2）"}},
		{release.Done, billing.VerbStop, "zh", []string{"✅ infer-a10-2：已关机，10:07 读取确认", "省 ¥6,840.00/月"}},
		{release.Done, billing.VerbDelete, "en", []string{"✅ infer-a10-2: deleted, gone from two complete listings 10:07"}},
		{release.Failed, billing.VerbDelete, "en", []string{"🔴 infer-a10-2: not deleted. Refused in this state.", "It goes on costing CN¥7,074.00/month."}},
		{release.Expired, billing.VerbStop, "en", []string{"the request ran out 10:07"}},
		{release.Declined, billing.VerbStop, "en", []string{"stop declined 10:07"}},
		{release.Proposed, billing.VerbStop, "en", []string{"stop proposed 10:05"}},
	} {
		t.Run(string(c.state), func(t *testing.T) {
			a.State, a.Verb = c.state, c.verb
			if a.Why = (billing.Text{}); c.state == release.Failed {
				a.Why = billing.Say("error.conflict")
			}
			m := bot.Progress(a, in.Words.For(c.lang, shanghai, wednesday))
			contains(t, bot.Plain(m, 100), c.want...)
			lacks(t, bot.Plain(m, 100), "bot.")
		})
	}
}

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"":                             nil,
		"  cost   month ":              {"cost", "month"},
		`keep r-1 because "two words"`: {"keep", "r-1", "because", "two words"},
		"because “curly quotes” 「引号」": {"because", "curly quotes", "引号"},
		"it's mine":      {"it's", "mine"},
		`an "open quote`: {"an", "open quote"},
	} {
		if diff := cmp.Diff(want, bot.Split(line)); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	}
}

// Nothing that people can type breaks an answer: it is understood, or a sentence says that it was not.
func TestAnyLine(t *testing.T) {
	in := install(t)
	words := rapid.OneOf(rapid.SampledFrom([]string{"cost", "by", "keep", "until", "because", "list", "release", "2024-02", "..", "7d", "\"", "，", "r-7k2f", "help"}), rapid.String())
	rapid.Check(t, func(rt *rapid.T) {
		line := strings.Join(rapid.SliceOfN(words, 0, 6).Draw(rt, "words"), " ")
		a, err := in.Ask(t.Context(), bot.Request{Words: bot.Split(line), Person: operator()})
		if _, understood := err.(*bot.WordsError); err != nil && !understood {
			rt.Fatalf("%q: %v", line, err)
		}
		if err == nil && a.Message.Push == "" && a.Form == nil {
			rt.Fatalf("%q: no answer", line)
		}
	})
}

// A terminal sees tables aligned though Chinese letters are two columns wide.
func TestPlainAligns(t *testing.T) {
	m := notify.Message{Push: "x", Blocks: []notify.Block{notify.Grid(notify.Table{Columns: []notify.Column{{Title: "名称"}, {Title: "每月", Right: true}},
		Rows: [][]notify.Rich{{"数据盘", "¥1.00"}, {notify.Code("disk-1"), "¥100.00"}}, Foot: [][]notify.Rich{{"合计", "¥101.00"}}})}}
	want := "x\n\n名称       每月\n─────────────────\n数据盘    ¥1.00\ndisk-1  ¥100.00\n─────────────────\n合计    ¥101.00\n"
	if diff := cmp.Diff(want, bot.Plain(m, 100)); diff != "" {
		t.Error(diff)
	}
}
