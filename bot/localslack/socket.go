package localslack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/coder/websocket"
)

// writeWithin bounds one write on a link: a peer that does not read must not hold up a person.
const writeWithin = 5 * time.Second

// What a person is told when nobody answers.
var (
	errAbsent  = errors.New("no app is connected")
	errTimeout = errors.New("the app did not answer within 3 s")
)

// Ack is the app's receipt of one envelope.
type Ack struct {
	EnvelopeID string
	After      time.Duration // since it was last sent
	Payload    json.RawMessage
}

// link is one Socket Mode connection.
type link struct {
	conn    *websocket.Conn
	greeted bool
}

// envelope is what is sent to the app, once or again.
type envelope struct {
	id, kind string
	payload  json.RawMessage
	accepts  bool
	retries  int
	reason   string
	sent     time.Time
	acked    chan json.RawMessage
}

func (e *envelope) wire() json.RawMessage {
	return encode(map[string]any{
		"envelope_id": e.id, "type": e.kind, "payload": e.payload, "accepts_response_payload": e.accepts,
		"retry_attempt": e.retries, "retry_reason": e.reason,
	})
}

func (w *Workspace) connectionsOpen(c *call) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.tickets, func(_ string, t time.Time) bool { return time.Since(t) > time.Minute })
	w.base = c.base()
	ticket := secret()
	w.tickets[ticket] = time.Now()
	u := url.URL{Scheme: "ws", Host: c.host, Path: "/link", RawQuery: url.Values{"ticket": {ticket}, "app_id": {w.appID()}}.Encode()}
	if c.tls {
		u.Scheme = "wss"
	}
	return map[string]any{"url": u.String()}, nil
}

func (w *Workspace) serveLink(rw http.ResponseWriter, r *http.Request) {
	if f, ok := w.fault("link"); ok && f.apply(r.Context(), rw) {
		return
	}
	if !w.takeTicket(r.URL.Query().Get("ticket")) {
		writeJSON(rw, http.StatusUnauthorized, map[string]any{"ok": false, "error": "invalid_ticket"})
		return
	}
	w.conns.Add(1) // before the connection is hijacked, so that Serve never sees none
	defer w.conns.Done()
	conn, err := websocket.Accept(rw, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // slack-go sends Slack's own origin; the single-use ticket is what admits
		OnPingReceived:     func(context.Context, []byte) bool { return !w.isMuted() },
	})
	if err != nil {
		w.o.Log.Warn("open a link", "error", err)
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxBody)
	w.runLink(r.Context(), &link{conn: conn})
}

func (w *Workspace) takeTicket(t string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.tickets[t]
	delete(w.tickets, t)
	return ok
}

// runLink greets the app, pings it and reads its acks until the link ends.
func (w *Workspace) runLink(ctx context.Context, l *link) {
	ctx, cancel := context.WithCancel(ctx)
	pinging := make(chan struct{})
	n := w.addLink(l)
	go func() {
		defer close(pinging)
		w.keepAlive(ctx, l)
	}()
	defer func() {
		cancel()
		_ = l.conn.CloseNow()
		<-pinging
		w.dropLink(l)
	}()
	w.greet(ctx, l, n)
	for {
		_, data, err := l.conn.Read(ctx)
		if err != nil {
			w.o.Log.Debug("a link ended", "error", err)
			return
		}
		w.receive(data)
	}
}

// greet sends hello. A link that opens while the workspace is mute is greeted when it speaks again.
func (w *Workspace) greet(ctx context.Context, l *link, n int) {
	w.mu.Lock()
	quiet := w.muted || l.greeted
	l.greeted = l.greeted || !quiet
	w.mu.Unlock()
	if quiet {
		return
	}
	_ = l.write(ctx, encode(map[string]any{
		"type": "hello", "num_connections": n, "connection_info": map[string]any{"app_id": w.appID()},
		"debug_info": map[string]any{"host": "localslack", "approximate_connection_time": 18060},
	}))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.touch()
}

func (w *Workspace) keepAlive(ctx context.Context, l *link) {
	t := time.NewTicker(w.o.Ping)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if w.isMuted() {
			continue
		}
		pctx, cancel := context.WithTimeout(ctx, max(w.o.Ping, writeWithin))
		err := l.conn.Ping(pctx)
		cancel()
		if err != nil {
			_ = l.conn.CloseNow() // the reader ends with it
			return
		}
	}
}

func (l *link) write(ctx context.Context, b json.RawMessage) error {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	return l.conn.Write(ctx, websocket.MessageText, b)
}

func (w *Workspace) addLink(l *link) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.links = append(w.links, l)
	w.touch()
	return len(w.links)
}

