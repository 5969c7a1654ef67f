package sieve_test

import (
	"testing"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/sieve"
)

func TestWhatIsWatched(t *testing.T) {
	foreign := map[string]bool{"web": true, "db": true}
	for name, c := range map[string]struct {
		scope, tag string
		tags       map[string]string
		to         []string
		want       bool
	}{
		"on nothing":            {sieve.GPU, "", nil, nil, true},
		"on a GPU machine":      {sieve.GPU, "", nil, []string{"train"}, true},
		"on both":               {sieve.GPU, "", nil, []string{"web", "train"}, true},
		"on others alone":       {sieve.GPU, "", nil, []string{"web", "db"}, false},
		"tagged":                {sieve.GPU, "team=ml", map[string]string{"team": "ml"}, []string{"web"}, true},
		"tagged otherwise":      {sieve.GPU, "team=ml", map[string]string{"team": "shop"}, []string{"web"}, false},
		"tag of any value":      {sieve.GPU, " team ", map[string]string{"team": "shop"}, []string{"web"}, true},
		"no tag is no wildcard": {sieve.GPU, "", map[string]string{"": "x"}, []string{"web"}, false},
		"everything":            {sieve.All, "", nil, []string{"web"}, true},
	} {
		s := sieve.New(c.scope, c.tag)
		if got := s.Attached(billing.KindDisk, "d", c.tags, c.to, foreign); got != c.want {
			t.Errorf("%s: watched %t", name, got)
		}
	}
	s := sieve.New(sieve.GPU, "")
	if s.Machine("web", nil, false) || !s.Machine("train", nil, true) {
		t.Error("machines are not told apart by their GPU")
	}
}

// What was on a GPU machine stays watched on another one; an address of the same id does not.
func TestWasAttachedStaysWatched(t *testing.T) {
	s := sieve.New(sieve.GPU, "")
	foreign := map[string]bool{"web": true}
	watched := func(k billing.Kind) bool { return s.Attached(k, "x", nil, []string{"web"}, foreign) }
	if watched(billing.KindDisk) {
		t.Fatal("watched before anything was remembered")
	}
	s.Remember([]billing.ResourceRef{{Kind: billing.KindDisk, ID: "x"}, {Kind: billing.KindInstance, ID: "resized"}})
	if !watched(billing.KindDisk) || watched(billing.KindIP) || !s.Machine("resized", nil, false) {
		t.Error("what was remembered is not what is watched")
	}
}

func TestLeftOutIsPerScope(t *testing.T) {
	s := sieve.New(sieve.GPU, "")
	a, b := billing.Scope{Kind: billing.KindDisk, Region: "a"}, billing.Scope{Kind: billing.KindDisk, Region: "b"}
	s.Note(a, 12, 2)
	s.Note(a, 7, 2)
	if s.LeftOut(a) != 5 || s.LeftOut(b) != 0 {
		t.Errorf("left out %d and %d, want 5 and 0", s.LeftOut(a), s.LeftOut(b))
	}
}
