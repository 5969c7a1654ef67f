package rules

import (
	"slices"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
)

// BalanceFacts are the facts of a prepaid balance that runs out.
type BalanceFacts struct {
	Account, Cloud string
	Cash           billing.Money
	Burn           billing.Money // per hour; at least, where Unpriced is not 0
	Unpriced       int
	Unsettled      billing.Money // used but not taken off Cash yet; EmptyAt reckons with it
	EmptyAt        time.Time     // zero where only an absolute floor is crossed
	Runway         time.Duration
	Start          time.Time     // of work, the next time; zero for no working hours
	BeforeStart    bool          // it ends before then
	Goal           time.Time     // until when money is wanted: the next start of work, else what re-arms the warning
	Short          billing.Money // what is missing until Goal; 0 where nothing is, unknown where nobody can tell
	Floor          billing.Money // the absolute floor that is crossed; unknown for none
	Lost           []Victim      // deleted with everything on them
	Interrupted    []Victim      // the run dies, the data is safe
	Unsure         []Victim      // nobody knows what becomes of them
	Running        []Running     // machines, dearest first
	Rest           billing.Money // per hour, all that is no machine; unknown where there is none
	Minimum        billing.Money // the cloud's smallest top-up; unknown where it names none
	Stops          []Stop
	TopUp          string // address of the top-up page
	ReadAt         time.Time
	Arrived        notify.Arrival
	Step           string // which threshold
}

// Victim is what a balance of zero does something to.
type Victim struct{ Name, Handle, SafeOn string }

// Running is a machine that burns.
type Running struct {
	Name, Handle string
	GPU          billing.GPU
	Type         string
	Rate         billing.Money
}

// Stop is what stopping one machine buys.
type Stop struct {
	Name, Handle string
	Resource     billing.ResourceID
	Saves        billing.Money // per hour
	Gains        time.Duration // how much longer the money lasts
	Until        time.Time     // zero: at that burn it does not run out
	Enough       bool          // it lasts until Goal
}

func balanceFacts(v notify.View, a notify.AccountView) BalanceFacts {
	o := a.Outlook
	f := BalanceFacts{
		Account: a.Name, Cloud: Cloud(a), Cash: a.Balance.Cash, Burn: o.Burn, Unpriced: o.Unpriced, EmptyAt: o.EmptyAt,
		Unsettled: o.Unsettled,
		Runway:    o.Runway, Start: v.Hours.NextStart(v.Now, v.Zone), Minimum: a.Balance.Minimum,
		TopUp: a.Driver.Console.TopUp, ReadAt: a.Balance.ReadAt, Arrived: a.Arrived,
	}
	if f.EmptyAt.IsZero() {
		f.Runway = 0
	}
	f.BeforeStart = !f.EmptyAt.IsZero() && !f.Start.IsZero() && f.EmptyAt.Before(f.Start)
	f.Goal = v.Now.Add(24*time.Hour + v.Settings.RearmTime)
	if f.BeforeStart {
		f.Goal = f.Start
	}
	f.Short = ledger.TopUp(a.Balance, o, v.Now, f.Goal).Short
	f.victims(a)
	f.running(a)
	f.Stops = stops(v, a, f.Goal)
	return f
}

// victims sorts what is there by what becomes of it when the money is gone.
func (f *BalanceFacts) victims(a notify.AccountView) {
	for _, h := range a.Holdings {
		if h.Gone() || h.GoesWith || ledger.PaidAhead(h.Mode) {
			continue
		}
		who := Victim{Name: Name(h), Handle: h.Handle, SafeOn: h.SafeOn}
		switch h.AtZero {
		case billing.FateLost:
			f.Lost = append(f.Lost, who)
		case billing.FateInterrupted:
			if runs(h) {
				f.Interrupted = append(f.Interrupted, who)
			}
		case billing.FateUnknown:
			if runs(h) {
				f.Unsure = append(f.Unsure, who)
			}
		}
	}
}

// runs says that something is at work in a holding, so that it can be interrupted.
func runs(h billing.Holding) bool {
	return h.Ref.Kind.Part() == billing.PartInstance && (h.State == billing.StateRunning || h.State == billing.StateStarting)
}

// running splits the burn: machines one by one, the rest in a sum.
func (f *BalanceFacts) running(a notify.AccountView) {
	var rest billing.Tally
	for _, id := range a.Outlook.Running {
		h, ok := find(a.Holdings, id)
		if !ok {
			continue
		}
		if h.Ref.Kind.Part() != billing.PartInstance {
			rest.Add(h.Rate.Hourly)
			continue
		}
		f.Running = append(f.Running, Running{Name: Name(h), Handle: h.Handle, GPU: h.GPU, Type: h.Type, Rate: h.Rate.Hourly})
	}
	if sums := rest.Totals(); len(sums) == 1 && rest.Unknown() == 0 {
		f.Rest = sums[0]
	}
}

func find(holdings []billing.Holding, id billing.ResourceID) (billing.Holding, bool) {
	i := slices.IndexFunc(holdings, func(h billing.Holding) bool { return h.ID == id })
	if i < 0 {
		return billing.Holding{}, false
	}
	return holdings[i], true
}

// Name is what people call a resource: its name, else its cloud's id.
func Name(h billing.Holding) string {
	if h.Name != "" {
		return h.Name
	}
	return h.Ref.ID
}
