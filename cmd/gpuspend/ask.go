package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/billing/providers"
	"gpuspend/billing/release"
	"gpuspend/bot"
	"gpuspend/bot/blocks"
	"gpuspend/notify/words"
	"gpuspend/storage"
)

type askOptions struct {
	demo                            bool
	db, config, as, zone, lang, now string
	json                            bool
	words                           []string
}

func askCommand() *cobra.Command {
	var o askOptions
	c := &cobra.Command{
		Use:   "ask [--demo | --db FILE | --config FILE] WORDS...",
		Short: "Answer /gpu words here, without Slack",
		Long: `Answers the same words as /gpu in Slack. It only reads: release, keep and the like say what they would do and
exit with 1, except with --demo, which has a world of its own.

--db reads a store, --config the store that a configuration names (nothing is polled); --demo makes a fresh simulated
world at one fixed instant, so the answer is the same at every run.

Exit codes: 0 answered; 1 failed, or nothing to answer from; 2 the words were not understood.`,
		Example: `  gpuspend ask --demo status
  gpuspend ask --demo --lang zh cost month by provider
  gpuspend ask --db gpuspend.db --tz Asia/Shanghai --json cost 2026-11 by service`,
		RunE: func(c *cobra.Command, args []string) error {
			o.words = args
			return ask(c.Context(), o, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.BoolVar(&o.demo, "demo", false, "ask a fresh simulated world")
	f.StringVar(&o.db, "db", "", "ask a store")
	f.StringVar(&o.config, "config", "", "ask the store that a configuration names")
	f.StringVar(&o.as, "as", "", "answer as this Slack user id would be answered; default: the owner of the machine")
	f.StringVar(&o.zone, "tz", "", "time zone, such as Asia/Shanghai; default the configuration's, else UTC")
	f.StringVar(&o.lang, "lang", "", "en or zh; default the configuration's, else en")
	f.StringVar(&o.now, "now", "", "answer as of this instant (RFC 3339)")
	f.BoolVar(&o.json, "json", false, "print the answer as JSON")
	c.MarkFlagsMutuallyExclusive("demo", "db", "config")
	c.MarkFlagsOneRequired("demo", "db", "config")
	return c
}

func ask(ctx context.Context, o askOptions, out, errs io.Writer) error {
	asked, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer asked.end()
	desk := asked.desk
	zone, err := o.location(desk.Zone)
	if err != nil {
		return &exit{code: exitWords, err: err}
	}
	if o.lang == "" {
		o.lang = desk.Lang
	} else if o.lang != words.English && o.lang != words.Chinese {
		return &exit{code: exitWords, err: fmt.Errorf("--lang: %q is not known; it is en or zh", o.lang)}
	}
	now := desk.Now()
	r := bot.Request{Words: o.words, Person: o.person(ctx, asked), Zone: zone, Now: now, Print: desk.Words.For(o.lang, zone, now),
		Dry: !o.demo, Local: true}
	answer, err := desk.Ask(ctx, r)
	var unclear *bot.WordsError
	if errors.As(err, &unclear) {
		_, _ = fmt.Fprintln(errs, unclear.Say)
		return &exit{code: exitWords, said: true, err: err}
	}
	if err != nil {
		return fmt.Errorf("%s", r.Print.Say(billing.SayOf(err)))
	}
	if err := o.print(out, answer, r.Print); err != nil {
		return err
	}
	if answer.Failed {
		return &exit{code: exitFailed, said: true, err: errors.New("not done")}
	}
	return nil
}

func (o askOptions) location(def *time.Location) (*time.Location, error) {
	if o.zone == "" {
		return def, nil
	}
	z, err := zoneNamed(o.zone)
	if err != nil {
		return nil, fmt.Errorf("--tz: %w", err)
	}
	return z, nil
}

// asked is what a question is put to.
type asked struct {
	desk     *bot.Desk
	standing func(ctx context.Context, id string) bot.Standing
	lines    func(ctx context.Context, q ledger.Question) iter.Seq2[billing.Charge, error] // of a store; nil for the demo
	end      func()
}

// person is who asks: nobody in particular, or somebody with the standing that the chat gave him. Of whom nothing is
// known, only being listed counts.
func (o askOptions) person(ctx context.Context, a asked) bot.Person {
	p := bot.Person{ID: o.as, Team: a.desk.Roles.Team, Name: o.as}
	if o.as != "" {
		p.Standing = a.standing(ctx, o.as)
	}
	return p
}

// open opens what is asked; the caller ends it.
func (o askOptions) open(ctx context.Context) (asked, error) {
	now, err := o.instant()
	if err != nil {
		return asked{}, &exit{code: exitWords, err: err}
	}
	if o.demo {
		return demoDesk(ctx, now)
	}
	c, path := Config{}, o.db
	if o.config != "" {
		if c, err = ReadConfig(o.config); err != nil {
			return asked{}, err
		}
		path = c.storePath()
	}
	db, err := storage.OpenReadOnly(ctx, path)
	if err != nil {
		return asked{}, err
	}
	d, err := readingDesk(ctx, db, c, providers.All(), now)
	if err != nil {
		return asked{}, errors.Join(err, db.Close())
	}
	standing := func(ctx context.Context, id string) bot.Standing {
		p, _, err := db.Person(ctx, c.Slack.Team, id)
		if err != nil {
			return bot.Unknown
		}
		return bot.Standing(p.Standing)
	}
	return asked{desk: d, standing: standing, lines: db.Lines, end: func() { _ = db.Close() }}, nil
}

func (o askOptions) instant() (func() time.Time, error) {
	if o.now == "" {
		if o.demo {
			return nil, nil
		}
		return time.Now, nil
	}
	t, err := time.Parse(time.RFC3339, o.now)
	if err != nil {
		return nil, fmt.Errorf("--now: %q is no instant; write it like 2026-12-02T09:57:00+08:00", o.now)
	}
	return func() time.Time { return t }, nil
}

// readingDesk answers from a store and changes nothing: it knows what a release would do, and does none.
func readingDesk(ctx context.Context, db *storage.DB, c Config, drivers []billing.Driver, now func() time.Time) (*bot.Desk, error) {
	accounts, err := db.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	in, err := install(c, drivers, accounts)
	if err != nil {
		return nil, err
	}
	book, err := words.New()
	if err != nil {
		return nil, err
	}
	engine, err := release.New(release.Options{Store: db, Reader: bystander{}, Opener: bystander{in, accounts}, Now: now,
		Checklist: c.checklist, Second: c.second,
		About: func(id billing.AccountID) release.About { return in.about(accounts, id) }})
	if err != nil {
		return nil, err
	}
	d := newDesk(db, in, c, book, now)
	d.Engine = engine
	return d, nil
}

// bystander stands where an engine would act: it knows what each cloud can do, and reaches none.
type bystander struct {
	in       installation
	accounts []billing.Account
}

// Refresh fails: ask polls nothing.
func (bystander) Refresh(context.Context, billing.AccountID, billing.Scope) error {
	return errAsksOnly()
}

// OpenForRelease gives an account's cloud without its keys and without a network, for what it could do. It fails where
// a configuration stands that does not allow releases.
func (b bystander) OpenForRelease(_ context.Context, id billing.AccountID) (billing.Provider, error) {
	for _, a := range b.accounts {
		d, known := b.in.drivers[a.Driver]
		if a.ID != id || !known || (len(b.in.order) > 0 && !b.in.release[a.Name]) {
			continue
		}
		c := billing.Config{Account: a.Name, Fields: map[string]billing.Secret{}}
		for _, f := range d.Fields {
			if f.Required { // settings have defaults, and a value that is none of theirs is refused
				c.Fields[f.Name] = billing.NewSecret("none")
			}
		}
		return d.Open(c, billing.Env{Transport: closed{}, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return time.Time{} }})
	}
	return nil, &billing.Error{Kind: billing.Denied, Op: "ask: open for release",
		Say: billing.Say("release.refused.read_only", "account", b.in.about(b.accounts, id).Name)}
}

// closed is a network that leads nowhere.
type closed struct{}

func (closed) RoundTrip(*http.Request) (*http.Response, error) { return nil, errAsksOnly() }

func errAsksOnly() error {
	return &billing.Error{Kind: billing.Denied, Op: "ask", Err: errors.New("ask only reads the store")}
}

// storePath is where the configuration keeps the store.
func (c Config) storePath() string {
	if c.Store == "" {
		return "gpuspend.db"
	}
	return c.Store
}

// answerJSON is the documented form of an answer.
type answerJSON struct {
	Command  string          `json:"command"`
	AsOf     *string         `json:"as_of"`
	Timezone string          `json:"timezone"`
	Text     string          `json:"text"`
	Blocks   json.RawMessage `json:"blocks"`
	Data     any             `json:"data"`
	Warnings []string        `json:"warnings"`
}

func (o askOptions) print(out io.Writer, a bot.Answer, p words.Printer) error {
	if !o.json {
		_, err := fmt.Fprintln(out, bot.Plain(a.Message, width(out)))
		return err
	}
	j := answerJSON{Command: a.Command, Timezone: p.Zone.String(), Text: bot.Plain(a.Message, 100), Data: a.Data, Warnings: a.Warnings}
	if !a.AsOf.IsZero() {
		s := a.AsOf.UTC().Format(time.RFC3339)
		j.AsOf = &s
	}
	if j.Warnings == nil {
		j.Warnings = []string{}
	}
	b, err := json.Marshal(blocks.Message(a.Message, blocks.Options{More: func(n int) string { return p.Text("bot.more", "count", n) }}))
	if err != nil {
		return fmt.Errorf("ask: make blocks: %w", err)
	}
	j.Blocks = b
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(j)
}

// width is that of the terminal; 100 columns where there is none.
func width(out io.Writer) int {
	if f, ok := out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
	}
	return 100
}
