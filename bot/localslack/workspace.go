// Package localslack is a Slack workspace inside this process, for the demo and for end-to-end tests: it speaks enough
// of Slack's Web API and Socket Mode that unchanged Slack clients work against it, refuses what Slack would refuse, and
// shows the conversation on a web page.
package localslack

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

// Slack's own deadlines. They run on package time, never on Options.Now: a demo clock may run fast, a client does not.
const (
	ackWithin     = 3 * time.Second
	triggerLives  = 3 * time.Second
	responseLives = 30 * time.Minute
	responseUses  = 5
)

// Bounds on what is remembered, so that a demo left running for weeks stays small.
const (
	keepMessages  = 2000
	keepEnvelopes = 1000
	keepAcks      = 5000
	keepNotices   = 20
)

// Person is a member of the workspace.
type Person struct {
	ID, Name, RealName string
	Locale, TZ         string
	Guest              bool // restricted to some channels
	Stranger           bool // belongs to another organisation: is_stranger, and another team_id
	Bot                bool // the first Bot is the app's own user
	Deleted            bool
	Email              string
}

// Channel is a conversation. DM is the user it is with when it is a direct message with the bot.
type Channel struct{ ID, Name, Topic, DM string }

// Group is a user group, as in @oncall.
type Group struct {
	ID, Handle, Name string
	Members          []string
}

// Banner is the strip on top of the page.
type Banner struct {
	Text  string `json:"text"`
	Speed string `json:"speed"`
}

// Options describes a workspace. The zero value of a field means what its comment says.
type Options struct {
	Title              string // "Local workspace"
	TeamID             string // "T0LOCAL"
	People             []Person
	Channels           []Channel
	Groups             []Group
	BotToken, AppToken string           // "xoxb-local" and "xapp-local"; any other token gets invalid_auth
	Now                func() time.Time // time.Now; gives message timestamps and the page's clock only
	Ping               time.Duration    // 10 s
	Banner             func() Banner    // no strip
	Hints              []string         // commands the composer suggests
	Hosts              []string         // names the page may be asked by, beside loopback and the listener's own address
	Log                *slog.Logger     // discards
}

// Message is one message as it stands now.
type Message struct {
	TS        string          `json:"ts"`
	ThreadTS  string          `json:"thread_ts,omitempty"`
	Channel   string          `json:"channel"`
	User      string          `json:"user"`
	Text      string          `json:"text"`
	Blocks    json.RawMessage `json:"blocks,omitempty"`
	Edited    bool            `json:"edited,omitempty"`
	Ephemeral string          `json:"ephemeral,omitempty"` // the only user who sees it
	Metadata  json.RawMessage `json:"metadata,omitempty"`
	Edits     int             `json:"-"`
	Reactions []string        `json:"reactions,omitempty"`
}

type channel struct {
	Channel
	archived bool
	messages []*Message
}

// notice is what Slack itself tells a person: the app did not answer, or is not there.
type notice struct {
	User    string `json:"-"`
	Channel string `json:"channel"`
	Kind    string `json:"kind"` // timeout, absent, trouble
	About   string `json:"about"`
	TS      string `json:"ts"`
}

// Workspace is one running workspace. All methods may be called at the same time.
type Workspace struct {
	o       Options
	bot     Person
	methods map[string]method

	conns sync.WaitGroup // connections, links and retries that belong to Serve

	mu        sync.Mutex
	changed   chan struct{} // closed and replaced at every change
	rev       int
	life      context.Context // of Serve; nil when not serving
	base      string          // how the app reaches us; response URLs start with it
	channels  []*channel
	last      int64 // microseconds of the last timestamp given out
	seq       int
	views     map[string]*view
	stacks    map[string][]*view // by user, the visible one last
	homes     map[string]*view
	triggers  map[string]*trigger
	tickets   map[string]time.Time
	replies   map[string]*reply
	links     []*link
	muted     bool
	envelopes map[string]*envelope
	order     []string // envelope ids, oldest first
	acks      []Ack
	faults    map[string][]*pendingFault
	notices   []notice
}

