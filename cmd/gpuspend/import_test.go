package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuspend/billing/ledger"
	"gpuspend/storage"
)

const billHeader = "BillingAccountId,BillingPeriodStart,BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,BilledCost,BillingCurrency,ProviderName,ServiceName,ChargeCategory\n"

// billLines writes n hours of November 2026 of billing account b, each at an amount.
func billLines(n int, amount string) string {
	var b strings.Builder
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		at := start.Add(time.Duration(i) * time.Hour)
		b.WriteString("b,2026-11-01T00:00:00Z,2026-12-01T00:00:00Z," + at.Format(time.RFC3339) + "," + at.Add(time.Hour).Format(time.RFC3339) +
			"," + amount + ",USD,AWS,EC2,Usage\n")
	}
	return b.String()
}

// clerk is a folder with files, and a store that may come to be in it.
type clerk struct {
	*testing.T
	dir string
}

func newClerk(t *testing.T) clerk { return clerk{t, t.TempDir()} }

func (d clerk) store() string { return filepath.Join(d.dir, "x.db") }

func (d clerk) file(name, content string) string {
	d.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		d.Fatal(err)
	}
	return path
}

// imports runs the command and gives its exit code and all it said.
func (d clerk) imports(stdin string, args ...string) (code int, said string) {
	d.Helper()
	var out, errs bytes.Buffer
	args = append([]string{"import", "focus", "--db", d.store(), "--account", "payer"}, args...)
	code = run(d.Context(), args, strings.NewReader(stdin), &out, &errs)
	if (code == exitOK) == (errs.Len() > 0) {
		d.Errorf("exit code %d with %q on standard error", code, errs.String())
	}
	return code, out.String() + errs.String()
}

// november is what the store has for the month: "" where there is no store.
func (d clerk) november() string {
	d.Helper()
	if _, err := os.Stat(d.store()); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	db, err := storage.OpenReadOnly(d.Context(), d.store())
	if err != nil {
		d.Fatal(err)
	}
	defer db.Close()
	rows, _, err := db.Billed(d.Context(), ledger.Question{From: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		To: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), Zone: time.UTC})
	switch {
	case err != nil:
		d.Fatal(err)
	case len(rows) == 0:
		return "none"
	}
	return rows[0].Billed.Amount()
}

// want checks how a command ended, what it said and what is stored after it.
func (d clerk) want(code int, said string, wantCode int, november string, words ...string) {
	d.Helper()
	if code != wantCode {
		d.Errorf("exit code %d, want %d: %s", code, wantCode, said)
	}
	for _, w := range words {
		if !strings.Contains(said, w) {
			d.Errorf("it said %q, want %q in it", said, w)
		}
	}
	if got := d.november(); got != november {
		d.Errorf("November is %q, want %q", got, november)
	}
}

func TestImportTwice(t *testing.T) {
	d := newClerk(t)
	bill := d.file("bill.csv", billHeader+billLines(10, "0.1"))
	code, said := d.imports("", bill)
	d.want(code, said, exitOK, "1", "imported 10 rows into payer\n", "  billing account b, 2026-11: 10 rows\n")
	code, said = d.imports("", bill)
	d.want(code, said, exitOK, "1", "2026-11: 10 rows (replaced 10)")
}

func TestImportOfManyFilesIsOneDelivery(t *testing.T) {
	d := newClerk(t)
	first, second := d.file("1.csv", billHeader+billLines(10, "0.1")), d.file("2.csv", billHeader+billLines(10, "0.2"))
	code, said := d.imports("", first, second)
	d.want(code, said, exitOK, "3", "imported 20 rows")
	broken := d.file("3.csv", billHeader+billLines(5, "0.1")+"b,,,,,,,,,\n")
	code, said = d.imports("", first, broken)
	d.want(code, said, exitFailed, "3", "3.csv, line 7, column ")
	code, said = d.imports("", first, filepath.Join(d.dir, ".", "1.csv"))
	d.want(code, said, exitFailed, "3", "1.csv is named twice")
}

func TestImportFromElsewhere(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(billHeader + billLines(10, "0.1")))
	_ = z.Close()
	d := newClerk(t)
	code, said := d.imports("", d.file("bill.csv.gz", zipped.String()))
	d.want(code, said, exitOK, "1", "imported 10 rows")
	code, said = d.imports("\ufeff"+billHeader+billLines(10, "0.3"), "-")
	d.want(code, said, exitOK, "3", "imported 10 rows")
	code, said = d.imports(zipped.String(), "-")
	d.want(code, said, exitOK, "1", "imported 10 rows")
	code, said = d.imports(zipped.String()[:zipped.Len()/2], "-")
	d.want(code, said, exitFailed, "1", "standard input", "the gzip data end too early")
}

