package huawei

import (
	"testing"

	"gpuspend/billing"
)

// What the default scope leaves out is counted per scope; what was on a GPU machine stays, with its snapshots.
func TestLeftOutIsCounted(t *testing.T) {
	bubble(t, "gpu", func(t *testing.T) {
		a, _ := overFake(t)
		wide, _ := overFake(t, "scope", "all")
		for _, kind := range []billing.Kind{billing.KindInstance, billing.KindDisk, billing.KindSnapshot, billing.KindImage, billing.KindIP} {
			all, watched := len(listOf(t, wide, kind)), len(listOf(t, a, kind))
			if all == watched || a.LeftOut(northOf(kind)) != all-watched || wide.LeftOut(northOf(kind)) != 0 {
				t.Errorf("%s: %d of %d watched, %d left out; with scope all %d", kind, watched, all, a.LeftOut(northOf(kind)), wide.LeftOut(northOf(kind)))
			}
		}
		a.Remember([]billing.ResourceRef{{Kind: billing.KindDisk, Region: "cn-north-4", ID: "vol-web"}})
		for kind, id := range map[billing.Kind]string{billing.KindDisk: "vol-web", billing.KindSnapshot: "snap-web"} {
			if _, ok := listOf(t, a, kind)[id]; !ok {
				t.Errorf("%s is not watched any more", id)
			}
		}
	})
}
