package localslack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ViewReply is what became of a submit. Action is "" or "clear" (closed), "errors", "update" or "push". Errors are by
// block id; "required" in one of them is Slack's own refusal of an empty input, and the app has not seen the submit.
type ViewReply struct {
	Action string            `json:"action"`
	Errors map[string]string `json:"errors,omitempty"`
}

// Required is the error of an input that was left empty though it is not optional.
const Required = "required"

// Submit is a person pressing a modal's submit button with values by block id and action id: text, an option's value, a
// list of option values. What is not given keeps its present value.
func (w *Workspace) Submit(ctx context.Context, userID, viewID string, values map[string]map[string]any) (ViewReply, error) {
	w.mu.Lock()
	v, p, err := w.visible(userID, viewID)
	if err == nil {
		err = v.answerAll(values)
	}
	if err != nil {
		w.mu.Unlock()
		return ViewReply{}, fmt.Errorf("submit: %w", err)
	}
	if missing := v.missing(); len(missing) > 0 {
		w.mu.Unlock()
		return ViewReply{Action: "errors", Errors: missing}, nil
	}
	payload := w.interaction("view_submission", p)
	payload["view"], payload["hash"], payload["response_urls"] = w.viewJSON(v), v.hash, []any{}
	w.mu.Unlock()
	ack, err := w.send(ctx, w.newEnvelope("interactive", true, payload))
	if err != nil {
		return ViewReply{}, fmt.Errorf("submit: %w", err)
	}
	r, err := w.acked(v, ack)
	if err != nil {
		return r, fmt.Errorf("submit: %w", err)
	}
	return r, nil
}

// visible finds a user's open modal, or home tab. The caller holds mu.
func (w *Workspace) visible(userID, viewID string) (*view, Person, error) {
	p, ok := w.person(userID)
	v := w.views[viewID]
	if !ok || v == nil || v.user != userID {
		return nil, p, fmt.Errorf("%s has no view %q", userID, viewID)
	}
	return v, p, nil
}

// answerAll takes over what a person filled in.
func (v *view) answerAll(values map[string]map[string]any) error {
	left := 0
	for _, m := range values {
		left += len(m)
	}
	var errs []error
	eachElement(list(v.body["blocks"]), func(b, e map[string]any) {
		block, action := text(b["block_id"]), text(e["action_id"])
		value, given := values[block][action]
		if !given {
			return
		}
		left--
		var s map[string]any
		var err error
		if value == nil {
			s = emptied(e)
		} else {
			s, err = answer(e, value)
		}
		if err != nil {
			errs = append(errs, err)
			return
		}
		v.set(block, action, s)
	})
	if left > 0 {
		errs = append(errs, errors.New("a value is for an element the view does not have"))
	}
	return errors.Join(errs...)
}

// emptied is the state of an element a person has cleared.
func emptied(e map[string]any) map[string]any {
	bare := maps.Clone(e)
	maps.DeleteFunc(bare, func(k string, _ any) bool { return len(k) > 8 && k[:8] == "initial_" })
	s, _ := answer(bare, nil)
	return s
}

// missing are the required inputs that are empty.
func (v *view) missing() map[string]string {
	out := map[string]string{}
	for _, b := range list(v.body["blocks"]) {
		b := object(b)
		if text(b["type"]) != "input" || b["optional"] == true {
			continue
		}
		block := text(b["block_id"])
		if unanswered(object(v.state[block][text(object(b["element"])["action_id"])])) {
			out[block] = Required
		}
	}
	return out
}