func TestImportAddsAndReplaces(t *testing.T) {
	d := newClerk(t)
	code, said := d.imports(billHeader+billLines(10, "0.1"), "-")
	d.want(code, said, exitOK, "1")
	code, said = d.imports(billHeader+billLines(2, "0.1"), "-", "--add")
	d.want(code, said, exitOK, "1.2", "2026-11: 2 rows\n")
	code, said = d.imports(billHeader+billLines(5, "7"), "-")
	d.want(code, said, exitFailed, "1.2", "nothing was taken over", "2026-11 of billing account b (5 rows, 12 stored)", "--replace", "--add")
	code, said = d.imports(billHeader+billLines(5, "7"), "-", "--replace")
	d.want(code, said, exitOK, "35", "(replaced 12)")
	code, said = d.imports(billHeader+billLines(5, "7"), "-", "--replace", "--add")
	d.want(code, said, exitWords, "35", "--add appends and --replace replaces")
}

func TestImportOfWhatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		name, bill string
		november   string
		words      []string
	}{
		{"a missing column", strings.Replace(billHeader, "BilledCost", "Cost", 1) + billLines(3, "1"), "", []string{"bill.csv", "no column BilledCost"}},
		{"an empty file", "", "", []string{"bill.csv", "empty"}},
		{"an amount in words", billHeader + billLines(3, "1") + billLines(1, "twelve"), "none",
			[]string{"bill.csv, line 5, column BilledCost", `"twelve"`, "a number; write it like 1234.56"}},
		{"a row without an amount", billHeader + billLines(1, "NULL"), "none", []string{"bill.csv, line 2, column BilledCost", "a number"}},
		{"a short row", billHeader + billLines(2, "1") + "b,2026-11-01\n", "none", []string{"bill.csv, line 4", "2 fields", "10 like the header"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newClerk(t)
			code, said := d.imports("", d.file("bill.csv", c.bill))
			d.want(code, said, exitFailed, c.november, c.words...)
		})
	}
}

func TestImportOfMistypedNamesMakesNoStore(t *testing.T) {
	for _, c := range []struct {
		args  []string
		code  int
		words string
	}{
		{[]string{"no-such.csv"}, exitFailed, "no-such.csv"},
		{[]string{t.TempDir()}, exitFailed, "is a folder; name the files in it"},
		{[]string{"-", "--account", " "}, exitFailed, "--account is empty"},
		{[]string{"-", "-"}, exitFailed, "named twice"},
		{nil, exitWords, "arg"},
	} {
		d := newClerk(t)
		code, said := d.imports(billHeader, c.args...)
		d.want(code, said, c.code, "", c.words)
	}
}

func TestImportSaysWhatItRounded(t *testing.T) {
	d := newClerk(t)
	code, said := d.imports(billHeader+billLines(2, "0.1000000000000000005")+billLines(1, "1E-2"), "-")
	d.want(code, said, exitOK, "0.21", "  2 amounts had more than 18 decimals, rounded half to even\n")
	code, said = d.imports(billHeader+billLines(3, "-0.100000000000000005"), "-")
	d.want(code, said, exitOK, "-0.300000000000000015")
	if strings.Contains(said, "rounded") {
		t.Errorf("18 decimals are kept, and it said %q", said)
	}
}

func TestImportThatIsInterrupted(t *testing.T) {
	d := newClerk(t)
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	// Standard input that ends the program after its first lines, as a person does, and then says no more.
	in := &interrupting{text: strings.NewReader(billHeader + billLines(3, "1")), interrupt: cancel}
	code := run(ctx, []string{"import", "focus", "--db", d.store(), "--account", "payer", "-"}, in, &out, &errs)
	d.want(code, out.String()+errs.String(), exitFailed, "none", "import: interrupted; nothing was taken over")
}

type interrupting struct {
	text      *strings.Reader
	interrupt func()
}

func (i *interrupting) Read(p []byte) (int, error) {
	if i.text.Len() > 0 {
		return i.text.Read(p)
	}
	i.interrupt()
	select {}
}

func TestImportReportsAMultitudeBriefly(t *testing.T) {
	d := newClerk(t)
	var b strings.Builder
	for i := range 30 {
		b.WriteString(strings.Replace(billLines(1, "1"), "b,", "account-"+string(rune('A'+i))+",", 1))
	}
	code, said := d.imports(billHeader+b.String(), "-")
	d.want(code, said, exitOK, "30", "imported 30 rows", "  and 10 more periods\n")
	if n := strings.Count(said, "\n"); n != 22 {
		t.Errorf("%d lines, want 22", n)
	}
}
