package bot

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// Ask answers one line of words. A line that is not understood fails with a *WordsError; a person who may not ask gets
// an answer that says so, Failed.
func (d *Desk) Ask(ctx context.Context, r Request) (Answer, error) {
	r = d.complete(r)
	role := d.role(r)
	if role == Nobody {
		return d.refuse(r), nil
	}
	c, rest, err := command(r.Print, tokens(r.Words))
	if err != nil {
		return Answer{}, err
	}
	r.Words = rest
	if role < c.Role && !c.Owners { // these say themselves who may
		d.note(r.Person, c.Name)
		a := say(r.Print, "bot.refused.operator")
		a.Command, a.Failed = c.Name, true
		return a, nil
	}
	a, err := c.Run(ctx, d, r)
	if err != nil {
		return Answer{}, err
	}
	a.Command = c.Name
	if a.Warnings == nil {
		a.Warnings = []string{}
	}
	if d.Source != "" && c.Name != "help" {
		a.Message.Blocks = append(a.Message.Blocks, notify.Context(notify.Plain(d.Source)))
	}
	return a, nil
}

// complete fills in what a caller left to the installation.
func (d *Desk) complete(r Request) Request {
	if r.Now.IsZero() {
		r.Now = d.now()
	}
	if r.Zone == nil {
		r.Zone = d.zone()
	}
	if r.Print.Zone == nil {
		r.Print = d.Private(r.Person, r.Now)
	}
	return r
}

func (d *Desk) now() time.Time {
	if d.Now == nil {
		return time.Time{}
	}
	return d.Now()
}

func (d *Desk) zone() *time.Location {
	if d.Zone == nil {
		return time.UTC
	}
	return d.Zone
}

// Private is the printer for what only one person reads: his language and zone, else those of the installation.
func (d *Desk) Private(p Person, now time.Time) words.Printer {
	lang, zone := p.Lang, p.Zone
	if lang == "" {
		lang = d.Lang
	}
	if zone == nil {
		zone = d.zone()
	}
	return d.Words.For(lang, zone, now)
}

// Shared is the printer for what everybody reads, in the installation's language and zone.
func (d *Desk) Shared(now time.Time) words.Printer { return d.Words.For(d.Lang, d.zone(), now) }

func (d *Desk) role(r Request) Role {
	if r.Local && r.Person.ID == "" {
		return Operator
	}
	return d.Roles.Of(r.Person, r.Place)
}

func (d *Desk) refuse(r Request) Answer {
	d.note(r.Person, "ask")
	a := say(r.Print, d.Roles.refusal(r.Person).Key)
	a.Failed = true
	return a
}

// note keeps a refusal for whoever looks after the installation.
func (d *Desk) note(p Person, what string) {
	d.log().Warn("refused a person", "user", p.ID, "team", p.Team, "standing", string(p.Standing), "what", what)
}

func (d *Desk) log() *slog.Logger {
	if d.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return d.Log
}

// Apology says a failure to a person: what was not understood, or the failure's own sentence. The failure itself goes
// to the log.
func (d *Desk) Apology(p words.Printer, err error) notify.Message {
	var w *WordsError
	if errors.As(err, &w) {
		return notify.Message{Push: firstLine(w.Say), Blocks: []notify.Block{notify.Section(notify.Plain(w.Say))}}
	}
	d.log().Error("answer failed", "error", err)
	s := p.Sentence(billing.SayOf(err))
	return notify.Message{Push: s.String(), Blocks: []notify.Block{notify.Section(s)}}
}

// say makes an answer of one sentence.
func say(p words.Printer, key string, args ...any) Answer {
	s := p.Rich(key, args...)
	return Answer{Message: notify.Message{Push: firstLine(s.String()), Blocks: []notify.Block{notify.Section(s)}}}
}

func firstLine(s string) string {
	for i, c := range s {
		if c == '\n' {
			return s[:i]
		}
	}
	return s
}
