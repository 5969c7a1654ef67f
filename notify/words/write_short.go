package words

import (
	"slices"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/rules"
)

// stopped lists machines that are off and still cost.
func (l letter) stopped(group []billing.Finding) notify.Message {
	first := group[0].Facts.(rules.StoppedFacts)
	var daily billing.Tally
	for _, f := range group {
		daily.Add(f.Facts.(rules.StoppedFacts).Daily)
	}
	m := notify.Message{Push: l.push([]string{"notify.stopped.push_many"}, "count", len(group), "sum", notify.Plain(l.Monies(daily.Totals())),
		"who", l.who(first.Account, first.Cloud))}
	if len(group) == 1 {
		m.Push = l.push([]string{"notify.stopped.push"}, "name", rules.Name(first.Holding), "daily", first.Daily,
			"who", l.who(first.Account, first.Cloud))
	}
	for i, f := range group {
		if i == maxRows {
			m.Blocks = append(m.Blocks, notify.Context(l.Rich("notify.forgotten.more", "count", len(group)-maxRows)))
			break
		}
		w := f.Facts.(rules.StoppedFacts).Waste
		line := l.Rich("notify.stopped.row", "name", rules.Name(w.Holding), "since", w.Since, "age", l.Now.Sub(w.Since),
			"monthly", w.Monthly, "owner", l.owner(w.Holding), "place", place(w.Cloud, w.Ref.Region), "paid", w.Paid)
		m.Blocks = append(m.Blocks, notify.Section(line, l.menu(w.Holding)...))
	}
	m.Blocks = append(m.Blocks, notify.Section(l.Rich("notify.stopped.help")))
	m.Blocks = append(append(m.Blocks, actions(l.mine(group...)...)...), l.small(l.asOf())...)
	return m
}

// expiry lists what ends soon, soonest first.
func (l letter) expiry(group []billing.Finding) notify.Message {
	group = slices.Clone(group)
	slices.SortStableFunc(group, func(x, y billing.Finding) int {
		return x.Facts.(rules.ExpiryFacts).At.Compare(y.Facts.(rules.ExpiryFacts).At)
	})
	first := group[0].Facts.(rules.ExpiryFacts).Expiry
	m := notify.Message{Push: l.expiryPush(len(group), first)}
	var rows []notify.Rich
	for i, f := range group {
		if i == maxRows {
			rows = append(rows, l.Rich("notify.more", "count", len(group)-maxRows))
			break
		}
		rows = append(rows, l.expiryRow(f.Facts.(rules.ExpiryFacts).Expiry))
	}
	m.Blocks = append(m.Blocks, notify.Section(lines(rows...)))
	var buttons []notify.Button
	if a, _ := l.v.Account(first.AccountID); rules.Page(a, first.Holding) != "" {
		buttons = append(buttons, notify.Button{Label: l.Text("notify.button.open_at", "cloud", shorten(first.Cloud, 24)),
			URL: rules.Page(a, first.Holding)})
	}
	m.Blocks = append(append(m.Blocks, actions(append(buttons, l.mine(group...)...)...)...), l.small(l.asOf())...)
	return m
}

func (l letter) expiryPush(n int, e rules.Expiry) string {
	who := l.who(e.Account, e.Cloud)
	switch {
	case n > 1:
		return l.push([]string{"notify.expiry.push_many"}, "who", who, "count", n, "at", e.At)
	case e.Wiped:
		return l.push([]string{"notify.expiry.push_wiped", "notify.expiry.push_wiped_short"}, "cloud", e.Cloud, "name", rules.Name(e.Holding), "at", e.At)
	case e.Voucher != "":
		return l.push([]string{"notify.expiry.push_voucher"}, "who", who, "remaining", e.Remaining, "at", e.At)
	case e.Renews == billing.Yes && !e.Monthly.Known():
		return l.push([]string{"notify.expiry.push_renews_bare"}, "name", rules.Name(e.Holding), "at", e.At)
	case e.Renews == billing.Yes:
		return l.push([]string{"notify.expiry.push_renews"}, "name", rules.Name(e.Holding), "at", e.At, "monthly", e.Monthly)
	case e.Renews == billing.No:
		return l.push([]string{"notify.expiry.push"}, "name", rules.Name(e.Holding), "at", e.At)
	}
	return l.push([]string{"notify.expiry.push_unsure"}, "name", rules.Name(e.Holding), "at", e.At)
}

