package estimate_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
)

func cny(s string) billing.Money { return billing.MustMoney(s, "CNY") }

// shown is a float as the methods round it.
func shown(f float64, digits int) string { return strconv.FormatFloat(f, 'f', digits, 64) }

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %s, want %s", what, got, want)
	}
}

func money(t *testing.T, what string, m billing.Money, err error, want string) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	equal(t, what, m.Rounded(2), want)
}

// the methods' example: 30 hours, saved every hour within 3 minutes, restarted within 12, interrupted once in 10 hours.
func example() estimate.Work {
	return estimate.Work{Useful: 30, Every: 1, Write: 0.05, Restart: 0.2, Mean: 10}
}

func TestMethod1SpotWallTime(t *testing.T) {
	w := example()
	equal(t, "wall", shown(w.Wall(), 4), "33.8841")
	first, ok := w.FirstOrder()
	equal(t, "first order", shown(first, 4), "33.9623")
	equal(t, "first order holds", strconv.FormatBool(ok), "true")
	equal(t, "interruptions", shown(w.Interruptions(), 2), "3.39")
	cost, err := estimate.CostOver(cny("120"), w.Wall())
	money(t, "cost", cost, err, "4066.10")
	cost, err = estimate.CostOver(cny("120"), first)
	money(t, "cost at first order", cost, err, "4075.47")
	cost, err = estimate.CostOver(cny("120"), w.Useful)
	money(t, "naive cost", cost, err, "3600.00")
	cost, err = estimate.CostOver(cny("15"), w.Wall()/w.Useful)
	money(t, "per useful GPU-hour", cost, err, "16.94")
}

func TestMethod1FirstOrderIsRefusedWhereInterruptionsOvertakeTheWork(t *testing.T) {
	if _, ok := (estimate.Work{Useful: 30, Every: 1, Write: 0.05, Restart: 0.2, Mean: 0.725}).FirstOrder(); ok {
		t.Error("(tau+d)/2 + R = M gives a figure")
	}
}

func TestMethod1NoCheckpointsAtAll(t *testing.T) {
	w := example().Unsaved()
	equal(t, "wall", shown(w.Wall(), 2), "194.71")
	cost, err := estimate.CostOver(cny("120"), w.Wall())
	money(t, "cost", cost, err, "23365.31")
	equal(t, "factor", shown(w.Factor(), 1), "6.5")
}

func TestMethod1FourNodes(t *testing.T) {
	w := example()
	w.Every, w.Mean = 0.5, estimate.JobMean(10, 4)
	equal(t, "mean", shown(w.Mean, 1), "2.5")
	equal(t, "wall", shown(w.Wall(), 4), "39.9858")
}

func TestMethod2CheckpointInterval(t *testing.T) {
	const minute = 1.0 / 60
	for _, c := range []struct {
		mean        float64
		daly, young string
		digits      int
	}{{24, "116.69", "120", 0}, {6, "56.71", "60", 0}, {0.25, "9.14", "12.2", 1}} {
		equal(t, "Daly", shown(estimate.Interval(5*minute, c.mean)/minute, 2), c.daly)
		equal(t, "Young", shown(estimate.YoungInterval(5*minute, c.mean)/minute, c.digits), c.young)
	}
	w := example().Saved()
	equal(t, "Young for the example", shown(estimate.YoungInterval(0.05, 10), 1), "1.0")
	equal(t, "Daly for the example", shown(w.Every, 3), "0.967")
	equal(t, "in minutes", shown(w.Every*60, 1), "58.0")
	equal(t, "wall", shown(w.Wall(), 4), "33.8823")
	equal(t, "where saving is slow", shown(estimate.Interval(2, 1), 0), "1")
}

func TestMethod3WhereTheMeanComesFrom(t *testing.T) {
	for q, want := range map[float64]string{0.05: "14231.88", 0.10: "6928.59", 0.15: "4491.78", 0.20: "3271.44"} {
		equal(t, "mean of a band", shown(estimate.MeanOfMonthly(q), 2), want)
	}
	equal(t, "mean of share .22", shown(estimate.MeanOfShare(0.22), 2), "3.69")
	equal(t, "mean of share .35", shown(estimate.MeanOfShare(0.35), 2), "1.96")
	equal(t, "factor of share .22", shown(1/(1-0.22), 4), "1.2821")
	equal(t, "factor of share .35", shown(1/(1-0.35), 4), "1.5385")
}