func (w *Workspace) dropLink(l *link) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.links = slices.DeleteFunc(w.links, func(o *link) bool { return o == l })
	w.touch()
}

// Links is the number of Socket Mode connections that are open and greeted.
func (w *Workspace) Links() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.links {
		if l.greeted {
			n++
		}
	}
	return n
}

func (w *Workspace) isMuted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.muted
}

// Mute stops everything the workspace sends over links, PINGs too, while connections stay open: to the app it looks
// like a network that swallows packets. The Web API goes on working.
func (w *Workspace) Mute(on bool) {
	w.mu.Lock()
	w.muted = on
	links := slices.Clone(w.links)
	w.touch()
	w.mu.Unlock()
	for i, l := range links {
		w.greet(context.Background(), l, i+1)
	}
}

// DropLinks tells every connected app to reconnect, with Slack's words for reason ("refresh_requested", "warning",
// "link_disabled", "too_many_websockets"), and closes the connections.
func (w *Workspace) DropLinks(reason string) {
	w.mu.Lock()
	links := slices.Clone(w.links)
	w.mu.Unlock()
	for _, l := range links {
		_ = l.write(context.Background(), encode(map[string]any{
			"type": "disconnect", "reason": reason, "debug_info": map[string]any{"host": "localslack"},
		}))
		_ = l.conn.CloseNow()
	}
}

func (w *Workspace) closeLinks() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.links {
		_ = l.conn.CloseNow()
	}
}

// receive takes one message from the app: an ack, as nothing else is ever sent.
func (w *Workspace) receive(data []byte) {
	var a struct {
		EnvelopeID string          `json:"envelope_id"`
		Payload    json.RawMessage `json:"payload"`
	}
	if err := json.Unmarshal(data, &a); err != nil || a.EnvelopeID == "" {
		w.o.Log.Warn("a link sent something that is no ack", "bytes", len(data))
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.envelopes[a.EnvelopeID]
	if e == nil {
		w.o.Log.Warn("an ack for an unknown envelope", "envelope", a.EnvelopeID)
		return
	}
	w.acks = append(w.acks, Ack{EnvelopeID: a.EnvelopeID, After: time.Since(e.sent), Payload: a.Payload})
	if len(w.acks) > keepAcks {
		w.acks = slices.Delete(w.acks, 0, len(w.acks)-keepAcks)
	}
	select {
	case e.acked <- a.Payload:
	default: // nobody waits any more, or it was acked before
	}
	w.touch()
}

// Acks returns what the app acknowledged, oldest first.
func (w *Workspace) Acks() []Ack {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.acks)
}

// newEnvelope remembers an envelope for its ack and for Redeliver.
func (w *Workspace) newEnvelope(kind string, accepts bool, payload any) *envelope {
	e := &envelope{id: newUUID(), kind: kind, payload: encode(payload), accepts: accepts}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.envelopes[e.id] = e
	w.order = append(w.order, e.id)
	if len(w.order) > keepEnvelopes {
		delete(w.envelopes, w.order[0])
		w.order = slices.Delete(w.order, 0, 1)
	}
	return e
}

// send gives the envelope to the newest link and waits for its ack as long as Slack does.
func (w *Workspace) send(ctx context.Context, e *envelope) (json.RawMessage, error) {
	acked := make(chan json.RawMessage, 1)
	w.mu.Lock()
	e.acked, e.sent = acked, time.Now()
	wire, muted := e.wire(), w.muted
	var l *link
	if n := len(w.links); n > 0 {
		l = w.links[n-1]
	}
	w.mu.Unlock()
	if l == nil {
		return nil, errAbsent
	}
	t := time.NewTimer(ackWithin)
	defer t.Stop()
	if !muted {
		if err := l.write(ctx, wire); err != nil {
			return nil, fmt.Errorf("send to the app: %w", err)
		}
	}
	select {
	case p := <-acked:
		return p, nil
	case <-t.C:
		return nil, errTimeout
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Redeliver sends an envelope again, the same to the letter but for the retry count, and waits for its ack.
func (w *Workspace) Redeliver(ctx context.Context, envelopeID string) error {
	w.mu.Lock()
	e := w.envelopes[envelopeID]
	if e != nil {
		e.retries++
		e.reason = "timeout"
	}
	w.mu.Unlock()
	if e == nil {
		return fmt.Errorf("redeliver %s: unknown envelope", envelopeID)
	}
	if _, err := w.send(ctx, e); err != nil {
		return fmt.Errorf("redeliver %s: %w", envelopeID, err)
	}
	return nil
}
