package bot

import (
	"context"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// The names of the small forms and their input.
const (
	formKeep    = "keep"
	formSnooze  = "snooze"
	inputUntil  = "until"
	nextWorkday = "work"
)

func keepForm(p words.Printer, x item, at Place) Form {
	f := Form{Callback: formKeep, Title: p.Text("bot.keep.title"), Submit: p.Text("bot.keep.submit"), Close: p.Text("bot.button.cancel"),
		Private: carried{Resource: x.ID, Handle: x.Handle, Place: at}.String()}
	f.text(p.Rich("bot.keep.head", "name", notify.Code(label(x.Name, x.Ref.ID)), "cost", notify.Bold(p.MoneyPer(x.monthly, words.PerMonth))))
	c := Choice{Name: inputUntil, Label: p.Text("bot.keep.until_label"), Chosen: "30d"}
	for _, days := range []int{7, 30, 90} {
		c.Options = append(c.Options, Option{Value: p.Count(days) + "d", Label: p.Date(p.Now.AddDate(0, 0, days)),
			Hint: p.Duration(time.Duration(days) * 24 * time.Hour)})
	}
	c.Options = append(c.Options, Option{Value: "always", Label: p.Text("bot.keep.always"), Hint: p.Text("bot.keep.always_hint")})
	f.Blocks = append(f.Blocks, FormBlock{Choice: &c}, FormBlock{Line: &Line{Name: inputReason, Label: p.Text("bot.keep.reason"), Hint: p.Text("bot.keep.reason_hint")}})
	return f
}

func (d *Desk) submitKeep(ctx context.Context, s Submission, c carried, p words.Printer) (Reply, error) {
	if d.Keeper == nil {
		return Reply{Errors: map[string]string{inputUntil: p.Text("bot.press.unknown")}}, nil
	}
	until, ok := untilDate(one(s.Values, inputUntil), p.Now, d.zone())
	reason := strings.TrimSpace(one(s.Values, inputReason))
	switch {
	case !ok:
		return Reply{Errors: map[string]string{inputUntil: p.Text("bot.keep.until")}}, nil
	case reason == "":
		return Reply{Errors: map[string]string{inputReason: p.Text("bot.keep.why")}}, nil
	}
	if err := d.keepNow(ctx, c.Resource, keepWord{handle: c.Handle, until: until, reason: reason}, s.Person, p.Now); err != nil {
		return Reply{}, err
	}
	v, err := d.Look(ctx)
	if err != nil {
		return Reply{}, err
	}
	r := d.complete(Request{Person: s.Person, Print: p, Now: p.Now})
	x, err := find(r, v, c.Handle, "keep")
	if err != nil {
		return Reply{}, err
	}
	m := say(p, "bot.keep.done", "name", label(x.Name, x.Ref.ID), "handle", notify.Code(c.Handle),
		"until", untilText(p.Text("bot.keep.always"), r, until), "reason", reason).Message
	return Reply{Private: m, Place: c.Place}, nil
}

func snoozeForm(p words.Printer, c carried) Form {
	f := Form{Callback: formSnooze, Title: p.Text("bot.snooze.title"), Submit: p.Text("bot.snooze.submit"), Close: p.Text("bot.button.cancel"),
		Private: c.String()}
	choice := Choice{Name: inputUntil, Label: p.Text("bot.snooze.until"), Chosen: "1h"}
	for _, o := range []string{"1h", "4h", nextWorkday, "3d", "7d"} {
		choice.Options = append(choice.Options, Option{Value: o, Label: p.Text("bot.snooze.option." + o)})
	}
	f.Blocks = append(f.Blocks, FormBlock{Choice: &choice}, FormBlock{Line: &Line{Name: inputReason, Label: p.Text("bot.snooze.reason"), Optional: true}})
	return f
}

// submitSnooze silences an alert for a while, and says so to everybody: a silence that nobody sees is a trap.
func (d *Desk) submitSnooze(ctx context.Context, s Submission, c carried, p words.Printer) (Reply, error) {
	till := d.snoozeTill(ctx, one(s.Values, inputUntil), p.Now)
	if till.IsZero() || d.Alerts == nil {
		return Reply{Errors: map[string]string{inputUntil: p.Text("bot.press.unknown")}}, nil
	}
	reason := one(s.Values, inputReason)
	if err := d.Alerts.Snooze(ctx, c.Alert, till, reason, s.Person.ID, s.Person.Team, p.Now); err != nil {
		return Reply{Errors: map[string]string{inputUntil: p.Say(billing.SayOf(err))}}, nil
	}
	shared, key := d.Shared(p.Now), "bot.snoozed"
	if reason != "" {
		key = "bot.snoozed_reason"
	}
	m := say(shared, key, "who", personName(s.Person), "time", notify.Plain(shared.Moment(till)), "reason", reason).Message
	return Reply{Public: m, Place: c.Place}, nil
}

// snoozeTill is the instant of a choice; zero for one that nobody offered.
func (d *Desk) snoozeTill(ctx context.Context, choice string, now time.Time) time.Time {
	switch choice {
	case "1h":
		return now.Add(time.Hour)
	case "4h":
		return now.Add(4 * time.Hour)
	case "3d":
		return now.Add(72 * time.Hour)
	case "7d":
		return now.Add(7 * 24 * time.Hour)
	case nextWorkday:
		v, err := d.Look(ctx)
		if err == nil && v.Zone != nil {
			if at := v.Hours.NextStart(now, v.Zone); !at.IsZero() {
				return at
			}
		}
		return now.Add(12 * time.Hour)
	}
	return time.Time{}
}
