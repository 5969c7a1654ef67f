package bot

import (
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/rules"
	"gpuspend/notify/words"
)

// warnings says which reads failed or are stale, one sentence a piece. The normal lag of bills is none.
func warnings(p words.Printer, v notify.View, of ...billing.ReadingOf) []string {
	out := []string{}
	for _, line := range warningLines(p, v, of...) {
		out = append(out, line.String())
	}
	return out
}

func warningLines(p words.Printer, v notify.View, of ...billing.ReadingOf) []notify.Rich {
	var out []notify.Rich
	for _, a := range v.Accounts {
		if !a.Stopped.IsZero() {
			out = append(out, p.Rich("bot.warn.stopped", "account", a.Name, "why", a.Stopped))
			continue
		}
		for _, group := range troubles(v, a, of) {
			out = append(out, group.line(p, a.Name))
		}
	}
	return out
}

// trouble is readings of one account that fail alike.
type trouble struct {
	first  billing.Reading
	scopes []billing.Scope
	stale  bool
}

func troubles(v notify.View, a notify.AccountView, of []billing.ReadingOf) []trouble {
	var out []trouble
	for _, r := range a.Readings {
		stale := tooOld(v, r)
		if !slices.Contains(of, r.Of) || r.ErrorKind == billing.Absent || !r.Failing() && !stale {
			continue
		}
		i := slices.IndexFunc(out, func(t trouble) bool {
			return t.first.Of == r.Of && t.first.ErrorKind == r.ErrorKind && t.first.Say.Key == r.Say.Key && t.stale == stale
		})
		if i < 0 {
			i = len(out)
			out = append(out, trouble{first: r, stale: stale})
		}
		if r.CompleteAt.Before(out[i].first.CompleteAt) {
			out[i].first.CompleteAt = r.CompleteAt
		}
		out[i].scopes = append(out[i].scopes, r.Scope)
	}
	return out
}

// tooOld says that a reading is older than the settings allow though nothing failed.
func tooOld(v notify.View, r billing.Reading) bool {
	limit := time.Duration(0)
	switch r.Of {
	case billing.ReadBalance:
		limit = v.Settings.StaleBalance
	case billing.ReadInventory:
		limit = v.Settings.StaleInventory
	}
	return limit > 0 && !r.CompleteAt.IsZero() && v.Now.Sub(r.CompleteAt) > limit
}

func (t trouble) line(p words.Printer, account string) notify.Rich {
	what := p.Text("bot.read." + string(t.first.Of))
	if t.first.Of == billing.ReadInventory {
		what = scopesText(p, t.scopes)
	}
	last := p.Text("bot.warn.never")
	if !t.first.CompleteAt.IsZero() {
		last = p.Text("bot.warn.last", "time", t.first.CompleteAt)
	}
	if t.first.Failing() {
		return p.Rich("bot.warn.failed", "account", account, "what", what, "why", whyText(p, t.first), "last", last)
	}
	return p.Rich("bot.warn.stale", "account", account, "what", what, "last", last)
}

func whyText(p words.Printer, r billing.Reading) string {
	if !r.Say.IsZero() {
		return strings.TrimRight(p.Say(r.Say), ".。")
	}
	return strings.TrimRight(p.Text("error."+string(r.ErrorKind)), ".。")
}

// scopesText names scopes: "disks in cn-shanghai, snapshots".
func scopesText(p words.Printer, scopes []billing.Scope) string {
	var names []string
	for _, s := range scopes {
		name := p.Text("bot.read.inventory")
		if s.Kind != "" {
			name = p.Kind(s.Kind)
		}
		if s.Region != "" {
			name = p.Text("bot.read.in", "what", name, "region", s.Region)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return p.List(names)
}

// notRead lists what could not be looked at, for --json.
func notRead(p words.Printer, v notify.View, of ...billing.ReadingOf) []NotRead {
	out := []NotRead{}
	for _, a := range v.Accounts {
		for _, r := range a.Readings {
			if !slices.Contains(of, r.Of) || r.ErrorKind == billing.Absent || !r.Failing() && !r.CompleteAt.IsZero() {
				continue
			}
			out = append(out, NotRead{Account: a.Name, What: r.Of, Kind: r.Scope.Kind, Region: r.Scope.Region, Why: whyText(p, r)})
		}
	}
	return out
}

// oldest is when the oldest of some readings was complete; zero for none.
func oldest(v notify.View, of billing.ReadingOf) time.Time {
	var at time.Time
	for _, a := range v.Accounts {
		for _, r := range a.Readings {
			if r.Of == of && !r.CompleteAt.IsZero() && (at.IsZero() || r.CompleteAt.Before(at)) {
				at = r.CompleteAt
			}
		}
	}
	return at
}

// readLine says when each account was last read whole: "As of RunPod 09:59 · AutoDL 09:58".
func readLine(p words.Printer, v notify.View, of billing.ReadingOf) notify.Rich {
	var parts []notify.Rich
	for _, a := range v.Accounts {
		one := v
		one.Accounts = []notify.AccountView{a}
		if at := oldest(one, of); !at.IsZero() {
			parts = append(parts, notify.Plain(a.Name+" "+p.Clock(at)))
		}
	}
	if len(parts) == 0 {
		return p.Rich("bot.as_of_never")
	}
	return p.Rich("bot.as_of", "read", notify.Join(" · ", parts...))
}

// polled says that there is a cloud behind an account, not only imported bills.
func polled(a notify.AccountView) bool { return a.Account.Driver != "" }

func cloud(a notify.AccountView) string { return rules.Cloud(a) }

// blind says that an account's cloud should tell something and that its last reading failed, or that there never was one.
func blind(a notify.AccountView, of billing.ReadingOf) bool {
	if !polled(a) || of == billing.ReadBalance && a.Driver.Claims[billing.CanBalance].Can != billing.Yes {
		return false
	}
	read := false
	for _, r := range a.Readings {
		if r.Of != of || r.ErrorKind == billing.Absent || r.Scope == (billing.Scope{}) && of == billing.ReadInventory && !r.Failing() {
			continue
		}
		if r.Failing() || r.CompleteAt.IsZero() {
			return true
		}
		read = true
	}
	return !read
}

// blindAccounts counts the accounts of which something that decides is not known.
func blindAccounts(v notify.View) (n int) {
	for _, a := range v.Accounts {
		if blind(a, billing.ReadInventory) || blind(a, billing.ReadBalance) {
			n++
		}
	}
	return n
}

// everRead says that some account's resources were read whole at least once.
func everRead(v notify.View) bool {
	return slices.ContainsFunc(v.Accounts, func(a notify.AccountView) bool {
		return slices.ContainsFunc(a.Readings, func(r billing.Reading) bool {
			return r.Of == billing.ReadInventory && r.Scope.Kind != "" && !r.CompleteAt.IsZero()
		})
	})
}
