package focus_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuspend/billing"
	"gpuspend/billing/focus"
)

// FuzzReader holds that no file makes the Reader panic or pass a charge without what every charge has, and that a row
// error names a place and what was expected.
func FuzzReader(f *testing.F) {
	files, err := filepath.Glob("testdata/*.csv")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("\x1f\x8b"))
	f.Add([]byte(head + "\n1E-999999999," + tail + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := focus.NewReader("bill.csv", bytes.NewReader(data))
		if err != nil {
			return
		}
		var c billing.Charge
		for err = r.Read(&c); err == nil; err = r.Read(&c) {
			if !c.BilledCost.Known() || c.BillingAccountID == "" || c.Part == "" {
				t.Fatalf("%+v", c)
			}
		}
		var row *focus.RowError
		if errors.As(err, &row) && (row.Line < 2 || row.Want == "" || !strings.HasPrefix(err.Error(), "bill.csv, line ")) {
			t.Fatalf("%#v", row)
		}
	})
}

// BenchmarkReader reads hourly rows of 57 columns, as AWS delivers them.
func BenchmarkReader(b *testing.B) {
	data, err := os.ReadFile(shared(b, "fdt/aws_1_2_cost_and_usage_rows100_seed42.csv"))
	if err != nil {
		b.Fatal(err)
	}
	header, rows, _ := bytes.Cut(data, []byte("\n"))
	const copies = 50
	file := append(append(header, '\n'), bytes.Repeat(rows, copies)...)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	var c billing.Charge
	n := 0
	for b.Loop() {
		r, err := focus.NewReader("bill.csv", bytes.NewReader(file))
		if err != nil {
			b.Fatal(err)
		}
		for err = r.Read(&c); err == nil; err = r.Read(&c) {
			n++
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}

// TestAllocations holds what the import of millions of rows relies on: one allocation a row, which is its text.
func TestAllocations(t *testing.T) {
	row := "0.08799215300000," + tail + `,0.08799215300000,NULL,1.0000,Compute,"{""env"": ""prod""}"` + "\n"
	text := head + ",EffectiveCost,ListCost,PricingQuantity,ServiceCategory,Tags\n" + strings.Repeat(row, 2000)
	r, err := focus.NewReader("bill.csv", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var c billing.Charge
	if n := testing.AllocsPerRun(1000, func() { err = r.Read(&c) }); n > 1 || err != nil {
		t.Errorf("%g allocations a row, error %v", n, err)
	}
}
