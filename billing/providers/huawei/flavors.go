package huawei

import (
	"context"
	"time"

	"gpuspend/billing"
)

// flavorLife is how long the properties of flavors are taken as known.
const flavorLife = 24 * time.Hour

// readFlavors lists the flavors of a project.
func (a *account) readFlavors(ctx context.Context, p project) (map[string]flavor, error) {
	const op = "huawei: list flavors"
	all, err := walk(op, false, func(f flavor) string { return f.ID }, func(at place) (*[]flavor, int, error) {
		var page flavorsAnswer
		q := with(params("limit", "1000"), "marker", at.last)
		err := a.api.read(ctx, call{op: op, service: ecs, in: p, path: "/v1/" + p.id + "/cloudservers/flavors", query: q}, &page)
		return page.Flavors, -1, err
	})
	if err != nil {
		return nil, err
	}
	byID := map[string]flavor{}
	for _, f := range all {
		byID[f.ID] = f
	}
	a.mu.Lock()
	a.flavors[p] = kept[map[string]flavor]{a.now(), byID}
	a.mu.Unlock()
	return byID, nil
}

// flavorsOf gives the flavors of a project. What cannot be read leaves what was known; a machine is not to vanish
// because its properties are out of reach.
func (a *account) flavorsOf(ctx context.Context, p project) (map[string]flavor, error) {
	a.mu.Lock()
	known := a.flavors[p]
	a.mu.Unlock()
	if known.fresh(a.now(), flavorLife) {
		return known.value, nil
	}
	fresh, err := a.readFlavors(ctx, p)
	if err != nil {
		return known.value, ctx.Err()
	}
	return fresh, nil
}

// chargedWhenStopped says whether a flavor costs on while its machine is stopped. Huawei marks those that do; no mark
// means free, but for families with disks of their own hosts.
func chargedWhenStopped(id string, flavors map[string]flavor) billing.Tri {
	f, known := flavors[id]
	switch {
	case known && f.Extra.ChargeStop == "charge", f.Extra.ChargeStop == "" && localDisks(id):
		return billing.Yes
	case known && (f.Extra.ChargeStop == "free" || f.Extra.ChargeStop == ""):
		return billing.No
	}
	return billing.Unsure
}
