package estimate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
)

func way(provider string, mode billing.Mode, low, high string) estimate.Way {
	return estimate.Way{Provider: provider, Mode: mode, GPU: billing.GPU{Model: "A100-80G", Count: dec("8")}, Low: cny(low), High: cny(high),
		Risk: estimate.Risk{Low: 10, High: 10, From: estimate.RiskBand}}
}

// articleWays are the machines of the articles.
func articleWays() []estimate.Way {
	c := way("C", "on_demand", "24", "32")
	c.ByCard = true
	return []estimate.Way{way("A", "on_demand", "880", "880"), way("A", "spot", "96", "144"), way("A", "monthly", "80000", "90000"),
		way("B", "on_demand", "840", "840"), way("B", "spot", "120", "160"), way("B", "monthly", "75000", "85000"),
		c, way("C", "monthly", "50000", "60000")}
}

func only(clouds ...string) []estimate.Way {
	var list []estimate.Way
	for _, w := range articleWays() {
		if strings.Contains(strings.Join(clouds, ""), w.Provider) {
			list = append(list, w)
		}
	}
	return list
}

func task(name, cards, hours string) estimate.Task {
	return estimate.Task{Name: name, GPU: "A100-80G", Cards: dec(cards), Hours: dec(hours), Class: estimate.Steady, Resumable: billing.No}
}

