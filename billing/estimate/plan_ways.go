package estimate

import (
	"math"
	"slices"

	"gpuspend/billing"
)

// fits says whether a task may and can run on a machine.
func (p planner) fits(t Task, w Way, cloud string) bool {
	return w.GPU.Model == t.GPU && (cloud == "" || w.Provider == cloud) && (len(t.Only) == 0 || slices.Contains(t.Only, w.Provider))
}

// hourly is the cheapest way of one task that is paid by the hour; Machines is 0 where there is none.
func (p planner) hourly(i int, cloud string) Choice {
	var best Choice
	others, refused := 0, BecauseCheapest
	var spared billing.Money // what the refused way would have cost at least
	for _, w := range p.ways {
		if w.ahead() || !p.fits(p.tasks[i], w, cloud) {
			continue
		}
		c, why := p.byTheHour(i, w)
		switch {
		case why != "":
			if !spared.Known() || less(c.High, spared) {
				refused, spared = why, c.High
			}
		case best.Machines == 0:
			best = c
		case less(c.High, best.High):
			c.Next, best = best.High, c
			others++
		default:
			others++
			if !best.Next.Known() || less(c.High, best.Next) {
				best.Next = c.High
			}
		}
	}
	if !less(spared, best.High) {
		refused = BecauseCheapest
	}
	best.Why = p.why(p.tasks[i], others, refused)
	return best
}

// why is the reason of a task's way by the hour: what it must keep to, what it could not stand, or the price.
func (p planner) why(t Task, others int, refused Reason) Reason {
	switch {
	case t.bound():
		return BecauseCompliance
	case refused != BecauseCheapest:
		return refused
	case others == 0:
		return BecauseOnly
	}
	return BecauseCheapest
}

// bound says that only some clouds may be used.
func (t Task) bound() bool { return t.Class == Compliance || len(t.Only) > 0 }

// byTheHour reckons a task on one way, or says why it can't run there.
func (p planner) byTheHour(i int, w Way) (Choice, Reason) {
	t := p.tasks[i]
	c := Choice{Tasks: []int{i}, Way: w, Checks: BeforeOrder(t.Cards)}
	machines, part := p.count(t, w)
	c.High = over(over(w.High, t.Hours), part)
	low, high := t.Hours, t.Hours
	if w.Mode == billing.ModeSpot {
		if t.Resumable != billing.Yes || t.Class == Steady {
			return c, BecauseUninterrupt
		}
		calm, rough := p.job(t, w.Risk.High), p.job(t, w.Risk.Low)
		if c.Spot = rough; t.Due > 0 {
			if c.Late = rough.Late(t.Due.Hours()); c.Late > p.frame.MayMiss {
				return c, BecauseDeadline
			}
		}
		low, high = stretched(t.Hours, calm), stretched(t.Hours, rough)
	} else if t.Due > 0 && t.run() > t.Due.Hours() {
		return c, BecauseDeadline
	}
	c.Low, c.High = over(over(w.Low, low), part), over(over(w.High, high), part)
	if !c.High.Known() || !c.Low.Known() {
		return c, BecauseOnly
	}
	c.Machines = machines
	return c, ""
}

// run is the hours of one run.
func (t Task) run() float64 {
	if t.Run.Known() {
		return t.Run.Float64()
	}
	return t.Hours.Float64()
}

// job is one run of a task on spot at the recommended interval, machines together as one.
func (p planner) job(t Task, mean float64) Work {
	return Work{Useful: t.run(), Write: p.frame.Write, Restart: p.frame.Restart, Mean: mean}.Saved()
}

// stretched is hours of work with their interruptions; unknown where they never end.
func stretched(hours billing.Decimal, w Work) billing.Decimal {
	d, err := decimalOf(w.Factor())
	if err != nil {
		return billing.Decimal{}
	}
	return hours.Mul(d)
}

// count is how many machines a task needs, and how many prices of one that is: a part where cards are sold singly.
func (p planner) count(t Task, w Way) (machines int, prices billing.Decimal) {
	exact, err := t.Cards.Div(w.GPU.Count, 18)
	if err != nil {
		return 0, billing.Decimal{}
	}
	machines = int(math.Ceil(exact.Float64()))
	if w.ByCard {
		return machines, exact
	}
	return machines, billing.DecimalFromInt(int64(machines))
}

// couldShare says whether a prepaid machine could take a task.
func (p planner) couldShare(i int, cloud string) bool {
	_, ok := p.ahead([]int{i}, cloud)
	return ok
}

// ahead is the cheapest prepaid way for all of some tasks together.
func (p planner) ahead(tasks []int, cloud string) (best Choice, found bool) {
	for _, w := range p.ways {
		if !w.ahead() || slices.ContainsFunc(tasks, func(i int) bool { return !p.fits(p.tasks[i], w, cloud) }) {
			continue
		}
		n := p.machines(tasks, w)
		c := Choice{Tasks: tasks, Way: w, Machines: n, Low: p.months(w, w.Low, n), High: p.months(w, w.High, n)}
		if n == 0 || !c.High.Known() || found && !less(c.High, best.High) {
			continue
		}
		best, found = c, true
	}
	return best, found
}

// months is what so many machines cost for a month: whole terms where those are shorter, a month's share of longer ones.
func (p planner) months(w Way, price billing.Money, machines int) billing.Money {
	plan := Prepaid{Mode: w.Mode, Price: price, Renewal: w.Renewal, MonthHours: w.MonthHours}
	cost, err := plan.Cash(month)
	if term, _ := plan.term(); term > month {
		cost, err = plan.Monthly()
	}
	if err == nil {
		cost, err = cost.MulRatio(int64(machines), 1)
	}
	if err != nil {
		return billing.Money{}
	}
	return cost
}

// machines is how many prepaid machines some tasks need together: their hours times cards must find room in the month,
// each must fit for itself, and those known to have run at one time must fit side by side. 0 where a deadline is missed.
func (p planner) machines(tasks []int, w Way) int {
	plan := Prepaid{MonthHours: w.MonthHours}
	load, need := billing.DecimalFromInt(0), billing.DecimalFromInt(0)
	for _, i := range tasks {
		t := p.tasks[i]
		if t.Due > 0 && t.run() > t.Due.Hours() {
			return 0
		}
		load = load.Add(t.Hours.Mul(t.Cards))
		if t.Cards.Cmp(need) > 0 {
			need = t.Cards
		}
	}
	if peak := p.peak(tasks); peak.Cmp(need) > 0 {
		need = peak
	}
	full, err := load.Div(plan.hours(), 18)
	if err != nil {
		return 0
	}
	if full.Cmp(need) > 0 {
		need = full
	}
	n, err := need.Div(w.GPU.Count, 15)
	if err != nil {
		return 0
	}
	return int(math.Ceil(n.Float64()))
}

// peak is how many cards the tasks are known to have used at one time.
func (p planner) peak(tasks []int) billing.Decimal {
	most := billing.DecimalFromInt(0)
	for _, i := range tasks {
		for _, at := range p.tasks[i].Ran { // a peak begins where something begins
			if n := p.at(tasks, at); n.Cmp(most) > 0 {
				most = n
			}
		}
	}
	return most
}

// at is how many cards the tasks used at the start of a period.
func (p planner) at(tasks []int, at billing.Period) billing.Decimal {
	n := billing.DecimalFromInt(0)
	for _, i := range tasks {
		for _, r := range p.tasks[i].Ran {
			if r.Contains(at.Start) {
				n = n.Add(p.tasks[i].Cards)
			}
		}
	}
	return n
}
