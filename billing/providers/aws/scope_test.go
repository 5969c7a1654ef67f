package aws

import (
	"slices"
	"testing"

	"gpuspend/billing"
)

// What the default scope leaves out is counted per scope; what was on a GPU machine stays, with its snapshots and images.
func TestLeftOutIsCounted(t *testing.T) {
	narrow, wide := openOver(t, newFake(testNow), configured()), openOver(t, newFake(testNow), configured("scope", "all"))
	listed := func(p billing.Provider, kind billing.Kind) []billing.Resource {
		all, err := list(p, kind, "us-east-1")
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, kind := range []billing.Kind{billing.KindInstance, billing.KindDisk, billing.KindSnapshot, billing.KindImage, billing.KindIP} {
		s := billing.Scope{Kind: kind, Region: "us-east-1"}
		all, watched := len(listed(wide, kind)), len(listed(narrow, kind))
		if n := narrow.(billing.Sifter).LeftOut(s); all == watched || n != all-watched || wide.(billing.Sifter).LeftOut(s) != 0 {
			t.Errorf("%s: %d of %d watched, %d left out", kind, watched, all, n)
		}
	}
	again := openOver(t, newFake(testNow), configured())
	again.(billing.Sifter).Remember([]billing.ResourceRef{{Kind: billing.KindDisk, Region: "us-east-1", ID: "vol-web"}})
	for kind, id := range map[billing.Kind]string{billing.KindDisk: "vol-web", billing.KindSnapshot: "snap-web", billing.KindImage: "ami-web"} {
		if !slices.ContainsFunc(listed(again, kind), func(r billing.Resource) bool { return r.Ref.ID == id }) {
			t.Errorf("%s is not watched any more", id)
		}
	}
}
