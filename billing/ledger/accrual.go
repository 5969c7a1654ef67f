package ledger

import (
	"slices"
	"time"

	"gpuspend/billing"
)

// Blind is for how long a resource is believed to go on as it was last seen: three inventory polls of 15 minutes. What
// lies beyond is no accrual but a Gap.
const Blind = 45 * time.Minute

// meter takes one observed span into the sheet: what it cost within the question, in hours that no bill covers.
func (s *sheet) meter(m Metered) error {
	c, ok := s.covered[m.AccountID]
	if ok && !c.Polled || m.Billed == billing.No || PaidAhead(m.Mode) {
		return nil
	}
	if !ok {
		c = Covered{Account: m.AccountID, Name: m.Account}
		s.covered[m.AccountID] = c
		s.order = append(s.order, c)
	}
	if !s.q.lets(m) {
		return nil
	}
	from, to := later(later(m.From, s.q.From), c.Through), earlier(s.q.To, s.q.Now)
	if !m.To.IsZero() {
		to = earlier(to, m.To)
	}
	seen := m.SeenTo.Add(Blind)
	if seen.Before(to) {
		if dark := later(seen, from); dark.Before(to) {
			s.blind[m.AccountID] = append(s.blind[m.AccountID], billing.Period{Start: dark, End: to})
			if err := s.stretch(m, c, dark, to, true); err != nil {
				return err
			}
		}
		to = seen
	}
	if !from.Before(to) {
		return nil
	}
	s.asOf = later(s.asOf, m.SeenTo)
	return s.stretch(m, c, from, to, false)
}

// stretch takes part of a span into the rows that it belongs to. What lies in the dark is no accrual: it says only how
// much more there may be.
func (s *sheet) stretch(m Metered, c Covered, from, to time.Time, dark bool) error {
	if !slices.ContainsFunc(s.q.By, Cut.Calendar) {
		return s.piece(m, c, from, to, dark)
	}
	for from.Before(to) {
		end := earlier(nextDay(from, s.q.Zone), to)
		if err := s.piece(m, c, from, end, dark); err != nil {
			return err
		}
		from = end
	}
	return nil
}

// piece takes a stretch of a span that lies within one row.
func (s *sheet) piece(m Metered, c Covered, from, to time.Time, dark bool) error {
	rate := m.Rate.Hourly
	if m.Billed != billing.Yes || !rate.Known() {
		s.line(s.keys(m, from), s.currencyOf(m, c)).unpriced[m.Resource] = true
		return nil
	}
	sum, err := accrue(rate, from, to)
	if err != nil {
		return err
	}
	l := s.line(s.keys(m, from), rate.Currency())
	if dark {
		l.dark, err = plus(l.dark, sum)
		return err
	}
	l.Accrued, err = plus(l.Accrued, sum)
	return err
}

func (s *sheet) currencyOf(m Metered, c Covered) billing.Currency {
	if m.Rate.Hourly.Known() {
		return m.Rate.Hourly.Currency()
	}
	return c.Currency
}

// keys are the labels of a span under the cuts of the question.
func (s *sheet) keys(m Metered, at time.Time) []string {
	keys := make([]string, len(s.q.By))
	for i, by := range s.q.By {
		keys[i] = m.key(by, at, s.q.Zone)
	}
	return keys
}

func (m Metered) key(by Cut, at time.Time, zone *time.Location) string {
	switch by {
	case ByProvider:
		return m.Provider
	case ByAccount:
		return m.Account
	case ByService:
		return m.Service
	case ByPart:
		return string(m.Part)
	case ByRegion:
		return m.Region
	case ByResource:
		return m.VendorID
	case ByOwner:
		return m.Owner
	case ByProject:
		return m.Project
	case ByGPU:
		return m.GPU
	case ByMode:
		return string(m.Mode)
	case ByCharge:
		return Usage.String()
	case ByDay, ByWeek, ByMonth:
		return by.Date(at.In(zone))
	}
	return ""
}

// lets says whether a span passes the filters. A resource is found by its name or its cloud's id.
func (q Question) lets(m Metered) bool {
	for _, f := range q.Where {
		ok := f.Lets(m.key(f.By, m.From, q.Zone))
		if f.By == ByResource && ok == f.Not {
			ok = f.Lets(m.Name)
		}
		if !ok {
			return false
		}
	}
	return true
}

// nextDay is the first instant of the next local date. Where clocks jump over midnight it is the instant they jump to.
func nextDay(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.In(zone).Date()
	next := time.Date(y, m, d+1, 0, 0, 0, 0, zone)
	for next.Day() == d {
		next = next.Add(quarter)
	}
	return next
}

// joined merges periods that touch.
func joined(ps []billing.Period) []billing.Period {
	slices.SortFunc(ps, func(x, y billing.Period) int { return x.Start.Compare(y.Start) })
	var out []billing.Period
	for _, p := range ps {
		if n := len(out) - 1; n >= 0 && !p.Start.After(out[n].End) {
			out[n].End = later(out[n].End, p.End)
			continue
		}
		out = append(out, p)
	}
	return out
}
