// Package sieve decides what of an account at a general cloud is looked at: machines with GPUs, what is or was attached
// to them, and what carries a configured tag.
package sieve

import (
	"strings"
	"sync"

	"gpuspend/billing"
)

// What an account's configuration may ask for.
const (
	GPU = "gpu"
	All = "all"
)

// Sieve holds the rule of one account, what it was told of the past, and what it left out.
type Sieve struct {
	everything bool
	key, value string // a tag that makes anything watched; value "" fits every value

	mu   sync.Mutex
	once map[thing]bool // had a GPU, or was on a machine that has one
	left map[billing.Scope]int
}

type thing struct {
	kind billing.Kind
	id   string
}

// New makes the sieve of a scope (GPU or All) and a tag, written "key" or "key=value"; "" is no tag.
func New(scope, tag string) *Sieve {
	s := &Sieve{everything: scope == All, once: map[thing]bool{}, left: map[billing.Scope]int{}}
	s.key, s.value, _ = strings.Cut(strings.TrimSpace(tag), "=")
	return s
}

// Everything says that nothing is left out, so that nobody has to know what hangs on what.
func (s *Sieve) Everything() bool { return s.everything }

// Tagged says that something is watched whatever it is or hangs on.
func (s *Sieve) Tagged(tags map[string]string) bool {
	if s.everything {
		return true
	}
	v, ok := tags[s.key]
	return ok && s.key != "" && (s.value == "" || v == s.value)
}

// Machine decides for a machine.
func (s *Sieve) Machine(id string, tags map[string]string, gpu bool) bool {
	return gpu || s.Tagged(tags) || s.was(billing.KindInstance, id)
}

// Attached decides for what hangs on machines, of which some are foreign: not watched. What hangs on nothing is watched:
// nobody can tell any more what it was made for, and forgotten disks are the very thing to find. So is what hangs on a
// machine that nobody knows.
func (s *Sieve) Attached(kind billing.Kind, id string, tags map[string]string, to []string, foreign map[string]bool) bool {
	return !Each(to, foreign) || s.Tagged(tags) || s.was(kind, id)
}

// Each says that there are ids, and each is of the set.
func Each(ids []string, set map[string]bool) bool {
	for _, id := range ids {
		if !set[id] {
			return false
		}
	}
	return len(ids) > 0
}

// Remember is billing.Sifter's.
func (s *Sieve) Remember(refs []billing.ResourceRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range refs {
		s.once[thing{r.Kind, r.ID}] = true
	}
}

func (s *Sieve) was(kind billing.Kind, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.once[thing{kind, id}]
}

// Note counts what a complete listing of a scope left out.
func (s *Sieve) Note(scope billing.Scope, listed, watched int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left[scope] = listed - watched
}

// LeftOut is billing.Sifter's.
func (s *Sieve) LeftOut(scope billing.Scope) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left[scope]
}
