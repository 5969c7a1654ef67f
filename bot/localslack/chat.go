package localslack

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxText is where Slack cuts a message's text.
const maxText = 40000

// draft is what a call or a response URL wants to say.
type draft struct {
	text     string
	blocks   json.RawMessage // nil: not given
	metadata json.RawMessage
	thread   string
}

// draft reads text, blocks and metadata, and refuses what Slack would refuse.
func (c *call) draft() (draft, error) {
	d := draft{text: clip(c.str("text")), thread: c.str("thread_ts")}
	if c.has("blocks") && c.str("blocks") != "" {
		var blocks []any
		if c.object("blocks", &blocks) != nil {
			return d, refuse("invalid_blocks_format")
		}
		if err := checkMessage(blocks); err != nil {
			return d, err
		}
		nameBlocks(blocks)
		d.blocks = encode(blocks)
	}
	if c.has("metadata") && c.str("metadata") != "" {
		var m map[string]any
		if c.object("metadata", &m) != nil {
			return d, refuse("invalid_metadata_format")
		}
		if len(m) > 0 && text(m["event_type"]) == "" {
			if m["event_payload"] != nil {
				return d, refuse("metadata_must_be_sent_with_event_type")
			}
			return d, nil // slack-go always sends the field to response URLs, empty
		}
		d.metadata = encode(m)
	}
	return d, nil
}

func clip(s string) string {
	if utf8.RuneCountInString(s) <= maxText {
		return s
	}
	return string([]rune(s)[:maxText])
}

func (d draft) empty() bool {
	return strings.TrimSpace(d.text) == "" && (len(d.blocks) == 0 || string(d.blocks) == "[]")
}

// nameBlocks gives every block without a block_id one, as Slack does; a click names its block by it.
func nameBlocks(blocks []any) {
	for _, b := range blocks {
		if m, ok := b.(map[string]any); ok && text(m["block_id"]) == "" {
			m["block_id"] = strings.ToLower(secret()[:6])
		}
	}
}

// room returns the channel a chat call may write to. Only for posting does a user's id stand for the direct message
// with that user.
func (w *Workspace) room(c *call, posting bool) (*channel, error) {
	id := c.str("channel")
	ch := w.channel(id)
	if p, ok := w.person(id); ch == nil && posting && ok && !p.Deleted && !p.Bot {
		ch = w.openDM(id)
	}
	switch {
	case ch == nil:
		return nil, refuse("channel_not_found")
	case ch.archived:
		return nil, refuse("is_archived")
	}
	return ch, nil
}

func (w *Workspace) chatPostMessage(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch, err := w.room(c, true)
	if err != nil {
		return nil, err
	}
	d, err := c.draft()
	if err != nil {
		return nil, err
	}
	if d.empty() {
		return nil, refuse("no_text")
	}
	if d.thread != "" && ch.message(d.thread) == nil {
		return nil, refuse("thread_not_found")
	}
	m := w.post(ch, d, "")
	return map[string]any{"channel": ch.ID, "ts": m.TS, "message": w.messageJSON(ch, m)}, nil
}

// post adds the bot's message. The caller holds mu.
func (w *Workspace) post(ch *channel, d draft, onlyFor string) *Message {
	m := &Message{
		TS: w.stamp(), ThreadTS: d.thread, Channel: ch.ID, User: w.bot.ID, Text: d.text,
		Blocks: d.blocks, Metadata: d.metadata, Ephemeral: onlyFor,
	}
	ch.add(m)
	w.touch()
	return m
}

func (w *Workspace) chatPostEphemeral(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch, err := w.room(c, false)
	if err != nil {
		return nil, err
	}
	user := c.str("user")
	if !slices.Contains(w.members(ch), user) {
		return nil, refuse("user_not_in_channel")
	}
	d, err := c.draft()
	if err != nil {
		return nil, err
	}
	if d.empty() {
		return nil, refuse("no_text")
	}
	m := w.post(ch, d, user)
	return map[string]any{"channel": ch.ID, "message_ts": m.TS}, nil
}

