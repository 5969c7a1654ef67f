package localslack

import (
	"fmt"
	"slices"
)

// eachElement calls f for every interactive element and the block it stands in.
func eachElement(blocks []any, f func(block, element map[string]any)) {
	for _, v := range blocks {
		b := object(v)
		es := []any{b["element"], b["accessory"]}
		if text(b["type"]) == "actions" {
			es = append(es, list(b["elements"])...)
		}
		for _, e := range es {
			if e := object(e); e != nil && text(e["type"]) != "image" {
				f(b, e)
			}
		}
	}
}

// valueField is where Slack keeps the value of an element that is not made of options.
func valueField(kind string) (field, initial string) {
	switch kind {
	case "plain_text_input", "number_input", "email_text_input", "url_text_input":
		return "value", "initial_value"
	case "datepicker":
		return "selected_date", "initial_date"
	case "timepicker":
		return "selected_time", "initial_time"
	case "datetimepicker":
		return "selected_date_time", "initial_date_time"
	case "users_select":
		return "selected_user", "initial_user"
	case "multi_users_select":
		return "selected_users", "initial_users"
	case "conversations_select":
		return "selected_conversation", "initial_conversation"
	case "channels_select":
		return "selected_channel", "initial_channel"
	}
	return "", ""
}

// answer is the state of an element after a person gave it the value v; nil stands for the initial value. A choice is
// given by its option's value, several as a list of them. A button or an overflow menu has no state: nil for nil.
func answer(e map[string]any, v any) (map[string]any, error) {
	kind := text(e["type"])
	out := map[string]any{"type": kind}
	if field, initial := valueField(kind); field != "" {
		if v == nil {
			v = e[initial]
		}
		if v == "" {
			v = nil
		}
		out[field] = v
		return out, nil
	}
	switch kind {
	case "static_select", "radio_buttons", "overflow":
		if v == nil && kind == "overflow" {
			return nil, nil
		}
		out["selected_option"] = e["initial_option"]
		if v == nil {
			return out, nil
		}
		o, err := option(e, v)
		out["selected_option"] = o
		return out, err
	case "checkboxes", "multi_static_select":
		chosen := append([]any{}, list(e["initial_options"])...)
		if v == nil {
			out["selected_options"] = chosen
			return out, nil
		}
		chosen, err := choose(e, v)
		out["selected_options"] = chosen
		return out, err
	case "button":
		if v == nil {
			return nil, nil
		}
		return out, nil
	}
	return nil, fmt.Errorf("element type %q takes no value", kind)
}

func choose(e map[string]any, v any) ([]any, error) {
	values, ok := v.([]any)
	if !ok {
		ss, ok := v.([]string)
		if !ok {
			return nil, fmt.Errorf("element %v: want a list of option values, not %T", e["action_id"], v)
		}
		for _, s := range ss {
			values = append(values, s)
		}
	}
	chosen := []any{}
	for _, value := range values {
		o, err := option(e, value)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, o)
	}
	return chosen, nil
}

// option finds the option with a value; a person cannot choose what is not offered.
func option(e map[string]any, value any) (map[string]any, error) {
	opts := list(e["options"])
	for _, g := range list(e["option_groups"]) {
		opts = append(opts, list(object(g)["options"])...)
	}
	i := slices.IndexFunc(opts, func(o any) bool { return object(o)["value"] == value })
	if i < 0 {
		return nil, fmt.Errorf("element %v: there is no option %q", e["action_id"], value)
	}
	return object(opts[i]), nil
}

// unanswered says whether a required input would stop the person's submit.
func unanswered(s map[string]any) bool {
	for k, v := range s {
		if k == "type" {
			continue
		}
		switch v := v.(type) {
		case nil:
			return true
		case []any:
			return len(v) == 0
		case map[string]any:
			return v == nil
		}
	}
	return false
}

// act is the entry of "actions" for a person who used the element.
func (w *Workspace) act(b, e map[string]any, value any) (map[string]any, error) {
	out, err := answer(e, value)
	if err != nil {
		return nil, err
	}
	if out == nil {
		out = map[string]any{"type": e["type"]}
	}
	out["action_id"], out["block_id"] = text(e["action_id"]), text(b["block_id"])
	out["action_ts"] = w.stamp()
	if text(e["type"]) == "button" {
		out["text"] = e["text"]
		for _, k := range []string{"value", "style"} {
			if e[k] != nil {
				out[k] = e[k]
			}
		}
	}
	return out, nil
}
