package contract

import (
	"gpuspend/billing"
	engine "gpuspend/billing/release"
)

// sums: for everything that the cloud lists, what a choice saves and what it leaves are together today's cost, however
// the rate of a stopped machine is.
func sums(b *bench) {
	var around []billing.Holding
	for i, r := range b.list(b.open(false)) {
		around = append(around, billing.Holding{ID: billing.ResourceID(i + 1), Account: 1, Resource: r})
	}
	for _, h := range around {
		today, choices := engine.Reckon(h, around, engine.About{})
		for _, o := range choices {
			if !o.Saves.Known() || !o.StillBills.Known() {
				if o.Verb == billing.VerbDelete && today.Known() {
					b.t.Errorf("%s: today's %s is known, and not what a delete saves and leaves", h.Ref.ID, today)
				}
				continue
			}
			sum, err := o.Saves.Add(o.StillBills)
			if err != nil {
				b.t.Errorf("%s %s: %v", o.Verb, h.Ref.ID, err)
				continue
			}
			if n, err := sum.Cmp(today); today.Known() && (err != nil || n != 0) {
				b.t.Errorf("%s %s saves %s and leaves %s, which is not today's %s", o.Verb, h.Ref.ID, o.Saves, o.StillBills, today)
			}
		}
	}
}
