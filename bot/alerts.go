package bot

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// lostFor is how long letters that reached nobody are shown.
const lostFor = 7 * 24 * time.Hour

// AlertsData answers alerts.
type AlertsData struct {
	Alerts      []AlertRow  `json:"alerts"`
	Undelivered []LetterRow `json:"undelivered"`
}

// AlertRow is one thing that fires. Of the steps of one thing only the newest is shown.
type AlertRow struct {
	Handle      string  `json:"handle"`
	Rule        string  `json:"rule"`
	Account     string  `json:"account"`
	Resource    *string `json:"resource"` // its handle; null where the alert is about no single one
	Severity    string  `json:"severity"` // info, warning, urgent
	Since       string  `json:"since"`
	TakenBy     *string `json:"taken_by"` // chat user id
	SnoozedTill *string `json:"snoozed_till"`
	SnoozedWhy  *string `json:"snoozed_why"`
}

// LetterRow is a message that reached nobody yet.
type LetterRow struct {
	Route   string  `json:"route"`
	Push    string  `json:"push"`
	Written string  `json:"written"`
	Tries   int     `json:"tries"`
	Failed  *string `json:"failed"` // why it was given up; null while it is tried
}

func alerts(ctx context.Context, d *Desk, r Request) (Answer, error) {
	if len(r.Words) > 0 {
		return Answer{}, unclear(r.Print, "bot.words.none", "alerts", "command", "alerts", "word", strings.Join(r.Words, " "))
	}
	v, err := d.Look(ctx)
	if err != nil {
		return Answer{}, err
	}
	firing, err := d.firing(ctx, r.Now)
	if err != nil {
		return Answer{}, err
	}
	lost, err := d.Alerts.Undelivered(ctx, r.Now.Add(-lostFor))
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Message: alertsMessage(r, v, firing, lost), Data: alertsData(v, r.Now, firing, lost), Warnings: []string{}}
	return a, nil
}

// thing is what the steps of one alert are about.
type thing struct {
	rule     string
	account  billing.AccountID
	resource billing.ResourceID
}

// firing are the alerts that stand, the newest step of each thing, the most severe first.
func (d *Desk) firing(ctx context.Context, now time.Time) ([]notify.Alert, error) {
	if d.Alerts == nil {
		return nil, &billing.Error{Kind: billing.Absent, Op: "list alerts", Say: billing.Say("bot.press.unknown")}
	}
	all, err := d.Alerts.Alerts(ctx, now)
	if err != nil {
		return nil, err
	}
	last := map[thing]int{}
	var out []notify.Alert
	for _, a := range all {
		if a.State != notify.Firing {
			continue
		}
		t := thing{a.Rule, a.Account, a.Resource}
		if i, there := last[t]; there && a.Severity >= out[i].Severity {
			out[i] = a
			continue
		}
		last[t] = len(out)
		out = append(out, a)
	}
	slices.SortStableFunc(out, func(x, y notify.Alert) int { return int(y.Severity) - int(x.Severity) })
	return out, nil
}

func alertsMessage(r Request, v notify.View, firing []notify.Alert, lost []notify.Letter) notify.Message {
	p := r.Print
	m := headed(p.Text("bot.alerts.none"))
	if len(firing) > 0 {
		m = headed(p.Text("bot.alerts.title", "count", len(firing)))
	}
	for _, a := range firing {
		b := notify.Section(alertLine(p, v, r.Now, a))
		if a.TakenBy == "" && !a.SnoozedTill.After(r.Now) {
			b.Menu = []notify.Button{{Label: p.Text("notify.button.take"), Action: ActionTake, Value: a.Fingerprint},
				{Label: p.Text("notify.button.snooze"), Action: ActionSnooze, Value: a.Fingerprint}}
		}
		m.Blocks = append(m.Blocks, b)
	}
	if len(lost) > 0 {
		m.Blocks = append(m.Blocks, notify.Divider(), notify.Section(lostLines(p, lost)))
	}
	return m
}

