package words

import (
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/rules"
)

// unexplained says what a wallet lost, what of it can be seen, and what the rest may be.
func (l letter) unexplained(f billing.Finding, u rules.UnexplainedFacts) notify.Message {
	m := notify.Message{Push: l.push([]string{"notify.unexplained.push", "notify.unexplained.push_short"},
		"who", l.who(u.Account, u.Cloud), "taken", u.Taken, "rest", u.Rest)}
	key := "notify.unexplained.hour"
	if u.Period.Duration() != time.Hour {
		key = "notify.unexplained.span"
	}
	guess := "notify.unexplained.guess." + u.Driver
	if !l.book.Has(guess) {
		guess = "notify.unexplained.guess"
	}
	m.Blocks = append(m.Blocks, notify.Section(lines(
		l.Rich(key, "cloud", u.Cloud, "taken", u.Taken, "explained", u.Explained, "span", u.Period.Duration()),
		l.Rich("notify.unexplained.rest", "rest", u.Rest, "guess", l.Text(guess)),
	)))
	var buttons []notify.Button
	if u.Console != "" {
		buttons = append(buttons, notify.Button{Label: l.Text("notify.button.open_at", "cloud", shorten(u.Cloud, 24)), URL: u.Console})
	}
	m.Blocks = append(m.Blocks, notify.Actions(append(buttons, l.mine(f)...)...))
	m.Blocks = append(m.Blocks, l.small(l.Rich("notify.unexplained.as_of", "account", u.Account, "from", u.Period.Start,
		"to", u.Period.End, "read", u.ReadAt))...)
	return m
}