func TestMethod3OrderOfTrust(t *testing.T) {
	all := estimate.Evidence{Observed: estimate.Sightings{Interruptions: 3, Watched: 60 * time.Hour}, Given: 10, Offered: 30,
		Band: estimate.Band{Low: 0.05, High: 0.10}}
	check := func(what string, from estimate.RiskSource, low, high string) {
		t.Helper()
		r := estimate.Judge(all)
		equal(t, what, string(r.From)+" "+shown(r.Low, 2)+" "+shown(r.High, 2), string(from)+" "+low+" "+high)
	}
	check("all", estimate.RiskObserved, "20.00", "20.00")
	all.Observed = estimate.Sightings{Interruptions: 2, Watched: 60 * time.Hour}
	check("too little seen", estimate.RiskGiven, "10.00", "10.00")
	all.Given = 0
	check("the cloud's offer", estimate.RiskBand, "30.00", "30.00")
	all.Offered = 0
	check("the cloud's band", estimate.RiskBand, "6928.59", "14231.88")
	all.Band = estimate.Band{}
	check("nothing", estimate.RiskDefault, "1.96", "3.69")
	all.Observed = estimate.Sightings{Watched: 200 * time.Hour}
	check("long calm", estimate.RiskObserved, "200.00", "200.00")
}

// Above 20 % has no upper end: no figure is made of it.
func TestMethod3AnOpenBandDemandsAValue(t *testing.T) {
	b, ok := estimate.Published("aws", "us-east-1", "p5.48xlarge")
	r := estimate.Judge(estimate.Evidence{Band: b})
	if !ok || !r.OpenBand || r.From != estimate.RiskDefault {
		t.Errorf("p5.48xlarge in us-east-1: %v, %+v", ok, r)
	}
	r = estimate.Judge(estimate.Evidence{Band: b, Given: 5})
	if r.From != estimate.RiskGiven {
		t.Errorf("with a value given: %+v", r)
	}
}

func TestMethod4SpotVerdict(t *testing.T) {
	pays, limit, err := estimate.SpotPays(cny("120"), cny("880"), example())
	if err != nil || !pays {
		t.Errorf("pays %v, %v", pays, err)
	}
	equal(t, "limit", limit.Rounded(2), "7.33")
	if pays, _, _ := estimate.SpotPays(cny("150"), cny("880"), example().Unsaved()); pays {
		t.Error("without checkpoints 6.49 is above 5.87")
	}
}

func Test5_1RetryShare(t *testing.T) {
	base, err := cny("0.30").Mul(billing.MustDecimal("336"))
	if err != nil {
		t.Fatal(err)
	}
	for share, want := range map[string]string{"0.22": "129.23", "0.35": "155.08"} {
		total, err := estimate.RetryTotal(base, billing.MustDecimal(share))
		money(t, "total at "+share, total, err, want)
	}
}

func Test5_3RetryShareIsOfTheTotal(t *testing.T) {
	for share, want := range map[string]string{"0.22": "128.21", "0.35": "153.85"} {
		total, err := estimate.RetryTotal(cny("100"), billing.MustDecimal(share))
		money(t, "total at "+share, total, err, want)
	}
}

// The chance of a delay against a hundred thousand runs of the same story, step by step.
func TestLateAgreesWithManyRuns(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		w        estimate.Work
		deadline float64
	}{
		{example(), 33}, {example(), 35}, {example(), 38},
		{estimate.Work{Useful: 8, Every: 2, Write: 0.1, Restart: 0.3, Mean: 4}, 12},
		{estimate.Work{Useful: 10, Restart: 0.2, Mean: 10}, 20},
		{estimate.Work{Useful: 336, Every: 1, Write: 0.05, Restart: 0.2, Mean: 0.8}, 1050},
	} {
		const runs = 20000
		late := 0
		for range runs {
			if run(dice, c.w) > c.deadline {
				late++
			}
		}
		seen, got := float64(late)/runs, c.w.Late(c.deadline)
		if math.Abs(seen-got) > 0.025 {
			t.Errorf("%+v by %v h: late %.3f, in %d runs %.3f", c.w, c.deadline, got, runs, seen)
		}
	}
}

// run plays one job through and gives the hours it took.
func run(dice *rand.Rand, w estimate.Work) float64 {
	length, left, clock := w.Every+w.Write, w.Useful/max(w.Every, 1e-9), 0.0
	if w.Every == 0 {
		length, left = w.Useful, 1
	}
	for ; left > 1e-9; left-- {
		need := length
		for {
			ran := dice.ExpFloat64() * w.Mean
			if ran >= need {
				clock += need
				break
			}
			clock += ran
			for broken := true; broken; {
				ran = dice.ExpFloat64() * w.Mean
				broken = ran < w.Restart
				clock += min(ran, w.Restart)
			}
		}
	}
	return clock
}

func TestLateAtTheEdges(t *testing.T) {
	w := example()
	equal(t, "less than the work", shown(w.Late(31.4), 2), "1.00")
	equal(t, "only without an interruption", shown(w.Late(31.5), 3), shown(1-math.Exp(-3.15), 3))
	equal(t, "long after", shown(w.Late(100), 3), "0.000")
}

func TestCostOverRefusesWhatNeverEnds(t *testing.T) {
	w := estimate.Work{Useful: 1000, Mean: 1}
	if m, err := estimate.CostOver(cny("120"), w.Wall()*w.Wall()); err == nil {
		t.Errorf("a job that never ends costs %s", m)
	}
}
