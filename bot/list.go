package bot

import (
	"context"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

func list(ctx context.Context, d *Desk, r Request) (Answer, error) {
	v, err := d.Look(ctx)
	if err != nil {
		return Answer{}, err
	}
	all := items(v)
	for _, w := range r.Words {
		if all, err = d.filter(r, v, all, w); err != nil {
			return Answer{}, err
		}
	}
	a := Answer{Data: resourcesData(r.Print, v, all), AsOf: oldest(v, billing.ReadInventory),
		Warnings: warnings(r.Print, v, billing.ReadInventory)}
	a.Message = listMessage(r, v, all)
	a.Failed = !everRead(v)
	return a, nil
}

// labels are the words that a resource answers to.
func (d *Desk) labels(x item) []string {
	out := []string{string(x.Ref.Kind), x.account.Name, cloud(x.account), x.Ref.Region, x.Owner, x.Project, x.GPU.Model,
		string(x.State), string(x.Mode), string(x.Ref.Kind.Part())}
	for _, lang := range words.Languages() {
		p := d.Words.For(lang, nil, time.Time{})
		out = append(out, p.Kind(x.Ref.Kind), p.State(x.State), p.Mode(x.Mode))
	}
	return out
}

// answers says that a word names a thing. "A100" means every A100, whatever its memory.
func (d *Desk) answers(x item, word string) bool {
	if strings.HasPrefix(fold1(x.GPU.Model), word+"-") {
		return true
	}
	return slices.ContainsFunc(d.labels(x), func(l string) bool {
		l = fold1(l)
		return l != "" && (l == word || l+"s" == word)
	})
}

// filter keeps what a word names. A kind that exists but of which nothing is there is an empty answer, not a mistake.
func (d *Desk) filter(r Request, v notify.View, all []item, raw string) ([]item, error) {
	word := fold1(raw)
	out := slices.DeleteFunc(slices.Clone(all), func(x item) bool { return !d.answers(x, word) })
	if len(out) > 0 {
		return out, nil
	}
	known := []string{}
	for _, k := range kinds() {
		known = append(known, string(k))
		if word == string(k) || word == string(k)+"s" || word == fold1(r.Print.Kind(k)) {
			return nil, nil
		}
	}
	everything := items(v)
	for _, x := range everything {
		if d.answers(x, word) {
			return nil, nil
		}
		for _, l := range d.labels(x) {
			if l != "" && !slices.Contains(known, l) {
				known = append(known, l)
			}
		}
	}
	near := nearest(word, known)
	if near != "" {
		near = "list " + near
	}
	return nil, unclear(r.Print, "bot.words.filter", near, "word", raw, "words", kindWords())
}

func kinds() []billing.Kind {
	return []billing.Kind{billing.KindInstance, billing.KindCluster, billing.KindEndpoint, billing.KindDisk, billing.KindFilesystem,
		billing.KindSnapshot, billing.KindImage, billing.KindIP, billing.KindReservation}
}

func kindWords() []string {
	var out []string
	for _, k := range kinds() {
		out = append(out, string(k))
	}
	return out
}

func listMessage(r Request, v notify.View, all []item) notify.Message {
	p := r.Print
	if len(v.Accounts) == 0 {
		return headed(p.Text("bot.empty"))
	}
	if !slices.ContainsFunc(v.Accounts, polled) {
		return headed(p.Text("bot.list.imported"))
	}
	m := headed(p.Text("bot.list.title", "count", len(all), "sum", sumText(p, all)))
	if !everRead(v) {
		m = headed(p.Text("bot.list.unread"))
	}
	rows, left := all, 0
	if !r.Dry && !r.Local && len(all) > mostRows {
		rows, left = all[:mostRows], len(all)-mostRows
	}
	if len(rows) > 0 {
		m.Blocks = append(m.Blocks, notify.Grid(listTable(p, rows)))
	}
	if left > 0 {
		m.Blocks = append(m.Blocks, notify.Context(p.Rich("bot.more", "count", left)))
	}
	lines := []notify.Rich{readLine(p, v, billing.ReadInventory)}
	lines = append(lines, warningLines(p, v, billing.ReadInventory)...)
	lines = append(lines, notWatchedLines(p, v)...)
	for _, a := range v.Accounts {
		lines = append(lines, unexplainedLines(p, a)...)
	}
	m.Blocks = append(m.Blocks, notify.Context(notify.Join("\n", lines...)))
	return m
}

// sumText is what things cost a month in all.
func sumText(p words.Printer, all []item) string {
	t := tally(all)
	if len(all) == 0 {
		return "0"
	}
	var sums []string
	for _, m := range t.Totals() {
		sums = append(sums, p.Money(m))
	}
	switch {
	case len(sums) == 0:
		return p.Text("words.unknown")
	case t.Unknown() > 0:
		return p.Text("bot.at_least_month", "sum", strings.Join(sums, " + "), "count", t.Unknown())
	}
	return p.Text("bot.per_month", "sum", strings.Join(sums, " + "))
}

func listTable(p words.Printer, rows []item) notify.Table {
	t := notify.Table{Columns: []notify.Column{{Title: p.Text("bot.column.handle")}, {Title: p.Text("bot.column.name")},
		{Title: p.Text("bot.column.monthly"), Right: true}, {Title: p.Text("bot.column.state")},
		{Title: p.Text("bot.column.kind")}, {Title: p.Text("bot.column.where")}}} // a phone shows the first three
	for _, x := range rows {
		t.Rows = append(t.Rows, []notify.Rich{notify.Code(x.Handle), notify.Plain(label(x.Name, x.Ref.ID)),
			notify.Plain(p.Money(x.monthly)), notify.Plain(p.State(x.State)),
			notify.Plain(kindText(p, x.Holding)), whereText(p, x)})
	}
	return t
}

// whereText says where a thing is, and of what is only declared that no cloud shows it.
func whereText(p words.Printer, x item) notify.Rich {
	if x.Declared() {
		return p.Rich("bot.declared.where", "where", notify.Plain(placeText(x)))
	}
	return notify.Plain(placeText(x))
}

func stateText(p words.Printer, x item) notify.Rich {
	if x.since.IsZero() {
		return notify.Plain(p.State(x.State))
	}
	return p.Rich("bot.list.state", "state", p.State(x.State), "age", notify.Plain(p.Duration(p.Now.Sub(x.since))))
}
