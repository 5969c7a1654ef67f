package main

import (
	"bytes"
	"encoding/csv"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

// collected says what becomes of every bill that was collected: the form it is imported as, and where it is refused, the
// words that say why.
func collected() map[string]struct{ form, refused string } {
	type outcome = struct{ form, refused string }
	return map[string]outcome{
		"focus/fdt/aws_1_2_cost_and_usage_rows100_seed42.csv":       {form: "focus"},
		"focus/fdt/aws_1_2_cost_and_usage_rows25_seed7_credits.csv": {form: "focus"},
		"focus/fdt/aws_1_3_cost_and_usage_rows100_seed42.csv":       {form: "focus"},
		"focus/fdt/azure_1_2_cost_and_usage_rows100_seed42.csv":     {form: "focus"},
		"focus/fdt/consolidated_multi_provider_1_3.csv":             {form: "focus"},
		"focus/official-sample-1.0/focus_sample.csv":                {form: "focus"},
		"focus/fdt/aws_1_3_contract_commitment_rows100_seed42.csv":  {"focus", "the file has no column BilledCost, BillingAccountId"},
		"focus/fdt/scenarios_correction_set.csv":                    {"focus", "the file has no column BillingAccountId"},
		"cn-bills/aliyun_bill_detail.csv":                           {form: "alibaba"},
		"cn-bills/volcengine_bill_detail.csv":                       {"alibaba", "this is a bill of Volcengine, not of Alibaba Cloud; it is not read yet"},
	}
}

// TestEveryCollectedBill imports each file with the command into a store of its own. What the store then says, to the
// last digit, is what somebody adds up who only knows where the amount and the currency stand.
func TestEveryCollectedBill(t *testing.T) {
	root := filepath.Join("..", "..", "..", "shared", "data")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the collected bills are not beside the repository: no ../shared/data")
	}
	known, seen := collected(), map[string]bool{}
	for _, folder := range []string{"focus", "cn-bills"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || filepath.Ext(path) != ".csv" && filepath.Ext(path) != ".gz" && filepath.Ext(path) != ".parquet" {
				return err
			}
			name, _ := filepath.Rel(root, path)
			name = filepath.ToSlash(name)
			want, ok := known[name]
			if !ok {
				t.Errorf("nobody says what becomes of %s", name)
				return nil
			}
			seen[name] = true
			t.Run(name, func(t *testing.T) { importCollected(t, path, want.form, want.refused) })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range known {
		if !seen[name] {
			t.Errorf("%s is not there", name)
		}
	}
}

func importCollected(t *testing.T, path, form, refused string) {
	store := filepath.Join(t.TempDir(), "x.db")
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"import", form, "--db", store, "--account", "payer", path}, strings.NewReader(""), &out, &errs)
	if refused != "" {
		if code == exitOK || !strings.Contains(errs.String(), refused) || !strings.Contains(errs.String(), filepath.Base(path)) {
			t.Errorf("code %d, %s, want the file's name and %q", code, errs.String(), refused)
		}
		if _, err := os.Stat(store); err == nil {
			t.Error("a store was made for a file that was refused")
		}
		return
	}
	if code != exitOK {
		t.Fatalf("code %d: %s", code, errs.String())
	}
	db, err := storage.OpenReadOnly(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, _, err := db.Billed(t.Context(), ledger.Question{From: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	want := addedUp(t, path)
	if len(rows) != len(want) {
		t.Errorf("%d currencies, want %d", len(rows), len(want))
	}
	for _, r := range rows {
		got, _ := new(big.Rat).SetString(r.Billed.Amount())
		if sum := want[r.Currency]; sum == nil || sum.Cmp(got) != 0 {
			t.Errorf("%s is %s, want %v", r.Currency, r.Billed.Amount(), sum)
		}
	}
}

// addedUp adds up a file's amounts, knowing nothing but two columns and the line of the total.
func addedUp(t *testing.T, path string) map[billing.Currency]*big.Rat {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	amount, currency := -1, -1
	sums := map[billing.Currency]*big.Rat{}
	for _, cells := range lines {
		if amount < 0 || currency < 0 {
			for i, c := range cells {
				switch strings.TrimPrefix(c, "\ufeff") {
				case "BilledCost", "应付金额":
					amount = i
				case "BillingCurrency", "币种":
					currency = i
				}
			}
			continue
		}
		if strings.Contains(strings.Join(cells, ","), "合计") {
			continue
		}
		x, ok := new(big.Rat).SetString(strings.ReplaceAll(cells[amount], ",", ""))
		if !ok {
			t.Fatalf("%q is no number", cells[amount])
		}
		c := billing.Currency(strings.Replace(cells[currency], "人民币", "CNY", 1))
		if sums[c] == nil {
			sums[c] = new(big.Rat)
		}
		sums[c].Add(sums[c], x)
	}
	return sums
}
