package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuspend/billing"
	"gpuspend/billing/focus"
)

// exported writes a store's charges as FOCUS and gives the file and what was said beside it.
func exported(t *testing.T, store string, words ...string) (text, said string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), append([]string{"export", "focus", "--db", store}, words...), strings.NewReader(""), &out, &errs)
	if code != exitOK {
		t.Fatalf("code %d: %s", code, errs.String())
	}
	return out.String(), errs.String()
}

// chargesOf reads a FOCUS file as sorted texts.
func chargesIn(t *testing.T, r io.Reader) []string {
	t.Helper()
	f, err := focus.NewReader("x.csv", r)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for {
		var c billing.Charge
		err := f.Read(&c)
		if err == io.EOF {
			slices.Sort(all)
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		c.ContractApplied = "" // a column of 1.3
		all = append(all, fmt.Sprintf("%+v", c))
	}
}

// What is exported, read again, is what was imported: every column that is kept, row for row.
func TestExportOfFOCUSIsWhatWasImported(t *testing.T) {
	root := filepath.Join("..", "..", "..", "shared", "data", "focus")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the collected bills are not beside the repository: no ../shared/data")
	}
	for _, name := range []string{"fdt/aws_1_2_cost_and_usage_rows100_seed42.csv", "fdt/azure_1_2_cost_and_usage_rows100_seed42.csv",
		"fdt/aws_1_3_cost_and_usage_rows100_seed42.csv", "fdt/consolidated_multi_provider_1_3.csv", "official-sample-1.0/focus_sample.csv"} {
		t.Run(name, func(t *testing.T) {
			d := newClerk(t)
			path := filepath.Join(root, name)
			if code, said := d.imports("", path); code != exitOK {
				t.Fatal(said)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := exported(t, d.store(), "2020-01-01..2099-12-31")
			want, got := chargesIn(t, bytes.NewReader(data)), chargesIn(t, strings.NewReader(text))
			if !slices.Equal(got, want) {
				t.Errorf("%d charges, want %d; the first: %s\nwant %s", len(got), len(want), first(got), first(want))
			}
		})
	}
}

func first(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return list[0]
}

// The period and the filters are those of a cost question; what the standard wants and the bill lacks is said, never made
// up; a cut is refused.
func TestExportOfFOCUSSaysWhatItLacks(t *testing.T) {
	d := newClerk(t)
	if code, said := d.imports("", d.file("a.csv", billHeader+billLines(48, "0.1"))); code != exitOK {
		t.Fatal(said)
	}
	text, said := exported(t, d.store(), "2026-11-02", "where", "service=EC2")
	if n := strings.Count(text, "\n"); n != 25 {
		t.Errorf("%d lines, want a line of names and 24 charges:\n%s", n, text)
	}
	for _, want := range []string{"24 charges from 2026-11-02 to 2026-11-02; not filled: BillingAccountType", "24 charges lack EffectiveCost, which FOCUS 1.2 wants in every row"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
	if strings.Contains(said, "lack BilledCost") || strings.Contains(text, ",0,") {
		t.Errorf("a null became a zero, or an amount was lost:\n%s\n%s", said, text)
	}
	if text, _ := exported(t, d.store(), "2026-11-02", "where", "service=S3"); strings.Count(text, "\n") != 1 {
		t.Errorf("of another service: %s", text)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"export", "focus", "--db", d.store(), "2026-11", "by", "day"}, strings.NewReader(""), &out, &errs); code != exitWords ||
		!strings.Contains(errs.String(), `leave out "by"`) {
		t.Errorf("code %d, %s", code, errs.String())
	}
}
