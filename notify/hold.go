package notify

import (
	"slices"
	"time"

	"gpuspend/billing"
)

// draft is a letter before it is written down.
type draft struct {
	Letter
	urgent bool // never held back
}

func urgent(findings []billing.Finding) bool {
	return slices.ContainsFunc(findings, func(f billing.Finding) bool { return f.Severity >= billing.SeverityUrgent })
}

// hold keeps a place from being flooded: of the posts beyond a number an hour it makes one, by their push lines. What is
// urgent, and edits, always pass.
func (p *Pipeline) hold(now time.Time, letters []draft) []Letter {
	var pass []Letter
	held := map[string][]Letter{}
	var order []string
	for _, l := range letters {
		name := l.Route.Name
		p.posts[name] = slices.DeleteFunc(p.posts[name], func(t time.Time) bool { return now.Sub(t) >= time.Hour })
		switch {
		case l.Edits != "":
			pass = append(pass, l.Letter)
		case l.urgent || len(p.posts[name]) < p.o.PerHour:
			p.posts[name] = append(p.posts[name], now)
			pass = append(pass, l.Letter)
		default:
			if held[name] == nil {
				order = append(order, name)
			}
			held[name] = append(held[name], l.Letter)
		}
	}
	for _, name := range order {
		pass = append(pass, p.together(held[name]))
	}
	return pass
}

// together makes one letter of several. One alone stays as it is.
func (p *Pipeline) together(all []Letter) Letter {
	if len(all) == 1 {
		return all[0]
	}
	var pushes []string
	for _, l := range all {
		pushes = append(pushes, l.Message.Push)
	}
	one := all[0]
	one.Fingerprint = ""
	one.Message = p.o.Writer.Held(one.Route.Lang, pushes)
	return one
}
