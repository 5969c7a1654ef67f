package localslack

import (
	"slices"
	"strings"
)

// places is where each interactive element may stand.
func places(kind string) string {
	switch kind {
	case "button", "overflow":
		return "section actions"
	case "image":
		return "section"
	case "static_select", "users_select", "conversations_select", "channels_select", "radio_buttons", "checkboxes",
		"datepicker", "timepicker":
		return "section actions input"
	case "multi_static_select", "multi_users_select":
		return "section input"
	case "datetimepicker":
		return "actions input"
	case "plain_text_input", "number_input", "email_text_input", "url_text_input":
		return "input"
	}
	return ""
}

// element checks an interactive element that stands in a section, an actions block or an input.
func (c *checker) element(at string, e map[string]any, in string) {
	kind := text(e["type"])
	if !slices.Contains(strings.Fields(places(kind)), in) {
		c.say(at+"/type", "unsupported type: %s in %s", kind, in)
		return
	}
	if kind == "image" {
		c.image(at, e)
		return
	}
	id := text(e["action_id"])
	c.length(at+"/action_id", id, 0, 255)
	if id != "" && c.actions[id] {
		c.say(at+"/action_id", "action_id %q already exists in its block", id)
	}
	c.actions[id] = true
	c.confirm(at+"/confirm", e["confirm"])
	c.plain(at+"/placeholder", e["placeholder"], 150, false)
	switch kind {
	case "button":
		c.button(at, e)
	case "overflow":
		c.options(at, e, 5, 1, true)
	case "radio_buttons", "checkboxes":
		c.options(at, e, 10, 1, false)
	case "static_select", "multi_static_select":
		c.selectMenu(at, e)
	}
}

func (c *checker) button(at string, e map[string]any) {
	c.plain(at+"/text", e["text"], 75, true)
	c.length(at+"/value", text(e["value"]), 0, 2000)
	c.length(at+"/url", text(e["url"]), 0, 3000)
	c.length(at+"/accessibility_label", text(e["accessibility_label"]), 0, 75)
	if s := text(e["style"]); s != "" && s != "primary" && s != "danger" {
		c.say(at+"/style", "must be a valid enum value")
	}
}

func (c *checker) confirm(at string, v any) {
	if v == nil {
		return
	}
	m := object(v)
	c.plain(at+"/title", m["title"], 100, true)
	c.textObject(at+"/text", m["text"], 300, true, false)
	c.plain(at+"/confirm", m["confirm"], 30, true)
	c.plain(at+"/deny", m["deny"], 30, true)
	if s := text(m["style"]); s != "" && s != "primary" && s != "danger" {
		c.say(at+"/style", "must be a valid enum value")
	}
}

func (c *checker) selectMenu(at string, e map[string]any) {
	groups, grouped := e["option_groups"].([]any)
	if !grouped {
		c.options(at, e, 100, 1, true)
		return
	}
	c.count(at+"/option_groups", len(groups), 1, 100)
	for i, g := range groups {
		p := at + "/option_groups/" + decimal(i)
		c.plain(p+"/label", object(g)["label"], 75, true)
		c.options(p, object(g), 100, 1, true)
	}
}

// options checks choices; those of radio buttons and checkboxes may use mrkdwn. An initial choice must be one of them.
func (c *checker) options(at string, e map[string]any, most, least int, plainOnly bool) {
	opts := list(e["options"])
	c.count(at+"/options", len(opts), least, most)
	var values []string
	for i, o := range opts {
		p, m := at+"/options/"+decimal(i), object(o)
		c.textObject(p+"/text", m["text"], 75, true, plainOnly)
		c.length(p+"/value", text(m["value"]), 1, 150)
		c.textObject(p+"/description", m["description"], 75, false, plainOnly)
		values = append(values, text(m["value"]))
	}
	initial := list(e["initial_options"])
	if o := e["initial_option"]; o != nil {
		initial = append(initial, o)
	}
	for _, o := range initial {
		if !slices.Contains(values, text(object(o)["value"])) {
			c.say(at+"/initial_option", "initial option is not one of the options")
		}
	}
}
