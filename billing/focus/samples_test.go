package focus_test

import (
	"encoding/csv"
	"io"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuspend/billing"
	"gpuspend/billing/focus"
)

// shared finds the folder of collected bills beside the module. It is no part of the repository, so that a test that
// needs it is skipped where it is absent.
func shared(tb testing.TB, path string) string {
	tb.Helper()
	p := filepath.Join("..", "..", "..", "shared", "data", "focus", path)
	if _, err := os.Stat(p); err != nil {
		tb.Skipf("the collected bills are not beside the repository: no %s", path)
	}
	return p
}

// TestSampleTotals compares the sums of whole files with sums that share nothing with the package, and with those that
// were computed when the files were collected.
func TestSampleTotals(t *testing.T) {
	known := map[string]string{ // BilledCost, rounded
		"official-sample-1.0/focus_sample.csv":            "20.520227",
		"fdt/aws_1_2_cost_and_usage_rows100_seed42.csv":   "1157.488824",
		"fdt/azure_1_2_cost_and_usage_rows100_seed42.csv": "3124.499949",
		"fdt/aws_1_3_cost_and_usage_rows100_seed42.csv":   "1242.115619",
	}
	files, err := filepath.Glob(filepath.Join(shared(t, "fdt"), "*cost_and_usage*.csv"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	files = append(files, shared(t, "official-sample-1.0/focus_sample.csv"), shared(t, "fdt/consolidated_multi_provider_1_3.csv"))
	for _, path := range files {
		name, _ := filepath.Rel(shared(t, ""), path)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all, stats, err := readAll(name, strings.NewReader(string(data)))
			if err != nil {
				t.Fatal(err)
			}
			rows := 0
			for column, cost := range costs() {
				var want map[string]*big.Rat
				want, rows = independentSums(t, string(data), column)
				same(t, column, all, cost, want)
			}
			if len(all) != rows || stats.Rows != int64(rows) || stats.Rounded != 0 {
				t.Errorf("%d charges, stats %+v, want %d", len(all), stats, rows)
			}
			if want, ok := known[filepath.ToSlash(name)]; ok && total(t, all).Rounded(6) != want {
				t.Errorf("BilledCost is %s, want %s", total(t, all), want)
			}
		})
	}
}

func total(t *testing.T, all []billing.Charge) billing.Money {
	t.Helper()
	sum := billing.ZeroMoney("USD")
	for _, c := range all {
		var err error
		if sum, err = sum.Add(c.BilledCost); err != nil {
			t.Fatal(err)
		}
	}
	return sum
}

func costs() map[string]func(billing.Charge) billing.Money {
	return map[string]func(billing.Charge) billing.Money{
		"BilledCost":     func(c billing.Charge) billing.Money { return c.BilledCost },
		"EffectiveCost":  func(c billing.Charge) billing.Money { return c.EffectiveCost },
		"ListCost":       func(c billing.Charge) billing.Money { return c.ListCost },
		"ContractedCost": func(c billing.Charge) billing.Money { return c.ContractedCost },
	}
}

func same(t *testing.T, column string, all []billing.Charge, cost func(billing.Charge) billing.Money, want map[string]*big.Rat) {
	t.Helper()
	var tally billing.Tally
	for _, c := range all {
		if err := tally.Add(cost(c)); err != nil {
			t.Fatal(err)
		}
	}
	if len(tally.Totals()) != len(want) {
		t.Errorf("%s: totals %v, want %v", column, tally.Totals(), want)
	}
	for currency, sum := range want {
		if got := tally.In(billing.Currency(currency)); rat(got.Amount()).Cmp(sum) != 0 {
			t.Errorf("%s: got %s, want %s %s", column, got, currency, sum.FloatString(18))
		}
	}
}

// independentSums adds a column up by currency, and counts rows.
func independentSums(t *testing.T, data, column string) (sums map[string]*big.Rat, rows int) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(data))
	header, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	at := make(map[string]int)
	for i, name := range header {
		at[name] = i
	}
	sums = make(map[string]*big.Rat)
	for {
		row, err := r.Read()
		if err == io.EOF {
			return sums, rows
		}
		if err != nil {
			t.Fatal(err)
		}
		rows++
		cell, currency := row[at[column]], row[at["BillingCurrency"]]
		if cell == "" || cell == "NULL" {
			continue
		}
		if sums[currency] == nil {
			sums[currency] = new(big.Rat)
		}
		sums[currency].Add(sums[currency], rat(cell))
	}
}

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("not a rational: " + s)
	}
	return r
}

// TestOtherDataSetsAreRefused reads files that are FOCUS and no cost and usage.
func TestOtherDataSetsAreRefused(t *testing.T) {
	for _, name := range []string{"fdt/aws_1_3_contract_commitment_rows100_seed42.csv", "fdt/scenarios_correction_set.csv"} {
		file, err := os.Open(shared(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := focus.NewReader(name, file); err == nil || !strings.Contains(err.Error(), "the file has no column B") {
			t.Errorf("%s: %v", name, err)
		}
		_ = file.Close()
	}
}

// TestSampleOfRealBill looks at what the official sample, an anonymised bill of three clouds, is classified as.
func TestSampleOfRealBill(t *testing.T) {
	file, err := os.Open(shared(t, "official-sample-1.0/focus_sample.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all, stats, err := readAll("focus_sample.csv", file)
	if err != nil || stats.Version != "1.0" || len(stats.Ignored) != 1 || stats.Ignored[0] != "Id" {
		t.Fatalf("stats %+v, %v", stats, err)
	}
	parts, gpus, modes := map[billing.Part]int{}, map[string]int{}, map[billing.Mode]int{}
	for _, c := range all {
		parts[c.Part]++
		gpus[c.GPU]++
		modes[c.Mode]++
		if strings.Contains(c.ChargeDescription, "data transfer") && c.Part != billing.PartBandwidth {
			t.Errorf("%s: %s", c.Part, c.ChargeDescription)
		}
	}
	wantParts := map[billing.Part]int{"bandwidth": 560, "disk": 149, "instance": 53, "ip": 44, "other": 160, "snapshot": 34}
	wantModes := map[billing.Mode]int{"on_demand": 988, "reserved": 4, "": 8}
	if !maps.Equal(parts, wantParts) || !maps.Equal(modes, wantModes) || gpus["A10G"] != 8 {
		t.Errorf("parts %v, modes %v, GPUs %v", parts, modes, gpus)
	}
}
