package bot_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/bot"
	"gpuspend/notify"
)

// Every example of the table runs, in both languages, with a push line that fits a locked phone, figures that marshal,
// no key left unwritten and nothing wider than a terminal.
func TestExamples(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		for _, c := range bot.Commands() {
			for _, line := range c.Examples {
				t.Run(lang+"/"+line, func(t *testing.T) {
					in := install(t)
					p := operator()
					p.Lang = lang
					a, shown := in.says(t, p, line)
					if a.Command != c.Name {
						t.Errorf("%q answered %q", a.Command, line)
					}
					checkAnswer(t, a, shown, lang)
				})
			}
		}
	}
}

func checkAnswer(t *testing.T, a bot.Answer, shown, lang string) {
	t.Helper()
	lacks(t, shown, "bot.", "cmd.", "words.", "<no value>")
	most := map[string]int{"en": 80, "zh": 72}[lang]
	if n := text.StringWidthWithoutEscSequences(a.Message.Push); n > most {
		t.Errorf("push line of %d columns: %s", n, a.Message.Push)
	}
	for _, l := range strings.Split(shown, "\n") {
		if n := text.StringWidthWithoutEscSequences(l); n > 100 {
			t.Errorf("line of %d columns: %s", n, l)
		}
	}
	if a.Form == nil && a.Data == nil {
		t.Error("no data")
	}
	b, err := json.Marshal(a.Data)
	if err != nil || strings.Contains(string(b), ":[]") && strings.Contains(string(b), "null]") {
		t.Errorf("data: %s, %v", b, err)
	}
}

func TestStatus(t *testing.T) {
	a, shown := install(t).says(t, viewer(), "status")
	contains(t, shown, "🔴 compute-c lasts until 14:07 · 3 things need somebody", "CN¥38.40", "CN¥9.50/h", "2 machines run", "3 things nobody uses",
		"at least CN¥394.40 a month", "a10-month-1 ends", "486.20")
	if len(a.Warnings) != 0 {
		t.Errorf("warnings: %q", a.Warnings)
	}
}

func TestBalance(t *testing.T) {
	a, shown := install(t).says(t, viewer(), "balance")
	contains(t, shown, "🔴 compute-c lasts until 14:07, balance CN¥38.40", "until 14:07 (4 h 2 min)", "billed later", "at least CN¥0.55/h", "10:00", "10:01")
	want := `{"accounts":[{"account":"compute-c","provider":"Compute C","currency":"CNY","available":"38.4","burn_per_hour":"9.5","runway_hours":"4.03","as_of":"2026-12-02T02:00:00Z","unexplained":null},` +
		`{"account":"cloud-a","provider":"Cloud A","currency":"CNY","available":"3052.18","burn_per_hour":"0.55","runway_hours":null,"as_of":"2026-12-02T02:01:00Z","unexplained":null}],"not_offered":[]}`
	if diff := cmp.Diff(want, dump(t, a.Data)); diff != "" {
		t.Error(diff)
	}
}

