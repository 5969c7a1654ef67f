package estimate

import (
	"fmt"
	"slices"
	"time"

	"gpuspend/billing"
)

// Class is what a task is, which decides what it can stand.
type Class string

// The classes. An experiment may be thrown away and begun again; steady work and services go on; compliance says that
// only some clouds may be used.
const (
	Experiment Class = "experiment"
	Steady     Class = "steady"
	Compliance Class = "compliance"
)

// Task is work that machines do again and again, or did.
type Task struct {
	Name      string
	GPU       string
	Cards     billing.Decimal
	Hours     billing.Decimal // of work within the plan's period
	Class     Class
	Resumable billing.Tri
	Only      []string         // clouds that may be used; none for all
	Due       time.Duration    // from the start of one run; 0 for whenever
	Run       billing.Decimal  // hours of one run; unknown for all of them at once
	Ran       []billing.Period // when it did run, where that is known
	Paid      billing.Money    // what that cost; unknown where nobody knows
}

// Way is a machine that can be rented, at one cloud and in one mode.
type Way struct {
	Provider, Region, Type string
	GPU                    billing.GPU
	Mode                   billing.Mode
	Low, High              billing.Money // per hour for the whole machine, or for a term of what is paid ahead
	Renewal                billing.Money
	MonthHours             int
	ByCard                 bool // a part of the machine can be had at that part of the price
	Stock                  string
	Risk                   Risk // of spot
	AsOf                   time.Time
}

// ahead says that a way is paid for whole terms.
func (w Way) ahead() bool {
	switch w.Mode {
	case "weekly", "quarterly", billing.ModeMonthly, billing.ModeYearly:
		return true
	}
	return false
}

// Frame is what a plan is made for.
type Frame struct {
	Period   time.Duration // in which the tasks' hours lie; the plan is for 30 days
	Currency billing.Currency
	Write    float64 // hours to save a checkpoint; 0 for the default
	Restart  float64 // hours to go on after an interruption; 0 for the default
	MayMiss  float64 // chance to miss a deadline that is borne; 0 for a tenth
}

// Choice is how some tasks are to be run.
type Choice struct {
	Tasks     []int // indexes into the plan's tasks; several share one prepaid machine
	Way       Way
	Machines  int
	Low, High billing.Money // a month
	Why       Reason
	Next      billing.Money // what the next best way would cost at most; unknown where there is none
	Spot      Work          // the reckoned job, for spot
	Late      float64       // chance to miss the deadline, for spot
	Checks    []Check
}

// Place is everything at one cloud.
type Place struct {
	Provider  string
	Low, High billing.Money
}

// Mix is a plan for a month.
type Mix struct {
	Tasks     []Task // hours brought to a month
	Choices   []Choice
	Low, High billing.Money
	OneCloud  []Place // clouds that could do everything, cheapest first
	Paid      billing.Money
	Unplaced  []int // tasks that no way fits
	Exact     bool  // every way to share prepaid machines was looked at
	Clouds    int
}

// mostShared is for how many tasks every way to share prepaid machines is looked at: 3^11 divisions.
const mostShared = 11

// month is what plans are for.
const month = 30 * day

// MakeMix finds the cheapest way for every task and for those that share a prepaid machine. Choices go by the high end of
// a price. Ways in another currency are left aside.
func MakeMix(tasks []Task, ways []Way, f Frame) (Mix, error) {
	p := planner{frame: f.complete()}
	for _, w := range ways {
		if w.High.Currency() == f.Currency && w.Low.Known() && w.Low.Sign() > 0 && w.GPU.Count.Sign() > 0 {
			p.ways = append(p.ways, w)
		}
	}
	for _, t := range tasks {
		hours, err := t.Hours.Mul(billing.DecimalFromInt(int64(month))).Div(billing.DecimalFromInt(int64(p.frame.Period)), 18)
		if err != nil {
			return Mix{}, fmt.Errorf("plan: %w", err)
		}
		t.Hours = hours
		p.tasks = append(p.tasks, t)
	}
	m, err := p.mix("")
	if err != nil {
		return m, fmt.Errorf("plan: %w", err)
	}
	if m.OneCloud, err = p.everywhere(len(m.Unplaced)); err != nil {
		return m, fmt.Errorf("plan: %w", err)
	}
	m.Paid = p.paid()
	return m, nil
}

