package bot

import (
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/rules"
	"gpuspend/notify/words"
)

// unexplainedRow compares a wallet with what is seen, for --json; nil where nobody can tell.
func unexplainedRow(a notify.AccountView) *UnexplainedRow {
	d, ok := rules.Drained(a)
	if !ok {
		return nil
	}
	return &UnexplainedRow{Account: a.Name, Currency: d.Taken.Currency(), PerHour: amount(d.Rest), Taken: amount(d.Taken),
		Explained: amount(d.Explained), From: d.Period.Start.UTC().Format(time.RFC3339), To: d.Period.End.UTC().Format(time.RFC3339), Open: d.Open}
}

// unexplainedLines says how much more leaves a wallet than can be seen; none where nobody can tell or all may be
// explained.
func unexplainedLines(p words.Printer, a notify.AccountView) []notify.Rich {
	d, ok := rules.Drained(a)
	if !ok || !rules.Notable(d) {
		return nil
	}
	line := p.Rich("bot.unexplained.line", "account", a.Name, "rest", notify.Bold(p.MoneyPer(d.Rest, words.PerHour)),
		"from", notify.Plain(p.Moment(d.Period.Start)), "to", notify.Plain(p.Moment(d.Period.End)), "taken", d.Taken, "explained", seen(p, d.Explained))
	if d.Open > 0 {
		line = notify.Join(" ", line, p.Rich("bot.unexplained.open", "count", d.Open))
	}
	return []notify.Rich{line}
}

// seen is what things explain that were seen; a wallet may lose money with nothing to be seen at all.
func seen(p words.Printer, m billing.Money) string {
	if m.Sign() == 0 {
		return p.Text("bot.unexplained.nothing")
	}
	return p.Money(m)
}