// alertLine says what fires, since when, and who is on it.
func alertLine(p words.Printer, v notify.View, now time.Time, a notify.Alert) notify.Rich {
	line := p.Rich("bot.alerts.line", "mark", severityMark(a.Severity), "what", p.Text("rule."+a.Rule), "about", alertAbout(v, a),
		"since", notify.Plain(p.Moment(a.FiredAt)), "handle", notify.Code(notify.Handle(a.Fingerprint)))
	switch {
	case a.SnoozedTill.After(now) && a.SnoozedWhy != "":
		line += "\n" + p.Rich("bot.alerts.snoozed_why", "time", notify.Plain(p.Moment(a.SnoozedTill)), "reason", a.SnoozedWhy)
	case a.SnoozedTill.After(now):
		line += "\n" + p.Rich("bot.alerts.snoozed", "time", notify.Plain(p.Moment(a.SnoozedTill)))
	case a.TakenBy != "":
		line += "\n" + p.Rich("bot.alerts.taken", "who", a.TakenBy, "time", notify.Plain(p.Moment(a.TakenAt)))
	}
	return line
}

func severityMark(s billing.Severity) string {
	switch {
	case s >= billing.SeverityUrgent:
		return "🔴"
	case s > billing.SeverityInfo:
		return "🟠"
	}
	return "🟡"
}

// alertAbout names account and thing.
func alertAbout(v notify.View, a notify.Alert) notify.Rich {
	account, _ := v.Account(a.Account)
	name := notify.Bold(account.Name)
	if _, h, ok := v.Holding(a.Resource); ok {
		return notify.Join(" ", name, notify.Code(label(h.Name, h.Ref.ID)))
	}
	return name
}

func lostLines(p words.Printer, lost []notify.Letter) notify.Rich {
	lines := []notify.Rich{p.Rich("bot.alerts.lost", "count", len(lost))}
	for i, l := range lost {
		if i == 10 {
			lines = append(lines, notify.Plain(p.Text("bot.more", "count", len(lost)-i)))
			break
		}
		key := "bot.alerts.lost_trying"
		if l.Failed != "" {
			key = "bot.alerts.lost_line"
		}
		lines = append(lines, p.Rich(key, "push", l.Message.Push, "route", notify.Code(l.Route.Name), "count", l.Tries,
			"why", p.Text("bot.alerts.why."+cmp.Or(l.Failed, string(billing.Unknown)))))
	}
	return notify.Join("\n", lines...)
}

func alertsData(v notify.View, now time.Time, firing []notify.Alert, lost []notify.Letter) AlertsData {
	data := AlertsData{Alerts: []AlertRow{}, Undelivered: []LetterRow{}}
	for _, a := range firing {
		account, _ := v.Account(a.Account)
		row := AlertRow{Handle: notify.Handle(a.Fingerprint), Rule: a.Rule, Account: account.Name, Severity: severityWord(a.Severity),
			Since: *instant(a.FiredAt), TakenBy: given(a.TakenBy)}
		if _, h, ok := v.Holding(a.Resource); ok {
			row.Resource = &h.Handle
		}
		if a.SnoozedTill.After(now) {
			row.SnoozedTill, row.SnoozedWhy = instant(a.SnoozedTill), given(a.SnoozedWhy)
		}
		data.Alerts = append(data.Alerts, row)
	}
	for _, l := range lost {
		data.Undelivered = append(data.Undelivered, LetterRow{Route: l.Route.Name, Push: l.Message.Push, Written: *instant(l.CreatedAt),
			Tries: l.Tries, Failed: given(l.Failed)})
	}
	return data
}

// given is null for what was not said.
func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func severityWord(s billing.Severity) string {
	switch {
	case s >= billing.SeverityUrgent:
		return "urgent"
	case s > billing.SeverityInfo:
		return "warning"
	}
	return "info"
}

// alertCalled finds the alert that a word names.
func (d *Desk) alertCalled(ctx context.Context, r Request, word, line string) (notify.Alert, error) {
	firing, err := d.firing(ctx, r.Now)
	if err != nil {
		return notify.Alert{}, err
	}
	var known, hits []string
	var found notify.Alert
	for _, a := range firing {
		h := notify.Handle(a.Fingerprint)
		known = append(known, h)
		if h == notify.TidyHandle(word) {
			hits, found = append(hits, h), a
		}
	}
	if len(hits) == 1 {
		return found, nil
	}
	near := ""
	if n := nearest(notify.TidyHandle(word), known); n != "" {
		near = strings.Replace(line, "ALERT", n, 1)
	}
	return notify.Alert{}, unclear(r.Print, "bot.words.alert", near, "word", word)
}

