package bot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/release"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// Marker keeps people's marks: leases and removals.
type Marker interface {
	PutMark(ctx context.Context, m billing.Mark) (billing.Mark, error)
	Marks(ctx context.Context) ([]billing.Mark, error)
	EndMark(ctx context.Context, id int64, why string, at time.Time) error
}

// MarkData answers lease and remove.
type MarkData struct {
	Handle string     `json:"handle"`
	Due    *time.Time `json:"due"`
	Reason string     `json:"reason"`
	Done   bool       `json:"done"`
}

// The shortest and the longest lease.
const (
	leaseLeast = 15 * time.Minute
	leaseMost  = 30 * 24 * time.Hour
)

// lease answers "HANDLE 8h" and "HANDLE off": at its end the machine is stopped in the asker's name, so that he must be
// allowed to stop it.
func lease(ctx context.Context, d *Desk, r Request) (Answer, error) {
	if len(r.Words) != 2 {
		return Answer{}, unclear(r.Print, "bot.lease.which", "lease r-7k2f 8h")
	}
	off := fold1(r.Words[1]) == "off" || r.Words[1] == "取消"
	span, ok := durationOf(r.Words[1])
	if !off && (!ok || span < leaseLeast || span > leaseMost) {
		return Answer{}, unclear(r.Print, "bot.lease.span", "lease r-7k2f 8h", "word", r.Words[1])
	}
	x, err := d.thing(ctx, r, r.Words[0], "lease")
	if err != nil {
		return Answer{}, err
	}
	if why := d.cantStop(ctx, r, x); !why.IsZero() {
		a := Answer{Message: sentence(r.Print.Sentence(why)), Warnings: []string{}, Failed: true}
		a.Data = MarkData{Handle: x.Handle}
		return a, nil
	}
	if off {
		return d.leaseOff(ctx, r, x)
	}
	m := markOf(r, x, billing.MarkLease)
	m.Due = r.Now.Add(span)
	return d.putMark(ctx, r, x, m, "bot.lease.done", "bot.lease.would")
}

// cantStop says why a person can't have a thing stopped now; zero where he can.
func (d *Desk) cantStop(ctx context.Context, r Request, x item) billing.Text {
	if x.Declared() {
		return x.NotReleasable
	}
	if d.Engine == nil {
		return billing.Say("bot.release.nothing_here")
	}
	plan, err := d.Engine.Plan(ctx, x.ID)
	if err != nil {
		return billing.SayOf(err)
	}
	plan = d.within(r, plan)
	switch {
	case !plan.Refused.IsZero():
		return plan.Refused
	case !slices.ContainsFunc(plan.Options, func(o release.Option) bool { return o.Verb == billing.VerbStop }):
		return billing.Say("bot.lease.no_stop", "name", label(x.Name, x.Ref.ID))
	case plan.Second:
		return billing.Say("bot.lease.second", "name", label(x.Name, x.Ref.ID))
	}
	return billing.Text{}
}

func (d *Desk) leaseOff(ctx context.Context, r Request, x item) (Answer, error) {
	key := "bot.lease.none"
	open, err := d.openMarks(ctx, x.ID, billing.MarkLease)
	if err != nil {
		return Answer{}, err
	}
	if len(open) > 0 && !r.Dry {
		if err := d.Marker.EndMark(ctx, open[0].ID, "off", r.Now); err != nil {
			return Answer{}, err
		}
		key = "bot.lease.off"
	}
	a := say(r.Print, key, "name", label(x.Name, x.Ref.ID))
	a.Warnings, a.Failed, a.Data = []string{}, key == "bot.lease.none", MarkData{Handle: x.Handle, Done: key == "bot.lease.off"}
	return a, nil
}

