package lambda

import (
	"context"
	"slices"
	"time"

	"gpuspend/billing"
)

// gib is a GiB in bytes.
const gib = 1 << 30

// filesystems lists file systems and joins them with the instances that mount them, for the list says only whether
// any does.
func (a *account) filesystems(ctx context.Context) ([]billing.Resource, error) {
	all, err := a.api.filesystems(ctx)
	if err != nil {
		return nil, err
	}
	machines, err := a.api.instances(ctx)
	if err != nil {
		return nil, err
	}
	var out []billing.Resource
	for _, f := range all {
		out = append(out, f.resource(machines, a.perGiB))
	}
	return out, nil
}

func (f filesystem) resource(machines []instance, perGiB billing.Money) billing.Resource {
	r := billing.Resource{
		Ref:       billing.ResourceRef{Kind: billing.KindFilesystem, ID: f.ID},
		Name:      f.Name,
		Zone:      f.Region.Name,
		State:     billing.StateUnattached,
		Billed:    billing.Yes, // as long as it exists, mounted or not
		Mode:      billing.ModeOnDemand,
		SizeGiB:   f.used(),
		CreatedAt: instant(f.Created),
		HoldsData: billing.Yes,
		AtZero:    billing.FateKeeps,
		Owner:     f.CreatedBy.Email,
	}
	if m, err := perGiB.Mul(r.SizeGiB); err == nil && m.Sign() > 0 {
		if m, err = m.Div(billing.DecimalFromInt(monthHours)); err == nil {
			r.Rate = billing.Rate{Hourly: m, Source: billing.RateDerived}
		}
	}
	for _, i := range machines {
		if i.mounts(f) {
			r.AttachedTo = append(r.AttachedTo, i.ID)
		}
	}
	switch {
	case len(r.AttachedTo) > 0 || f.InUse != nil && *f.InUse:
		r.State = billing.StateAttached
	case f.InUse == nil:
		r.State = billing.StateUnknown
	}
	return r
}

// used is how much is stored, in GiB. Lambda's estimate comes hours late and begins at zero, so that zero is unknown.
func (f filesystem) used() billing.Decimal {
	bytes := decimal(f.BytesUsed)
	if bytes.Sign() <= 0 {
		return billing.Decimal{}
	}
	d, err := bytes.Div(billing.DecimalFromInt(gib), 9)
	if err != nil {
		return billing.Decimal{}
	}
	return d
}

// mounts says that an instance mounts a file system: by id, or by name where Lambda gives no mounts. Names are unique
// in a region.
func (i instance) mounts(f filesystem) bool {
	for _, m := range i.Mounts {
		if m.FileSystemID == f.ID {
			return true
		}
	}
	return len(i.Mounts) == 0 && i.Region == f.Region && slices.Contains(i.FileSystemNames, f.Name)
}

// instant reads a time; what is missing or no time is unknown.
func instant(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
