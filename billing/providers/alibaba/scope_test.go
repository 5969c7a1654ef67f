package alibaba

import (
	"slices"
	"testing"

	"gpuspend/billing"
)

// What the default scope leaves out is counted per scope, and is nothing where everything is watched.
func TestLeftOutIsCounted(t *testing.T) {
	a, wide := overFake(t, newFake(testNow)), overFake(t, newFake(testNow), "scope", "all")
	for _, kind := range kinds() {
		s := billing.Scope{Kind: kind, Region: "cn-hangzhou"}
		all, watched := len(list(t, wide, kind)), len(list(t, a, kind))
		if all == watched || a.LeftOut(s) != all-watched || wide.LeftOut(s) != 0 {
			t.Errorf("%s: %d of %d watched, %d left out; with scope all %d", kind, watched, all, a.LeftOut(s), wide.LeftOut(s))
		}
	}
}

// A disk that was on a GPU machine stays watched on another one, and so do its snapshots.
func TestWasAttachedStaysWatched(t *testing.T) {
	a := overFake(t, newFake(testNow))
	a.Remember([]billing.ResourceRef{{Kind: billing.KindDisk, Region: "cn-hangzhou", ID: "d-web"}})
	for kind, id := range map[billing.Kind]string{billing.KindDisk: "d-web", billing.KindSnapshot: "s-web", billing.KindImage: "m-web"} {
		if !slices.ContainsFunc(list(t, a, kind), func(r billing.Resource) bool { return r.Ref.ID == id }) {
			t.Errorf("%s is not watched any more", id)
		}
	}
}
