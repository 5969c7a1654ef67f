package autodl

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/gpu"
	"gpuspend/billing/providers/internal/httpx"
)

// keptFor is how long AutoDL keeps a machine that is off; then it releases it with its data.
const keptFor = 15 * 24 * time.Hour

// withoutGPU is AutoDL's list price per hour of a machine that was started without its GPU. Source: docPrice.
const withoutGPU = "0.1"

// machines lists Pro instances with what only a look at each of them tells.
func (a *account) machines(ctx context.Context) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		for i, err := range a.api.instances(ctx) {
			var r billing.Resource
			if err == nil {
				r, err = a.machine(ctx, i)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// machine completes an instance of the list. Details are asked for where they are known to exist: AutoDL may have none
// of an instance that is just being made or on its way out.
func (a *account) machine(ctx context.Context, i instance) (billing.Resource, error) {
	var d details
	switch i.Status {
	case statusRunning, statusShuttingDown, statusShutdown:
		var err error
		if d, err = a.api.details(ctx, i.UUID); err != nil && billing.KindOf(err) != billing.Missing {
			return billing.Resource{}, err
		}
	}
	return i.resource(d, a.api.currency(), a.now()), nil
}

// resource puts an instance into our words. Region stays empty, as nothing tells that an instance keeps its region.
func (i instance) resource(d details, c billing.Currency, now time.Time) billing.Resource {
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindInstance, ID: i.UUID},
		Name:        i.Name,
		Zone:        i.Region,
		Type:        i.Spec,
		State:       i.state(),
		VendorState: i.Status,
		Mode:        i.mode(),
		CreatedAt:   instant(i.CreatedAt),
		StartedAt:   i.StartedAt.instant(),
		HoldsData:   billing.Yes,
	}
	if i.StartMode == modeGPU || i.Status != statusRunning {
		r.GPU = billing.GPU{Model: gpu.Canonical(cmp.Or(d.GPU, card(i.Spec))), Count: decimal(i.GPUs)}
	}
	r.StoppedRate = i.stoppedRate(d, c)
	r.Billed, r.Rate = i.cost(d, c, now)
	r.ExpiresAt = i.ends(now)
	if i.prepaid() {
		r.AtZero = billing.FateKeeps
		r.NotReleasable = i.paidAhead()
	} else if !r.ExpiresAt.IsZero() {
		r.RenewsItself = billing.No
	}
	return r
}

func (i instance) state() billing.State {
	switch i.Status {
	case statusCreating, statusCreated, statusStarting, statusMerged, statusReset:
		return billing.StateStarting
	case statusRunning:
		return billing.StateRunning
	case statusShuttingDown:
		return billing.StateStopping
	case statusShutdown:
		return billing.StateStopped
	case statusReleasing:
		return billing.StateDeleting
	case statusReleased:
		return billing.StateTerminated
	}
	return billing.StateUnknown
}

// mode says how an instance is paid for. Days and weeks paid ahead have no word of their own.
func (i instance) mode() billing.Mode {
	switch i.Charge {
	case chargePayg:
		return billing.ModeOnDemand
	case "monthly":
		return billing.ModeMonthly
	case "yearly":
		return billing.ModeYearly
	case "":
		return billing.ModeUnknown
	}
	return billing.ModeReserved
}

// prepaid says that an instance was paid ahead, so that it costs whether it is on or off.
func (i instance) prepaid() bool { return i.Charge != chargePayg && i.Charge != "" }

// cost declares which states cost, and what. On the hour counts for what runs: the price is known for one card, and
// whether it is per card for several is not documented.
func (i instance) cost(d details, c billing.Currency, now time.Time) (billing.Tri, billing.Rate) {
	switch {
	case i.Status == statusReleased:
		return billing.No, billing.Rate{Hourly: billing.ZeroMoney(c), Source: billing.RateDerived}
	case i.prepaid() && i.ExpiredAt.instant().After(now):
		return billing.Yes, billing.Rate{} // payg_price is what it would cost by the hour, not what was paid
	case i.Charge != chargePayg:
		return billing.Unsure, billing.Rate{}
	case i.Status == statusShutdown:
		return d.expanded(), i.stoppedRate(d, c)
	case i.Status != statusRunning:
		return billing.Unsure, billing.Rate{}
	case i.StartMode == modeGPU && count(i.GPUs) == 1:
		return billing.Yes, vendor(d.Price, c)
	case i.StartMode != modeGPU && i.StartMode != "" && c == cny:
		return billing.Yes, billing.Rate{Hourly: billing.MustMoney(withoutGPU, cny), Source: billing.RateList}
	}
	return billing.Yes, billing.Rate{}
}