// own finds a message the bot may change: its own, and not an ephemeral one, which only a response URL reaches.
func (w *Workspace) own(ch *channel, ts, denied string) (*Message, error) {
	m := ch.message(ts)
	switch {
	case m == nil || m.Ephemeral != "":
		return nil, refuse("message_not_found")
	case m.User != w.bot.ID:
		return nil, refuse(denied)
	}
	return m, nil
}

func (w *Workspace) chatUpdate(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch, err := w.room(c, false)
	if err != nil {
		return nil, err
	}
	m, err := w.own(ch, c.str("ts"), "cant_update_message")
	if err != nil {
		return nil, err
	}
	d, err := c.draft()
	if err != nil {
		return nil, err
	}
	if d.empty() {
		return nil, refuse("no_text")
	}
	w.edit(m, d)
	return map[string]any{"channel": ch.ID, "ts": m.TS, "text": m.Text, "message": w.messageJSON(ch, m)}, nil
}

// edit changes a message in place. Metadata that is not given stays; text without blocks takes the blocks away.
func (w *Workspace) edit(m *Message, d draft) {
	m.Text, m.Blocks = d.text, d.blocks
	if d.metadata != nil {
		m.Metadata = d.metadata
	}
	m.Edited = true
	m.Edits++
	w.touch()
}

func (w *Workspace) chatDelete(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch, err := w.room(c, false)
	if err != nil {
		return nil, err
	}
	m, err := w.own(ch, c.str("ts"), "cant_delete_message")
	if err != nil {
		return nil, err
	}
	ch.remove(m.TS)
	w.touch()
	return map[string]any{"channel": ch.ID, "ts": m.TS}, nil
}

func (w *Workspace) chatPermalink(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch, err := w.find(c)
	if err != nil {
		return nil, err
	}
	m := ch.message(c.str("message_ts"))
	if m == nil {
		return nil, refuse("message_not_found")
	}
	link := c.base() + "/#" + ch.ID + "/" + m.TS
	if m.ThreadTS != "" && m.ThreadTS != m.TS {
		link = c.base() + "/#" + ch.ID + "/" + m.ThreadTS + "/" + m.TS
	}
	return map[string]any{"channel": ch.ID, "permalink": link}, nil
}

func (w *Workspace) reactionsAdd(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch, err := w.room(c, false)
	if err != nil {
		return nil, err
	}
	m, name := ch.message(c.str("timestamp")), c.str("name")
	switch {
	case m == nil || m.Ephemeral != "":
		return nil, refuse("message_not_found")
	case name == "":
		return nil, refuse("invalid_name")
	case slices.Contains(m.Reactions, name):
		return nil, refuse("already_reacted")
	}
	m.Reactions = append(slices.Clone(m.Reactions), name)
	w.touch()
	return nil, nil
}

// messageJSON is a message as Slack's answers and payloads carry it.
func (w *Workspace) messageJSON(ch *channel, m *Message) map[string]any {
	out := map[string]any{"type": "message", "user": m.User, "ts": m.TS, "text": m.Text, "team": w.o.TeamID}
	if m.User == w.bot.ID {
		out["bot_id"], out["app_id"] = w.botID(), w.appID()
		out["bot_profile"] = map[string]any{"id": w.botID(), "app_id": w.appID(), "name": w.bot.Name, "team_id": w.o.TeamID}
	}
	if len(m.Blocks) > 0 {
		out["blocks"] = m.Blocks
	}
	if len(m.Metadata) > 0 {
		out["metadata"] = m.Metadata
	}
	if m.Edited {
		out["edited"] = map[string]any{"user": m.User, "ts": m.TS}
	}
	if n := ch.replies(m.TS); n > 0 || m.ThreadTS != "" {
		out["thread_ts"] = m.TS
		if m.ThreadTS != "" {
			out["thread_ts"] = m.ThreadTS
		}
		if n > 0 {
			out["reply_count"] = n
		}
	}
	if len(m.Reactions) > 0 {
		rs := []any{}
		for _, n := range m.Reactions {
			rs = append(rs, map[string]any{"name": n, "count": 1, "users": []string{w.bot.ID}})
		}
		out["reactions"] = rs
	}
	return out
}
