package ledger

import (
	"time"

	"gpuspend/billing"
)

// Counted turns readings of a wallet's lifetime counter, in order, into charges: one use per settled interval, to the
// last digit. What was seen of the account's resources divides it where their rates explain no more than was taken; the
// rest, and all of it where they explain more, is the account's as a whole. Where the counter fell nobody knows the use:
// there is no charge, and Steps tells. Through is how far the readings reach.
func Counted(a billing.Account, history []billing.Balance, spans []Metered) (charges []billing.Charge, through time.Time, err error) {
	var before billing.Balance
	for _, b := range history {
		if !Settled(b) || !b.Spent.Known() {
			continue
		}
		p := billing.Period{Start: covers(before), End: covers(b)}
		if !before.ReadAt.IsZero() && !p.Start.Before(p.End) {
			continue
		}
		used, err := b.Spent.Sub(before.Spent)
		if first := before.ReadAt.IsZero(); !first && err == nil && used.Sign() > 0 {
			lines, err := divide(a, p, used, spans)
			if err != nil {
				return nil, through, err
			}
			charges = append(charges, lines...)
		}
		before, through = b, p.End
	}
	return charges, through, nil
}

// divide makes the charges of one interval; their sum is what was used.
func divide(a billing.Account, p billing.Period, used billing.Money, spans []Metered) ([]billing.Charge, error) {
	var lines []billing.Charge
	rest := used
	for _, m := range spans {
		from, to := later(m.From, p.Start), earlier(m.SeenTo.Add(Blind), p.End)
		if !m.To.IsZero() {
			to = earlier(m.To, p.End)
		}
		rate := m.Rate.Hourly
		if m.AccountID != a.ID || m.Billed != billing.Yes || PaidAhead(m.Mode) || rate.Sign() <= 0 || rate.Currency() != used.Currency() || !from.Before(to) {
			continue
		}
		cost, err := accrue(rate, from, to)
		if err != nil {
			return nil, err
		}
		if rest, err = rest.Sub(cost); err != nil {
			return nil, err
		}
		c := counted(a, p, cost)
		c.ResourceID, c.ResourceName, c.RegionID, c.Part, c.GPU, c.Mode, c.Owner, c.Project = m.VendorID, m.Name, m.Region, m.Part, m.GPU, m.Mode, m.Owner, m.Project
		lines = append(lines, c)
	}
	switch rest.Sign() {
	case -1:
		return []billing.Charge{counted(a, p, used)}, nil
	case 1:
		lines = append(lines, counted(a, p, rest))
	}
	return lines, nil
}

func counted(a billing.Account, p billing.Period, cost billing.Money) billing.Charge {
	y, m, _ := p.Start.UTC().Date()
	month := time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
	return billing.Charge{Provider: a.Provider, BillingAccountID: a.VendorID, ChargeCategory: "Usage", Part: billing.PartOther,
		ChargeDescription: "use by the wallet's lifetime counter", BilledCost: cost, EffectiveCost: cost, ChargePeriod: p,
		BillingPeriod: billing.Period{Start: month, End: month.AddDate(0, 1, 0)}}
}