func mixed(t *testing.T, ways []estimate.Way, tasks ...estimate.Task) estimate.Mix {
	t.Helper()
	m, err := estimate.MakeMix(tasks, ways, estimate.Frame{Currency: "CNY"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// told is a plan in short.
func told(m estimate.Mix) string {
	var lines []string
	for _, c := range m.Choices {
		var names []string
		for _, i := range c.Tasks {
			names = append(names, m.Tasks[i].Name)
		}
		lines = append(lines, fmt.Sprintf("%s: %s %s x%d %s %s", strings.Join(names, "+"), c.Way.Provider, c.Way.Mode, c.Machines, c.High.Rounded(2), c.Why))
	}
	return strings.Join(lines, "; ")
}

// Two tasks that would each be cheaper by the hour share one month: 52,800 + 44,000 on demand, 90,000 together.
func TestPlanSharesAPrepaidMachine(t *testing.T) {
	m := mixed(t, only("A"), task("tune", "8", "60"), task("serve", "8", "50"))
	equal(t, "plan", told(m), "tune+serve: A monthly x1 90000.00 shared")
	equal(t, "by the hour", m.Choices[0].Next.Rounded(2), "96800.00")
	m = mixed(t, only("A"), task("tune", "8", "60"), task("serve", "8", "30"))
	equal(t, "with less to do", told(m), "tune: A on_demand x1 52800.00 no_interrupt; serve: A on_demand x1 26400.00 no_interrupt")
}

// The division is the best of all, tried against every assignment.
func TestPlanIsExact(t *testing.T) {
	tasks := []estimate.Task{task("a", "8", "60"), task("b", "8", "700"), task("c", "4", "500"), task("d", "4", "400"), task("e", "8", "20")}
	m := mixed(t, only("A", "B"), tasks...)
	if best := bruteForce(tasks, 0, map[int]float64{}); m.High.Rounded(2) != shown(best, 2) {
		t.Errorf("plan costs %s, the best of all divisions %.2f: %s", m.High.Rounded(2), best, told(m))
	}
	if !m.Exact {
		t.Error("five tasks are not looked through")
	}
}

// bruteForce puts every task by the hour at B or on one of five machine pools of B, and prices the pools.
func bruteForce(tasks []estimate.Task, hourly float64, pools map[int]float64) float64 {
	if len(tasks) == 0 {
		for _, load := range pools {
			if load > 0 {
				hourly += 85000 * float64(int((load+5759)/5760))
			}
		}
		return hourly
	}
	hours, cards := tasks[0].Hours.Float64(), tasks[0].Cards.Float64()
	best := bruteForce(tasks[1:], hourly+840*hours, pools)
	for i := range 5 {
		pools[i] += hours * cards
		best = min(best, bruteForce(tasks[1:], hourly, pools))
		pools[i] -= hours * cards
	}
	return best
}

func TestPlanByClass(t *testing.T) {
	sweep := task("sweep", "8", "100")
	sweep.Class, sweep.Resumable = estimate.Experiment, billing.Yes
	gov := task("gov", "8", "60")
	gov.Class, gov.Only = estimate.Compliance, []string{"B"}
	m := mixed(t, only("A", "B"), sweep, gov)
	equal(t, "plan", told(m), "sweep: A spot x1 16263.49 cheapest; gov: B on_demand x1 50400.00 compliance")
	if m.Clouds != 2 {
		t.Errorf("%d clouds", m.Clouds)
	}
	if len(m.OneCloud) != 1 || m.OneCloud[0].Provider != "B" {
		t.Errorf("everything in one place: %+v", m.OneCloud)
	}
	sweep.Resumable = billing.Unsure
	m = mixed(t, only("A"), sweep)
	equal(t, "nobody says that it can go on", string(m.Choices[0].Way.Mode)+" "+string(m.Choices[0].Why), "on_demand no_interrupt")
}

func TestPlanKeepsDeadlines(t *testing.T) {
	run := task("run", "8", "30")
	run.Class, run.Resumable, run.Due = estimate.Experiment, billing.Yes, 32*time.Hour
	m := mixed(t, only("A"), run)
	equal(t, "two hours of room", string(m.Choices[0].Way.Mode)+" "+string(m.Choices[0].Why), "on_demand deadline")
	run.Due = 48 * time.Hour
	m = mixed(t, only("A"), run)
	equal(t, "eighteen hours of room", string(m.Choices[0].Way.Mode), "spot")
	run.Due = 20 * time.Hour
	if m = mixed(t, only("A"), run); len(m.Unplaced) != 1 || len(m.Choices) != 0 {
		t.Errorf("30 h of work within 20 h: %s", told(m))
	}
}

// Part of a machine where cards are sold singly, whole ones elsewhere.
func TestPlanTakesPartOfAMachine(t *testing.T) {
	m := mixed(t, only("C"), task("lora", "4", "28"))
	equal(t, "four of C's cards", m.Choices[0].Low.Rounded(2)+" "+m.Choices[0].High.Rounded(2), "336.00 448.00")
	equal(t, "spot elsewhere would be dearer", told(mixed(t, articleWays(), task("lora", "4", "28"))), "lora: C on_demand x1 448.00 cheapest")
	m = mixed(t, only("A"), task("lora", "4", "28"))
	equal(t, "A has whole machines", m.Choices[0].High.Rounded(2), "24640.00")
	m = mixed(t, only("A"), task("big", "16", "10"))
	equal(t, "two machines", told(m), "big: A on_demand x2 17600.00 no_interrupt")
}

// What is known to have run at one time cannot share one machine.
func TestPlanKeepsWhatRanTogetherApart(t *testing.T) {
	start := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	a, b := task("a", "8", "200"), task("b", "8", "200")
	a.Ran = []billing.Period{{Start: start, End: start.Add(200 * time.Hour)}}
	b.Ran = []billing.Period{{Start: start.Add(100 * time.Hour), End: start.Add(300 * time.Hour)}}
	equal(t, "at one time", fmt.Sprint(mixed(t, only("A"), a, b).High.Rounded(2)), "180000.00")
	b.Ran = []billing.Period{{Start: start.Add(200 * time.Hour), End: start.Add(400 * time.Hour)}}
	equal(t, "one after the other", fmt.Sprint(mixed(t, only("A"), a, b).High.Rounded(2)), "90000.00")
}

// A week is brought to a month before anything is paid ahead, and what was paid with it.
func TestPlanBringsAWeekToAMonth(t *testing.T) {
	a := task("a", "8", "21")
	a.Paid = cny("18480")
	m, err := estimate.MakeMix([]estimate.Task{a}, only("A"), estimate.Frame{Period: 7 * days, Currency: "CNY"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "plan", told(m), "a: A on_demand x1 79200.00 no_interrupt")
	equal(t, "paid", m.Paid.Rounded(2), "79200.00")
}

func TestPlanLeavesOutWhatHasNoWay(t *testing.T) {
	h800 := task("h", "8", "10")
	h800.GPU = "H800"
	usd := way("D", "on_demand", "1", "1")
	usd.Low, usd.High = billing.MustMoney("1", "USD"), billing.MustMoney("1", "USD")
	m := mixed(t, append(only("A"), usd), h800, task("a", "8", "10"))
	equal(t, "plan", told(m), "a: A on_demand x1 8800.00 no_interrupt")
	if len(m.Unplaced) != 1 || m.Unplaced[0] != 0 || m.Paid.Known() {
		t.Errorf("unplaced %v, paid %s", m.Unplaced, m.Paid)
	}
}

func TestPlanOfManyTasksSaysThatItIsNotExact(t *testing.T) {
	var tasks []estimate.Task
	for i := range 14 {
		tasks = append(tasks, task(fmt.Sprint(i), "8", fmt.Sprint(10+i)))
	}
	m := mixed(t, only("A"), tasks...)
	if m.Exact || len(m.Unplaced) > 0 {
		t.Errorf("exact %v, unplaced %v", m.Exact, m.Unplaced)
	}
}

func BenchmarkPlanOfTwelve(b *testing.B) {
	var tasks []estimate.Task
	for i := range 12 {
		tasks = append(tasks, task(fmt.Sprint(i), "8", fmt.Sprint(10+i)))
	}
	for b.Loop() {
		if _, err := estimate.MakeMix(tasks, articleWays(), estimate.Frame{Currency: "CNY"}); err != nil {
			b.Fatal(err)
		}
	}
}
