package localslack

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// maxStack is how many modals may lie on each other.
const maxStack = 3

// View is an open modal, or a home tab.
type View struct {
	ID, ExternalID, CallbackID, Hash, PrivateMetadata string
	JSON                                              json.RawMessage // as Slack's answers carry it, state included
}

// view is a View in the making: its body, what is filled in, and where it hangs.
type view struct {
	id, user, hash string
	root, previous string
	body           map[string]any
	state          map[string]map[string]any // block_id, action_id: Slack's state of one element
}

// trigger is the right to open one modal, for three seconds.
type trigger struct {
	user string
	born time.Time
	used bool
}

// Views returns the user's open modals, the visible one last.
func (w *Workspace) Views(userID string) []View {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []View
	for _, v := range w.stacks[userID] {
		out = append(out, w.publicView(v))
	}
	return out
}

// Home returns the user's home tab, if the app published one.
func (w *Workspace) Home(userID string) (View, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := w.homes[userID]
	if v == nil {
		return View{}, false
	}
	return w.publicView(v), true
}

func (w *Workspace) publicView(v *view) View {
	return View{
		ID: v.id, Hash: v.hash, ExternalID: text(v.body["external_id"]), CallbackID: text(v.body["callback_id"]),
		PrivateMetadata: text(v.body["private_metadata"]), JSON: encode(w.viewJSON(v)),
	}
}

// newTrigger mints a trigger id and forgets those that ran out. The caller holds mu.
func (w *Workspace) newTrigger(user string) string {
	maps.DeleteFunc(w.triggers, func(_ string, t *trigger) bool { return time.Since(t.born) > time.Minute })
	id := fmt.Sprintf("%d.%s.%s", time.Now().UnixMilli(), w.o.TeamID, secret())
	w.triggers[id] = &trigger{user: user, born: time.Now()}
	return id
}

func (w *Workspace) useTrigger(id string) (*trigger, error) {
	t := w.triggers[id]
	switch {
	case t == nil:
		return nil, refuse("invalid_trigger_id")
	case t.used:
		return nil, refuse("exchanged_trigger_id")
	case time.Since(t.born) > triggerLives:
		return nil, refuse("expired_trigger_id")
	}
	t.used = true
	return t, nil
}

// body reads and checks the view of a call.
func (c *call) viewBody(kind string) (map[string]any, error) {
	var v map[string]any
	if !c.has("view") || c.object("view", &v) != nil {
		return nil, refuse("invalid_arguments", "missing required field: view [json-pointer:/view]")
	}
	if err := checkView(v); err != nil {
		return nil, err
	}
	if text(v["type"]) != kind {
		return nil, refuse("invalid_arguments", "must be a "+kind+" [json-pointer:/view/type]")
	}
	nameBlocks(list(v["blocks"]))
	return v, nil
}

// newView makes a view of a checked body. The caller holds mu.
func (w *Workspace) newView(user string, body map[string]any, below *view) (*view, error) {
	if ext := text(body["external_id"]); ext != "" && w.byExternal(ext) != nil {
		return nil, refuse("duplicate_external_id")
	}
	v := &view{id: w.next("V"), user: user}
	v.root = v.id
	if below != nil {
		v.root, v.previous = below.root, below.id
	}
	w.fill(v, body)
	w.views[v.id] = v
	return v, nil
}

func (w *Workspace) byExternal(ext string) *view {
	for _, v := range w.views {
		if text(v.body["external_id"]) == ext {
			return v
		}
	}
	return nil
}

// fill puts a body into a view. What is filled in stays where block, action and type are still the same.
func (w *Workspace) fill(v *view, body map[string]any) {
	old := v.state
	v.body, v.state = body, map[string]map[string]any{}
	v.hash = fmt.Sprintf("%d.%s", time.Now().Unix(), secret()[:8])
	eachElement(list(body["blocks"]), func(b, e map[string]any) {
		block, action := text(b["block_id"]), text(e["action_id"])
		s, _ := answer(e, nil)
		if kept := object(old[block][action]); kept != nil && kept["type"] == e["type"] {
			s = kept
		}
		if s != nil {
			v.set(block, action, s)
		}
	})
	w.touch()
}

