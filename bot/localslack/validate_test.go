package localslack_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// validate asks the workspace's own blocks.validate and returns the error code and the reasons.
func (b *lab) validate(t *testing.T, field, value string) (string, string) {
	t.Helper()
	r, err := http.PostForm(b.url+"/api/blocks.validate", url.Values{field: {value}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var a struct {
		OK    bool
		Error string
		Meta  struct{ Messages []string } `json:"response_metadata"`
	}
	if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	return a.Error, strings.Join(a.Meta.Messages, "; ")
}

func many(n int, f func(i int) string) string {
	out := make([]string, n)
	for i := range out {
		out[i] = f(i)
	}
	return "[" + strings.Join(out, ",") + "]"
}

func txt(kind string, n int) string {
	return fmt.Sprintf(`{"type":%q,"text":%q}`, kind, strings.Repeat("字", n))
}

func section(n int) string { return `{"type":"section","text":` + txt("mrkdwn", n) + `}` }

func inActions(element string) string { return `[{"type":"actions","elements":[` + element + `]}]` }

func btn(id string, label int, value int) string {
	return fmt.Sprintf(`{"type":"button","action_id":%q,"text":%s,"value":%q}`, id, txt("plain_text", label), strings.Repeat("v", value))
}

func opts(n, label, value int) string {
	return many(n, func(i int) string {
		return fmt.Sprintf(`{"text":%s,"value":%q}`, txt("plain_text", label), strings.Repeat("v", value-1)+fmt.Sprint(i%10))
	})
}

func table(rows, cols, chars int) string {
	return `{"type":"table","rows":` + many(rows, func(int) string {
		return many(cols, func(int) string { return fmt.Sprintf(`{"type":"raw_text","text":%q}`, strings.Repeat("x", chars)) })
	}) + `}`
}

// Each limit is tried on both sides.
func TestBlockLimits(t *testing.T) {
	b := open(t, options())
	sel := func(kind, options string) string {
		return inActions(fmt.Sprintf(`{"type":%q,"action_id":"a","options":%s}`, kind, options))
	}
	for _, c := range []struct{ name, good, bad, code, reason string }{
		{"blocks", many(50, func(int) string { return section(9) }), many(51, func(int) string { return section(9) }), "invalid_blocks", "no more than 50 items allowed [json-pointer:/blocks]"},
		{"section text", "[" + section(3000) + "]", "[" + section(3001) + "]", "invalid_blocks", "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"},
		{"empty text", "[" + section(1) + "]", "[" + section(0) + "]", "invalid_blocks", "must be more than 0 characters"},
		{"section without text", `[{"type":"section","fields":[` + txt("mrkdwn", 1) + `]}]`, `[{"type":"section"}]`, "invalid_blocks", "missing required field"},
		{"fields", `[{"type":"section","fields":` + many(10, func(int) string { return txt("mrkdwn", 9) }) + `}]`, `[{"type":"section","fields":` + many(11, func(int) string { return txt("mrkdwn", 9) }) + `}]`, "invalid_blocks", "no more than 10 items"},
		{"field text", `[{"type":"section","fields":[` + txt("mrkdwn", 2000) + `]}]`, `[{"type":"section","fields":[` + txt("mrkdwn", 2001) + `]}]`, "invalid_blocks", "/fields/0/text"},
		{"header", `[{"type":"header","text":` + txt("plain_text", 150) + `}]`, `[{"type":"header","text":` + txt("plain_text", 151) + `}]`, "invalid_blocks", "151"},
		{"header kind", `[{"type":"header","text":` + txt("plain_text", 9) + `}]`, `[{"type":"header","text":` + txt("mrkdwn", 9) + `}]`, "invalid_blocks", "text type"},
		{"button text", inActions(btn("a", 75, 1)), inActions(btn("a", 76, 1)), "invalid_blocks", "76"},
		{"button value", inActions(btn("a", 1, 2000)), inActions(btn("a", 1, 2001)), "invalid_blocks", "2001"},
		{"action id", inActions(btn(strings.Repeat("i", 255), 1, 1)), inActions(btn(strings.Repeat("i", 256), 1, 1)), "invalid_blocks", "256"},
		{"same action id", `[{"type":"actions","elements":[` + btn("a", 1, 1) + "," + btn("b", 1, 1) + `]}]`, `[{"type":"actions","elements":[` + btn("a", 1, 1) + "," + btn("a", 1, 1) + `]}]`, "invalid_blocks", "already exists"},
		{"actions", `[{"type":"actions","elements":` + many(25, func(i int) string { return btn(fmt.Sprint(i), 1, 1) }) + `}]`, `[{"type":"actions","elements":` + many(26, func(i int) string { return btn(fmt.Sprint(i), 1, 1) }) + `}]`, "invalid_blocks", "no more than 25"},
		{"context", `[{"type":"context","elements":` + many(10, func(int) string { return txt("mrkdwn", 9) }) + `}]`, `[{"type":"context","elements":` + many(11, func(int) string { return txt("mrkdwn", 9) }) + `}]`, "invalid_blocks", "no more than 10"},
		{"block id", `[{"type":"divider","block_id":"a"},{"type":"divider","block_id":"b"}]`, `[{"type":"divider","block_id":"a"},{"type":"divider","block_id":"a"}]`, "invalid_blocks", "block_id"},
		{"option text", sel("static_select", opts(1, 75, 9)), sel("static_select", opts(1, 76, 9)), "invalid_blocks", "76"},
		{"option value", sel("static_select", opts(1, 9, 150)), sel("static_select", opts(1, 9, 151)), "invalid_blocks", "151"},
		{"select", sel("static_select", opts(100, 9, 9)), sel("static_select", opts(101, 9, 9)), "invalid_blocks", "no more than 100"},
		{"radio", sel("radio_buttons", opts(10, 9, 9)), sel("radio_buttons", opts(11, 9, 9)), "invalid_blocks", "no more than 10"},
		{"checkboxes", sel("checkboxes", opts(10, 9, 9)), sel("checkboxes", opts(11, 9, 9)), "invalid_blocks", "no more than 10"},
		{"overflow", sel("overflow", opts(5, 9, 9)), sel("overflow", opts(6, 9, 9)), "invalid_blocks", "no more than 5"},
		{"unknown block", `[{"type":"divider"}]`, `[{"type":"blink"}]`, "invalid_blocks", "unsupported type: blink"},
		{"unknown element", inActions(btn("a", 1, 1)), inActions(`{"type":"plain_text_input","action_id":"a"}`), "invalid_blocks", "unsupported type"},
		{"all text", many(4, func(int) string { return section(3000) }), many(5, func(int) string { return section(2700) }), "msg_blocks_too_long", ""},
		{"tables", "[" + table(2, 2, 2) + "]", "[" + table(2, 2, 2) + "," + table(2, 2, 2) + "]", "invalid_blocks", "only_one_table_allowed"},
		{"rows", "[" + table(100, 2, 2) + "]", "[" + table(101, 2, 2) + "]", "invalid_blocks", "no more than 100"},
		{"columns", "[" + table(2, 20, 2) + "]", "[" + table(2, 21, 2) + "]", "invalid_blocks", "no more than 20"},
		{"cells", "[" + table(100, 10, 10) + "]", "[" + table(100, 10, 11) + "]", "invalid_blocks", "10001 characters in all cells"},
		{"empty cell", "[" + table(1, 1, 1) + "]", "[" + table(1, 1, 0) + "]", "invalid_blocks", "more than 0"},
		{"number without text", `[{"type":"table","rows":[[{"type":"raw_number","value":1,"text":"1"}]]}]`, `[{"type":"table","rows":[[{"type":"raw_number","value":1}]]}]`, "invalid_blocks", "/text"},
		{"no array", `[]`, `{}`, "invalid_blocks_format", ""},
		{"confirm", inActions(`{"type":"button","action_id":"a","text":` + txt("plain_text", 1) + `,"confirm":{"title":` + txt("plain_text", 100) + `,"text":` + txt("mrkdwn", 300) + `,"confirm":` + txt("plain_text", 30) + `,"deny":` + txt("plain_text", 30) + `}}`), inActions(`{"type":"button","action_id":"a","text":` + txt("plain_text", 1) + `,"confirm":{"title":` + txt("plain_text", 101) + `,"text":` + txt("mrkdwn", 301) + `}}`), "invalid_blocks", "/confirm/title"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if code, why := b.validate(t, "blocks", c.good); code != "" {
				t.Errorf("the allowed one: %s (%s)", code, why)
			}
			if code, why := b.validate(t, "blocks", c.bad); code != c.code || !strings.Contains(why, c.reason) {
				t.Errorf("the forbidden one: %q (%s), want %q with %q", code, why, c.code, c.reason)
			}
		})
	}
}

func TestViewLimits(t *testing.T) {
	b := open(t, options())
	view := func(title, submit, meta int, blocks string) string {
		return fmt.Sprintf(`{"type":"modal","title":%s,"submit":%s,"private_metadata":%q,"blocks":%s}`,
			txt("plain_text", title), txt("plain_text", submit), strings.Repeat("m", meta), blocks)
	}
	div := func(n int) string { return many(n, func(int) string { return `{"type":"divider"}` }) }
	input := `[{"type":"input","block_id":"i","label":` + txt("plain_text", 5) + `,"element":{"type":"plain_text_input","action_id":"a"}}]`
	for _, c := range []struct{ name, view, reason string }{
		{"at every limit", view(24, 24, 3000, div(100)), ""},
		{"an input", view(1, 1, 0, input), ""},
		{"title", view(25, 1, 0, div(1)), "/view/title"},
		{"submit", view(1, 25, 0, div(1)), "/view/submit"},
		{"metadata", view(1, 1, 3001, div(1)), "/view/private_metadata"},
		{"blocks", view(1, 1, 0, div(101)), "no more than 100"},
		{"table", view(1, 1, 0, "["+table(1, 1, 1)+"]"), "not for a modal"},
		{"no submit", `{"type":"modal","title":` + txt("plain_text", 3) + `,"blocks":` + input + `}`, "missing required field: submit"},
		{"no type", `{"blocks":[]}`, "/view/type"},
	} {
		code, why := b.validate(t, "view", c.view)
		if (code != "") != (c.reason != "") || !strings.Contains(why, c.reason) {
			t.Errorf("%s: %q (%s), want %q", c.name, code, why, c.reason)
		}
	}
}
