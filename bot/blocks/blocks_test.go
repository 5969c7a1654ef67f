package blocks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slack-go/slack"

	"gpuspend/bot"
	"gpuspend/bot/blocks"
	"gpuspend/bot/localslack"
	"gpuspend/notify"
)

// refusedBySlack asks the local workspace, which holds Slack's limits on its own, what it thinks; "" for nothing wrong.
func refusedBySlack(t *testing.T, what string, v any) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{what: v})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/api/blocks.validate", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	localslack.New(localslack.Options{}).Handler().ServeHTTP(w, r)
	var answer struct {
		OK       bool            `json:"ok"`
		Error    string          `json:"error"`
		Metadata json.RawMessage `json:"response_metadata"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.OK {
		return ""
	}
	return answer.Error + " " + string(answer.Metadata)
}

func message(t *testing.T, m notify.Message, o blocks.Options) []slack.Block {
	t.Helper()
	out := blocks.Message(m, o)
	if why := refusedBySlack(t, "message", map[string]any{"text": blocks.Text(m), "blocks": out}); why != "" {
		t.Errorf("Slack refuses: %s", why)
	}
	return out
}

func more(n int) string { return fmt.Sprintf("and %d more", n) }

// names are names that people and clouds give, and that break chats.
func names() map[string]string {
	return map[string]string{
		"plain":  "ds-imagenet-old",
		"emoji":  "🧹🖥️👩‍👩‍👧‍👦 scratch 😀",
		"CJK":    strings.Repeat("数据盘训练", 12),
		"long":   strings.Repeat("x", 300),
		"markup": "*bold* _it_ ~no~ `code` <!channel> <@U1> & > :fire: ```",
		"marks":  string(notify.BoldStart) + "a" + string(notify.CodeStart) + "b",
	}
}

func findings(n int, name string) notify.Message {
	m := notify.Message{Push: fmt.Sprintf("%d things nobody uses", n)}
	m.Blocks = append(m.Blocks, notify.Section(notify.Bold(m.Push)), notify.Divider())
	for i := range n {
		text := notify.Join(" · ", notify.Bold(fmt.Sprintf("%d  %s", i+1, name)), notify.Code(name), notify.Plain("$14.00/month, "+name))
		m.Blocks = append(m.Blocks, notify.Section(text, notify.Button{Label: "Release…", Action: "release", Value: fmt.Sprintf("r-%d", i)}))
	}
	return withEnd(m)
}

func withEnd(m notify.Message) notify.Message {
	m.Blocks = append(m.Blocks, notify.Divider(),
		notify.Actions(notify.Button{Label: "Show", Action: "run", Value: "forgotten"}, notify.Button{Label: "List", Action: "run", Value: "list"}),
		notify.Context("As of 09:57"))
	return m
}

func table(n int, name string) notify.Message {
	t := notify.Table{Columns: []notify.Column{{Title: "Name"}, {Title: "Cost", Right: true}}, Foot: [][]notify.Rich{{"Total", "$9"}}}
	for i := range n {
		t.Rows = append(t.Rows, []notify.Rich{notify.Plain(fmt.Sprintf("%d %s", i, name)), "$1.00"})
	}
	return withEnd(notify.Message{Push: "Cost", Blocks: []notify.Block{notify.Grid(t)}})
}

// However many findings with whatever names: Slack takes the message, its end stays, and what is missing is counted.
func TestMessageFits(t *testing.T) {
	for kind, name := range names() {
		for _, n := range []int{1, 49, 50, 51, 5000} {
			t.Run(fmt.Sprintf("%s/%d", kind, n), func(t *testing.T) {
				for _, m := range []notify.Message{findings(n, name), table(n, name)} {
					for _, o := range []blocks.Options{{More: more}, {More: more, Preformatted: true}} {
						all := message(t, m, o)
						if _, ok := all[len(all)-1].(*slack.ContextBlock); !ok {
							t.Errorf("the small print is gone: %T", all[len(all)-1])
						}
						if n == 5000 && !strings.Contains(dump(t, all), "more") {
							t.Error("nothing says that something is missing")
						}
						if n == 1 && strings.Contains(dump(t, all), " more\"") {
							t.Error("something is said to be missing")
						}
					}
				}
			})
		}
	}
}

