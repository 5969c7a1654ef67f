package words

import (
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/rules"
)

// The order holds for every warning: what and when, what is lost, what helps with its effect, why, as of.
func (l letter) balance(f billing.Finding, b rules.BalanceFacts) notify.Message {
	m := notify.Message{Push: l.balancePush(f, b)}
	m.Blocks = append(m.Blocks, notify.Section(l.balanceLine(b)))
	if s := l.loss(b); s != "" {
		m.Blocks = append(m.Blocks, notify.Section(s))
	}
	if s := l.help(f, b); s != "" {
		m.Blocks = append(m.Blocks, notify.Section(s))
	}
	m.Blocks = append(m.Blocks, notify.Actions(l.balanceButtons(f, b)...))
	m.Blocks = append(m.Blocks, l.small(l.why(b)...)...)
	return m
}

// news is how long a top-up is what a message begins with.
const news = 30 * time.Minute

func (l letter) balancePush(f billing.Finding, b rules.BalanceFacts) string {
	mark := "🟠"
	if f.Severity == billing.SeverityUrgent {
		mark = "🔴"
	}
	args := []any{"mark", mark, "who", l.who(b.Account, b.Cloud), "at", b.EmptyAt, "start", b.Start, "short", b.Short,
		"left", b.Runway, "cash", b.Cash, "floor", b.Floor, "amount", b.Arrived.Amount, "arrived", b.Arrived.At}
	keys := []string{"notify.balance.push.soon"}
	switch {
	case b.Arrived.Amount.Known() && l.Now.Sub(b.Arrived.At) <= news && b.EmptyAt.After(l.Now):
		keys = []string{"notify.balance.push.arrived"}
	case !b.EmptyAt.IsZero() && !b.EmptyAt.After(l.Now):
		keys = []string{"notify.balance.push.empty"}
	case b.Floor.Known() || b.EmptyAt.IsZero():
		keys = []string{"notify.balance.push.floor"}
		if !b.Floor.Known() {
			keys = []string{"notify.balance.push.unknown"}
		}
	case b.BeforeStart && b.Short.Known():
		keys = []string{"notify.balance.push.before", "notify.balance.push.before_short"}
	}
	return l.push(keys, args...)
}

func (l letter) balanceLine(b rules.BalanceFacts) notify.Rich {
	key := "notify.balance.line"
	switch {
	case b.EmptyAt.IsZero():
		key = "notify.balance.line_bare"
	case b.Unpriced > 0:
		key = "notify.balance.line_least"
	}
	return l.Rich(key, "account", b.Account, "cash", b.Cash, "burn", b.Burn, "left", b.Runway, "count", b.Unpriced)
}

// loss says what becomes of what is there when the money is gone.
func (l letter) loss(b rules.BalanceFacts) notify.Rich {
	if b.EmptyAt.IsZero() || len(b.Lost)+len(b.Interrupted)+len(b.Unsure) == 0 {
		return ""
	}
	out := []notify.Rich{l.Rich("notify.balance.loss.title", "at", b.EmptyAt)}
	if len(b.Lost) > 0 {
		out = append(out, l.Rich("notify.balance.loss.lost", "names", l.victims(b.Lost), "cloud", b.Cloud, "count", len(b.Lost)))
	}
	safe := map[string][]rules.Victim{}
	var volumes []string
	for _, x := range b.Interrupted {
		if safe[x.SafeOn] == nil {
			volumes = append(volumes, x.SafeOn)
		}
		safe[x.SafeOn] = append(safe[x.SafeOn], x)
	}
	for _, volume := range volumes {
		key := "notify.balance.loss.interrupted"
		if volume == "" {
			key = "notify.balance.loss.interrupted_bare"
		}
		out = append(out, l.Rich(key, "names", l.victims(safe[volume]), "volume", volume))
	}
	if len(b.Unsure) > 0 {
		out = append(out, l.Rich("notify.balance.loss.unsure", "names", l.victims(b.Unsure), "cloud", b.Cloud))
	}
	return lines(out...)
}

func (l letter) victims(all []rules.Victim) notify.Rich {
	var names []string
	for _, x := range all {
		names = append(names, x.Name)
	}
	return l.names(names)
}

// farOff is from where on an end is not worth a date.
const farOff = 60 * 24 * time.Hour

// help gives the choices, each with its effect.
func (l letter) help(f billing.Finding, b rules.BalanceFacts) notify.Rich {
	var out []notify.Rich
	for _, r := range f.Remedies {
		if r.Kind == billing.RemedyTopUp {
			out = append(out, l.topUp(r, b))
		}
	}
	for _, s := range b.Stops {
		key := "notify.balance.help.stop"
		switch {
		case s.Until.IsZero():
			key = "notify.balance.help.stop_all"
		case s.Until.Sub(l.Now) > farOff:
			key = "notify.balance.help.stop_long"
		}
		line := l.Rich(key, "name", s.Name, "gain", s.Gains, "until", s.Until, "far", farOff)
		if !s.Enough {
			line += l.Rich("notify.balance.help.not_enough")
		}
		out = append(out, line)
	}
	if len(out) == 0 {
		return ""
	}
	return lines(append([]notify.Rich{l.Rich("notify.balance.help.title")}, out...)...)
}

func (l letter) topUp(r billing.Remedy, b rules.BalanceFacts) notify.Rich {
	key := "notify.balance.help.top_up"
	switch {
	case r.Until.IsZero():
		key = "notify.balance.help.top_up_bare"
	case b.Minimum.Known():
		key = "notify.balance.help.top_up_minimum"
	}
	return l.Rich(key, "amount", r.Amount, "until", r.Until, "short", b.Short, "goal", b.Goal, "cloud", b.Cloud, "minimum", b.Minimum)
}

func (l letter) balanceButtons(f billing.Finding, b rules.BalanceFacts) []notify.Button {
	var out []notify.Button
	if b.TopUp != "" {
		out = append(out, notify.Button{Label: l.Text("notify.button.top_up", "cloud", shorten(b.Cloud, 24)), URL: b.TopUp,
			Style: notify.StylePrimary})
	}
	for _, s := range b.Stops {
		out = append(out, notify.Button{Label: l.Text("notify.button.stop", "name", shorten(s.Name, 24)), Action: actRelease,
			Value: s.Handle})
	}
	return append(out, l.mine(f)...)
}

// why is what the burn is made of, and what was taken for granted.
func (l letter) why(b rules.BalanceFacts) []notify.Rich {
	var parts []notify.Rich
	for i, r := range b.Running {
		if i == maxNames {
			parts = append(parts, l.Rich("notify.more", "count", len(b.Running)-maxNames))
			break
		}
		parts = append(parts, notify.Join(" ", notify.Plain(r.Name), notify.Plain(card(r.GPU)), notify.Plain(l.MoneyPer(r.Rate, PerHour))))
	}
	if b.Rest.Sign() > 0 {
		parts = append(parts, l.Rich("notify.balance.rest", "rate", b.Rest))
	}
	out := []notify.Rich{dots(parts...)}
	if b.Unsettled.Sign() > 0 && !b.EmptyAt.IsZero() {
		out = append(out, l.Rich("notify.balance.unsettled", "amount", b.Unsettled))
	}
	return append(out, l.Rich("notify.balance.as_of", "at", b.ReadAt))
}

// card writes a machine's cards: "2×H100"; "" for none.
func card(g billing.GPU) string {
	switch {
	case g.Model == "":
		return ""
	case !g.Count.Known():
		return g.Model
	}
	return g.Count.String() + "×" + g.Model
}
