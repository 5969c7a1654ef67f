package localslack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Command is a person typing a slash command such as "/gpu status". It returns when the app has acknowledged it, or an
// error when it did not within Slack's three seconds; the person is told too.
func (w *Workspace) Command(ctx context.Context, userID, channelID, line string) error {
	name, args, _ := strings.Cut(strings.TrimSpace(line), " ")
	if !strings.HasPrefix(name, "/") {
		return fmt.Errorf("command %q: it does not start with a slash", line)
	}
	w.mu.Lock()
	p, ch, err := w.at(userID, channelID)
	if err != nil {
		w.mu.Unlock()
		return fmt.Errorf("command: %w", err)
	}
	payload := map[string]any{
		"token": "localslack", "team_id": w.o.TeamID, "team_domain": w.domain(), "channel_id": ch.ID, "channel_name": ch.label(),
		"user_id": p.ID, "user_name": p.Name, "command": name, "text": strings.TrimSpace(args), "api_app_id": w.appID(),
		"is_enterprise_install": "false", "trigger_id": w.newTrigger(p.ID), "response_url": w.newReply(p.ID, ch.ID, ""),
	}
	w.mu.Unlock()
	e := w.newEnvelope("slash_commands", true, payload)
	ack, err := w.send(ctx, e)
	if err != nil {
		w.tell(p.ID, ch.ID, line, err)
		return fmt.Errorf("command %s: %w", name, err)
	}
	return w.ackedCommand(ch.ID, p.ID, ack)
}

