package estimate

import (
	"math/bits"

	"gpuspend/billing"
)

// division looks at every way to divide some tasks among prepaid machines and the hour. Sets of tasks are bits.
type division struct {
	planner
	cloud string
	among []int    // the tasks to divide
	alone []Choice // by task: the cheapest way by the hour
}

// part is the best for a set of tasks: one piece of it, and the best for the rest.
type part struct {
	cost  billing.Money // unknown where a task finds no way
	piece Choice
	rest  uint
}

// best divides all tasks. A piece always holds the lowest task of its set, so that no division is looked at twice.
func (d division) best() ([]Choice, error) {
	all := uint(1)<<len(d.among) - 1
	shared := make([]Choice, all+1)
	for set := uint(1); set <= all; set++ {
		shared[set], _ = d.ahead(d.members(set), d.cloud)
	}
	parts := make([]part, all+1)
	parts[0].cost = billing.ZeroMoney(d.frame.Currency)
	for set := uint(1); set <= all; set++ {
		parts[set] = d.divide(set, shared, parts)
	}
	var list []Choice
	for set := all; set != 0; set = parts[set].rest {
		list = append(list, d.explained(parts[set].piece, d.alone))
	}
	return list, nil
}

// members are the tasks of a set.
func (d division) members(set uint) []int {
	var list []int
	for ; set != 0; set &= set - 1 {
		list = append(list, d.among[bits.TrailingZeros(set)])
	}
	return list
}

// divide finds the best division of a set whose subsets are known.
func (d division) divide(set uint, shared []Choice, parts []part) part {
	lowest := set & -set
	best := part{}
	try := func(piece Choice, taken uint) {
		if piece.Machines == 0 {
			return
		}
		cost, err := piece.High.Add(parts[set&^taken].cost)
		if err == nil && (!best.cost.Known() || less(cost, best.cost)) {
			best = part{cost, piece, set &^ taken}
		}
	}
	try(d.alone[d.members(lowest)[0]], lowest)
	others := set &^ lowest
	for sub := others; ; sub = (sub - 1) & others {
		try(shared[sub|lowest], sub|lowest)
		if sub == 0 {
			return best
		}
	}
}

// explained gives a prepaid piece its reason, its checks, and what its tasks would cost by the hour.
func (p planner) explained(c Choice, alone []Choice) Choice {
	if !c.Way.ahead() {
		return c
	}
	c.Why = BecauseCheapest
	if len(c.Tasks) > 1 {
		c.Why = BecauseShared
	}
	hourly, cards := billing.ZeroMoney(p.frame.Currency), billing.DecimalFromInt(0)
	for _, i := range c.Tasks {
		sum, err := hourly.Add(alone[i].High)
		if err != nil {
			sum = billing.Money{} // a task that has no way by the hour
		}
		hourly = sum
		if t := p.tasks[i]; t.Cards.Cmp(cards) > 0 {
			cards = t.Cards
		}
		if p.tasks[i].bound() {
			c.Why = BecauseCompliance
		}
	}
	c.Next, c.Checks = hourly, BeforeOrder(cards)
	if c.Way.Mode == billing.ModeYearly {
		c.Checks = append(c.Checks, SiteAudit()...)
	}
	return c
}
