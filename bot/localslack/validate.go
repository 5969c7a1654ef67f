package localslack

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Slack's limits. Sources: its block reference; the sum over a message's blocks and one table a message are
// undocumented and were found by others in production.
const (
	maxMessageBlocks = 50
	maxViewBlocks    = 100
	maxAllText       = 13200
	maxMarkdown      = 12000
	maxView          = 250 << 10
)

func text(v any) string { s, _ := v.(string); return s }

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }

func list(v any) []any { l, _ := v.([]any); return l }

func number(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return otherwise
	}
	return n
}

func decimal(n int) string { return strconv.Itoa(n) }

// checker collects everything wrong with a set of blocks, each with a JSON pointer, as Slack's answers do.
type checker struct {
	surface  string // message, modal, home
	problems []string
	ids      map[string]bool
	actions  map[string]bool
	code     string // a more precise error code than invalid_blocks
	total    int
	markdown int
	tables   int
	charts   int
}

// checkMessage returns the refusal Slack would answer, or nil.
func checkMessage(blocks []any) error {
	c := newChecker("message")
	c.blocks(blocks, maxMessageBlocks)
	switch {
	case c.code != "":
		return refuse(c.code, c.problems...)
	case len(c.problems) > 0:
		return refuse("invalid_blocks", c.problems...)
	case c.total > maxAllText:
		return refuse("msg_blocks_too_long")
	}
	return nil
}

func newChecker(surface string) *checker {
	return &checker{surface: surface, ids: map[string]bool{}, actions: map[string]bool{}}
}

// checkView returns the refusal Slack would answer to a modal or a home tab, or nil.
func checkView(v map[string]any) error {
	kind := text(v["type"])
	if kind != "modal" && kind != "home" {
		return refuse("invalid_arguments", "must be a valid enum value [json-pointer:/view/type]")
	}
	if len(encode(v)) > maxView {
		return refuse("view_too_large")
	}
	c := newChecker(kind)
	if kind == "modal" {
		c.plain("/view/title", v["title"], 24, true)
		c.plain("/view/submit", v["submit"], 24, false)
		c.plain("/view/close", v["close"], 24, false)
	}
	c.length("/view/private_metadata", text(v["private_metadata"]), 0, 3000)
	c.length("/view/callback_id", text(v["callback_id"]), 0, 255)
	c.length("/view/external_id", text(v["external_id"]), 0, 255)
	blocks, ok := v["blocks"].([]any)
	if !ok {
		c.say("/view/blocks", "missing required field: blocks")
	}
	c.blocks(blocks, maxViewBlocks)
	if kind == "modal" && v["submit"] == nil && hasInput(blocks) {
		c.say("/view/submit", "missing required field: submit")
	}
	if len(c.problems) > 0 {
		return refuse("invalid_arguments", c.problems...)
	}
	return nil
}

func hasInput(blocks []any) bool {
	return slices.ContainsFunc(blocks, func(b any) bool { return text(object(b)["type"]) == "input" })
}

func (c *checker) say(at, format string, a ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, a...)+" [json-pointer:"+at+"]")
}

func (c *checker) length(at, s string, least, most int) {
	n := utf8.RuneCountInString(s)
	if n > most {
		c.say(at, "must be less than %d characters", most+1)
	}
	if n < least {
		c.say(at, "must be more than %d characters", least-1)
	}
}

func (c *checker) count(at string, n, least, most int) {
	if n > most {
		c.say(at, "no more than %d items allowed", most)
	}
	if n < least {
		c.say(at, "no less than %d items allowed", least)
	}
}

// textObject checks a plain_text or mrkdwn object of 1 to most characters.
func (c *checker) textObject(at string, v any, most int, needed, plainOnly bool) {
	if v == nil {
		if needed {
			c.say(at, "missing required field: %s", at[strings.LastIndexByte(at, '/')+1:])
		}
		return
	}
	t := object(v)
	kind := text(t["type"])
	if kind != "plain_text" && (plainOnly || kind != "mrkdwn") {
		c.say(at+"/type", "must be a valid text type")
	}
	s := text(t["text"])
	c.total += utf8.RuneCountInString(s)
	c.length(at+"/text", s, 1, most)
}

func (c *checker) plain(at string, v any, most int, needed bool) {
	c.textObject(at, v, most, needed, true)
}

func (c *checker) blocks(blocks []any, most int) {
	at := "/blocks"
	if c.surface != "message" {
		at = "/view/blocks"
	}
	c.count(at, len(blocks), 0, most)
	for i, b := range blocks {
		m, ok := b.(map[string]any)
		if !ok {
			c.say(at+"/"+decimal(i), "must be an object")
			continue
		}
		c.block(at+"/"+decimal(i), m)
	}
	if c.markdown > maxMarkdown {
		c.say(at, "markdown text must be less than %d characters in all", maxMarkdown+1)
	}
	if c.tables > 1 {
		c.code = "invalid_blocks"
		c.say(at, "only_one_table_allowed")
	}
	if c.charts > 2 {
		c.say(at, "no more than 2 data_visualization blocks allowed")
	}
}