func dump(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What is shown and what is said to be missing add up.
func TestMissingIsCounted(t *testing.T) {
	for _, n := range []int{46, 51, 60, 500} {
		all := message(t, findings(n, "disk"), blocks.Options{More: more})
		shown, missing := 0, 0
		for _, b := range all {
			if s, ok := b.(*slack.SectionBlock); ok && s.Accessory != nil {
				shown++
			}
			if c, ok := b.(*slack.ContextBlock); ok {
				_, _ = fmt.Sscanf(c.ContextElements.Elements[0].(*slack.TextBlockObject).Text, "and %d more", &missing)
			}
		}
		if shown+missing != n {
			t.Errorf("%d findings: %d shown, %d said to be missing", n, shown, missing)
		}
	}
	all := message(t, table(5000, "disk"), blocks.Options{More: more})
	rows := len(all[1].(*slack.TableBlock).Rows) - 2
	if want := fmt.Sprintf("and %d more", 5000-rows); !strings.Contains(dump(t, all), want) {
		t.Errorf("%d rows shown and no %q", rows, want)
	}
}

// Slack takes one table a message: the second is preformatted text.
func TestSecondTable(t *testing.T) {
	m := table(3, "a")
	m.Blocks = append(m.Blocks, table(3, "b").Blocks...)
	all := message(t, m, blocks.Options{})
	tables, code := 0, 0
	for _, b := range all {
		switch b := b.(type) {
		case *slack.TableBlock:
			tables++
		case *slack.SectionBlock:
			if strings.HasPrefix(b.Text.Text, "```") {
				code++
			}
		}
	}
	if tables != 1 || code != 1 {
		t.Errorf("%d tables and %d preformatted, want one each", tables, code)
	}
}

func TestMrkdwn(t *testing.T) {
	for _, c := range []struct {
		name string
		in   notify.Rich
		max  int
		want string
	}{
		{"names that can be copied stay", "train_a100_1 and a~b", 100, "train_a100_1 and a~b"},
		{"markup of others", notify.Plain("*x* _y_ ~z~ `q`"), 100, "∗x∗ ˍyˍ ∼z∼ ˋqˋ"},
		{"pings", notify.Plain("<!channel> <@U1> & co"), 100, "&lt;!channel&gt; &lt;@U1&gt; &amp; co"},
		{"a quote", notify.Plain("> said\n a > b"), 100, "› said\n a &gt; b"},
		{"emoji by name", notify.Plain("a :fire: at 10:00:00"), 100, "a ∶fire∶ at 10:00:00"},
		{"our marks", notify.Join(" ", notify.Bold("sum"), notify.Code("r-7k2f"), notify.Link("page", "https://x.test/?a=1&b=<")), 100,
			"*sum* `r-7k2f` <https://x.test/?a=1&amp;b=%3C|page>"},
		{"code keeps all but the backtick", notify.Code("*a* `b` <c>"), 100, "`*a* ˋbˋ &lt;c&gt;`"},
		{"bold in Chinese has edges", "只够用到" + notify.Bold("周四") + "的", 100, "只够用到\u200b*周四*\u200b的"},
		{"only web addresses lead anywhere", notify.Link("x", "javascript:alert(1)"), 100, "x"},
		{"cut", notify.Plain("abcdefghij"), 5, "abcd…"},
		{"cut inside bold", notify.Bold("abcdefghij"), 6, "*abc…*"},
		{"cut tears no entity", notify.Plain("<<<<"), 10, "&lt;&lt;…"},
		{"a surrogate pair counts twice", notify.Plain("😀😀😀"), 5, "😀😀…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, blocks.Mrkdwn(c.in, c.max)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A long section becomes several, cut between lines, and nothing of it is lost.
func TestLongSection(t *testing.T) {
	var lines []string
	for i := range 200 {
		lines = append(lines, fmt.Sprintf("line %d of a long list of machines", i))
	}
	m := notify.Message{Push: "x", Blocks: []notify.Block{notify.Section(notify.Plain("x\n" + strings.Join(lines, "\n")))}}
	got := dump(t, message(t, m, blocks.Options{}))
	for _, l := range lines {
		if !strings.Contains(got, l) {
			t.Fatalf("%q is gone", l)
		}
	}
}

func TestPressed(t *testing.T) {
	m := notify.Message{Push: "x", Blocks: []notify.Block{notify.Actions(
		notify.Button{Label: "a", Action: "release", Value: "r-1"}, notify.Button{Label: "b", Action: "release", Value: "r-2"},
		notify.Button{Label: "c", URL: "https://x.test"}),
		notify.Section("s", notify.Button{Label: "d", Action: "keep", Value: "r 3"}, notify.Button{Label: "e", URL: "https://x.test"})}}
	var got [][2]string
	for _, b := range message(t, m, blocks.Options{}) {
		switch b := b.(type) {
		case *slack.ActionBlock:
			for _, e := range b.Elements.ElementSet {
				x := e.(*slack.ButtonBlockElement)
				action, value := blocks.Pressed(x.ActionID, x.Value)
				got = append(got, [2]string{action, value})
			}
		case *slack.SectionBlock:
			if b.Accessory == nil {
				continue
			}
			for _, o := range b.Accessory.OverflowElement.Options {
				action, value := blocks.Pressed(b.Accessory.OverflowElement.ActionID, o.Value)
				got = append(got, [2]string{action, value})
			}
		}
	}
	want := [][2]string{{"release", "r-1"}, {"release", "r-2"}, {"", ""}, {"keep", "r 3"}, {"", ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A form fits a modal, whatever is put into it, and its answers come back by name.
func TestForm(t *testing.T) {
	long := strings.Repeat("长名字 ", 200)
	section := notify.Section(notify.Plain(long))
	f := bot.Form{Callback: "release", Title: "Release " + long, Submit: "Stop it", Close: "Cancel", Private: `{"r":1}`, Blocks: []bot.FormBlock{
		{Text: &section},
		{Choice: &bot.Choice{Name: "do", Label: "What", Chosen: "stop", Live: true, Options: []bot.Option{
			{Value: "stop", Label: "Stop " + long, Hint: "saves " + long}, {Value: "delete", Label: "Delete"}}}},
		{Checks: &bot.Checks{Name: "saved", Label: "Saved?", Optional: true, Chosen: []string{"logs"}, Options: []bot.Option{{Value: "logs", Label: "Logs"}}}},
		{Line: &bot.Line{Name: "typed", Label: "Type it", Hint: long}},
	}}
	v := blocks.Form(f)
	if why := refusedBySlack(t, "view", v); why != "" {
		t.Fatalf("Slack refuses: %s", why)
	}
	do := v.Blocks.BlockSet[1].(*slack.InputBlock)
	if do.BlockID != "do" || !do.DispatchAction || do.Element.(*slack.RadioButtonsBlockElement).InitialOption.Value != "stop" {
		t.Errorf("the choice is drawn as %+v", do)
	}
	got := blocks.Values(map[string]map[string]slack.BlockAction{
		"do":    {"do": {Type: "radio_buttons", SelectedOption: slack.OptionBlockObject{Value: "delete"}}},
		"saved": {"saved": {Type: "checkboxes", SelectedOptions: []slack.OptionBlockObject{{Value: "logs"}}}},
		"typed": {"typed": {Type: "plain_text_input", Value: " sft-07 "}}})
	want := map[string][]string{"do": {"delete"}, "saved": {"logs"}, "typed": {"sft-07"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The last resort is text alone, and still within Slack's bounds.
func TestPlainText(t *testing.T) {
	got := blocks.PlainText(table(5000, "`a` <b>"))
	if n := len([]rune(got)); n > 4000 || !strings.HasPrefix(got, "```") || !strings.HasSuffix(got, "```") {
		t.Errorf("%d characters: %.60s", n, got)
	}
	if strings.Count(got, "`") != 6 {
		t.Error("a backtick of a name ends the preformatted text")
	}
}