func (f Frame) complete() Frame {
	if f.Period <= 0 {
		f.Period = month
	}
	if f.Write == 0 {
		f.Write = DefaultWrite
	}
	if f.Restart == 0 {
		f.Restart = DefaultRestart
	}
	if f.MayMiss == 0 {
		f.MayMiss = 0.1
	}
	return f
}

type planner struct {
	frame Frame
	tasks []Task
	ways  []Way
}

// paid is what the tasks cost when they ran, brought to a month; unknown where one is.
func (p planner) paid() billing.Money {
	sum := billing.ZeroMoney(p.frame.Currency)
	for _, t := range p.tasks {
		m, err := t.Paid.MulRatio(int64(month), int64(p.frame.Period))
		if err == nil {
			sum, err = sum.Add(m)
		}
		if err != nil {
			return billing.Money{}
		}
	}
	return sum
}

// mix plans with the ways of one cloud, "" for all.
func (p planner) mix(cloud string) (Mix, error) {
	m := Mix{Tasks: p.tasks, Exact: true, Low: billing.ZeroMoney(p.frame.Currency), High: billing.ZeroMoney(p.frame.Currency)}
	var shared []int // tasks that a prepaid machine could take
	best := make([]Choice, len(p.tasks))
	for i := range p.tasks {
		best[i] = p.hourly(i, cloud)
		if p.couldShare(i, cloud) {
			shared = append(shared, i)
		} else if best[i].Machines == 0 {
			m.Unplaced = append(m.Unplaced, i)
		} else {
			m.Choices = append(m.Choices, best[i])
		}
	}
	if len(shared) > mostShared {
		m.Exact = false
		slices.SortStableFunc(shared, func(a, b int) int { return p.tasks[b].Hours.Cmp(p.tasks[a].Hours) })
		for _, i := range shared[mostShared:] {
			m.Choices = append(m.Choices, p.explained(p.alone(i, cloud, best[i]), best))
		}
		shared = shared[:mostShared]
	}
	d := division{planner: p, cloud: cloud, among: shared, alone: best}
	choices, err := d.best()
	if err != nil {
		return m, err
	}
	m.Choices = append(m.Choices, choices...)
	return m, m.sum()
}

// alone is the better of a task's hourly way and a prepaid machine of its own.
func (p planner) alone(i int, cloud string, hourly Choice) Choice {
	if c, ok := p.ahead([]int{i}, cloud); ok && (hourly.Machines == 0 || less(c.High, hourly.High)) {
		return c
	}
	return hourly
}

// sum adds the choices up and puts them in the order of their tasks.
func (m *Mix) sum() (err error) {
	slices.SortStableFunc(m.Choices, func(a, b Choice) int { return a.Tasks[0] - b.Tasks[0] })
	var clouds []string
	for _, c := range m.Choices {
		if m.Low, err = m.Low.Add(c.Low); err != nil {
			return err
		}
		if m.High, err = m.High.Add(c.High); err != nil {
			return err
		}
		if !slices.Contains(clouds, c.Way.Provider) {
			clouds = append(clouds, c.Way.Provider)
		}
	}
	m.Clouds = len(clouds)
	return nil
}

// everywhere plans each cloud alone and keeps those that leave no more tasks out than the mix does.
func (p planner) everywhere(left int) ([]Place, error) {
	var list []Place
	for _, w := range p.ways {
		if slices.ContainsFunc(list, func(x Place) bool { return x.Provider == w.Provider }) {
			continue
		}
		m, err := p.mix(w.Provider)
		if err != nil {
			return nil, err
		}
		x := Place{Provider: w.Provider}
		if len(m.Unplaced) == left {
			x.Low, x.High = m.Low, m.High
		}
		list = append(list, x)
	}
	list = slices.DeleteFunc(list, func(x Place) bool { return !x.High.Known() })
	slices.SortStableFunc(list, func(a, b Place) int {
		c, _ := a.High.Cmp(b.High) // one currency
		return c
	})
	return list, nil
}

func less(a, b billing.Money) bool {
	c, err := a.Cmp(b)
	return err == nil && c < 0
}
