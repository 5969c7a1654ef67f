package storage_test

import (
	"encoding/csv"
	"errors"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing/focus"
	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

// bills finds the collected bills, which are no part of the repository.
func bills(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "shared", "data", "focus", pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("the collected bills are not here: no ../shared/data/focus/%s", pattern)
	}
	return files
}

func billFile(path string) storage.ChargeFile {
	return storage.ChargeFile{Name: filepath.Base(path), Open: func() (storage.ChargeReader, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		r, err := focus.NewReader(filepath.Base(path), f)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return closing{r, f}, nil
	}}
}

type closing struct {
	storage.ChargeReader
	io.Closer
}

// sums are exact amounts by currency, then provider; "" is the total.
type sums map[string]string

// independentSums adds a file up with nothing of ours.
func independentSums(t *testing.T, path string) (sums, int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	exact := map[string]*big.Rat{}
	for _, row := range rows[1:] {
		cell := func(name string) string {
			if i, ok := column[name]; ok && row[i] != "NULL" {
				return row[i]
			}
			return ""
		}
		amount, ok := new(big.Rat).SetString(cell("BilledCost"))
		if !ok {
			t.Fatalf("BilledCost %q", cell("BilledCost"))
		}
		provider := cell("ServiceProviderName")
		if provider == "" {
			provider = cell("ProviderName")
		}
		for _, key := range []string{cell("BillingCurrency") + " ", cell("BillingCurrency") + " " + provider} {
			if exact[key] == nil {
				exact[key] = new(big.Rat)
			}
			exact[key].Add(exact[key], amount)
		}
	}
	return written(exact), len(rows) - 1
}

func written(exact map[string]*big.Rat) sums {
	s := sums{}
	for key, sum := range exact {
		s[key] = sum.FloatString(18)
	}
	return s
}

// storedSums asks the store for everything, by provider and in total.
func (s shop) storedSums(t *testing.T) sums {
	t.Helper()
	exact := map[string]*big.Rat{}
	for _, by := range [][]ledger.Cut{nil, {ledger.ByProvider}} {
		rows, _, err := s.Billed(t.Context(), ledger.Question{From: day("2020-01-01"), To: day("2030-01-01"), Zone: time.UTC, By: by})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			exact[string(r.Currency)+" "+strings.Join(r.Keys, "")], _ = new(big.Rat).SetString(r.Billed.Amount())
		}
	}
	return written(exact)
}

func TestCollectedBillsAddUp(t *testing.T) {
	files := append(bills(t, "fdt/*cost_and_usage_rows*.csv"), bills(t, "fdt/consolidated_multi_provider_1_3.csv")...)
	for _, path := range append(files, bills(t, "official-sample-1.0/focus_sample.csv")...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			want, rows := independentSums(t, path)
			s := newShop(t)
			for range 2 { // a second import changes nothing
				sum, err := s.take(storage.Import{Files: []storage.ChargeFile{billFile(path)}})
				if err != nil || sum.Rows != rows {
					t.Fatalf("%d rows of %d, %v", sum.Rows, rows, err)
				}
				if d := cmp.Diff(want, s.storedSums(t)); d != "" {
					t.Errorf("sums (-independent +stored):\n%s", d)
				}
			}
		})
	}
}

func TestOtherDatasetsAreRefused(t *testing.T) {
	for name, missing := range map[string]string{
		"fdt/scenarios_correction_set.csv":                   "BillingAccountId",
		"fdt/aws_1_3_contract_commitment_rows100_seed42.csv": "BilledCost",
	} {
		s := newShop(t)
		_, err := s.take(storage.Import{Files: []storage.ChargeFile{billFile(bills(t, name)[0])}})
		if err == nil || !strings.Contains(err.Error(), filepath.Base(name)) || !strings.Contains(err.Error(), "no column "+missing) {
			t.Errorf("%s: %v, want the file and its missing column %s", name, err, missing)
		}
		if got := s.storedSums(t); len(got) != 0 {
			t.Errorf("%s left %v", name, got)
		}
	}
}
