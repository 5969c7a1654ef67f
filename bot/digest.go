package bot

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
	"gpuspend/notify/rules"
	"gpuspend/notify/words"
)

// mostNeeds is how many lines of "Needs you" a digest has, and mostOwners how many owners.
const (
	mostNeeds  = 3
	mostOwners = 3
)

// DigestData answers digest.
type DigestData struct {
	Date        string       `json:"date"`
	Needs       []string     `json:"needs"` // all of them, the most severe first
	From        string       `json:"from"`  // first local day whose cost is told
	To          string       `json:"to"`    // last, inclusive
	Cost        []CostTotal  `json:"cost"`
	Owners      []CostRow    `json:"owners"`
	Unused      StatusSum    `json:"unused"`
	Balances    []BalanceRow `json:"balances"`
	NotRead     []NotRead    `json:"not_read"`
	Undelivered []LetterRow  `json:"undelivered"`
	Unowned     *StatusSum   `json:"unowned,omitempty"` // on the first working day of a week
}

// morning is everything that a digest says.
type morning struct {
	situation
	needs []string
	cost  ledger.Report // of the days since the working day before, by owner
	lost  []notify.Letter
	weeks []item // what is nobody's, on the first working day of a week
}

func digest(ctx context.Context, d *Desk, r Request) (Answer, error) {
	if len(r.Words) > 0 {
		return Answer{}, unclear(r.Print, "bot.words.none", "digest", "command", "digest", "word", r.Words[0])
	}
	m, err := d.morning(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Message: digestMessage(r.Print, m), Data: digestData(r, m), AsOf: oldest(m.view, billing.ReadInventory),
		Warnings: warnings(r.Print, m.view, billing.ReadBalance, billing.ReadInventory, billing.ReadCharges)}
	if a.Failed = !everRead(m.view); len(m.view.Accounts) == 0 {
		a.Message = headed(r.Print.Text("bot.empty"))
	}
	return a, nil
}

// Digest is the message of the morning for a shared place, in a language. Accounts limits it; nil is all.
func (d *Desk) Digest(ctx context.Context, lang string, accounts []string, now time.Time) (notify.Message, error) {
	limited := *d
	limited.Look = func(ctx context.Context) (notify.View, error) {
		v, err := d.Look(ctx)
		if len(accounts) > 0 {
			v.Accounts = slices.DeleteFunc(slices.Clone(v.Accounts), func(a notify.AccountView) bool { return !slices.Contains(accounts, a.Name) })
		}
		return v, err
	}
	r := d.complete(Request{Print: d.Words.For(lang, d.Zone, now), Zone: d.Zone, Now: now})
	m, err := limited.morning(ctx, r)
	if err != nil {
		return notify.Message{}, err
	}
	return digestMessage(r.Print, m), nil
}

func (d *Desk) morning(ctx context.Context, r Request) (morning, error) {
	s, err := d.situation(ctx, r)
	if err != nil {
		return morning{}, err
	}
	m := morning{situation: s}
	q := ledger.Question{From: lastWorkday(s.view, r.Now, r.Zone), To: midnight(r.Now, r.Zone, 0), Zone: r.Zone, Now: r.Now,
		View: ledger.Billed, By: []ledger.Cut{ledger.ByOwner}, Where: onlyAccounts(s.view)}
	if m.cost, err = ledger.Answer(ctx, d.Book, q); err != nil {
		return morning{}, err
	}
	quiet := map[thing]bool{}
	if d.Alerts != nil {
		all, err := d.Alerts.Alerts(ctx, r.Now)
		if err != nil {
			return morning{}, err
		}
		for _, a := range all {
			if a.State == notify.Firing && (a.TakenBy != "" || a.SnoozedTill.After(r.Now)) {
				quiet[thing{a.Rule, a.Account, a.Resource}] = true
			}
		}
		if m.lost, err = d.Alerts.Undelivered(ctx, r.Now.Add(-lostFor)); err != nil {
			return morning{}, err
		}
	}
	if firstOfWeek(s.view, r.Now, r.Zone) {
		m.weeks = nobodys(s.view)
	}
	m.needs, err = needs(d.Words, r.Print, s.view, quiet)
	return m, err
}

// onlyAccounts limits a question to the accounts of a view.
func onlyAccounts(v notify.View) []ledger.Filter {
	var names []string
	for _, a := range v.Accounts {
		names = append(names, a.Name)
	}
	if len(names) == 0 {
		return nil
	}
	return []ledger.Filter{{By: ledger.ByAccount, Values: names}}
}