// remove answers "HANDLE on DATE because REASON": on the day, and a week after the notice at the earliest, a person is
// asked. Nothing is deleted by the date.
func remove(ctx context.Context, d *Desk, r Request) (Answer, error) {
	line, reason := r.Words, ""
	if i := slices.IndexFunc(line, becauses); i >= 0 {
		line, reason = line[:i], strings.Join(line[i+1:], " ")
	}
	if len(line) > 1 && (fold1(line[1]) == "on" || line[1] == "于" || line[1] == "在") {
		line = slices.Concat(line[:1], line[2:])
	}
	if len(line) < 2 {
		return Answer{}, unclear(r.Print, "bot.remove.which", "remove r-7k2f on 14d because run is over")
	}
	word := strings.Join(line[1:], " ")
	until, ok := untilDate(word, r.Now, r.Zone)
	if !ok || until.IsZero() || !until.After(r.Now) {
		return Answer{}, unclear(r.Print, "bot.remove.date", "remove r-7k2f on 14d because run is over", "word", word)
	}
	x, err := d.thing(ctx, r, line[0], "remove")
	if err != nil {
		return Answer{}, err
	}
	if x.Declared() {
		a := Answer{Message: sentence(r.Print.Sentence(x.NotReleasable)), Warnings: []string{}, Failed: true, Data: MarkData{Handle: x.Handle}}
		return a, nil
	}
	m := markOf(r, x, billing.MarkRemove)
	m.Due, m.Reason = askOn(until, r), reason
	return d.putMark(ctx, r, x, m, "bot.remove.done", "bot.remove.would")
}

// askOn is ten in the morning of the day named, in the asker's zone, and not sooner than a week from now.
func askOn(until time.Time, r Request) time.Time {
	day := until.Add(-time.Second).In(r.Zone)
	at := time.Date(day.Year(), day.Month(), day.Day(), 10, 0, 0, 0, r.Zone)
	if least := r.Now.Add(release.RemoveGrace); at.Before(least) {
		return least
	}
	return at
}

func markOf(r Request, x item, k billing.MarkKind) billing.Mark {
	return billing.Mark{Resource: x.ID, Kind: k, By: cmp.Or(r.Person.ID, atTheMachine), Team: r.Person.Team, Name: personName(r.Person),
		Channel: r.Place.Channel, MadeAt: r.Now}
}

// putMark keeps a mark and says what it means.
func (d *Desk) putMark(ctx context.Context, r Request, x item, m billing.Mark, doneKey, wouldKey string) (Answer, error) {
	done, key := !r.Dry && d.Marker != nil, wouldKey
	if done {
		key = doneKey
		if _, err := d.Marker.PutMark(ctx, m); err != nil {
			return Answer{}, err
		}
	}
	a := say(r.Print, key, "name", label(x.Name, x.Ref.ID), "handle", notify.Code(x.Handle), "due", momentText(r.Print, m.Due))
	a.Warnings, a.Failed = []string{}, !done
	a.Data = MarkData{Handle: x.Handle, Due: &m.Due, Reason: m.Reason, Done: done}
	return a, nil
}

// momentText is an instant with the zone it is read in: who is told a date has to know whose.
func momentText(p words.Printer, t time.Time) string {
	_, east := t.In(p.Zone).Zone()
	zone := "UTC" + t.In(p.Zone).Format("-07:00")
	if east%3600 == 0 {
		zone = "UTC" + fmt.Sprintf("%+d", east/3600)
	}
	if east == 0 {
		zone = "UTC"
	}
	return p.Moment(t) + " " + zone
}

// thing finds what a word names.
func (d *Desk) thing(ctx context.Context, r Request, word, line string) (item, error) {
	v, err := d.Look(ctx)
	if err != nil {
		return item{}, err
	}
	return find(r, v, word, line)
}

func (d *Desk) openMarks(ctx context.Context, id billing.ResourceID, k billing.MarkKind) ([]billing.Mark, error) {
	if d.Marker == nil {
		return nil, nil
	}
	all, err := d.Marker.Marks(ctx)
	return slices.DeleteFunc(all, func(m billing.Mark) bool { return m.Resource != id || m.Kind != k }), err
}

