package rules

import (
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
)

// stopChoices is how many machines are offered to be stopped.
const stopChoices = 2

// stops reckons what stopping each of the dearest machines buys.
func stops(v notify.View, a notify.AccountView, goal time.Time) []Stop {
	if !a.Release {
		return nil
	}
	var out []Stop
	for _, id := range a.Outlook.Running {
		h, ok := find(a.Holdings, id)
		if !ok || h.Ref.Kind != billing.KindInstance || h.State != billing.StateRunning || h.Keep.Holds(v.Now) || !h.NotReleasable.IsZero() {
			continue
		}
		s, ok := stop(v, a, h, goal)
		if ok {
			out = append(out, s)
		}
		if len(out) == stopChoices {
			break
		}
	}
	return out
}

func stop(v notify.View, a notify.AccountView, h billing.Holding, goal time.Time) (Stop, bool) {
	s := Stop{Name: Name(h), Handle: h.Handle, Resource: h.ID}
	o := ledger.Without(a.Balance, a.Holdings, v.Now, h.ID)
	saves, err := a.Outlook.Burn.Sub(o.Burn)
	if err != nil || saves.Sign() <= 0 || o.Unpriced > a.Outlook.Unpriced {
		return s, false
	}
	s.Saves, s.Until = saves, o.EmptyAt
	if !o.EmptyAt.IsZero() {
		s.Gains = o.EmptyAt.Sub(a.Outlook.EmptyAt)
	}
	s.Enough = o.EmptyAt.IsZero() || !o.EmptyAt.Before(goal)
	return s, true
}

// remedies are a round top-up with its effect, and what stopping machines buys.
func remedies(v notify.View, a notify.AccountView, f BalanceFacts) []billing.Remedy {
	var out []billing.Remedy
	if amount := round(f.Short, f.Minimum); amount.Known() {
		b := a.Balance
		if cash, err := b.Cash.Add(amount); err == nil {
			b.Cash = cash
			out = append(out, billing.Remedy{Kind: billing.RemedyTopUp, Amount: amount, URL: f.TopUp, Enough: true,
				Until: ledger.Ahead(b, a.Holdings, v.Now).EmptyAt})
		}
	}
	for _, s := range f.Stops {
		out = append(out, billing.Remedy{Kind: billing.RemedyStop, Resource: s.Resource, Until: s.Until, Saves: s.Saves,
			Enough: s.Enough})
	}
	return out
}

// round is the next amount that people pay: 10, 15, 20, 30, 50, 100 and so on, no less than what is short and than the cloud
// takes. Unknown where nothing is short.
func round(short, least billing.Money) billing.Money {
	if short.Sign() <= 0 {
		return billing.Money{}
	}
	for unit := int64(1); unit <= 1e7; unit *= 10 {
		for _, n := range []int64{10, 15, 20, 30, 50} {
			m, err := billing.MoneyFromParts(n*unit*1e9, 0, short.Currency())
			if err != nil {
				return short
			}
			enough, err := m.Cmp(short)
			if err != nil || enough < 0 {
				continue
			}
			if c, err := m.Cmp(least); err == nil && c < 0 {
				continue
			}
			return m
		}
	}
	return short
}