// lastWorkday is the local midnight at which the last working day before today began: Monday's digest covers Friday to
// Sunday, and the one after a holiday all of it.
func lastWorkday(v notify.View, now time.Time, zone *time.Location) time.Time {
	for n := 1; n <= 31; n++ {
		if day := midnight(now, zone, -n); v.Hours.Works(day, zone) {
			return day
		}
	}
	return midnight(now, zone, -1)
}

// firstOfWeek says that a day is the first working day of its week.
func firstOfWeek(v notify.View, now time.Time, zone *time.Location) bool {
	monday := midnight(now, zone, -(int(now.In(zone).Weekday())+6)%7)
	return v.Hours.Works(now, zone) && lastWorkday(v, now, zone).Before(monday)
}

// mostUnowned is how many unowned things the week's digest names.
const mostUnowned = 3

// unownedQueue names the dearest things that are nobody's.
func unownedQueue(p words.Printer, all []item) []notify.Block {
	if len(all) == 0 {
		return nil
	}
	var names []string
	for _, x := range all[:min(mostUnowned, len(all))] {
		names = append(names, label(x.Name, x.Ref.ID)+" "+p.MoneyPer(x.monthly, words.PerMonth))
	}
	return []notify.Block{notify.Section(p.Rich("owners.queue", "count", len(all), "sum", sumText(p, all), "names", strings.Join(names, " · "))),
		notify.Actions(notify.Button{Label: p.Text("owners.queue_button"), Action: ActionRun, Value: "unowned"})}
}

// needs are the first lines of everything that the rules would say of now, the most severe first, without what somebody
// is on already.
func needs(book *words.Book, p words.Printer, v notify.View, quiet map[thing]bool) ([]string, error) {
	type group struct {
		findings []billing.Finding
		worst    billing.Severity
	}
	var order []string
	groups := map[string]*group{}
	for _, rule := range rules.All() {
		for _, f := range rule.Find(v) {
			if f.Severity < billing.SeverityWarning || quiet[thing{f.Rule, f.Account, f.Resource}] {
				continue
			}
			topic := notify.Topic(rule, f)
			g := groups[topic]
			if g == nil {
				g = &group{}
				groups[topic], order = g, append(order, topic)
			}
			if n := len(g.findings); n > 0 && rule.Together == "" && g.findings[n-1].Resource == f.Resource {
				g.findings[n-1] = f // steps of one thing: the last is the worst
			} else {
				g.findings = append(g.findings, f)
			}
			g.worst = max(g.worst, f.Severity)
		}
	}
	v.Zone = p.Zone // findings are judged in the installation's zone and told in the reader's
	slices.SortStableFunc(order, func(a, b string) int { return int(groups[b].worst) - int(groups[a].worst) })
	var out []string
	for _, topic := range order {
		m, err := words.Writer{Book: book}.Write(v, p.Lang, groups[topic].findings)
		if err != nil {
			return nil, err
		}
		out = append(out, unmarked(m.Push))
	}
	return out, nil
}

// unmarked takes the coloured mark from a first line.
func unmarked(push string) string {
	return strings.TrimSpace(strings.TrimLeftFunc(push, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '$' && c != '¥' }))
}

func digestData(r Request, m morning) DigestData {
	q := m.cost.Question
	data := DigestData{Date: r.Now.In(r.Zone).Format(time.DateOnly), Needs: m.needs, From: q.From.In(r.Zone).Format(time.DateOnly),
		To: midnight(q.To, r.Zone, -1).Format(time.DateOnly), Cost: totalsData(m.cost.Totals), Owners: costData(m.cost).Rows,
		Unused:   StatusSum{Count: counted(len(m.wasted), everRead(m.view)), Totals: monthlyTotals(m.wasted)},
		Balances: statusData(r, m.situation).Balances, NotRead: statusData(r, m.situation).NotRead, Undelivered: alertsData(m.view, r.Now, nil, m.lost).Undelivered}
	if len(m.weeks) > 0 {
		data.Unowned = &StatusSum{Count: counted(len(m.weeks), everRead(m.view)), Totals: monthlyTotals(m.weeks)}
	}
	if data.Needs == nil {
		data.Needs = []string{}
	}
	return data
}