// pressExtend makes a lease longer; who may stop the machine may.
func (d *Desk) pressExtend(ctx context.Context, b Press, p words.Printer) (Outcome, error) {
	handle, span, _ := strings.Cut(b.Value, " ")
	by, ok := durationOf(span)
	if !ok || d.Marker == nil {
		return Outcome{}, &billing.Error{Kind: billing.Invalid, Op: "press " + b.Action, Say: billing.Say("bot.press.unknown")}
	}
	r := d.complete(Request{Person: b.Person, Place: b.Place, Print: p, Now: p.Now})
	x, err := d.thing(ctx, r, handle, "lease")
	if err != nil {
		return gone(p, Press{Value: handle}, err)
	}
	if why := d.cantStop(ctx, r, x); !why.IsZero() {
		return Outcome{Private: sentence(p.Sentence(why))}, nil
	}
	open, err := d.openMarks(ctx, x.ID, billing.MarkLease)
	if err != nil {
		return Outcome{}, err
	}
	if len(open) == 0 {
		return Outcome{Private: say(p, "bot.lease.none", "name", label(x.Name, x.Ref.ID)).Message}, nil
	}
	m := markOf(r, x, billing.MarkLease)
	m.Due, m.Channel = open[0].Due.Add(by), open[0].Channel
	if m.Due.After(p.Now.Add(leaseMost)) {
		return Outcome{Private: say(p, "bot.lease.long").Message}, nil
	}
	if _, err := d.Marker.PutMark(ctx, m); err != nil {
		return Outcome{}, err
	}
	shared := d.Shared(p.Now)
	return Outcome{Public: say(shared, "bot.lease.extended", "who", personName(b.Person), "name", notify.Code(label(x.Name, x.Ref.ID)), "due", momentText(shared, m.Due)).Message}, nil
}

// MarkMessage says what a mark asks for now, to everybody: a notice with what undoes it, the question of the day, that a
// mark fell or was carried out. Why says, of a lease, why its stop was refused.
func (d *Desk) MarkMessage(n release.Next, m billing.Mark, h billing.Holding, why billing.Text) notify.Message {
	p := d.Shared(d.now())
	name := notify.Code(label(h.Name, h.Ref.ID))
	key, due, buttons := "", m.Due, []notify.Button(nil)
	button := func(key, action, value string) {
		buttons = append(buttons, notify.Button{Label: p.Text(key), Action: action, Value: value})
	}
	switch {
	case n == release.Notice && m.Kind == billing.MarkLease:
		m.ToldAt = p.Now
		key, due = "bot.lease.ends", release.LeaseEnds(m)
		button("bot.button.extend_1h", ActionExtend, h.Handle+" 1h")
		button("bot.button.extend_4h", ActionExtend, h.Handle+" 4h")
	case n == release.Notice:
		m.ToldAt = p.Now
		key, due = "bot.remove.notice", release.RemoveAsked(m)
		button("bot.button.keep", ActionKeep, h.Handle)
	case n == release.Ask:
		key = "bot.remove.ask"
		button("bot.button.release", ActionGrant, strings.Join([]string{h.Handle, m.By, m.Name}, " "))
		button("bot.button.keep", ActionKeep, h.Handle)
	case n == release.Used:
		key = "bot.remove.used"
	case !why.IsZero():
		key = "bot.lease.refused"
	default:
		key = "bot.lease.over"
	}
	said := p.Rich(key, "name", name, "who", m.Name, "due", momentText(p, due), "why", why)
	out := notify.Message{Push: firstLine(said.String()), Blocks: []notify.Block{notify.Section(said + "\n" + notify.Mention(m.By, m.Name))}}
	if m.Reason != "" {
		out.Blocks = append(out.Blocks, notify.Context(p.Rich("bot.ask.reason", "reason", m.Reason)))
	}
	if len(buttons) > 0 {
		out.Blocks = append(out.Blocks, notify.Actions(buttons...))
	}
	return out
}
