package vast

import (
	"cmp"

	"gpuspend/billing"
)

// resource puts a volume into our words.
func (v volume) resource() billing.Resource {
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindDisk, ID: v.ID.String()},
		Name:        named(v.Label),
		Zone:        v.Geolocation,
		Type:        v.DiskName,
		State:       billing.StateUnattached,
		VendorState: v.Status,
		Billed:      billing.Yes,
		Rate:        rated(price(v.Storage), billing.RateVendor),
		Mode:        billing.ModeOnDemand,
		SizeGiB:     decimal(v.Disk),
		CreatedAt:   instant(v.Start),
		AttachedTo:  v.Users.ids,
		HoldsData:   billing.Yes,
	}
	switch {
	case !v.Users.told:
		r.State = billing.StateUnknown
	case v.Users.n > 0:
		r.State = billing.StateAttached
	}
	return r
}

func (v volume) name() string { return cmp.Or(named(v.Label), v.ID.String()) }
