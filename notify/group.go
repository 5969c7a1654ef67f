package notify

import (
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
)

// item is one finding or one alert that has none any more, with what was decided.
type item struct {
	finding *billing.Finding
	alert   *Alert // as stored; nil for none
	reason  Reason
	ladder  string // rule, account and resource: the steps of one thing
}

// group is what one message tells.
type group struct {
	topic  string // the fingerprint of its letters
	shared bool   // over all accounts: told at most weekly, edited in between
	items  []item
}

// topic names the message that a finding or alert belongs to.
func topic(together, rule string, account billing.AccountID) string {
	if together != "" {
		return together
	}
	return rule + "/" + strconv.FormatInt(int64(account), 10)
}

// Topic names the message that a rule's finding is told in.
func Topic(r Rule, f billing.Finding) string { return topic(r.Together, f.Rule, f.Account) }

// worst keeps one finding a ladder: the last one that counts, since rules give the steps of a thing with the worst last.
// What is held is told only where nothing else of its ladder is.
func (g group) worst() []billing.Finding {
	var order []string
	best := map[string]*billing.Finding{}
	for _, it := range g.items {
		if !it.tells() {
			continue
		}
		old := best[it.ladder]
		if old == nil {
			order = append(order, it.ladder)
		}
		if old == nil || it.finding.Severity > billing.SeverityHeld || old.Severity == billing.SeverityHeld {
			best[it.ladder] = it.finding
		}
	}
	out := make([]billing.Finding, 0, len(order))
	for _, l := range order {
		out = append(out, *best[l])
	}
	return out
}

// tells says that an item has a place in its group's message: it fires, or begins to.
func (it item) tells() bool {
	return it.finding != nil && it.reason != ReasonSnoozed && it.reason != ReasonMuted &&
		(it.alert != nil || it.reason.posts())
}

// loud says that the group deserves a message of its own: something is new and is the worst step of its thing. A step
// of a thing that somebody has taken is told by an edit, unless it is more severe than what he took.
func (g group) loud() bool {
	worst := map[string]string{}
	for _, f := range g.worst() {
		worst[ladder(f.Rule, f.Account, f.Resource, f.Scope)] = f.Scope
	}
	for _, it := range g.items {
		if it.reason.posts() && worst[it.ladder] == it.finding.Scope && !g.taken(it) {
			return true
		}
	}
	return false
}

// taken says that somebody is on the same thing already, and that it has not become more severe.
func (g group) taken(it item) bool {
	for _, o := range g.items {
		if o.ladder == it.ladder && o.alert != nil && o.alert.TakenBy != "" && o.alert.Severity >= it.finding.Severity {
			return true
		}
	}
	return false
}

// stirred says that the message which is there should be edited.
func (g group) stirred() bool {
	for _, it := range g.items {
		if it.reason.edits() || it.reason.posts() {
			return true
		}
	}
	return false
}

// over gives an alert that ended, where nothing of the group fires any more.
func (g group) over() (Alert, bool) {
	var last Alert
	for _, it := range g.items {
		switch {
		case it.reason == ReasonResolved:
			last = *it.alert
		case it.alert != nil:
			return Alert{}, false
		}
	}
	return last, last.Fingerprint != ""
}

// ladder names a thing whose steps are scopes. Where a scope's first word has a colon it names a thing that is no resource,
// and the rest is the step: "voucher:1234 3d", "joined:111122223333".
func ladder(rule string, account billing.AccountID, resource billing.ResourceID, scope string) string {
	name := rule + "/" + strconv.FormatInt(int64(account), 10) + "/" + strconv.FormatInt(int64(resource), 10)
	if thing, _, _ := strings.Cut(scope, " "); strings.Contains(thing, ":") {
		name += "/" + thing
	}
	return name
}

// sortOut puts findings and alerts together by fingerprint and decides about each, in the order of the findings.
func sortOut(v View, rules []Rule, findings []billing.Finding, alerts []Alert) []group {
	s := sorter{now: v.Now, quiet: v.Hours.Quiet(v.Now, v.Zone), together: map[string]string{}, night: map[string]bool{}, firing: map[string]*Alert{}, past: map[string]bool{},
		known: map[billing.AccountID]bool{}, muted: map[billing.AccountID]bool{}, at: map[string]int{}}
	for _, r := range rules {
		s.together[r.Name], s.night[r.Name] = r.Together, r.Night
	}
	for _, a := range v.Accounts {
		s.known[a.ID] = true
	}
	for i, a := range alerts {
		if a.State == Firing {
			s.firing[a.Fingerprint] = &alerts[i]
		} else {
			s.past[a.Fingerprint] = true
		}
	}
	for _, f := range findings {
		s.muted[f.Account] = s.muted[f.Account] || f.Mutes
	}
	for i := range findings {
		s.take(&findings[i])
	}
	for _, a := range alerts {
		if left := s.firing[a.Fingerprint]; left != nil && a.State == Firing {
			s.end(left)
		}
	}
	return s.groups
}

type sorter struct {
	now      time.Time
	quiet    bool
	together map[string]string // by rule
	night    map[string]bool   // by rule: said in quiet hours too
	firing   map[string]*Alert // by fingerprint; what a finding took is deleted
	past     map[string]bool
	known    map[billing.AccountID]bool
	muted    map[billing.AccountID]bool
	groups   []group
	at       map[string]int // index of a topic's group
}

func (s *sorter) take(f *billing.Finding) {
	print := Fingerprint(*f)
	a := s.firing[print]
	delete(s.firing, print)
	s.add(f.Rule, f.Account, item{
		finding: f, alert: a, ladder: ladder(f.Rule, f.Account, f.Resource, f.Scope),
		reason: decide(f, a, s.past[print], true, s.muted[f.Account], s.quiet && !s.night[f.Rule], s.now),
	})
}

func (s *sorter) end(a *Alert) {
	delete(s.firing, a.Fingerprint)
	s.add(a.Rule, a.Account, item{
		alert: a, ladder: ladder(a.Rule, a.Account, a.Resource, a.Scope),
		reason: decide(nil, a, false, s.known[a.Account], s.muted[a.Account], false, s.now),
	})
}

func (s *sorter) add(rule string, account billing.AccountID, it item) {
	together := s.together[rule]
	name := topic(together, rule, account)
	i, ok := s.at[name]
	if !ok {
		i = len(s.groups)
		s.at[name] = i
		s.groups = append(s.groups, group{topic: name, shared: together != ""})
	}
	s.groups[i].items = append(s.groups[i].items, it)
}
