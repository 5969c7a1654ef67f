package huawei

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"slices"
	"time"

	"gpuspend/billing"
)

// orderLife is how long the ends of what was paid ahead are taken as known within a round of readings.
const orderLife = 10 * time.Minute

// readOrders lists what was paid ahead, of all regions and services. The path is misspelled by Huawei.
func (a *account) readOrders(ctx context.Context) (map[string]order, error) {
	const op = "huawei: list yearly and monthly resources"
	all, err := walk(op, true, func(o order) string { return o.ID + "/" + o.Resource }, func(at place) (*[]order, int, error) {
		var page ordersAnswer
		body := map[string]any{"only_main_resource": 0, "status_list": []int{2, 4, 5}, "offset": at.items, "limit": 500} // in use, frozen, in grace
		k := call{op: op, service: bss, method: http.MethodPost, path: "/v2/orders/suscriptions/resources/query", body: body}
		err := a.api.read(ctx, k, &page)
		list, total := counted(page.Resources, page.Total)
		return list, total, err
	})
	if err != nil {
		return nil, err
	}
	byID := map[string]order{}
	for _, o := range all {
		byID[o.Resource] = o
	}
	a.mu.Lock()
	a.orders = kept[map[string]order]{a.now(), byID}
	a.mu.Unlock()
	return byID, nil
}

// ordersFor gives what was paid ahead, for a listing that has some of it. Where it cannot be read the ends stay as last
// known, or unknown.
func (a *account) ordersFor(ctx context.Context, some bool) (map[string]order, error) {
	a.mu.Lock()
	known := a.orders
	a.mu.Unlock()
	if !some || known.fresh(a.now(), orderLife) {
		return known.value, nil
	}
	fresh, err := a.readOrders(ctx)
	if err != nil {
		return known.value, ctx.Err()
	}
	return fresh, nil
}

// paidAhead fills in what follows from a resource having been paid ahead.
func paidAhead(r *billing.Resource, orders map[string]order) {
	r.Mode, r.Billed, r.AtZero = billing.ModeMonthly, billing.Yes, billing.FateKeeps
	r.NotReleasable = billing.Say("error.huawei.paid_ahead", "name", called(*r))
	o, ok := orders[r.Ref.ID]
	if !ok {
		return
	}
	r.ExpiresAt, r.RenewsItself = instant(o.Expires), o.renews()
	if r.ExpiresAt.IsZero() {
		return
	}
	if begun := instant(o.Effective); !begun.IsZero() && r.ExpiresAt.Sub(begun) > 300*24*time.Hour {
		r.Mode = billing.ModeYearly
	}
	r.NotReleasable = billing.Say("error.huawei.paid_ahead_until", "name", called(*r), "until", r.ExpiresAt)
}

func (o order) renews() billing.Tri {
	switch o.Policy {
	case policyRenews:
		return billing.Yes
	case "":
		return billing.Unsure
	}
	return billing.No
}

// called is what people know a thing by.
func called(r billing.Resource) string {
	if r.Name == "" {
		return r.Ref.ID
	}
	return r.Name
}

// Commitments lists what was paid ahead and stands in no inventory: neither machine nor disk nor address.
func (a *account) Commitments(ctx context.Context) iter.Seq2[billing.Commitment, error] {
	return func(yield func(billing.Commitment, error) bool) {
		orders, err := a.readOrders(ctx)
		if err != nil {
			yield(billing.Commitment{}, err)
			return
		}
		for _, id := range slices.Sorted(maps.Keys(orders)) {
			o := orders[id]
			switch o.Type {
			case typeVM, typeVolume, typeIP, typeBandwidth:
				continue
			}
			if o.Main == "0" { // goes with its main resource
				continue
			}
			c := billing.Commitment{ID: o.Resource, Name: o.Name, ExpiresAt: instant(o.Expires), RenewsItself: o.renews()}
			if c.Name == "" {
				c.Name = o.SpecDesc
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}
