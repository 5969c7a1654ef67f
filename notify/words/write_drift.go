package words

import (
	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/rules"
)

// counter says that a lifetime counter went back, and what that leaves unknown.
func (l letter) counter(f billing.Finding, c rules.CounterFacts) notify.Message {
	m := notify.Message{Push: l.push([]string{"notify.counter.push", "notify.counter.push_short"}, "who", l.who(c.Account, c.Cloud), "by", c.By)}
	m.Blocks = append(m.Blocks, notify.Section(l.Rich("notify.counter.why", "cloud", c.Cloud, "at", c.At, "by", c.By)),
		notify.Actions(append(l.console(c.Cloud, c.Console), l.mine(f)...)...))
	return m
}

// drift says how far a day's bill and our own meter are apart.
func (l letter) drift(f billing.Finding, d rules.DriftFacts) notify.Message {
	keys, why := []string{"notify.drift.less", "notify.drift.less_short"}, "notify.drift.why_less"
	if d.More {
		keys, why = []string{"notify.drift.more", "notify.drift.more_short"}, "notify.drift.why_more"
	}
	m := notify.Message{Push: l.push(keys, "who", l.who(d.Account, d.Cloud), "by", d.By, "day", d.Day.UTC().Format("2006-01-02"))}
	m.Blocks = append(m.Blocks, notify.Section(lines(
		l.Rich("notify.drift.figures", "account", d.Account, "day", d.Day.UTC().Format("2006-01-02"), "billed", d.Billed, "accrued", d.Accrued), l.Rich(why))),
		notify.Actions(append(l.console(d.Cloud, d.Console), l.mine(f)...)...))
	return m
}

// console is the button that opens the cloud's own page, where it has one.
func (l letter) console(cloud, url string) []notify.Button {
	if url == "" {
		return nil
	}
	return []notify.Button{{Label: l.Text("notify.button.open_at", "cloud", shorten(cloud, 24)), URL: url}}
}