// New returns a workspace that nobody has written in yet.
func New(o Options) *Workspace {
	o.Title = cmp.Or(o.Title, "Local workspace")
	o.TeamID = cmp.Or(o.TeamID, "T0LOCAL")
	o.BotToken = cmp.Or(o.BotToken, "xoxb-local")
	o.AppToken = cmp.Or(o.AppToken, "xapp-local")
	o.Ping = cmp.Or(o.Ping, 10*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	w := &Workspace{
		o: o, changed: make(chan struct{}),
		views: map[string]*view{}, stacks: map[string][]*view{}, homes: map[string]*view{},
		triggers: map[string]*trigger{}, tickets: map[string]time.Time{}, replies: map[string]*reply{},
		envelopes: map[string]*envelope{}, faults: map[string][]*pendingFault{},
	}
	w.o.People = slices.Clone(o.People)
	i := slices.IndexFunc(w.o.People, func(p Person) bool { return p.Bot })
	if i < 0 {
		i = len(w.o.People)
		w.o.People = append(w.o.People, Person{ID: "U0GPUSPEND", Name: "gpuspend", RealName: "gpuspend", Bot: true})
	}
	w.bot = w.o.People[i]
	for _, c := range o.Channels {
		w.channels = append(w.channels, &channel{Channel: c})
	}
	w.methods = w.webMethods()
	return w
}

// Messages returns a channel's messages, oldest first, ephemeral ones and threads included.
func (w *Workspace) Messages(channelID string) []Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.channel(channelID)
	if c == nil {
		return nil
	}
	out := make([]Message, len(c.messages))
	for i, m := range c.messages {
		out[i] = *m
	}
	return out
}

// OpenDM returns the id of the user's direct message with the bot, made on demand.
func (w *Workspace) OpenDM(userID string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.openDM(userID).ID
}

func (w *Workspace) openDM(userID string) *channel {
	for _, c := range w.channels {
		if c.DM == userID {
			return c
		}
	}
	c := &channel{Channel: Channel{ID: "D0" + strings.TrimPrefix(userID, "U"), DM: userID}}
	w.channels = append(w.channels, c)
	w.touch()
	return c
}

// Rename gives a channel another name; its id stays.
func (w *Workspace) Rename(channelID, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.channel(channelID); c != nil {
		c.Name = name
		w.touch()
	}
}

// Archive makes every chat.* call on the channel answer is_archived.
func (w *Workspace) Archive(channelID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.channel(channelID); c != nil {
		c.archived = true
		w.touch()
	}
}

// Wait blocks until cond holds, asking again after every change of the workspace. It returns the context's error if
// that ends first. cond is called without a lock and may use the Workspace.
func (w *Workspace) Wait(ctx context.Context, cond func() bool) error {
	for {
		ch := w.change()
		if cond() {
			return nil
		}
		select {
		case <-ch:
		case <-ctx.Done():
			return fmt.Errorf("wait for the workspace: %w", ctx.Err())
		}
	}
}

// change returns a channel that is closed at the next change.
func (w *Workspace) change() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// touch tells everybody who waits that something changed. The caller holds mu.
func (w *Workspace) touch() {
	w.rev++
	close(w.changed)
	w.changed = make(chan struct{})
}

// stamp gives the next message timestamp: Options.Now, but always later than the one before. The caller holds mu.
func (w *Workspace) stamp() string {
	w.last = max(w.last+1, w.o.Now().UnixMicro())
	return fmt.Sprintf("%d.%06d", w.last/1e6, w.last%1e6)
}

// next gives an id that was not used before. The caller holds mu.
func (w *Workspace) next(prefix string) string {
	w.seq++
	return fmt.Sprintf("%s0%06d", prefix, w.seq)
}

func secret() string { return rand.Text() }

func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func (w *Workspace) channel(id string) *channel {
	for _, c := range w.channels {
		if c.ID == id {
			return c
		}
	}
	return nil
}

func (w *Workspace) person(id string) (Person, bool) {
	for _, p := range w.o.People {
		if p.ID == id {
			return p, true
		}
	}
	return Person{}, false
}

func (c *channel) message(ts string) *Message {
	for i := len(c.messages) - 1; i >= 0; i-- {
		if c.messages[i].TS == ts {
			return c.messages[i]
		}
	}
	return nil
}

func (c *channel) add(m *Message) {
	c.messages = append(c.messages, m)
	if len(c.messages) > keepMessages {
		c.messages = slices.Delete(c.messages, 0, len(c.messages)-keepMessages)
	}
}

func (c *channel) remove(ts string) {
	c.messages = slices.DeleteFunc(c.messages, func(m *Message) bool { return m.TS == ts })
}

// label is the name Slack puts in payloads.
func (c *channel) label() string {
	if c.DM != "" {
		return "directmessage"
	}
	return c.Name
}
