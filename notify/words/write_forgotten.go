package words

import (
	"slices"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/rules"
)

// maxRows is how many things a message lists before it counts.
const maxRows = 10

// forgotten lists what nobody uses, dearest first, each with its menu.
func (l letter) forgotten(group []billing.Finding) notify.Message {
	group = slices.Clone(group)
	slices.SortStableFunc(group, dearer)
	var total, paid billing.Tally
	for _, f := range group {
		total.Add(f.Monthly)
		paid.Add(f.Facts.(rules.ForgottenFacts).Paid)
	}
	key := "notify.forgotten.push"
	if total.Unknown() > 0 {
		key = "notify.forgotten.push_least"
	}
	m := notify.Message{Push: l.push([]string{key}, "count", len(group), "sum", notify.Plain(l.Monies(total.Totals())))}
	if len(paid.Totals()) > 0 {
		m.Blocks = append(m.Blocks, notify.Section(l.Rich("notify.forgotten.paid", "sum", l.Monies(paid.Totals()))))
	}
	m.Blocks = append(m.Blocks, notify.Divider())
	for i, f := range group {
		if i == maxRows {
			m.Blocks = append(m.Blocks, notify.Context(l.Rich("notify.forgotten.more", "count", len(group)-maxRows)))
			break
		}
		m.Blocks = append(m.Blocks, l.row(i+1, f.Facts.(rules.ForgottenFacts).Waste))
	}
	m.Blocks = append(m.Blocks, notify.Divider(),
		notify.Actions(append([]notify.Button{{Label: l.Text("notify.button.all"), Action: actRun, Value: "forgotten"}},
			l.mine(group...)...)...))
	m.Blocks = append(m.Blocks, l.small(l.leftOut(rules.Wasted(l.v))...)...)
	return m
}

func dearer(x, y billing.Finding) int {
	if c, err := y.Monthly.Cmp(x.Monthly); err == nil {
		return c
	}
	switch {
	case x.Monthly.Known() && !y.Monthly.Known():
		return -1
	case !x.Monthly.Known() && y.Monthly.Known():
		return 1
	case x.Monthly.Currency() < y.Monthly.Currency():
		return -1
	}
	return 1
}

// row is one thing, in two lines.
func (l letter) row(n int, w rules.Waste) notify.Block {
	what := l.Rich("notify.forgotten.row", "n", n, "name", rules.Name(w.Holding), "kind", w.Ref.Kind, "size", l.size(w.Holding),
		"place", place(w.Cloud, w.Ref.Region), "monthly", l.MoneyPer(w.Monthly, PerMonth))
	return notify.Section(lines(what, "   "+dots(l.Because(w), notify.Plain(l.owner(w.Holding)))), l.menu(w.Holding)...)
}

func (l letter) size(h billing.Holding) string {
	if !h.SizeGiB.Known() {
		return ""
	}
	return " " + l.Number(h.SizeGiB) + " GiB"
}

// Because says why a thing is called waste.
func (p Printer) Because(w rules.Waste) notify.Rich {
	key := "notify.because." + string(w.Reason)
	// Since we first saw it: how long it was so before, nobody can tell.
	if w.Since.Equal(w.FirstSeen) && w.Reason != rules.OldSnapshot {
		key += "_at_least"
	}
	return p.Rich(key, "since", w.Since, "age", p.Now.Sub(w.Since))
}

// leftOut says what was not counted, what could not be looked at, and as of when it is.
func (l letter) leftOut(r rules.Report) []notify.Rich {
	var not []notify.Rich
	if r.Younger > 0 {
		not = append(not, l.Rich("notify.left_out.younger", "count", r.Younger, "age", l.v.Settings.DiskAge))
	}
	if len(r.Kept) > 0 {
		not = append(not, l.Rich("notify.left_out.kept", "count", len(r.Kept)))
	}
	if r.InUse > 0 {
		not = append(not, l.Rich("notify.left_out.in_use", "count", r.InUse))
	}
	if r.Unsure > 0 {
		not = append(not, l.Rich("notify.left_out.unsure", "count", r.Unsure))
	}
	var out []notify.Rich
	if len(not) > 0 {
		out = append(out, l.Rich("notify.left_out", "what", dots(not...)))
	}
	for _, b := range r.NotRead {
		out = append(out, l.Unread(b))
	}
	return append(out, l.asOf())
}

// Unread names what could not be looked at, and why.
func (p Printer) Unread(b rules.Blind) notify.Rich {
	why := b.Why
	switch {
	case why.IsZero() && b.ErrorKind == "":
		why = billing.Say("notify.unread.never")
	case why.IsZero():
		why = billing.Say("error." + string(b.ErrorKind))
	}
	return p.Rich("notify.unread", "what", p.Scopes(b.Scopes), "where", b.Cloud, "why", why)
}

// maxScopes is how many scopes a line names before it counts.
const maxScopes = 4

// Scopes names what was to be looked at: "snapshot cn-beijing, disk cn-beijing".
func (p Printer) Scopes(all []billing.Scope) notify.Rich {
	var out []notify.Rich
	for i, s := range all {
		if i == maxScopes && len(all) > maxScopes+1 {
			out = append(out, p.Rich("notify.more", "count", len(all)-maxScopes))
			break
		}
		out = append(out, notify.Plain(place(p.Kind(s.Kind), s.Region)))
	}
	return notify.Join(p.comma(), out...)
}

// inventoryAt is the oldest of the last complete readings of what there is.
func (l letter) inventoryAt() time.Time {
	var oldest time.Time
	for _, a := range l.v.Accounts {
		for _, r := range a.Readings {
			if r.Of == billing.ReadInventory && !r.CompleteAt.IsZero() && (oldest.IsZero() || r.CompleteAt.Before(oldest)) {
				oldest = r.CompleteAt
			}
		}
	}
	return oldest
}
