package lambda

import (
	"cmp"
	"context"
	"encoding/json"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/gpu"
	"gpuspend/billing/providers/internal/httpx"
)

func (a *account) instances(ctx context.Context) ([]billing.Resource, error) {
	all, err := a.api.instances(ctx)
	var out []billing.Resource
	for _, i := range all {
		out = append(out, i.resource())
	}
	return out, err
}

// resource puts an instance into our words. Lambda tells no time of its launch, and has no stop, so that there is no
// rate when stopped either.
func (i instance) resource() billing.Resource {
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindInstance, ID: i.ID},
		Name:        i.Name,
		Zone:        i.Region.Name,
		Type:        i.Type.Name,
		VendorState: i.Status,
		Mode:        billing.ModeOnDemand,
		GPU:         i.Type.cards(),
		HoldsData:   billing.Yes,
		AtZero:      billing.FateKeeps, // paid after the week: there is no balance to run out
	}
	r.State, r.Billed, r.Rate = i.standing()
	if len(i.FileSystemNames) > 0 {
		r.HoldsData = billing.Unsure // some of it is on a file system, and nobody can tell what is not
	}
	if i.Reserved {
		r.Mode, r.NotReleasable = billing.ModeReserved, billing.Say("error.lambda.paid_ahead", "name", i.called())
	}
	for _, t := range i.Tags {
		if r.Tags == nil {
			r.Tags = map[string]string{}
		}
		r.Tags[t.Key] = t.Value
	}
	r.Owner, r.Project = r.Tags["owner"], r.Tags["project"]
	return r
}

// called is what to call the instance in a sentence.
func (i instance) called() string { return cmp.Or(i.Name, i.ID) }

// standing is the declared table: our state, whether it is billed, and the rate that then applies. Lambda bills from
// the passed health checks to termination, used or not. A machine that boots may do so for the first time, not billed
// yet, or after a restart, billed all along.
func (i instance) standing() (billing.State, billing.Tri, billing.Rate) {
	nothing := billing.Rate{Hourly: billing.ZeroMoney(usd), Source: billing.RateVendor}
	switch i.Status {
	case statusBooting:
		return billing.StateStarting, billing.Unsure, billing.Rate{}
	case statusActive, statusUnhealthy:
		return billing.StateRunning, billing.Yes, i.Type.rate()
	case statusTerminating:
		return billing.StateDeleting, billing.No, nothing
	case statusTerminated:
		return billing.StateTerminated, billing.No, nothing
	}
	return billing.StateUnknown, billing.Unsure, billing.Rate{} // preempted too: the documents do not say what it costs
}

// cards reads what an instance type has. The description's memory tells apart cards that are made in several sizes.
func (t instanceType) cards() billing.GPU {
	count := decimal(t.Specs.GPUs)
	if count.Sign() <= 0 {
		return billing.GPU{}
	}
	return billing.GPU{Model: gpu.Canonical(t.GPUDescription), Count: count}
}

// price is the whole instance's per hour, all its cards. A missing, zero or negative one is unknown.
func (t instanceType) price() billing.Money {
	m, err := httpx.Money(t.Cents, usd)
	if err != nil || m.Sign() <= 0 {
		return billing.Money{}
	}
	if m, err = m.Div(billing.DecimalFromInt(100)); err != nil {
		return billing.Money{}
	}
	return m
}

func (t instanceType) rate() billing.Rate {
	m := t.price()
	if !m.Known() {
		return billing.Rate{}
	}
	return billing.Rate{Hourly: m, Source: billing.RateVendor}
}

// decimal reads a quantity; what is missing or negative is unknown.
func decimal(n json.Number) billing.Decimal {
	d, err := httpx.Decimal(n)
	if err != nil || d.Sign() < 0 {
		return billing.Decimal{}
	}
	return d
}
