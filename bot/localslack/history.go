package localslack

import "slices"

func (c *channel) replies(ts string) (n int) {
	for _, m := range c.messages {
		if m.ThreadTS == ts && m.TS != ts && m.Ephemeral == "" {
			n++
		}
	}
	return n
}

// clean drops metadata unless it was asked for, as Slack does.
func (w *Workspace) clean(c *call, ch *channel, m *Message) map[string]any {
	out := w.messageJSON(ch, m)
	if !c.flag("include_all_metadata") {
		delete(out, "metadata")
	}
	return out
}

func (w *Workspace) conversationsHistory(c *call) (map[string]any, error) {
	return w.read(c, func(m *Message) bool { return m.ThreadTS == "" || m.ThreadTS == m.TS }, true)
}

func (w *Workspace) conversationsReplies(c *call) (map[string]any, error) {
	root := c.str("ts")
	w.mu.Lock()
	ch, err := w.find(c)
	if err == nil && ch.message(root) == nil {
		err = refuse("thread_not_found")
	}
	w.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return w.read(c, func(m *Message) bool { return m.TS == root || m.ThreadTS == root }, false)
}

// read answers history (newest first) and replies (oldest first) with oldest, latest, inclusive, limit and a cursor.
func (w *Workspace) read(c *call, keep func(*Message) bool, newestFirst bool) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch, err := w.find(c)
	if err != nil {
		return nil, err
	}
	var found []any
	for _, m := range ch.messages {
		if m.Ephemeral == "" && keep(m) && c.inWindow(m.TS) {
			found = append(found, w.clean(c, ch, m))
		}
	}
	if newestFirst {
		slices.Reverse(found)
	}
	start, limit := min(number(c.str("cursor"), 0), len(found)), number(c.str("limit"), 100)
	end := min(start+max(limit, 1), len(found))
	next := ""
	if end < len(found) {
		next = decimal(end)
	}
	return map[string]any{
		"messages": append([]any{}, found[start:end]...), "has_more": next != "",
		"response_metadata": map[string]any{"next_cursor": next},
	}, nil
}

// inWindow compares timestamps as text: they all have ten digits before the point until the year 2286.
func (c *call) inWindow(ts string) bool {
	oldest, latest, inclusive := c.str("oldest"), c.str("latest"), c.flag("inclusive")
	if oldest == "0" {
		oldest = ""
	}
	switch {
	case oldest != "" && (ts < oldest || ts == oldest && !inclusive):
		return false
	case latest != "" && (ts > latest || ts == latest && !inclusive):
		return false
	}
	return true
}
