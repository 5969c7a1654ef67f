package bot

import (
	"gpuspend/billing"
	"gpuspend/billing/release"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// Progress is the message of a release at work: posted once, edited to its end, with who and when.
func Progress(a release.Action, p words.Printer) notify.Message {
	line := progressLine(p, a)
	m := notify.Message{Push: line.String(), Blocks: []notify.Block{notify.Section(line)}}
	m.Blocks = append(m.Blocks, notify.Context(notify.Join("\n", progressSmallPrint(p, a)...)))
	return m
}

// progressLine is one line: what is done to which thing, and how far it is.
func progressLine(p words.Printer, a release.Action) notify.Rich {
	args := []any{"name", notify.Code(label(a.Name, a.Ref.ID)), "kind", a.Ref.Kind, "time", a.MovedAt, "asked", a.ProposedAt}
	verb := "." + string(a.Verb)
	switch a.State {
	case release.Proposed:
		return p.Rich("bot.progress.proposed"+verb, args...)
	case release.Approved:
		return p.Rich("bot.progress.approved"+verb, args...)
	case release.Running:
		return p.Rich("bot.progress.running"+verb, args...)
	case release.Verifying:
		n := 1
		if !a.SeenAt.IsZero() {
			n = 2
		}
		return p.Rich("bot.progress.verifying"+verb, append(args, "n", n)...)
	case release.Done:
		return p.Rich("bot.progress.done"+verb, args...)
	}
	why := a.Why
	if why.IsZero() {
		why = billing.Say("bot.progress.no_reason")
	}
	return p.Rich("bot.progress."+string(a.State)+verb, append(args, "why", why)...)
}

func progressSmallPrint(p words.Printer, a release.Action) []notify.Rich {
	who := a.By.Name
	if who == "" {
		who = a.By.ID
	}
	lines := []notify.Rich{p.Rich("bot.progress.by", "who", who, "time", a.ProposedAt)}
	if a.Reason != "" {
		lines[0] = p.Rich("bot.progress.by_reason", "who", who, "time", a.ProposedAt, "reason", a.Reason)
	}
	switch {
	case a.State == release.Failed || a.State == release.Declined || a.State == release.Expired:
		lines = append(lines, p.Rich("bot.progress.still", "amount", notify.Plain(p.MoneyPer(total(a), words.PerMonth))))
	case a.Saves.Known() && a.StillBills.Known():
		lines = append(lines, p.Rich("bot.progress.effect", "saves", notify.Plain(p.MoneyPer(a.Saves, words.PerMonth)),
			"still", notify.Plain(p.MoneyPer(a.StillBills, words.PerMonth))))
	}
	number := p.Rich("bot.progress.number", "id", int64(a.ID), "handle", notify.Code(a.Handle))
	if a.RequestID != "" {
		number = p.Rich("bot.progress.request", "id", int64(a.ID), "handle", notify.Code(a.Handle), "request", notify.Code(a.RequestID))
	}
	return append(lines, number)
}

// total is what the thing costs as long as nothing is released.
func total(a release.Action) billing.Money {
	sum, err := a.Saves.Add(a.StillBills)
	if err != nil {
		return billing.Money{}
	}
	return sum
}
