package ledger

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
)

// Owners is the mapping by which things get their owners. In order: the cloud's tag or label, the name of the thing,
// somebody's claim, the account's default.
type Owners struct {
	Pattern  string            `json:"pattern,omitempty"`  // of names; its first group is the owner, such as ^(\w+)-
	Table    map[string]string `json:"table,omitempty"`    // owner by pattern of names, such as train-*
	Accounts map[string]string `json:"accounts,omitempty"` // default owner by account name
	People   map[string]string `json:"people,omitempty"`   // owner by chat user id
}

// Check says what is wrong with a mapping.
func (o Owners) Check() error {
	if re, err := regexp.Compile(o.Pattern); err != nil {
		return fmt.Errorf("pattern: %w", err)
	} else if o.Pattern != "" && re.NumSubexp() == 0 {
		return fmt.Errorf(`pattern: %q has no group that could be the owner; write it like ^(\w+)-`, o.Pattern)
	}
	for p := range o.Table {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("table: %q: %w", p, err)
		}
	}
	return nil
}

// Thing is what an owner is looked for. Claim is who claimed it, with his chat user id.
type Thing struct {
	Account, Name, Tag string
	Claim, ClaimedBy   string
}

// Finder finds owners by one mapping.
type Finder struct {
	o       Owners
	pattern *regexp.Regexp
	table   []string
	away    map[string]bool // owners whose chat user was deactivated
	users   map[string]bool // the same by user id
}

// Finder makes a mapping ready. Away are the chat users who were deactivated: what would be theirs falls to who comes
// next in order.
func (o Owners) Finder(away []string) (*Finder, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	f := &Finder{o: o, table: slices.Sorted(maps.Keys(o.Table)), away: map[string]bool{}, users: map[string]bool{}}
	if o.Pattern != "" {
		f.pattern = regexp.MustCompile(o.Pattern) // checked above
	}
	slices.SortStableFunc(f.table, func(x, y string) int { return cmp.Compare(len(y), len(x)) }) // the more exact first
	for _, user := range away {
		f.users[user] = true
		if name := o.People[user]; name != "" {
			f.away[name] = true
		}
	}
	return f, nil
}

// Of finds the owner of a thing; "" for nobody.
func (f *Finder) Of(t Thing) string {
	for _, name := range f.candidates(t) {
		if name != "" && !f.away[name] {
			return name
		}
	}
	return ""
}

// Was finds the owner as if nobody had left: what was written while he was there stays his.
func (f *Finder) Was(t Thing) string { return cmp.Or(f.candidates(t)...) }

func (f *Finder) candidates(t Thing) []string {
	claim := t.Claim
	if f.users[t.ClaimedBy] {
		claim = ""
	}
	return []string{t.Tag, f.byName(t.Name), claim, f.o.Accounts[t.Account]}
}

func (f *Finder) byName(name string) string {
	if name == "" {
		return ""
	}
	for _, p := range f.table {
		if ok, _ := path.Match(p, name); ok { // patterns were checked
			return f.o.Table[p]
		}
	}
	if f.pattern != nil {
		if m := f.pattern.FindStringSubmatch(name); m != nil {
			return m[1]
		}
	}
	return ""
}

// Person is the owner that a chat user stands for.
func (o Owners) Person(user, name string) string { return cmp.Or(o.People[user], name, user) }