func digestMessage(p words.Printer, m morning) notify.Message {
	if m.calm() {
		out := headed(digestTitle(p, m))
		out.Blocks = append(out.Blocks, unownedQueue(p, m.weeks)...)
		out.Blocks = append(out.Blocks, notify.Context(notify.Join("\n", digestSpent(p, m), readLine(p, m.view, billing.ReadInventory))))
		return out
	}
	out := headed(digestTitle(p, m))
	if len(m.needs) > 0 {
		out.Blocks = append(out.Blocks, notify.Section(needLines(p, m.needs)))
	}
	if len(m.accounts) > 0 {
		out.Blocks = append(out.Blocks, balanceMessage(p, m.view, m.accounts).Blocks[1])
	}
	lines := []notify.Rich{digestSpent(p, m)}
	if owners := ownerLine(p, m.cost.Rows); owners != "" {
		lines = append(lines, owners)
	}
	if len(m.wasted) > 0 {
		lines = append(lines, p.Rich("bot.status.forgotten", "count", len(m.wasted), "sum", notify.Bold(sumText(p, m.wasted))))
	}
	if len(m.lost) > 0 {
		lines = append(lines, p.Rich("bot.alerts.lost", "count", len(m.lost)))
	}
	out.Blocks = append(out.Blocks, notify.Section(notify.Join("\n", lines...)), notify.Actions(digestButtons(p, m)...))
	out.Blocks = append(out.Blocks, unownedQueue(p, m.weeks)...)
	small := append([]notify.Rich{readLine(p, m.view, billing.ReadInventory)},
		warningLines(p, m.view, billing.ReadBalance, billing.ReadInventory, billing.ReadCharges)...)
	out.Blocks = append(out.Blocks, notify.Context(notify.Join("\n", small...)))
	return out
}

// digestTitle says the day, how many things need somebody and, where there is room, the shortest balance.
func digestTitle(p words.Printer, m morning) string {
	short, long := "bot.digest.title", "bot.digest.title_balance"
	if m.calm() {
		short, long = "bot.digest.calm", "bot.digest.calm_balance"
	}
	title := p.Text(short, "date", p.Date(m.view.Now), "count", len(m.needs))
	a, ok := shortest(m.accounts)
	if !ok {
		return title
	}
	more := p.Text(long, "date", p.Date(m.view.Now), "count", len(m.needs), "account", a.Name,
		"left", notify.Plain(p.Duration(max(0, a.Outlook.EmptyAt.Sub(m.view.Now)))))
	return fitting(more, title)
}

// calm says that nothing needs anybody, as far as can be seen, and that all can be.
func (m morning) calm() bool {
	return len(m.needs) == 0 && blindAccounts(m.view) == 0 && len(m.lost) == 0
}

func needLines(p words.Printer, all []string) notify.Rich {
	lines := []notify.Rich{p.Rich("bot.digest.needs")}
	for i, s := range all {
		if i == mostNeeds {
			lines = append(lines, notify.Plain(p.Text("bot.more", "count", len(all)-mostNeeds)))
			break
		}
		lines = append(lines, notify.Plain(p.Count(i+1)+"  "+s))
	}
	return notify.Join("\n", lines...)
}

// digestSpent is the cost of the days since the working day before.
func digestSpent(p words.Printer, m morning) notify.Rich {
	return p.Rich("bot.digest.spent", "days", periodText(p, m.cost.Question), "sum", spent(p, ledger.Billed, m.cost.Totals, true))
}

// ownerLine names the dearest owners; "" where nobody owns anything.
func ownerLine(p words.Printer, rows []ledger.Row) notify.Rich {
	if !slices.ContainsFunc(rows, func(r ledger.Row) bool { return len(r.Keys) > 0 && r.Keys[0] != "" }) {
		return ""
	}
	var parts []string
	for _, r := range rows {
		owner := r.Keys[0]
		if owner == "" {
			owner = p.Text("bot.unowned")
		}
		var sum billing.Tally // what is billed, and what is estimated beyond it
		sum.Add(r.Amount)
		sum.Add(r.Accrued)
		if len(parts) < mostOwners {
			parts = append(parts, owner+" "+p.Monies(sum.Totals()))
		}
	}
	return p.Rich("bot.digest.owners", "owners", strings.Join(parts, " · "))
}

func digestButtons(p words.Printer, m morning) []notify.Button {
	var out []notify.Button
	if len(m.needs) > 0 {
		out = append(out, notify.Button{Label: p.Text("bot.button.alerts"), Action: ActionRun, Value: "alerts"})
	}
	return append(out, statusButtons(p, m.situation)...)
}