// ackedCommand shows the message an ack may carry, as Slack does.
func (w *Workspace) ackedCommand(channelID, userID string, ack json.RawMessage) error {
	var args map[string]json.RawMessage
	if json.Unmarshal(ack, &args) != nil || len(args) == 0 {
		return nil
	}
	c := &call{args: args}
	d, err := c.draft()
	if err != nil {
		w.tell(userID, channelID, "", err)
		return fmt.Errorf("show the ack's message: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if ch := w.channel(channelID); ch != nil && !d.empty() {
		only := userID
		if c.str("response_type") == "in_channel" {
			only = ""
		}
		w.post(ch, d, only)
	}
	return nil
}

// at finds a person and a channel that person can see. The caller holds mu.
func (w *Workspace) at(userID, channelID string) (Person, *channel, error) {
	p, ok := w.person(userID)
	if !ok {
		return p, nil, fmt.Errorf("there is no user %q", userID)
	}
	ch := w.channel(channelID)
	if ch == nil || ch.DM != "" && ch.DM != userID {
		return p, nil, fmt.Errorf("there is no channel %q for %s", channelID, userID)
	}
	return p, ch, nil
}

func (w *Workspace) domain() string {
	return strings.ToLower(strings.Join(strings.Fields(w.o.Title), "-"))
}

// tell shows a person what Slack would say about an app that did not answer.
func (w *Workspace) tell(user, channel, about string, err error) {
	kind := "timeout"
	var no *refusal
	switch {
	case errors.Is(err, errAbsent):
		kind = "absent"
	case errors.As(err, &no):
		kind = "trouble"
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notices = append(w.notices, notice{User: user, Channel: channel, Kind: kind, About: about, TS: w.stamp()})
	if len(w.notices) > keepNotices {
		w.notices = slices.Delete(w.notices, 0, 1)
	}
	w.touch()
}

// Click is a person using an element of a message: a button, or a menu whose option has the value. An empty value
// means whatever the button carries. Where several elements share an action id, the value tells them apart.
func (w *Workspace) Click(ctx context.Context, userID, channelID, ts, actionID, value string) error {
	_, err := w.ClickEnvelope(ctx, userID, channelID, ts, actionID, value)
	return err
}

// ClickEnvelope is Click that also returns the envelope's id, for Redeliver.
func (w *Workspace) ClickEnvelope(ctx context.Context, userID, channelID, ts, actionID, value string) (string, error) {
	return w.click(ctx, userID, channelID, ts, "", actionID, value)
}

func (w *Workspace) click(ctx context.Context, userID, channelID, ts, blockID, actionID, value string) (string, error) {
	payload, err := w.clickPayload(userID, channelID, ts, blockID, actionID, value)
	if err != nil {
		return "", fmt.Errorf("click %s: %w", actionID, err)
	}
	e := w.newEnvelope("interactive", false, payload)
	if _, err := w.send(ctx, e); err != nil {
		w.tell(userID, channelID, "", err)
		return e.id, fmt.Errorf("click %s: %w", actionID, err)
	}
	return e.id, nil
}

func (w *Workspace) clickPayload(userID, channelID, ts, blockID, actionID, value string) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, ch, err := w.at(userID, channelID)
	if err != nil {
		return nil, err
	}
	m := ch.message(ts)
	if m == nil || m.Ephemeral != "" && m.Ephemeral != userID {
		return nil, fmt.Errorf("there is no message %s", ts)
	}
	var blocks []any
	_ = (&call{args: map[string]json.RawMessage{"b": m.Blocks}}).object("b", &blocks) // checked when it was posted
	b, e := findElement(blocks, blockID, actionID, value)
	if e == nil { // an edit may have named the block anew while the person was choosing
		b, e = findElement(blocks, "", actionID, value)
	}
	if e == nil {
		return nil, fmt.Errorf("message %s has no such element", ts)
	}
	action, err := w.act(b, e, value)
	if err != nil {
		return nil, err
	}
	out := w.interaction("block_actions", p)
	out["actions"] = []any{action}
	out["channel"] = map[string]any{"id": ch.ID, "name": ch.label()}
	out["response_url"] = w.newReply(p.ID, ch.ID, ts)
	out["state"] = map[string]any{"values": map[string]any{}}
	container := map[string]any{"type": "message", "message_ts": ts, "channel_id": ch.ID, "is_ephemeral": m.Ephemeral != ""}
	if m.ThreadTS != "" {
		container["thread_ts"] = m.ThreadTS
	}
	out["container"] = container
	if m.Ephemeral == "" { // Slack does not send an ephemeral message back
		out["message"] = w.messageJSON(ch, m)
	}
	return out, nil
}

// findElement looks for an element by its ids; the value decides between several.
func findElement(blocks []any, blockID, actionID, value string) (block, element map[string]any) {
	eachElement(blocks, func(b, e map[string]any) {
		if text(e["action_id"]) != actionID || blockID != "" && text(b["block_id"]) != blockID {
			return
		}
		_, notOffered := option(e, value)
		fits := value == "" || text(e["value"]) == value || notOffered == nil
		if text(e["type"]) != "button" && valueFieldOnly(e) {
			fits = true
		}
		if fits && element == nil {
			block, element = b, e
		}
	})
	return block, element
}

func valueFieldOnly(e map[string]any) bool {
	field, _ := valueField(text(e["type"]))
	return field != ""
}

// interaction is what every interactive payload carries. The caller holds mu.
func (w *Workspace) interaction(kind string, p Person) map[string]any {
	return map[string]any{
		"type": kind, "token": "localslack", "api_app_id": w.appID(), "enterprise": nil, "is_enterprise_install": false,
		"team":       map[string]any{"id": w.o.TeamID, "domain": w.domain()},
		"user":       map[string]any{"id": p.ID, "username": p.Name, "name": p.Name, "team_id": w.teamOf(p)},
		"trigger_id": w.newTrigger(p.ID),
	}
}

// Say is a person writing an ordinary message, in a thread when threadTS is given. A mention of the app and a direct
// message reach the app as events, sent again after one and after five minutes as Slack does when nobody acknowledges.
func (w *Workspace) Say(ctx context.Context, userID, channelID, words, threadTS string) error {
	w.mu.Lock()
	p, ch, err := w.at(userID, channelID)
	if err == nil && ch.archived {
		err = errors.New("the channel is archived")
	}
	if err != nil {
		w.mu.Unlock()
		return fmt.Errorf("say: %w", err)
	}
	m := &Message{TS: w.stamp(), ThreadTS: threadTS, Channel: ch.ID, User: p.ID, Text: clip(words)}
	ch.add(m)
	w.touch()
	event := w.eventFor(p, ch, m)
	w.mu.Unlock()
	if event == nil {
		return nil
	}
	e := w.newEnvelope("events_api", false, event)
	if _, err := w.send(ctx, e); err != nil {
		w.retryLater(e)
	}
	return nil
}

func (w *Workspace) eventFor(p Person, ch *channel, m *Message) map[string]any {
	inner := map[string]any{"user": p.ID, "text": m.Text, "ts": m.TS, "channel": ch.ID, "event_ts": m.TS, "team": w.teamOf(p)}
	if m.ThreadTS != "" {
		inner["thread_ts"] = m.ThreadTS
	}
	switch {
	case ch.DM != "":
		inner["type"], inner["channel_type"] = "message", "im"
	case strings.Contains(m.Text, "<@"+w.bot.ID):
		inner["type"] = "app_mention"
	default:
		return nil
	}
	return map[string]any{
		"token": "localslack", "team_id": w.o.TeamID, "api_app_id": w.appID(), "type": "event_callback",
		"event_id": w.next("Ev"), "event_time": w.o.Now().Unix(), "event": inner, "is_ext_shared_channel": false,
		"authorizations": []any{map[string]any{"team_id": w.o.TeamID, "user_id": w.bot.ID, "is_bot": true, "enterprise_id": nil}},
	}
}

// retryLater repeats an event while Serve runs.
func (w *Workspace) retryLater(e *envelope) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.life == nil {
		return
	}
	ctx := w.life
	w.conns.Add(1)
	go func() {
		defer w.conns.Done()
		for _, wait := range []time.Duration{time.Second, time.Minute, 5 * time.Minute} {
			t := time.NewTimer(wait)
			select {
			case <-ctx.Done():
				t.Stop()
				return
			case <-t.C:
			}
			if w.Redeliver(ctx, e.id) == nil {
				return
			}
		}
	}()
}
