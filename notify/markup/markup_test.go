package markup_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"gpuspend/notify"
	"gpuspend/notify/markup"
)

func message(rows int) notify.Message {
	t := notify.Table{Columns: []notify.Column{{Title: "disk"}, {Title: "a month", Right: true}}}
	for i := range rows {
		t.Rows = append(t.Rows, []notify.Rich{notify.Bold(fmt.Sprintf("%s-%d", strings.Repeat("数据盘🧹", 40), i)), notify.Plain("¥95")})
	}
	return notify.Message{Push: "🧹 disks nobody uses", Blocks: []notify.Block{notify.Grid(t),
		notify.Actions(notify.Button{Label: "Console ↗", URL: "https://console.example"}, notify.Button{Label: "Release…", Action: "release", Value: "r-7k2f"},
			notify.Button{Label: "I'm on it", Action: "take", Value: "x"})}}
}

// However much there is to say, the first line and what can be done arrive, within the limit and in whole letters.
func TestAnyNumberFits(t *testing.T) {
	for _, n := range []int{0, 1, 49, 50, 51, 5000} {
		got := markup.Text(message(n), markup.Plain(), 4096)
		if len(got) > 4096 || !utf8.ValidString(got) {
			t.Errorf("%d rows: %d bytes, whole letters: %t", n, len(got), utf8.ValidString(got))
		}
		if !strings.HasPrefix(got, "🧹 disks nobody uses\n") || !strings.HasSuffix(got, "Console ↗ https://console.example · Release… /gpu release r-7k2f · I'm on it /gpu take a-wqxr") {
			t.Errorf("%d rows end with %q", n, got[max(0, len(got)-150):])
		}
		if cut := strings.Contains(got, "\n…\n"); cut != (n > 10) {
			t.Errorf("%d rows: cut %t", n, cut)
		}
	}
}

func TestOneLineThatIsTooLong(t *testing.T) {
	got := markup.Text(notify.Message{Push: strings.Repeat("很", 3000)}, markup.Plain(), 100)
	if len(got) > 100 || !utf8.ValidString(got) || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

// A name that looks like a mark of the style is escaped, and one inside a link or in bold too.
func TestMarksBecomeTheStylesOwn(t *testing.T) {
	s := markup.Style{Bold: wrap("<b>", "</b>"), Code: wrap("<c>", "</c>"), Escape: func(s string) string { return strings.ReplaceAll(s, "<", "&lt;") },
		Link: func(text, url string) string { return text + "@" + url }}
	r := notify.Plain("a<b ") + notify.Bold("x<y") + notify.Plain(" ") + notify.Code("<z") + notify.Plain(" ") + notify.Link("t<", "https://u")
	if got, want := markup.Rich(r, s), "a&lt;b <b>x&lt;y</b> <c>&lt;z</c> t&lt;@https://u"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func wrap(a, b string) func(string) string { return func(s string) string { return a + s + b } }