func (l letter) expiryRow(e rules.Expiry) notify.Rich {
	args := []any{"name", rules.Name(e.Holding), "kind", e.Ref.Kind, "mode", e.Mode, "at", l.Moment(e.At), "left", e.At.Sub(l.Now),
		"remaining", e.Remaining, "place", place(e.Cloud, e.Ref.Region)}
	key := "notify.expiry.row_unsure"
	switch {
	case e.Wiped:
		return l.Rich("notify.expiry.row_wiped", args...)
	case e.Voucher != "":
		return l.Rich("notify.expiry.row_voucher", args...)
	case e.Renews == billing.Yes:
		key = "notify.expiry.row_renews"
	case e.Renews == billing.No:
		key = "notify.expiry.row"
	}
	price := l.Rich("notify.expiry.price", "monthly", e.Monthly)
	if !e.Monthly.Known() {
		price = l.Rich("notify.expiry.price_unknown")
	}
	return dots(l.Rich(key, args...), price)
}

// unreachable says what of an account can't be read, once, whatever depends on it.
func (l letter) unreachable(f billing.Finding, u rules.UnreachableFacts) notify.Message {
	who := l.who(u.Account, u.Cloud)
	key := "notify.unreachable.push_part"
	if u.All {
		key = "notify.unreachable.push"
	}
	m := notify.Message{Push: l.push([]string{key}, "who", who, "why", l.Text("notify.unreachable.kind."+known(u.Kind)))}
	m.Blocks = append(m.Blocks, notify.Section(lines(l.unread(u)...)), notify.Section(lines(
		l.Rich("notify.unreachable.help.title"), l.Rich("notify.unreachable.help."+known(u.Kind)))))
	var buttons []notify.Button
	if u.Console != "" {
		buttons = append(buttons, notify.Button{Label: l.Text("notify.button.open_at", "cloud", shorten(u.Cloud, 24)), URL: u.Console})
	}
	as := l.Rich("notify.unreachable.last", "at", u.LastGood)
	if u.LastGood.IsZero() {
		as = l.Rich("notify.unreachable.never")
	}
	m.Blocks = append(append(m.Blocks, notify.Actions(append(buttons, l.mine(f)...)...)), l.small(as)...)
	return m
}

// unread says what fails, why, and what follows.
func (l letter) unread(u rules.UnreachableFacts) []notify.Rich {
	var what []notify.Rich
	for _, of := range u.Others {
		what = append(what, l.Rich("reading."+string(of)))
	}
	if len(u.Scopes) > 0 {
		what = append(what, l.Scopes(u.Scopes))
	}
	out := []notify.Rich{l.Rich("notify.unreachable.why", "account", u.Account, "why", u.Why)}
	if len(what) > 0 {
		out = append(out, l.Rich("notify.unreachable.what", "what", notify.Join(l.comma(), what...)))
	}
	if !u.Since.IsZero() {
		out = append(out, l.Rich("notify.unreachable.since", "since", u.Since, "age", l.Now.Sub(u.Since)))
	}
	if u.All {
		out = append(out, l.Rich("notify.unreachable.mutes"))
	}
	return out
}

// known folds the kinds of failure into those that a message tells apart.
func known(k billing.ErrorKind) string {
	switch k {
	case billing.Auth, billing.Denied, billing.Conflict:
		return string(k)
	}
	return "other"
}
