//go:build !nodemo

package sim_test

import (
	"net/http"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/contract"
	"gpuspend/billing/providers/sim"
)

// played is a simulated cloud as the contract wants it: without HTTP.
type played struct {
	w     *sim.World
	cloud string
}

func (p played) Transport() http.RoundTripper { return nil }

func (p played) Writes() int {
	n := 0
	for _, d := range p.w.Asked() {
		if d.Outcome != sim.Refused {
			n++
		}
	}
	return n
}

// Break plays the faults that make sense without a network.
func (p played) Break(f contract.Fault) bool {
	faults := map[contract.Fault]sim.Fault{
		contract.Healthy:  {},
		contract.Auth:     {Fail: billing.Auth},
		contract.Denied:   {Fail: billing.Denied},
		contract.Missing:  {Fail: billing.Missing},
		contract.Conflict: {Fail: billing.Conflict},
		contract.Limited:  {Limited: 2 * time.Minute},
		contract.Down:     {Fail: billing.Upstream},
		contract.Hang:     {Hang: true},
		contract.Later:    {Cut: true},
		contract.Lost:     {Lose: true},
	}
	fault, can := faults[f]
	if can {
		p.w.Fault(p.cloud, fault)
	}
	return can
}

func TestContract(t *testing.T) {
	refs := sim.NewWorld(sim.Options{Story: story})
	window := func(from time.Time) billing.Period { return billing.Period{Start: from, End: from.Add(12 * time.Hour)} }
	for cloud, s := range map[string]contract.Subject{
		a: {
			VendorID: "1847200913", Cash: "186402.37",
			Counts:  map[billing.Kind]int{billing.KindInstance: 6, billing.KindDisk: 6, billing.KindSnapshot: 6, billing.KindIP: 3, billing.KindImage: 1},
			Window:  window(time.Date(2026, 11, 10, 0, 0, 0, 0, time.UTC)),
			Charged: "275.722812499999999992", // 12 h of machines 20.20, disks 2.0735677083, snapshots 0.1033333333, addresses 0.60
			Stop:    at(refs, a, "infer-a10-2"), Release: all(refs, a, "scratch-uf6"),
			Refused: []contract.Refusal{
				{Verb: billing.VerbDelete, Ref: refs.Ref(a, "vault-1"), Kind: billing.Conflict},
				{Verb: billing.VerbDelete, Ref: refs.Ref(a, "infer-asg-7f"), Kind: billing.Conflict},
				{Verb: billing.VerbDelete, Ref: refs.Ref(a, "d-eval-2"), Kind: billing.Conflict},
				{Verb: billing.VerbDelete, Ref: refs.Ref(a, "snap-base"), Kind: billing.Conflict},
			},
		},
		b: {
			VendorID: "b-org-55021", Cash: "9840.2",
			Counts:  map[billing.Kind]int{billing.KindInstance: 2, billing.KindDisk: 2, billing.KindSnapshot: 1, billing.KindIP: 1},
			Window:  window(time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)),
			Charged: "12.399999999999999996", // 12 h of a disk at 0.8333333333 and an address at 0.20; the plan's machine is paid
			Stop:    at(refs, b, "npu-eval-1"), Release: all(refs, b, "snap-pretrain"),
			Refused: []contract.Refusal{{Verb: billing.VerbDelete, Ref: refs.Ref(b, "a100-month-1"), Kind: billing.Conflict}},
		},
		c: {
			VendorID: "acct_c_30977", Cash: "143.2",
			Counts:  map[billing.Kind]int{billing.KindInstance: 3, billing.KindDisk: 2},
			Window:  window(time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)),
			Charged: "1.953124999999999992", // 12 h of two volumes at 0.0813802083
			Stop:    at(refs, c, "notebook-3"), Release: all(refs, c, "nv-exp-3"),
			Refused: []contract.Refusal{{Verb: billing.VerbDelete, Ref: refs.Ref(c, "nv-ckpt-1"), Kind: billing.Conflict}},
		},
	} {
		s.Simulated, s.Now, s.Settling = true, story, 5*time.Minute
		s.Paged = billing.KindDisk
		s.Fields = map[string]string{"key": "a-key-nobody-looks-at-7391"}
		s.Rates = map[string]string{s.Stop.ID: map[string]string{a: "9.5", b: "28", c: "3"}[cloud]}
		s.Start = func(_ *testing.T, now func() time.Time) (billing.Driver, contract.Cloud) {
			w := sim.NewWorld(sim.Options{Start: story.Add(-23 * day), Story: story, Now: now})
			for _, d := range w.Drivers() {
				if d.Name == cloud {
					return d, played{w, cloud}
				}
			}
			panic("no driver " + cloud)
		}
		t.Run(cloud, func(t *testing.T) { contract.Run(t, s) })
	}
}

func at(w *sim.World, cloud, name string) *billing.ResourceRef {
	ref := w.Ref(cloud, name)
	return &ref
}

func all(w *sim.World, cloud string, names ...string) []billing.ResourceRef {
	var refs []billing.ResourceRef
	for _, name := range names {
		refs = append(refs, w.Ref(cloud, name))
	}
	return refs
}
