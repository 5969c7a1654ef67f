package localslack

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
)

const maxBody = 1 << 20

// method is one Web API method: the token it wants and what it does.
type method struct {
	token tokenKind
	run   func(*call) (map[string]any, error)
}

type tokenKind int

const (
	botToken tokenKind = iota
	appToken
	noToken
)

// refusal is an answer with ok false.
type refusal struct {
	code     string
	messages []string
}

func (e *refusal) Error() string { return e.code + ": " + strings.Join(e.messages, "; ") }

func refuse(code string, messages ...string) error { return &refusal{code, messages} }

// webMethods is every method this workspace knows.
func (w *Workspace) webMethods() map[string]method {
	bot := func(f func(*call) (map[string]any, error)) method { return method{botToken, f} }
	return map[string]method{
		"api.test":              {noToken, w.apiTest},
		"apps.connections.open": {appToken, w.connectionsOpen},
		"auth.test":             bot(w.authTest),
		"blocks.validate":       {noToken, w.blocksValidate},
		"bots.info":             bot(w.botsInfo),
		"chat.delete":           bot(w.chatDelete),
		"chat.getPermalink":     bot(w.chatPermalink),
		"chat.postEphemeral":    bot(w.chatPostEphemeral),
		"chat.postMessage":      bot(w.chatPostMessage),
		"chat.update":           bot(w.chatUpdate),
		"conversations.history": bot(w.conversationsHistory),
		"conversations.info":    bot(w.conversationsInfo),
		"conversations.list":    bot(w.conversationsList),
		"conversations.members": bot(w.conversationsMembers),
		"conversations.open":    bot(w.conversationsOpen),
		"conversations.replies": bot(w.conversationsReplies),
		"reactions.add":         bot(w.reactionsAdd),
		"usergroups.list":       bot(w.usergroupsList),
		"usergroups.users.list": bot(w.usergroupsUsersList),
		"users.conversations":   bot(w.conversationsList),
		"users.info":            bot(w.usersInfo),
		"users.list":            bot(w.usersList),
		"users.lookupByEmail":   bot(w.usersLookupByEmail),
		"views.open":            bot(w.viewsOpen),
		"views.publish":         bot(w.viewsPublish),
		"views.push":            bot(w.viewsPush),
		"views.update":          bot(w.viewsUpdate),
	}
}

func (w *Workspace) serveAPI(rw http.ResponseWriter, r *http.Request) {
	name := r.PathValue("method")
	f, faulty := w.fault(name, "*")
	if faulty && f.apply(r.Context(), rw) {
		return
	}
	answer := w.answer(name, rw, r)
	if f.AfterAccept {
		panic(http.ErrAbortHandler) // the connection dies after the work is done
	}
	writeJSON(rw, http.StatusOK, answer)
}

func (w *Workspace) answer(name string, rw http.ResponseWriter, r *http.Request) map[string]any {
	c, err := readCall(rw, r)
	if err == nil {
		err = w.authorise(name, c)
	}
	var out map[string]any
	if err == nil {
		out, err = w.methods[name].run(c)
	}
	if err == nil {
		if out == nil {
			out = map[string]any{}
		}
		out["ok"] = true
		return out
	}
	w.o.Log.Debug("web api refused a call", "method", name, "error", err)
	var no *refusal
	if !errors.As(err, &no) {
		no = &refusal{code: "internal_error"}
	}
	out = map[string]any{"ok": false, "error": no.code}
	if len(no.messages) > 0 {
		out["response_metadata"] = map[string]any{"messages": no.messages}
		out["errors"] = no.messages
	}
	return out
}

func (w *Workspace) authorise(name string, c *call) error {
	m, known := w.methods[name]
	if !known {
		w.o.Log.Warn("web api method is not known here", "method", name)
		return refuse("unknown_method")
	}
	want := w.o.BotToken
	other := w.o.AppToken
	if m.token == appToken {
		want, other = other, want
	}
	switch {
	case m.token == noToken || c.token == want:
		return nil
	case c.token == "":
		return refuse("not_authed")
	case c.token == other:
		return refuse("not_allowed_token_type")
	}
	return refuse("invalid_auth")
}

// call is one request's arguments, wherever they came from: query, form or JSON body.
type call struct {
	args  map[string]json.RawMessage
	token string
	host  string
	tls   bool
}

func readCall(rw http.ResponseWriter, r *http.Request) (*call, error) {
	r.Body = http.MaxBytesReader(rw, r.Body, maxBody)
	c := &call{args: map[string]json.RawMessage{}, host: r.Host, tls: r.TLS != nil}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "application/json" {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, refuse("request_timeout")
		}
		if len(bytes.TrimSpace(body)) > 0 && json.Unmarshal(body, &c.args) != nil {
			return nil, refuse("invalid_json")
		}
	} else if err := r.ParseMultipartForm(maxBody); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return nil, refuse("invalid_form_data")
	}
	for k, v := range r.Form {
		c.args[k], _ = json.Marshal(v[0])
	}
	c.token = c.str("token")
	if t, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		c.token = t
	}
	return c, nil
}

// str is an argument as text: a JSON string without its quotes, anything else as it stands.
func (c *call) str(name string) string {
	raw := c.args[name]
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func (c *call) has(name string) bool { return len(c.args[name]) > 0 && string(c.args[name]) != "null" }

func (c *call) flag(name string) bool { s := c.str(name); return s == "true" || s == "1" }

// object decodes an argument that is JSON, or text that holds JSON as forms send it.
func (c *call) object(name string, into any) error {
	s := c.str(name)
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	return d.Decode(into)
}

func writeJSON(rw http.ResponseWriter, status int, v any) {
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	rw.WriteHeader(status)
	_, _ = rw.Write(encode(v)) // the client may be gone; nobody is left to tell
}

// encode is JSON without escaped <, > and &: what people wrote should be readable in logs and tests.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSpace(b.Bytes())
}