// AlertSaid answers take and snooze.
type AlertSaid struct {
	Handle string  `json:"handle"`
	Until  *string `json:"until"` // null for take
	Done   bool    `json:"done"`
}

func take(ctx context.Context, d *Desk, r Request) (Answer, error) {
	if len(r.Words) != 1 {
		return Answer{}, unclear(r.Print, "bot.take.which", "alerts")
	}
	a, err := d.alertCalled(ctx, r, r.Words[0], "take ALERT")
	if err != nil {
		return Answer{}, err
	}
	return d.said(r, a, time.Time{}, "", func() error {
		return d.Alerts.Take(ctx, a.Fingerprint, r.Person.ID, r.Person.Team, r.Now)
	})
}

// snooze reads "ALERT 4h", "ALERT 3d", "ALERT until DATE", each with "because REASON".
func snooze(ctx context.Context, d *Desk, r Request) (Answer, error) {
	const example = "snooze a-nq6y 4h because top-up is on its way"
	if len(r.Words) < 2 {
		return Answer{}, unclear(r.Print, "bot.snooze.which", example)
	}
	rest, reason := r.Words[1:], ""
	if i := slices.IndexFunc(rest, becauses); i >= 0 {
		rest, reason = rest[:i], strings.Join(rest[i+1:], " ")
	}
	till := snoozedTill(rest, r.Now, r.Zone)
	if !till.After(r.Now) {
		return Answer{}, unclear(r.Print, "bot.snooze.when", example, "word", strings.Join(rest, " "))
	}
	a, err := d.alertCalled(ctx, r, r.Words[0], "snooze ALERT "+strings.Join(rest, " "))
	if err != nil {
		return Answer{}, err
	}
	return d.said(r, a, till, reason, func() error {
		return d.Alerts.Snooze(ctx, a.Fingerprint, till, reason, r.Person.ID, r.Person.Team, r.Now)
	})
}

// snoozedTill reads hours, days or a date; zero for what is none.
func snoozedTill(rest []string, now time.Time, zone *time.Location) time.Time {
	if len(rest) > 0 && (fold1(rest[0]) == "until" || fold1(rest[0]) == "for" || rest[0] == "到" || rest[0] == "至") {
		rest = rest[1:]
	}
	word := fold1(strings.Join(rest, ""))
	for _, unit := range []string{"小时", "hours", "hour"} {
		word = strings.Replace(word, unit, "h", 1)
	}
	if span, err := time.ParseDuration(word); err == nil {
		return now.Add(span)
	}
	if m := daysWord.FindStringSubmatch(strings.TrimSuffix(word, "ays")); m != nil {
		n, _ := strconv.Atoi(m[1]) // digits only
		return now.Add(time.Duration(n) * 24 * time.Hour)
	}
	if till, ok := untilDate(strings.Join(rest, " "), now, zone); ok {
		return till
	}
	return time.Time{}
}

// said does what a person said of an alert, or would have, and says so.
func (d *Desk) said(r Request, a notify.Alert, till time.Time, reason string, do func() error) (Answer, error) {
	data := AlertSaid{Handle: notify.Handle(a.Fingerprint), Until: instant(till), Done: !r.Dry}
	if r.Dry {
		out := say(r.Print, "bot.alerts.would", "handle", data.Handle)
		out.Failed, out.Data, out.Warnings = true, data, []string{}
		return out, nil
	}
	if err := do(); err != nil {
		return Answer{}, err
	}
	out := say(r.Print, "bot.taken", "who", personName(r.Person), "time", r.Now)
	if !till.IsZero() {
		key := "bot.snoozed"
		if reason != "" {
			key = "bot.snoozed_reason"
		}
		out = say(r.Print, key, "who", personName(r.Person), "time", notify.Plain(r.Print.Moment(till)), "reason", reason)
	}
	out.Data, out.Warnings = data, []string{}
	return out, nil
}
