package bot_test

import (
	"errors"
	"strings"
	"testing"

	"gpuspend/bot"
)

func compared(t *testing.T, line string) (bot.CompareData, string) {
	t.Helper()
	a, shown := install(t).says(t, viewer(), line)
	d, ok := a.Data.(bot.CompareData)
	if !ok {
		t.Fatalf("%s: %T", line, a.Data)
	}
	return d, shown
}

func TestCompareByWork6_1(t *testing.T) {
	d, shown := compared(t, "compare 2xL20 price=1.8 speed=3200tok/s p99=80ms vs 4x4090 price=1 speed=3584tok/s per=10k")
	contains(t, shown, "4×4090 does the work cheapest, 0.79% below", "0.003100", "0.003125", "Latency differs")
	if d.Verdict != "4×4090" || *d.Rows[1].PerUnits != "0.003125" {
		t.Errorf("%+v", d)
	}
}

func TestCompareFourCardsAgainstEight(t *testing.T) {
	d, shown := compared(t, "比较 8xH100 price=20 speed=10it/s 对比 4卡H100 price=20 speed=6it/s")
	contains(t, shown, "4×H100", "83.3%")
	if d.Figures["scaling"] != "0.833333333333" {
		t.Errorf("%+v", d.Figures)
	}
}

func TestCompareTopics(t *testing.T) {
	for line, want := range map[string]string{
		"compare network premium=35% cut=6.8%":                                          "cheap 1.2582 25.93%",
		"compare network premium=35% longer=6.8%":                                       "cheap 1.2640",
		"compare ib premium=35% moe":                                                    "measure first",
		"compare network premium=35% communication=20%":                                 "cheap 20%",
		"compare network premium=10% cut=20% communication=40%":                         "fast",
		"compare network premium=35% cut=6.8% tp=4 pp=8 cards=8":                        "cheap 32",
		"compare loading share=20% from=7min to=45s premium=8%":                         "upgrade 0.8871 9.33",
		"compare storage share=5% from=2h to=1h extra=40/h hourly=880/h":                "keep",
		"compare util hours=28h from=70% to=95% hourly=16/h":                            "117.89 20.63",
		"compare transfer 10GB 5Mbps hourly=880/h":                                      "3,911.11",
		"compare transfer 80GB 100MB/s hourly=880/h":                                    "195.56 13",
		"compare lock hours=336h hourly=1/h spot=30% retries=35% premium=15%":           "spot 155.08 398.35 2.1667 0.8435",
		"比较 锁定 hours=336小时 每小时=1元/小时 spot=30% retries=22%":                              "spot 129.23 398.35 2.6000",
		"compare night hourly=880/h nights=22 from=20:00 to=09:00 restart=12min":        "247,808.00",
		"compare util hours=28h from=0.70 to=0.95 hourly=$16":                           "$117.89",
		"compare 1xA100 hourly=¥8 speed=2it/s util=50% vs 1xA100 hourly=¥9 speed=2it/s": "1×A100",
	} {
		d, shown := compared(t, line)
		for _, w := range strings.Fields(want) {
			if !strings.Contains(shown, w) && !strings.Contains(d.Verdict, w) {
				t.Errorf("%s: %q is missing in verdict %q and:\n%s", line, w, d.Verdict, shown)
			}
		}
	}
}

// Every mistake gets a sentence that names the word.
func TestCompareNamesMistakes(t *testing.T) {
	for line, named := range map[string]string{
		"compare":                       "Two set-ups",
		"compare 2xL20 price=1 speed=3": "at least two",
		"compare L20 vs 4090":           "\"L20\"",
		"compare 2xL20 price=1 vs 4x4090 price=1 speed=2":                "2×L20 has no speed",
		"compare 2xL20 price=0 speed=1 vs 1xA10 price=1 speed=1":         "price=0",
		"compare 2xL20 price=NaN speed=1 vs 1xA10 price=1 speed=1":       "price=NaN",
		"compare 2xL20 price=$1 speed=1 vs 1xA10 price=¥1 speed=1":       "currencies",
		"compare 2xL20 prise=1 speed=1 vs 1xA10 price=1 speed=1":         "\"prise\"",
		"compare network premium=35%":                                    "cut",
		"compare network premium=x cut=1%":                               "premium=x",
		"compare transfer 80GB fast":                                     "\"fast\"",
		"compare lock hours=336h hourly=1 spot=30% retries=100%":         "retries=100%",
		"compare util hours=28 from=70% to=95% hourly=16":                "hours=28",
		"compare night hourly=880/h from=25:00":                          "from=25:00",
		"compare 2xL20 price=1 speed=1 util=150% vs 1xA price=1 speed=1": "util=150%",
	} {
		_, err := install(t).Ask(t.Context(), bot.Request{Words: bot.Split(line), Person: viewer(), Place: bot.Place{Channel: "C0OTHER"}})
		var w *bot.WordsError
		if !errors.As(err, &w) {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if !strings.Contains(w.Say, named) {
			t.Errorf("%s: %q is not named in:\n%s", line, named, w.Say)
		}
	}
}

func FuzzCompare(f *testing.F) {
	for _, line := range []string{"2xL20 price=1.8 speed=3200tok/s vs 4x4090 price=1 speed=3584tok/s per=10k", "network premium=35% cut=6.8% tp=4 pp=8 cards=8",
		"loading share=15% from=7min to=45s premium=8%", "util hours=28h from=70% to=95% hourly=16/h", "transfer 80GB 5MB/s hourly=880/h",
		"锁定 hours=336h 每小时=1元 spot=30% retries=22%", "night hourly=880/h nights=22"} {
		f.Add(line)
	}
	in := install(f)
	f.Fuzz(func(t *testing.T, line string) {
		a, err := in.Ask(t.Context(), bot.Request{Words: append([]string{"compare"}, bot.Split(line)...), Person: viewer(), Place: bot.Place{Channel: "C0OTHER"}})
		if err != nil {
			return
		}
		d, ok := a.Data.(bot.CompareData)
		if !ok {
			return
		}
		for _, r := range d.Rows {
			if r.PerUnits != nil && (strings.HasPrefix(*r.PerUnits, "-") || strings.Contains(*r.PerUnits, "NaN")) {
				t.Errorf("%q costs %s", line, *r.PerUnits)
			}
		}
	})
}