// stoppedRate is what would go on after a switch-off: nothing, unless the disk was expanded, whose daily fee is not in
// the API.
func (i instance) stoppedRate(d details, c billing.Currency) billing.Rate {
	if i.Charge != chargePayg || d.expanded() != billing.No {
		return billing.Rate{}
	}
	return billing.Rate{Hourly: billing.ZeroMoney(c), Source: billing.RateDerived}
}

// expanded says whether there is disk beyond what comes free with the machine. Where nothing was added, the size stands
// at the initial one.
func (d details) expanded() billing.Tri {
	size, initial := decimal(d.Disk), decimal(d.DiskInit)
	switch {
	case !size.Known() || !initial.Known() || initial.Sign() == 0:
		return billing.Unsure
	case d.Usage != nil && decimal(d.Usage.DataDisk).Sign() > 0:
		return billing.Unsure // how much of a data disk is free is not documented for Pro
	case size.Sign() == 0 || size.Equal(initial):
		return billing.No
	case size.Cmp(initial) > 0:
		return billing.Yes
	}
	return billing.Unsure
}

// ends is when a machine is lost or its plan over, whichever comes first: an end that has passed is none.
func (i instance) ends(now time.Time) time.Time {
	var at time.Time
	for _, t := range []time.Time{i.ExpiredAt.instant(), i.wiped()} {
		if t.After(now) && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	return at
}

// wiped is when AutoDL releases a machine that stays off: 15 days after it was switched off. A machine that is on keeps
// the time of its last stop, which means nothing.
func (i instance) wiped() time.Time {
	if i.Status != statusShutdown {
		return time.Time{}
	}
	off := i.StoppedAt.instant()
	if off.IsZero() {
		off = instant(i.StatusAt)
	}
	if off.IsZero() {
		return time.Time{}
	}
	return off.Add(keptFor)
}

func (i instance) paidAhead() billing.Text {
	end := i.ExpiredAt.instant()
	if end.IsZero() {
		return billing.Say("error.autodl.paid_ahead", "name", i.called())
	}
	return billing.Say("error.autodl.paid_ahead_until", "name", i.called(), "until", end)
}

func (i instance) called() string { return cmp.Or(i.Name, i.UUID) }

// card names the card of a spec where the documentation's table leaves no doubt; it is asked only where the details are
// missing.
func card(spec string) string {
	switch spec {
	case "h800", "4090D":
		return spec
	case "pro6000-p":
		return "RTX PRO 6000"
	case "5090-p":
		return "RTX 5090"
	case "v-48g":
		return "RTX 4090 48G"
	}
	return ""
}

// vendor is a price that AutoDL names for the very machine; nothing is for nothing, so that 0 is unknown.
func vendor(n json.Number, c billing.Currency) billing.Rate {
	m, err := milli(n, c)
	if err != nil || m.Sign() <= 0 {
		return billing.Rate{}
	}
	return billing.Rate{Hourly: m, Source: billing.RateVendor}
}

func decimal(n json.Number) billing.Decimal {
	d, err := httpx.Decimal(n)
	if err != nil || d.Sign() < 0 {
		return billing.Decimal{}
	}
	return d
}

// pictures lists private images. The first 30 GB of all together are free, and what is beyond bills by the day, so that
// no single one has a price.
func (a *account) pictures(ctx context.Context) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		for i, err := range a.api.images(ctx) {
			if !yield(i.resource(), err) || err != nil {
				return
			}
		}
	}
}

func (i image) resource() billing.Resource {
	r := billing.Resource{
		Ref:           billing.ResourceRef{Kind: billing.KindImage, ID: i.UUID},
		Name:          cmp.Or(i.Name, i.OtherName),
		State:         billing.StateUnknown,
		VendorState:   i.Status,
		Billed:        billing.Unsure,
		Mode:          billing.ModeOnDemand,
		SizeGiB:       gib(i.Size),
		CreatedAt:     instant(cmp.Or(i.Created, i.CreatedAt)),
		HoldsData:     billing.Yes,
		NotReleasable: billing.Say("error.autodl.image"),
	}
	if strings.EqualFold(i.Status, imageFinished) {
		r.State = billing.StateAvailable
	}
	return r
}

// gib turns bytes into GiB.
func gib(n json.Number) billing.Decimal {
	d := decimal(n)
	if !d.Known() {
		return billing.Decimal{}
	}
	g, err := d.Div(billing.DecimalFromInt(1<<30), 6)
	if err != nil {
		return billing.Decimal{}
	}
	return g
}
