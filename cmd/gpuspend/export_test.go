package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a spreadsheet opens: a byte order mark, all digits, an apostrophe before what would be a formula, unknown left empty.
func TestExportCSV(t *testing.T) {
	dir := t.TempDir()
	bill := filepath.Join(dir, "bill.csv")
	text := "ProviderName,ServiceName,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,BilledCost,BillingCurrency\n" +
		"\"=HYPERLINK(1)\",计算,a,2026-11-01T00:00:00Z,2026-12-01T00:00:00Z,2026-11-02T00:00:00Z,2026-11-02T01:00:00Z,Usage,1.000000000000000001,USD\n" +
		"Cloud,计算,a,2026-11-01T00:00:00Z,2026-12-01T00:00:00Z,2026-11-02T00:00:00Z,2026-11-02T01:00:00Z,Credit,-0.5,USD\n"
	if err := os.WriteFile(bill, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(dir, "x.db")
	do := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, errs.String())
		}
		return out.String()
	}
	do("import", "focus", "--db", db, "--account", "a", bill)
	got := do("export", "csv", "--db", db, "2026-11", "by", "provider", "by", "service")
	want := "\uFEFFprovider,service,currency,view,amount,billed,accrued,accrued_most,from,to,timezone\r\n" +
		"'=HYPERLINK(1),计算,USD,billed,1.000000000000000001,1.000000000000000001,,,2026-11-01,2026-11-30,UTC\r\n" +
		"Cloud,计算,USD,billed,-0.5,-0.5,,,2026-11-01,2026-11-30,UTC\r\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := do("report", "--db", db, "--now", "2026-12-03T00:00:00Z"); !strings.Contains(got, "unowned") || !strings.Contains(got, "0.50") {
		t.Errorf("report:\n%s", got)
	}
}
