package localslack

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

//go:embed page
var pageFiles embed.FS

// pageMessages is how many of a channel's messages the page gets.
const pageMessages = 200

// beat keeps an idle event stream alive through proxies and finds readers that are gone.
const beat = 20 * time.Second

func (w *Workspace) pageRoutes(mux *http.ServeMux) {
	sub, err := fs.Sub(pageFiles, "page")
	if err != nil {
		panic(err) // the files are compiled in
	}
	files := http.FileServerFS(sub)
	mux.Handle("/", w.guard(files))
	mux.Handle("GET /local/state", w.guard(http.HandlerFunc(w.serveState)))
	mux.Handle("GET /local/events", w.guard(http.HandlerFunc(w.serveEvents)))
	for name, do := range map[string]func(context.Context, deed) (any, error){
		"command": w.doCommand, "click": w.doClick, "submit": w.doSubmit, "viewaction": w.doViewAction,
		"close": w.doClose, "say": w.doSay,
	} {
		mux.Handle("POST /local/"+name, w.guard(w.deedHandler(do)))
	}
}

// guard keeps other sites away from the page: it answers only to hosts that mean this machine (a rebound DNS name does
// not), sets a policy that loads nothing from elsewhere, and takes posts only with a header no form can send.
func (w *Workspace) guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !w.hostAllowed(r) {
			http.Error(rw, "this page answers only to the address it listens on", http.StatusMisdirectedRequest)
			return
		}
		if r.Method == http.MethodPost && (r.Header.Get("X-Local") != "1" || !sameOrigin(r)) {
			http.Error(rw, "only the page itself may post here", http.StatusForbidden)
			return
		}
		head := rw.Header()
		head.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "+
			"img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cache-Control", "no-store")
		h.ServeHTTP(rw, r)
	})
}

// hostAllowed: loopback, the address the connection came in at, and Options.Hosts. A name that resolves here but is
// none of these is what a DNS rebinding attack looks like.
func (w *Workspace) hostAllowed(r *http.Request) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if _, inMemory := local.(pipeAddr); inMemory {
		return true
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(strings.ToLower(host), "[]")
	if host == "localhost" || slices.Contains(w.o.Hosts, host) {
		return true
	}
	ip := net.ParseIP(host)
	if ip == nil {
		return false
	}
	tcp, _ := local.(*net.TCPAddr)
	return ip.IsLoopback() || tcp != nil && tcp.IP.Equal(ip)
}

func sameOrigin(r *http.Request) bool {
	o := r.Header.Get("Origin")
	if o == "" {
		return true // not a browser
	}
	u, err := url.Parse(o)
	return err == nil && u.Host == r.Host
}

// serveState is everything the acting person sees.
func (w *Workspace) serveState(rw http.ResponseWriter, r *http.Request) {
	writeJSON(rw, http.StatusOK, w.pageState(r.FormValue("user")))
}

type pagePerson struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Real     string `json:"real"`
	Locale   string `json:"locale"`
	TZ       string `json:"tz"`
	Guest    bool   `json:"guest,omitempty"`
	Stranger bool   `json:"stranger,omitempty"`
	Bot      bool   `json:"bot,omitempty"`
}

type pageChannel struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	Topic    string     `json:"topic"`
	DM       bool       `json:"dm"`
	Archived bool       `json:"archived"`
	Messages []*Message `json:"messages"`
}

func (w *Workspace) pageState(user string) map[string]any {
	banner := w.banner() // it may take locks of its own: not under ours
	w.mu.Lock()
	defer w.mu.Unlock()
	if p, ok := w.person(user); !ok || p.Bot || p.Deleted {
		user = w.firstPerson()
	}
	w.openDMQuietly(user)
	people := []pagePerson{}
	for _, p := range w.o.People {
		if !p.Deleted {
			people = append(people, pagePerson{p.ID, p.Name, p.RealName, p.Locale, p.TZ, p.Guest, p.Stranger, p.Bot})
		}
	}
	channels := []pageChannel{}
	for _, c := range w.channels {
		if c.DM == "" || c.DM == user {
			channels = append(channels, pageChannel{c.ID, c.Name, c.Topic, c.DM != "", c.archived, c.seenBy(user)})
		}
	}
	views := []any{}
	for _, v := range w.stacks[user] {
		views = append(views, w.viewJSON(v))
	}
	notices := []notice{}
	for _, n := range w.notices {
		if n.User == user {
			notices = append(notices, n)
		}
	}
	var home any
	if v := w.homes[user]; v != nil {
		home = w.viewJSON(v)
	}
	return map[string]any{
		"rev": w.rev, "title": w.o.Title, "me": user, "bot": w.bot.ID, "people": people, "channels": channels, "views": views,
		"home": home, "notices": notices, "banner": banner, "hints": append([]string{}, w.o.Hints...),
		"connected": len(w.links) > 0, "now": w.o.Now().UnixMilli(),
	}
}

