package words

import (
	"fmt"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/rules"
)

// Writer writes the messages of findings. It satisfies notify.Writer.
type Writer struct{ Book *Book }

var _ notify.Writer = Writer{}

// The actions of buttons, as bot knows them.
const (
	actRelease = "release"
	actKeep    = "keep"
	actTake    = "take"
	actSnooze  = "snooze"
	actRun     = "run"
)

// letter is one message while it is written.
type letter struct {
	Printer
	v notify.View
}

// Write makes the message of findings that belong together: their rule's facts decide how it reads.
func (w Writer) Write(v notify.View, lang string, group []billing.Finding) (notify.Message, error) {
	if len(group) == 0 {
		return notify.Message{}, fmt.Errorf("write message: no findings")
	}
	l := letter{w.Book.For(lang, v.Zone, v.Now), v}
	var m notify.Message
	switch facts := group[0].Facts.(type) {
	case rules.BalanceFacts:
		m = l.balance(group[0], facts)
	case rules.ForgottenFacts:
		m = l.forgotten(group)
	case rules.StoppedFacts:
		m = l.stopped(group)
	case rules.ExpiryFacts:
		m = l.expiry(group)
	case rules.UnreachableFacts:
		m = l.unreachable(group[0], facts)
	case rules.MemberFacts:
		m = l.members(group)
	case rules.UnexplainedFacts:
		m = l.unexplained(group[0], facts)
	case rules.BudgetFacts:
		m = l.budget(group[0], facts)
	case rules.CounterFacts:
		m = l.counter(group[0], facts)
	case rules.DriftFacts:
		m = l.drift(group[0], facts)
	default:
		return notify.Message{}, fmt.Errorf("write message: rule %s: facts of type %T", group[0].Rule, facts)
	}
	return l.headed(m), nil
}

// headed repeats the push line as the first line of the message.
func (l letter) headed(m notify.Message) notify.Message {
	m.Blocks = append([]notify.Block{notify.Section(notify.Bold(m.Push))}, m.Blocks...)
	return m
}

// Astray is the line under a message that its own route could not take.
func (w Writer) Astray(lang string, of notify.Route) notify.Block {
	return notify.Context(w.Book.For(lang, nil, time.Time{}).Rich("notify.astray", "route", of.Name))
}

// Held is the one message for many, by their push lines.
func (w Writer) Held(lang string, pushes []string) notify.Message {
	l := letter{w.Book.For(lang, nil, time.Time{}), notify.View{}}
	m := notify.Message{Push: l.Text("notify.held", "count", len(pushes))}
	rows := []notify.Rich{}
	for i, push := range pushes {
		if i == maxRows && len(pushes) > maxRows+1 {
			rows = append(rows, l.Rich("notify.more", "count", len(pushes)-maxRows))
			break
		}
		rows = append(rows, "• "+notify.Plain(push))
	}
	m.Blocks = []notify.Block{notify.Section(lines(rows...)), notify.Actions(
		notify.Button{Label: l.Text("notify.button.status"), Action: actRun, Value: "status"})}
	return l.headed(m)
}

// maxPush is how wide a push line may be: 80 letters, or 36 Chinese characters, which are two wide.
const (
	maxPushEnglish = 80
	maxPushChinese = 72
)

// push renders the first of several wordings that fits a locked phone, longest first. Where none does, the longest
// name of the last one is cut.
func (l letter) push(keys []string, args ...any) string {
	var s string
	for _, key := range keys {
		if s = l.Text(key, args...); l.fits(s) {
			return s
		}
	}
	last := keys[len(keys)-1]
	for n := 24; n > 4; n -= 4 {
		cut := append([]any{}, args...)
		for i, v := range cut {
			if name, ok := v.(string); ok && i%2 == 1 {
				cut[i] = shorten(name, n)
			}
		}
		if s = l.Text(last, cut...); l.fits(s) {
			return s
		}
	}
	return s
}

func (l letter) fits(s string) bool {
	if l.Lang == Chinese {
		return width(s) <= maxPushChinese
	}
	return len([]rune(s)) <= maxPushEnglish
}

// width counts columns: Chinese letters, full-width punctuation and pictures are two wide.
func width(s string) int {
	n := 0
	for _, r := range s {
		n++
		if han(r) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef || r >= 0x1f300 {
			n++
		}
	}
	return n
}

// shorten cuts a name to a number of letters.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// maxNames is how many names a line tells before it counts.
const maxNames = 5

// names writes resources one after another, as people may type them.
func (l letter) names(all []string) notify.Rich {
	var out []notify.Rich
	for i, name := range all {
		if i == maxNames && len(all) > maxNames+1 {
			return l.Rich("notify.names_more", "names", notify.Join(l.comma(), out...), "count", len(all)-maxNames)
		}
		out = append(out, notify.Code(name))
	}
	return notify.Join(l.comma(), out...)
}

// who names an account: its cloud, where that is plain, else its own name.
func (l letter) who(account, cloud string) string {
	same := 0
	for _, a := range l.v.Accounts {
		if rules.Cloud(a) == cloud {
			same++
		}
	}
	if same > 1 {
		return account
	}
	return cloud
}

// small is the small print: what stands behind the figures, and where they are from.
func (l letter) small(all ...notify.Rich) []notify.Block {
	all = append(all, notify.Plain(l.v.Source))
	if text := lines(all...); text != "" {
		return []notify.Block{notify.Context(text)}
	}
	return nil
}

// mine are the buttons to take an alert and to be left in peace. A message about several things has none: each of its
// lines has a menu, and one press must not silence what nobody looked at.
func (l letter) mine(group ...billing.Finding) []notify.Button {
	if len(group) != 1 {
		return nil
	}
	print := notify.Fingerprint(group[0])
	return []notify.Button{
		{Label: l.Text("notify.button.take"), Action: actTake, Value: print},
		{Label: l.Text("notify.button.snooze"), Action: actSnooze, Value: print},
	}
}

// asOf is the line of small print that says when the resources were last read; "" where they never were.
func (l letter) asOf() notify.Rich {
	at := l.inventoryAt()
	if at.IsZero() {
		return ""
	}
	return l.Rich("notify.as_of", "at", at)
}

// actions makes a row of buttons; nothing where there is none.
func actions(all ...notify.Button) []notify.Block {
	if len(all) == 0 {
		return nil
	}
	return []notify.Block{notify.Actions(all...)}
}

// menu is what can be done about a resource.
func (l letter) menu(h billing.Holding) []notify.Button {
	a, _ := l.v.Account(h.Account)
	var out []notify.Button
	if a.Release {
		out = append(out, notify.Button{Label: l.Text("notify.button.release"), Action: actRelease, Value: h.Handle})
	}
	out = append(out, notify.Button{Label: l.Text("notify.button.keep"), Action: actKeep, Value: h.Handle})
	if url := rules.Page(a, h); url != "" {
		out = append(out, notify.Button{Label: l.Text("notify.button.open"), URL: url})
	}
	return out
}

// owner is who a resource belongs to, as its cloud has it.
func (l letter) owner(h billing.Holding) string {
	switch {
	case h.Owner != "":
		return h.Owner
	case h.Project != "":
		return h.Project
	}
	return l.Text("notify.unowned")
}

// lines joins what is there line by line.
func lines(all ...notify.Rich) notify.Rich { return notify.Join("\n", all...) }

// dots joins short facts.
func dots(all ...notify.Rich) notify.Rich { return notify.Join(" · ", all...) }

// place is a cloud and the region in it.
func place(cloud, region string) string {
	return strings.TrimSuffix(cloud+" "+region, " ")
}
