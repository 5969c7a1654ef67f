// Package slack joins the bot to a Slack workspace: it takes in commands, buttons and forms over Socket Mode or HTTP,
// and posts, answers and edits.
package slack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"github.com/slack-go/slack"

	"gpuspend/billing"
	"gpuspend/bot"
	"gpuspend/notify/words"
)

// Deadlines. Slack wants an acknowledgement within 3 s, and a trigger opens a form for 3 s.
const (
	apiTimeout    = 15 * time.Second
	ackTimeout    = 2 * time.Second
	submitTimeout = 2 * time.Second
	workTimeout   = 30 * time.Second
	peopleLast    = 10 * time.Minute
)

// The pool: how many things are worked on at once, and how many may wait.
const (
	workers = 8
	waiting = 256
)

// Dedupe remembers what was handled. SeenEvent says whether an id was there already, and keeps it.
type Dedupe interface {
	SeenEvent(ctx context.Context, id string, at time.Time) (bool, error)
}

// Options is what a Client needs. BotToken, Desk and Words must be given; AppToken for Socket Mode, SigningSecret for
// HTTP. The zero value of another field means what its comment says.
type Options struct {
	BotToken      billing.Secret
	AppToken      billing.Secret
	SigningSecret billing.Secret
	APIURL        string            // Slack's own; must end in "/"
	HTTPClient    *http.Client      // one with timeouts
	Dialer        *websocket.Dialer // one with timeouts and the environment's proxy
	Desk          *bot.Desk
	Dedupe        Dedupe           // nothing is remembered beyond this process
	Now           func() time.Time // time.Now; the product's clock, for answers and for what was handled
	Log           *slog.Logger     // discards
	Words         *words.Book
	// Remember is told of everybody who was read, with the locale as Slack has it; nil for nobody to tell.
	Remember func(ctx context.Context, p bot.Person, locale string)
}

// Client is the bot's side of one workspace. All methods may be called at the same time.
type Client struct {
	o        Options
	api      *slack.Client
	opener   *slack.Client // opens Socket Mode connections, spaced
	desk     atomic.Pointer[bot.Desk]
	jobs     chan func(context.Context)
	people   people
	identity atomic.Pointer[Identity]
	dms      sync.Map // user id -> channel id
	link     link
	seen     seen
}

// New makes a Client and calls nobody. It fails where something needed is missing.
func New(o Options) (*Client, error) {
	if o.BotToken.Empty() || o.Desk == nil || o.Words == nil {
		return nil, &billing.Error{Kind: billing.Invalid, Op: "slack: start", Err: errors.New("bot token, desk and words must be given")}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{o: o, jobs: make(chan func(context.Context), waiting)}
	c.desk.Store(o.Desk)
	given := http.Client{}
	if o.HTTPClient != nil {
		given = *o.HTTPClient
	}
	if given.Timeout == 0 {
		given.Timeout = apiTimeout
	}
	opening := given
	opening.Timeout += spaceMost // the wait counts, too
	opening.Transport = newSpaced(given.Transport)
	c.api, c.opener = o.api(&given), o.api(&opening)
	return c, nil
}

// api makes slack-go's client over an HTTP client.
func (o Options) api(h *http.Client) *slack.Client {
	options := []slack.Option{slack.OptionHTTPClient(h), slack.OptionAppLevelToken(o.AppToken.Reveal())}
	if o.APIURL != "" {
		options = append(options, slack.OptionAPIURL(o.APIURL))
	}
	return slack.New(o.BotToken.Reveal(), options...)
}

// Use swaps the desk, after a change of configuration say. What is being answered goes on with the old one.
func (c *Client) Use(d *bot.Desk) {
	c.desk.Store(d)
	c.people.forget()
}

// Identity is the workspace and the bot's own user, as the bot token has them.
type Identity struct{ Team, Enterprise, User, URL string }

// Identity asks Slack who the bot is: the first call of a start, and the check of its token.
func (c *Client) Identity(ctx context.Context) (Identity, error) {
	r, err := c.api.AuthTestContext(ctx)
	if err != nil {
		return Identity{}, failed("slack: auth.test", err)
	}
	id := Identity{Team: r.TeamID, Enterprise: r.EnterpriseID, User: r.UserID, URL: r.URL}
	c.identity.Store(&id)
	return id, nil
}

// enqueue hands work to the pool; false where too much is waiting.
func (c *Client) enqueue(job func(context.Context)) bool {
	select {
	case c.jobs <- job:
		return true
	default:
		c.link.drop()
		c.o.Log.Error("slack: too much is waiting; dropped one")
		return false
	}
}

// work runs the pool until ctx ends. What is being worked on then is finished: somebody may have pressed a button.
func (c *Client) work(ctx context.Context) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case job := <-c.jobs:
					c.safely(context.WithoutCancel(ctx), job)
				}
			}
		})
	}
	wg.Wait()
}

// safely runs one job: a panic in it is a bug of that answer, not the end of the program. A panic's own words may hold
// anything, so that only those of the Go runtime are kept, and where it was.
func (c *Client) safely(ctx context.Context, job func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			why := fmt.Sprintf("a value of type %T", r)
			if e, ok := r.(runtime.Error); ok {
				why = e.Error()
			}
			c.o.Log.Error("slack: a handler panicked", "panic", why, "stack", string(debug.Stack()))
		}
	}()
	job(ctx)
}
