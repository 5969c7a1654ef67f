package localslack

import (
	"maps"
	"net/http"
	"time"
)

// reply is a response URL: five messages within thirty minutes, for one person at one place.
type reply struct {
	user, channel, ts string // ts is the message that was clicked, "" for a command
	born              time.Time
	uses              int
}

// newReply mints a response URL and forgets those that ran out. The caller holds mu.
func (w *Workspace) newReply(user, channel, ts string) string {
	maps.DeleteFunc(w.replies, func(_ string, r *reply) bool { return time.Since(r.born) > 2*responseLives })
	token := secret()
	w.replies[token] = &reply{user: user, channel: channel, ts: ts, born: time.Now()}
	return w.base + "/response/" + token
}

func (w *Workspace) serveResponse(rw http.ResponseWriter, r *http.Request) {
	f, faulty := w.fault("response")
	if faulty && f.apply(r.Context(), rw) {
		return
	}
	c, err := readCall(rw, r)
	if err == nil {
		err = w.respond(r.PathValue("token"), c)
	}
	if f.AfterAccept {
		panic(http.ErrAbortHandler)
	}
	if err == nil {
		writeJSON(rw, http.StatusOK, map[string]any{"ok": true})
		return
	}
	no, _ := err.(*refusal)
	status := http.StatusBadRequest
	if no.code == "used_url" || no.code == "expired_url" {
		status = http.StatusNotFound
	}
	out := map[string]any{"ok": false, "error": no.code}
	if len(no.messages) > 0 {
		out["response_metadata"] = map[string]any{"messages": no.messages}
	}
	writeJSON(rw, status, out)
}

func (w *Workspace) respond(token string, c *call) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.replies[token]
	switch {
	case r == nil || time.Since(r.born) > responseLives:
		return refuse("expired_url")
	case r.uses >= responseUses:
		return refuse("used_url")
	}
	ch := w.channel(r.channel)
	if ch == nil {
		return refuse("channel_not_found")
	}
	d, err := c.draft()
	if err != nil {
		return err
	}
	deleting := c.flag("delete_original")
	if d.empty() && !deleting {
		return refuse("no_text")
	}
	r.uses++
	m := ch.message(r.ts)
	switch {
	case deleting && m != nil:
		ch.remove(m.TS)
		w.touch()
	case deleting:
	case c.flag("replace_original") && m != nil:
		w.edit(m, d)
	default:
		only := r.user
		if c.str("response_type") == "in_channel" {
			only = ""
		}
		w.post(ch, d, only)
	}
	return nil
}