func (w *Workspace) banner() *Banner {
	if w.o.Banner == nil {
		return nil
	}
	b := w.o.Banner()
	return &b
}

func (w *Workspace) firstPerson() string {
	for _, p := range w.o.People {
		if !p.Bot && !p.Deleted {
			return p.ID
		}
	}
	return w.bot.ID
}

// openDMQuietly makes the conversation with the bot that everybody has, without waking readers for it.
func (w *Workspace) openDMQuietly(user string) {
	for _, c := range w.channels {
		if c.DM == user {
			return
		}
	}
	w.openDM(user)
}

// seenBy copies the channel's last messages without those meant for others. Metadata is for programs.
func (c *channel) seenBy(user string) []*Message {
	out := []*Message{}
	for _, m := range c.messages[max(0, len(c.messages)-pageMessages):] {
		if m.Ephemeral == "" || m.Ephemeral == user {
			seen := *m
			seen.Metadata = nil
			out = append(out, &seen)
		}
	}
	return out
}

// serveEvents tells the page that something changed, and every second how the banner reads now.
func (w *Workspace) serveEvents(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(rw)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	last, shown := time.Now(), Banner{}
	event := func(name string, data any) bool {
		last = time.Now()
		_, err := fmt.Fprintf(rw, "event: %s\ndata: %s\n\n", name, encode(data))
		return err == nil && flush.Flush() == nil
	}
	changed := w.change() // taken before the event is sent: nothing falls between
	for alive := event("change", nil); alive; {
		select {
		case <-r.Context().Done():
			return
		case <-changed:
			changed = w.change()
			alive = event("change", nil)
		case <-tick.C:
			b := w.banner()
			switch {
			case b != nil && *b != shown:
				shown = *b
				alive = event("banner", b)
			case time.Since(last) > beat:
				alive = event("beat", nil)
			}
		}
	}
}

// deed is what the page posts: one shape for all of them.
type deed struct {
	User    string                    `json:"user"`
	Channel string                    `json:"channel"`
	TS      string                    `json:"ts"`
	View    string                    `json:"view"`
	Block   string                    `json:"block"`
	Action  string                    `json:"action"`
	Value   any                       `json:"value"`
	Text    string                    `json:"text"`
	Values  map[string]map[string]any `json:"values"`
}

func (w *Workspace) deedHandler(do func(context.Context, deed) (any, error)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		var d deed
		if err := json.NewDecoder(http.MaxBytesReader(rw, r.Body, maxBody)).Decode(&d); err != nil {
			writeJSON(rw, http.StatusBadRequest, map[string]any{"ok": false, "error": "the body is no JSON"})
			return
		}
		out, err := do(r.Context(), d)
		if err != nil {
			writeJSON(rw, http.StatusOK, map[string]any{"ok": false, "error": err.Error(), "kind": kindOf(err)})
			return
		}
		writeJSON(rw, http.StatusOK, map[string]any{"ok": true, "reply": out})
	}
}

// kindOf is the word by which the page finds its own sentence for an error, "" when it has none.
func kindOf(err error) string {
	switch {
	case errors.Is(err, errAbsent):
		return "absent"
	case errors.Is(err, errTimeout):
		return "timeout"
	}
	return ""
}

func (w *Workspace) doCommand(ctx context.Context, d deed) (any, error) {
	return nil, w.Command(ctx, d.User, d.Channel, d.Text)
}

func (w *Workspace) doClick(ctx context.Context, d deed) (any, error) {
	s, _ := d.Value.(string)
	_, err := w.click(ctx, d.User, d.Channel, d.TS, d.Block, d.Action, s)
	return nil, err
}

func (w *Workspace) doSubmit(ctx context.Context, d deed) (any, error) {
	return w.Submit(ctx, d.User, d.View, d.Values)
}

func (w *Workspace) doViewAction(ctx context.Context, d deed) (any, error) {
	return nil, w.viewAction(ctx, d.User, d.View, d.Block, d.Action, d.Value, d.Values)
}

func (w *Workspace) doClose(ctx context.Context, d deed) (any, error) {
	return nil, w.CloseView(ctx, d.User, d.View)
}

func (w *Workspace) doSay(ctx context.Context, d deed) (any, error) {
	return nil, w.Say(ctx, d.User, d.Channel, d.Text, d.TS)
}
