package vast

import (
	"cmp"
	"context"
	"iter"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/gpu"
)

// The container statuses that Vast.ai documents, with what each is billed.
const (
	statusNone      = ""          // being provisioned: the disk only
	statusCreated   = "created"   // seen, not documented; read like provisioning
	statusLoading   = "loading"   // the image is downloading: the disk only
	statusRunning   = "running"   // everything
	statusFrozen    = "frozen"    // paused with its memory: everything
	statusStopped   = "stopped"   // the disk only
	statusExited    = "exited"    // ended by itself, was stopped or outbid: the contract's state tells
	statusRebooting = "rebooting" // not documented
	statusOffline   = "offline"   // the host is away: nothing
)

// resource puts an instance into our words. Region stays empty: the place is a text that hosts write.
func (i instance) resource() billing.Resource {
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindInstance, ID: i.ID.String()},
		Name:        named(i.Label),
		Zone:        i.Geolocation,
		Type:        i.GPU,
		VendorState: cmp.Or(i.Actual, "provisioning"),
		Mode:        billing.ModeOnDemand,
		GPU:         billing.GPU{Model: gpu.Sized(i.GPU, decimal(i.CardMemory).Float64()), Count: decimal(i.Cards)},
		CreatedAt:   instant(i.Start),
		ExpiresAt:   instant(i.End), // from then on it cannot start, storage is still billed, and the host may delete it
		HoldsData:   billing.Yes,
		AtZero:      billing.FateLost, // stopped at once, and deletion is scheduled
	}
	r.State, r.Billed, r.Rate = i.standing()
	// hosts may take more for the disk of a stopped instance, which shows only then
	r.StoppedRate = rated(i.storage().Hourly, billing.RateDerived)
	if r.State == billing.StateStopped {
		r.StoppedRate = r.Rate
	}
	switch {
	case i.reserved():
		r.Mode, r.Rate, r.AtZero = billing.ModeReserved, billing.Rate{}, billing.FateKeeps
		r.NotReleasable = i.paidAhead()
	case i.Bid:
		r.Mode = billing.ModeSpot
	}
	return r
}

// standing is the declared table: our state, whether it is billed, and the rate that then applies. dph_total keeps
// showing the full price of an instance that is stopped, so that it counts only while the hardware is held.
func (i instance) standing() (billing.State, billing.Tri, billing.Rate) {
	switch i.Actual {
	case statusRunning, statusFrozen:
		if i.Intended == statusStopped {
			return billing.StateStopping, billing.Yes, i.whole()
		}
		return billing.StateRunning, billing.Yes, i.whole()
	case statusNone, statusCreated, statusLoading:
		if i.Current == statusStopped { // waiting for a GPU that somebody else has
			return billing.StateStopped, billing.Yes, i.storage()
		}
		return billing.StateStarting, billing.Yes, i.storage()
	case statusStopped:
		return billing.StateStopped, billing.Yes, i.storage()
	case statusExited:
		if i.Current == statusStopped || i.Intended == statusStopped {
			return billing.StateStopped, billing.Yes, i.storage()
		}
		return billing.StateUnknown, billing.Yes, billing.Rate{} // the hardware may still be held
	case statusRebooting:
		return billing.StateStarting, billing.Yes, billing.Rate{}
	case statusOffline:
		return billing.StateUnknown, billing.No, billing.Rate{Hourly: billing.ZeroMoney(usd), Source: billing.RateVendor}
	}
	return billing.StateUnknown, billing.Unsure, billing.Rate{}
}

// reserved says that a deposit pays for the instance. One that is used up leaves it on demand.
func (i instance) reserved() bool { return decimal(i.Prepaid).Sign() > 0 }

func (i instance) paidAhead() billing.Text {
	return billing.Say("error.vast.paid_ahead", "name", i.name(), "page", instancesURL)
}

// name is what to call the instance in a sentence.
func (i instance) name() string { return cmp.Or(named(i.Label), i.ID.String()) }

func named(label *string) string {
	if label == nil {
		return ""
	}
	return *label
}

// Utilisation gives the present value of each running instance for which its host reports one, a single figure for all
// its cards. Vast.ai keeps no history, so that a period that does not reach to now holds nothing.
func (a *account) Utilisation(ctx context.Context, p billing.Period) iter.Seq2[billing.Sample, error] {
	return func(yield func(billing.Sample, error) bool) {
		now := a.now().UTC()
		if now.Before(p.Start) || now.After(p.End) {
			return
		}
		for i, err := range a.api.instances(ctx) {
			if err != nil {
				yield(billing.Sample{}, err)
				return
			}
			if s, ok := i.sample(); ok {
				s.At = now
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}

// sample reads how busy the cards are; not ok where the host does not say.
func (i instance) sample() (s billing.Sample, ok bool) {
	busy := decimal(i.Busy)
	if i.Actual != statusRunning || !busy.Known() || busy.Float64() > 100 {
		return s, false
	}
	s = billing.Sample{Ref: billing.ResourceRef{Kind: billing.KindInstance, ID: i.ID.String()}, GPU: []float64{busy.Float64()}}
	if cpu := decimal(i.CPUBusy).Float64(); cpu <= 100 {
		s.CPU = cpu
	}
	return s, true
}