func (c *checker) block(at string, b map[string]any) {
	id := text(b["block_id"])
	c.length(at+"/block_id", id, 0, 255)
	if id != "" && c.ids[id] {
		c.say(at+"/block_id", "block_id %q already exists", id)
	}
	c.ids[id] = true
	c.actions = map[string]bool{} // action ids are unique within their block only
	kind := text(b["type"])
	check, known := c.kinds()[kind]
	if !known {
		c.say(at+"/type", "unsupported type: %s", kind)
		return
	}
	if check.only != "" && !strings.Contains(check.only, c.surface) {
		c.say(at+"/type", "unsupported type: %s is not for a %s", kind, c.surface)
		return
	}
	check.run(at, b)
}

type blockKind struct {
	only string // surfaces it may stand on; empty is all
	run  func(at string, b map[string]any)
}

func (c *checker) kinds() map[string]blockKind {
	free := func(string, map[string]any) {} // accepted, not looked into
	return map[string]blockKind{
		"actions":            {"", c.actionsBlock},
		"alert":              {"modal", func(at string, b map[string]any) { c.textObject(at+"/text", b["text"], 3000, true, false) }},
		"context":            {"", c.contextBlock},
		"data_table":         {"message", c.dataTable},
		"data_visualization": {"message", c.chart},
		"divider":            {"", free},
		"header":             {"", func(at string, b map[string]any) { c.plain(at+"/text", b["text"], 150, true) }},
		"image":              {"", c.image},
		"input":              {"", c.input},
		"markdown":           {"message", c.markdownBlock},
		"rich_text":          {"", c.richText},
		"section":            {"", c.section},
		"table":              {"message", c.table},
	}
}

func (c *checker) section(at string, b map[string]any) {
	fields, has := b["fields"].([]any)
	if b["text"] == nil && !has {
		c.say(at, "missing required field: text or fields")
	}
	c.textObject(at+"/text", b["text"], 3000, false, false)
	if has {
		c.count(at+"/fields", len(fields), 1, 10)
	}
	for i, f := range fields {
		c.textObject(at+"/fields/"+decimal(i), f, 2000, true, false)
	}
	if b["accessory"] != nil {
		c.element(at+"/accessory", object(b["accessory"]), "section")
	}
}

func (c *checker) contextBlock(at string, b map[string]any) {
	es := list(b["elements"])
	c.count(at+"/elements", len(es), 1, 10)
	for i, e := range es {
		p := at + "/elements/" + decimal(i)
		if text(object(e)["type"]) == "image" {
			c.image(p, object(e))
			continue
		}
		c.textObject(p, e, 3000, true, false)
	}
}

func (c *checker) actionsBlock(at string, b map[string]any) {
	es := list(b["elements"])
	c.count(at+"/elements", len(es), 1, 25)
	for i, e := range es {
		c.element(at+"/elements/"+decimal(i), object(e), "actions")
	}
}

func (c *checker) input(at string, b map[string]any) {
	c.plain(at+"/label", b["label"], 2000, true)
	c.plain(at+"/hint", b["hint"], 2000, false)
	if b["element"] == nil {
		c.say(at, "missing required field: element")
		return
	}
	c.element(at+"/element", object(b["element"]), "input")
}

func (c *checker) image(at string, b map[string]any) {
	c.length(at+"/alt_text", text(b["alt_text"]), 1, 2000)
	if b["slack_file"] == nil {
		c.length(at+"/image_url", text(b["image_url"]), 1, 3000)
	}
	c.plain(at+"/title", b["title"], 2000, false)
}

func (c *checker) markdownBlock(at string, b map[string]any) {
	n := utf8.RuneCountInString(text(b["text"]))
	c.markdown += n
	c.total += n
	if n == 0 {
		c.say(at+"/text", "must be more than 0 characters")
	}
}

func (c *checker) richText(at string, b map[string]any) {
	if _, ok := b["elements"].([]any); !ok {
		c.say(at, "missing required field: elements")
	}
	c.total += letters(b["elements"])
}

// letters counts the text inside rich text, however deep.
func letters(v any) (n int) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += letters(e)
		}
	case map[string]any:
		n += utf8.RuneCountInString(text(v["text"])) + letters(v["elements"])
	}
	return n
}

func numeric(v any) bool {
	switch v.(type) {
	case json.Number, float64:
		return true
	}
	return false
}

// blocksValidate is Slack's own checker of blocks, a message or a view.
func (w *Workspace) blocksValidate(c *call) (map[string]any, error) {
	switch {
	case c.has("view"):
		var v map[string]any
		if c.object("view", &v) != nil {
			return nil, refuse("invalid_json")
		}
		return nil, checkView(v)
	case c.has("message"):
		var m map[string]json.RawMessage
		if c.object("message", &m) != nil {
			return nil, refuse("invalid_json")
		}
		_, err := (&call{args: m}).draft()
		return nil, err
	}
	_, err := c.draft()
	return nil, err
}
