package autodl

import (
	"context"

	"gpuspend/billing"
)

// Find looks one resource up in its list. AutoDL answers "not found" for ordinary instances that exist and bill, too.
func (a *account) Find(ctx context.Context, ref billing.ResourceRef) (billing.Resource, error) {
	r, err := a.find(ctx, ref)
	r.Ref.Account = ref.Account
	return r, err
}

func (a *account) find(ctx context.Context, ref billing.ResourceRef) (billing.Resource, error) {
	op := "autodl: find " + string(ref.Kind)
	switch {
	case ref.Kind == billing.KindInstance && !a.api.gpuhub:
		i, err := a.instance(ctx, op, ref.ID)
		if err != nil {
			return billing.Resource{}, err
		}
		return a.machine(ctx, i)
	case ref.Kind == billing.KindImage:
		for i, err := range a.api.images(ctx) {
			if err != nil {
				return billing.Resource{}, err
			}
			if i.UUID == ref.ID {
				return i.resource(), nil
			}
		}
		return billing.Resource{}, missing(op)
	}
	return billing.Resource{}, absent(op, ref.Kind)
}

// instance finds one instance in the list.
func (a *account) instance(ctx context.Context, op, id string) (instance, error) {
	for i, err := range a.api.instances(ctx) {
		if err != nil {
			return instance{}, err
		}
		if i.UUID == id {
			return i, nil
		}
	}
	return instance{}, missing(op)
}

// Stop switches an instance off. It looks first: one that is off needs no request, and one that was paid ahead would
// cost the same.
func (a *account) Stop(ctx context.Context, act billing.Act) (billing.Receipt, error) {
	const op = "autodl: switch instance off"
	i, err := a.may(ctx, op, act.Ref)
	if err != nil {
		return billing.Receipt{}, err
	}
	switch i.Status {
	case statusShutdown:
		return billing.Receipt{Done: true}, nil
	case statusShuttingDown:
		return billing.Receipt{}, nil
	case statusRunning:
		id, err := a.api.order(ctx, op, "instance/pro/power_off", i.UUID)
		return billing.Receipt{RequestID: id}, err
	}
	return billing.Receipt{}, conflict(op, billing.Say("error.no_stop", "name", i.called(), "state", i.Status))
}

// Release gives an instance back with all its data. AutoDL wants it off first and may otherwise fail half-way; its yes
// proves nothing yet: only later listings do.
func (a *account) Release(ctx context.Context, act billing.Act) (billing.Receipt, error) {
	const op = "autodl: release instance"
	i, err := a.may(ctx, op, act.Ref)
	if err != nil {
		return billing.Receipt{}, err
	}
	switch i.Status {
	case statusReleasing, statusReleased:
		return billing.Receipt{}, nil
	case statusShutdown:
		id, err := a.api.order(ctx, op, "instance/pro/release", i.UUID)
		return billing.Receipt{RequestID: id}, err
	}
	return billing.Receipt{}, conflict(op, billing.Say("error.autodl.not_off", "name", i.called()))
}

// may reads an instance right before an act and refuses what must not be done, with the reason.
func (a *account) may(ctx context.Context, op string, ref billing.ResourceRef) (instance, error) {
	if ref.Kind != billing.KindInstance || a.api.gpuhub {
		return instance{}, absent(op, ref.Kind)
	}
	i, err := a.instance(ctx, op, ref.ID)
	switch {
	case err != nil:
		return instance{}, err
	case i.prepaid():
		return instance{}, conflict(op, i.paidAhead())
	case i.Charge != chargePayg:
		return instance{}, garbled(op, "the answer does not say how the instance is paid for")
	}
	return i, nil
}
