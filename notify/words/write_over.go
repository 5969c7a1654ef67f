package words

import (
	"strings"

	"gpuspend/notify"
	"gpuspend/notify/rules"
)

// Over is the message that replaces the one of an alert that is over: what happened, above what it was.
func (w Writer) Over(v notify.View, lang string, a notify.Alert, was notify.Message) (notify.Message, error) {
	l := letter{w.Book.For(lang, v.Zone, v.Now), v}
	account, _ := v.Account(a.Account)
	who := l.who(account.Name, rules.Cloud(account))
	m := notify.Message{Push: l.overPush(a, account, who)}
	small := []notify.Rich{l.Rich("notify.over.was", "was", was.Push, "fired", a.FiredAt)}
	if waste(a.Rule) {
		// Nothing is called clean while a part of it could not be looked at.
		for _, b := range rules.Wasted(v).NotRead {
			small = append(small, l.Unread(b))
		}
	}
	m.Blocks = append(m.Blocks, l.small(small...)...)
	return l.headed(m), nil
}

func waste(rule string) bool {
	switch rule {
	case "forgotten_disk", "forgotten_ip", "forgotten_snapshot", "stopped":
		return true
	}
	return false
}

func (l letter) overPush(a notify.Alert, account notify.AccountView, who string) string {
	switch a.Rule {
	case "balance":
		key := "notify.over.balance"
		if account.Outlook.EmptyAt.IsZero() || account.Outlook.Runway > farOff {
			key = "notify.over.balance_all"
		}
		return l.push([]string{key}, "who", who, "cash", account.Balance.Cash, "at", account.Outlook.EmptyAt,
			"left", account.Outlook.Runway)
	case "unreachable":
		return l.push([]string{"notify.over.unreachable"}, "who", who, "at", l.Now)
	case "unexplained":
		return l.push([]string{"notify.over.unexplained"}, "who", who)
	case "member":
		return l.push([]string{"notify.over.member"})
	case "drift", "counter":
		return l.push([]string{"notify.over." + a.Rule}, "who", who)
	case "budget":
		_, name, _ := strings.Cut(a.Scope, " ")
		_, name, _ = strings.Cut(name, " ")
		return l.push([]string{"notify.over.budget"}, "who", shorten(name, 24))
	case "expiry":
		return l.push([]string{"notify.over.expiry"}, "who", who)
	case "stopped":
		return l.push([]string{"notify.over.stopped"}, "who", who)
	case "forgotten_disk", "forgotten_ip", "forgotten_snapshot":
		return l.push([]string{"notify.over.forgotten"})
	}
	return l.push([]string{"notify.over.other"}, "who", who)
}