func dump(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCost(t *testing.T) {
	in := install(t)
	a, shown := in.says(t, viewer(), "cost month")
	contains(t, shown, "Cost Tue 1 Dec to Wed 2 Dec: CN¥486.20 + $151.44 billed", "Cloud A", "(not said)", "Total", "cloud-a from", "Asia/Shanghai")
	want := `{"from":"2026-12-01","to":"2026-12-02","group_by":["provider"],"view":"billed","rows":[` +
		`{"keys":["Cloud A"],"key":"Cloud A","currency":"CNY","billed":"486.200000000000000001","accrued":null,"amount":"486.200000000000000001"},` +
		`{"keys":[""],"key":"","currency":"USD","billed":"151.44","accrued":null,"amount":"151.44"}],` +
		`"totals":[{"currency":"CNY","billed":"486.200000000000000001","accrued":null,"amount":"486.200000000000000001"},{"currency":"USD","billed":"151.44","accrued":null,"amount":"151.44"}],` +
		`"missing":[{"account":"cloud-a","from":"2026-11-30T20:05:00Z","to":"2026-12-02T02:05:00Z"}],"not_offered":[]}`
	if diff := cmp.Diff(want, dump(t, a.Data)); diff != "" {
		t.Error(diff)
	}
	if len(a.Warnings) != 0 {
		t.Errorf("the usual lag of a bill is a warning: %q", a.Warnings)
	}
}

// The words of cost: what is asked of the ledger.
func TestCostQuestions(t *testing.T) {
	for line, want := range map[string]string{
		"cost":                               "2026-12-01 2026-12-03 [provider]",
		"cost today by day":                  "2026-12-02 2026-12-03 [day]",
		"cost yesterday":                     "2026-12-01 2026-12-02 [provider]",
		"cost 7d by account":                 "2026-11-26 2026-12-03 [account]",
		"cost 30d":                           "2026-11-03 2026-12-03 [provider]",
		"cost month by kind":                 "2026-12-01 2026-12-03 [part]",
		"cost last month":                    "2026-11-01 2026-12-01 [provider]",
		"cost 2024-02":                       "2024-02-01 2024-03-01 [provider]",
		"cost 2024-02-29":                    "2024-02-29 2024-03-01 [provider]",
		"cost 2024-08-30..2024-10-02 by day": "2024-08-30 2024-10-03 [day]",
		"cost 2024-08..2024-09":              "2024-08-01 2024-10-01 [provider]",
		"cost by service by region":          "2026-12-01 2026-12-03 [service region]",
		"cost by gpu, mode":                  "2026-12-01 2026-12-03 [gpu mode]",
		"cost by month by charge":            "2026-12-01 2026-12-03 [month charge]",
		"cost month by week":                 "2026-12-01 2026-12-03 [week]",
		"cost month gross by team":           "2026-12-01 2026-12-03 [owner] gross",
		"cost amortized month":               "2026-12-01 2026-12-03 [provider] amortised",
		"cost 7d by gpu where provider=runpod owner=@ana":        "2026-11-26 2026-12-03 [gpu] provider=[runpod] owner=[ana]",
		"cost where owner=<@U0ANA|ana>,none and mode!=on-demand": "2026-12-01 2026-12-03 [provider] owner=[ana ] mode!=[on_demand]",
		"cost where owner=me":                                    "2026-12-01 2026-12-03 [provider] owner=[vi]",
		"COST Month BY Owner":                                    "2026-12-01 2026-12-03 [owner]",
		"花费 本月 按 平台":                                             "2026-12-01 2026-12-03 [provider]",
		"花费 昨天 按账户":                                              "2026-12-01 2026-12-02 [account]",
		"/gpu cost \"7d\" by “resource”":                         "2026-11-26 2026-12-03 [resource]",
		"cost by provider 2024-09-12..2024-09-12":                "2024-09-12 2024-09-13 [provider]",
	} {
		t.Run(line, func(t *testing.T) {
			in := install(t)
			in.says(t, viewer(), line)
			q := in.book.asked[0]
			got := fmt.Sprint(q.From.Format(time.DateOnly), " ", q.To.Format(time.DateOnly), " ", q.By)
			if q.View != ledger.Billed {
				got += " " + string(q.View)
			}
			for _, f := range q.Where {
				got += fmt.Sprintf(" %s%s=%v", f.By, map[bool]string{true: "!"}[f.Not], f.Values)
			}
			if got != want {
				t.Errorf("asks for %s, want %s", got, want)
			}
			if q.From.Hour() != 0 || q.Zone != shanghai {
				t.Errorf("from %v in %v", q.From, q.Zone)
			}
		})
	}
}

// A line that is not understood gets a sentence, the nearest question where one is near, and at most six lines.
func TestMistypedWords(t *testing.T) {
	for line, want := range map[string]string{
		"csot month":                             "cost month",
		"balanse":                                "balance",
		"stats":                                  "status",
		"frogotten":                              "forgotten",
		"cost mnoth":                             "cost month",
		"cost yesteday by day":                   "cost yesterday by day",
		"cost month by regoin":                   "cost month by region",
		"cost month bt day":                      "cost month by day",
		"cost month provider":                    "cost month by provider",
		"cost month by":                          "",
		"cost 2024-13":                           "",
		"cost 2024-10..2024-09":                  "",
		"cost where colour=red":                  "",
		"cost where day=2026-12-01":              "",
		"cost 0d":                                "cost 7d",
		"list dsik":                              "list disk",
		"status now":                             "status",
		"release r-7k2g":                         "release r-7k2f",
		"release infer-a10-3":                    "release infer-a10-2",
		"balance compute-d":                      "balance compute-c",
		"qwertyuiop":                             "",
		"release":                                "forgotten",
		"expiring soon":                          "expiring 30d",
		"keep":                                   "keep r-7k2f until 30d because paper rebuttal",
		"keep r-7k2f until 30d":                  "keep r-7k2f until 30d because paper rebuttal",
		"keep r-7k2f until 2020-01-01 because x": "keep r-7k2f until 30d because paper rebuttal",
	} {
		t.Run(line, func(t *testing.T) {
			in := install(t)
			for _, lang := range []string{"en", "zh"} {
				p := operator()
				p.Lang = lang
				_, err := in.Ask(t.Context(), bot.Request{Words: bot.Split(line), Person: p})
				var w *bot.WordsError
				if !errors.As(err, &w) {
					t.Fatalf("answered with %v", err)
				}
				if w.Nearest != want {
					t.Errorf("nearest is %q, want %q", w.Nearest, want)
				}
				if want != "" && !strings.Contains(w.Say, want) {
					t.Errorf("the question is not written out: %s", w.Say)
				}
				if n := strings.Count(w.Say, "\n") + 1; n > 6 {
					t.Errorf("%d lines: %s", n, w.Say)
				}
				lacks(t, w.Say, "bot.")
			}
		})
	}
}

// The words of one argument are those of several: ask "cost month" and ask cost month are one question.
func TestOneArgument(t *testing.T) {
	in := install(t)
	for _, line := range [][]string{{"cost month by day"}, {"cost", "month", "by", "day"}} {
		a, err := in.Ask(t.Context(), bot.Request{Words: line, Person: viewer()})
		if err != nil || a.Data.(bot.CostData).GroupBy[0] != ledger.ByDay {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestForgotten(t *testing.T) {
	a, shown := install(t).says(t, viewer(), "forgotten")
	contains(t, shown, "🧹 3 things nobody uses cost at least CN¥394.40 a month (1 without price)", "ds-imagenet-old", "disk 1,024 GiB", "unattached 29 days",
		"200 days old, no image uses it", "unknown", "bound to nothing 41 days", "unowned", "As of")
	data := a.Data.(bot.ResourcesData)
	sum := new(big.Rat)
	for _, r := range data.Resources {
		if r.Monthly == nil {
			continue
		}
		x, _ := new(big.Rat).SetString(*r.Monthly)
		sum.Add(sum, x)
	}
	total, _ := new(big.Rat).SetString(data.Totals[0].Monthly)
	if sum.Cmp(total) != 0 || len(data.Totals) != 1 || data.Totals[0].Currency != "CNY" {
		t.Errorf("rows add up to %s, totals are %v", sum.FloatString(18), data.Totals)
	}
	if data.Resources[2].Monthly != nil || data.Resources[2].RatePerHour != nil {
		t.Error("an unknown price is a figure")
	}
	var actions []string
	for _, b := range a.Message.Blocks {
		for _, m := range b.Menu {
			actions = append(actions, m.Action+" "+m.Value)
		}
	}
	if diff := cmp.Diff([]string{"release r-aaaa", "keep r-aaaa", "mine r-aaaa", "release r-bbbb", "keep r-bbbb", "mine r-bbbb", "release r-cccc", "keep r-cccc", "mine r-cccc"}, actions); diff != "" {
		t.Error(diff)
	}
}

// What could not be read is said; a list with holes is never called clean.
func TestNotRead(t *testing.T) {
	in := install(t)
	in.Look = func() bot.Look {
		v := view()
		v.Accounts[1].Holdings = nil
		v.Accounts[1].Readings = []billing.Reading{{Of: billing.ReadInventory, Scope: billing.Scope{Kind: billing.KindSnapshot, Region: "cn-beijing"}, TriedAt: wednesday, ErrorKind: billing.Denied}}
		return looks(v)
	}()
	a, shown := in.says(t, viewer(), "forgotten")
	contains(t, shown, "Nothing forgotten in what I could read", "Could not read", "cloud-a: snapshot in cn-beijing", "lacks a permission")
	lacks(t, shown, "✅")
	if len(a.Warnings) != 1 || len(a.Data.(bot.ResourcesData).NotRead) != 1 {
		t.Errorf("warnings %q, not read %v", a.Warnings, a.Data)
	}
}

func TestStaleIsSaid(t *testing.T) {
	in := install(t)
	v := view()
	v.Accounts[0].Readings[0].CompleteAt = wednesday.Add(-3 * time.Hour)
	in.Look = looks(v)
	a, shown := in.says(t, viewer(), "balance")
	contains(t, shown, "Old:", "compute-c: balance (last good read 07:05)")
	if len(a.Warnings) != 1 {
		t.Errorf("warnings: %q", a.Warnings)
	}
}

func TestEmptyStore(t *testing.T) {
	for _, line := range []string{"status", "balance", "cost", "forgotten", "list", "expiring"} {
		in := install(t)
		in.Look = looks(notify.View{Now: wednesday, Zone: shanghai})
		a, shown := in.says(t, viewer(), line)
		contains(t, shown, "Nothing has been stored yet")
		if !a.Failed {
			t.Errorf("%s: answered from nothing", line)
		}
	}
}

func TestList(t *testing.T) {
	_, all := install(t).says(t, viewer(), "list")
	contains(t, all, "5 things", "r-7k2f", "machine A10 ×1", "running", "eip-*sh*-04", "unknown")
	_, disks := install(t).says(t, viewer(), "list disks")
	contains(t, disks, "ds-imagenet-old")
	lacks(t, disks, "infer-a10-2")
	_, none := install(t).says(t, viewer(), "list cluster")
	contains(t, none, "0 things")
	_, zh := install(t).says(t, viewer(), "资源 数据盘")
	lacks(t, zh, "infer-a10-2")
}

func TestExpiring(t *testing.T) {
	a, shown := install(t).says(t, viewer(), "expiring")
	contains(t, shown, "1 thing ends within 30 days: a10-month-1, Sat 12 Dec 10:05", "no")
	if d := a.Data.(bot.ExpiringData); len(d.Resources) != 1 || d.Resources[0].ExpiresAt != "2026-12-12T02:05:00Z" || *d.Resources[0].RenewsItself {
		t.Errorf("data: %+v", d)
	}
	_, none := install(t).says(t, viewer(), "expiring 3d")
	contains(t, none, "Nothing that I know of ends within 3 days")
}

// Help comes from the table.
func TestHelp(t *testing.T) {
	_, shown := install(t).says(t, viewer(), "help")
	for _, c := range bot.Commands() {
		contains(t, shown, c.Name)
		_, one := install(t).says(t, viewer(), "help "+c.Name)
		contains(t, one, "/gpu "+c.Examples[0])
	}
}

func TestCommandsAreDistinct(t *testing.T) {
	seen := map[string]string{}
	for _, c := range bot.Commands() {
		for _, w := range append([]string{c.Name}, c.Also...) {
			if seen[w] != "" {
				t.Errorf("%q is a word of %s and of %s", w, seen[w], c.Name)
			}
			seen[w] = c.Name
		}
	}
}