// acked does what the app's ack of a submit says.
func (w *Workspace) acked(v *view, ack json.RawMessage) (ViewReply, error) {
	var a struct {
		Action string            `json:"response_action"`
		Errors map[string]string `json:"errors"`
		View   json.RawMessage   `json:"view"`
	}
	if len(ack) > 0 {
		if err := json.Unmarshal(ack, &a); err != nil {
			return ViewReply{}, fmt.Errorf("read the ack: %w", err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	r := ViewReply{Action: a.Action}
	switch a.Action {
	case "":
		w.pop(v)
	case "clear":
		w.clear(v.user)
	case "errors":
		r.Errors = a.Errors
		return r, v.checkErrors(a.Errors)
	case "update", "push":
		body, err := (&call{args: map[string]json.RawMessage{"view": a.View}}).viewBody("modal")
		if err != nil {
			return r, fmt.Errorf("%s by ack: %w", a.Action, err)
		}
		if a.Action == "update" {
			w.fill(v, body)
			return r, nil
		}
		if _, err = w.push(v.user, body); err != nil {
			return r, fmt.Errorf("push by ack: %w", err)
		}
	default:
		return r, fmt.Errorf("the ack has an unknown response_action %q", a.Action)
	}
	return r, nil
}

// checkErrors holds the rule that errors name input blocks: for others Slack shows a person only "trouble connecting".
func (v *view) checkErrors(errs map[string]string) error {
	if len(errs) == 0 {
		return errors.New("the ack says errors and names none")
	}
	for id := range errs {
		ok := slices.ContainsFunc(list(v.body["blocks"]), func(b any) bool {
			return text(object(b)["type"]) == "input" && text(object(b)["block_id"]) == id
		})
		if !ok {
			return fmt.Errorf("the ack has an error for %q, which is no input block of the view", id)
		}
	}
	return nil
}

// ViewAction is a person using an element of a modal or home tab that reports at once.
func (w *Workspace) ViewAction(ctx context.Context, userID, viewID, actionID string, value any) error {
	return w.viewAction(ctx, userID, viewID, "", actionID, value, nil)
}

// viewAction also takes what else was filled in: Slack sends the whole state with every action.
func (w *Workspace) viewAction(ctx context.Context, userID, viewID, blockID, actionID string, value any, filled map[string]map[string]any) error {
	payload, err := w.viewActionPayload(userID, viewID, blockID, actionID, value, filled)
	if err != nil {
		return fmt.Errorf("view action %s: %w", actionID, err)
	}
	if _, err := w.send(ctx, w.newEnvelope("interactive", false, payload)); err != nil {
		return fmt.Errorf("view action %s: %w", actionID, err)
	}
	return nil
}

func (w *Workspace) viewActionPayload(userID, viewID, blockID, actionID string, value any, filled map[string]map[string]any) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	v, p, err := w.visible(userID, viewID)
	if err != nil {
		return nil, err
	}
	if err := v.answerAll(filled); err != nil {
		return nil, err
	}
	s, _ := value.(string)
	b, e := findElement(list(v.body["blocks"]), blockID, actionID, s)
	if e == nil {
		return nil, fmt.Errorf("view %s has no such element", viewID)
	}
	action, err := w.act(b, e, value)
	if err != nil {
		return nil, err
	}
	if kind := text(e["type"]); kind != "button" && kind != "overflow" {
		state, _ := answer(e, value)
		v.set(text(b["block_id"]), actionID, state)
	}
	out := w.interaction("block_actions", p)
	out["actions"] = []any{action}
	out["container"] = map[string]any{"type": "view", "view_id": v.id}
	out["view"] = w.viewJSON(v)
	out["state"] = out["view"].(map[string]any)["state"]
	return out, nil
}

// CloseView is a person closing the visible modal. The app hears of it when the view asked for notify_on_close.
func (w *Workspace) CloseView(ctx context.Context, userID, viewID string) error {
	w.mu.Lock()
	v, p, err := w.visible(userID, viewID)
	if err != nil {
		w.mu.Unlock()
		return fmt.Errorf("close view: %w", err)
	}
	all := v.body["clear_on_close"] == true
	payload := w.interaction("view_closed", p)
	payload["view"], payload["is_cleared"] = w.viewJSON(v), all
	if w.pop(v); all {
		w.clear(userID)
	}
	w.mu.Unlock()
	if v.body["notify_on_close"] != true {
		return nil
	}
	if _, err := w.send(ctx, w.newEnvelope("interactive", false, payload)); err != nil {
		return fmt.Errorf("close view: %w", err)
	}
	return nil
}