func (v *view) set(block, action string, s map[string]any) {
	if v.state[block] == nil {
		v.state[block] = map[string]any{}
	}
	v.state[block][action] = s
}

func (w *Workspace) viewsOpen(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	body, err := c.viewBody("modal")
	if err != nil {
		return nil, err
	}
	t, err := w.useTrigger(c.str("trigger_id"))
	if err != nil {
		return nil, err
	}
	v, err := w.newView(t.user, body, nil)
	if err != nil {
		return nil, err
	}
	w.clear(t.user)
	w.stacks[t.user] = []*view{v}
	return map[string]any{"view": w.viewJSON(v)}, nil
}

func (w *Workspace) viewsPush(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	body, err := c.viewBody("modal")
	if err != nil {
		return nil, err
	}
	t, err := w.useTrigger(c.str("trigger_id"))
	if err != nil {
		return nil, err
	}
	v, err := w.push(t.user, body)
	if err != nil {
		return nil, err
	}
	return map[string]any{"view": w.viewJSON(v)}, nil
}

func (w *Workspace) push(user string, body map[string]any) (*view, error) {
	stack := w.stacks[user]
	if len(stack) >= maxStack {
		return nil, refuse("push_limit_reached")
	}
	var below *view
	if len(stack) > 0 {
		below = stack[len(stack)-1]
	}
	v, err := w.newView(user, body, below)
	if err == nil {
		w.stacks[user] = append(stack, v)
	}
	return v, err
}

func (w *Workspace) viewsUpdate(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := w.views[c.str("view_id")]
	if v == nil && c.str("external_id") != "" {
		v = w.byExternal(c.str("external_id"))
	}
	if v == nil {
		return nil, refuse("not_found")
	}
	kind := text(v.body["type"])
	body, err := c.viewBody(kind)
	if err != nil {
		return nil, err
	}
	if h := c.str("hash"); h != "" && h != v.hash {
		return nil, refuse("hash_conflict")
	}
	w.fill(v, body)
	return map[string]any{"view": w.viewJSON(v)}, nil
}

func (w *Workspace) viewsPublish(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	user := c.str("user_id")
	if _, ok := w.person(user); !ok {
		return nil, refuse("user_not_found")
	}
	body, err := c.viewBody("home")
	if err != nil {
		return nil, err
	}
	v := w.homes[user]
	if v == nil {
		if v, err = w.newView(user, body, nil); err != nil {
			return nil, err
		}
		w.homes[user] = v
		return map[string]any{"view": w.viewJSON(v)}, nil
	}
	if h := c.str("hash"); h != "" && h != v.hash {
		return nil, refuse("hash_conflict")
	}
	w.fill(v, body)
	return map[string]any{"view": w.viewJSON(v)}, nil
}

// pop takes the visible modal away and shows the one below.
func (w *Workspace) pop(v *view) {
	delete(w.views, v.id)
	w.stacks[v.user] = slices.DeleteFunc(w.stacks[v.user], func(o *view) bool { return o == v })
	w.touch()
}

// clear takes all of a user's modals away.
func (w *Workspace) clear(user string) {
	for _, v := range w.stacks[user] {
		delete(w.views, v.id)
	}
	delete(w.stacks, user)
	w.touch()
}

func (w *Workspace) viewJSON(v *view) map[string]any {
	out := map[string]any{}
	for _, k := range []string{"type", "title", "submit", "close", "blocks"} {
		out[k] = v.body[k]
	}
	for _, k := range []string{"private_metadata", "callback_id", "external_id"} {
		out[k] = text(v.body[k])
	}
	for _, k := range []string{"clear_on_close", "notify_on_close"} {
		out[k] = v.body[k] == true
	}
	out["id"], out["hash"], out["team_id"] = v.id, v.hash, w.o.TeamID
	out["root_view_id"], out["app_id"], out["bot_id"] = v.root, w.appID(), w.botID()
	out["app_installed_team_id"] = w.o.TeamID
	out["previous_view_id"] = nil
	if v.previous != "" {
		out["previous_view_id"] = v.previous
	}
	// A snapshot: the caller encodes it after the lock is gone.
	out["state"] = map[string]any{"values": encode(v.state)}
	return out
}
