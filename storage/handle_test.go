package storage

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuspend/billing"
)

const fourLetters = 24 * 24 * 24 * 24

func TestHandlesAreUnique(t *testing.T) {
	seen := make(map[string]bool, fourLetters)
	for id := range billing.ResourceID(fourLetters) {
		h := handle(id + 1)
		if len(h) != len("r-7k3f") || seen[h] {
			t.Fatalf("handle %d is %q", id+1, h)
		}
		seen[h] = true
	}
	if h := handle(fourLetters + 1); len(h) != len("r-7k3ff") {
		t.Errorf("the first beyond is %q, want one letter more", h)
	}
}

func TestHandlesBeyondFourLetters(t *testing.T) {
	id := rapid.Int64Range(1, 100_000_000_000)
	rapid.Check(t, func(t *rapid.T) {
		a, b := id.Draw(t, "a"), id.Draw(t, "b")
		ha, hb := handle(billing.ResourceID(a)), handle(billing.ResourceID(b))
		if (a == b) != (ha == hb) {
			t.Fatalf("%d is %s, %d is %s", a, ha, b, hb)
		}
		if rest := strings.Trim(strings.TrimPrefix(ha, "r-"), handleLetters); rest != "" {
			t.Fatalf("%s holds %q", ha, rest)
		}
	})
}

func TestNeighboursDifferInEveryPlace(t *testing.T) {
	for id := billing.ResourceID(1); id < 2000; id++ {
		a, b := handle(id), handle(id+1)
		for i := len("r-"); i < len(a); i++ {
			if a[i] == b[i] {
				t.Fatalf("%d is %s, %d is %s", id, a, id+1, b)
			}
		}
	}
}

func TestHandleAsTyped(t *testing.T) {
	db := openStore(t)
	id := account(t, db, "a")
	must(t, db.Observe(t.Context(), id, billing.Scope{Kind: billing.KindDisk}, t0, []billing.Resource{{Ref: billing.ResourceRef{Kind: billing.KindDisk, ID: "d-1"}}}))
	own := handle(1)
	for _, typed := range []string{own, strings.ToUpper(own), own[2:], " " + own + " "} {
		h, err := db.HoldingByHandle(t.Context(), typed)
		if err != nil || h.ID != 1 || h.Handle != own {
			t.Errorf("%q finds %v, %v", typed, h.ID, err)
		}
	}
	_, err := db.HoldingByHandle(t.Context(), "r-9999")
	wantKind(t, err, billing.Missing, "error.handle_missing")
}
