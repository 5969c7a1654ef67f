package focus_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/focus"
)

const (
	head = "BilledCost,BillingCurrency,BillingAccountId,BillingPeriodStart,ChargePeriodStart,ChargePeriodEnd"
	tail = "USD,acct-1,2026-05-01T00:00:00Z,2026-05-02T10:00:00Z,2026-05-02T11:00:00Z"
)

// readAll reads charges to the end or to the first error.
func readAll(name string, r io.Reader) ([]billing.Charge, focus.Stats, error) {
	f, err := focus.NewReader(name, r)
	if err != nil {
		return nil, focus.Stats{}, err
	}
	var all []billing.Charge
	for {
		var c billing.Charge
		if err := f.Read(&c); err == io.EOF {
			return all, f.Stats(), nil
		} else if err != nil {
			return all, f.Stats(), err
		}
		all = append(all, c)
	}
}

func fixture(t *testing.T, name string) ([]billing.Charge, focus.Stats) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all, stats, err := readAll(name, file)
	if err != nil {
		t.Fatal(err)
	}
	return all, stats
}

func TestNulls(t *testing.T) {
	all, _ := fixture(t, "nulls.csv")
	if len(all) != 4 {
		t.Fatalf("%d rows", len(all))
	}
	for _, c := range all {
		if !c.BilledCost.Known() || c.EffectiveCost.Known() || c.ListUnitPrice.Known() || c.ListCost.Known() || c.ResourceID+c.Tags+c.InvoiceID != "" {
			t.Errorf("row %s: %+v", c.BilledCost, c)
		}
	}
}

func TestTimes(t *testing.T) {
	all, _ := fixture(t, "times.csv")
	want := billing.Period{Start: time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC), End: time.Date(2026, 5, 2, 11, 0, 0, 0, time.UTC)}
	for i, c := range all {
		if c.ChargePeriod != want || !c.BillingPeriod.Start.Equal(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("row %d: %v, billing period %v", i+1, c.ChargePeriod, c.BillingPeriod)
		}
	}
}

func TestNumbers(t *testing.T) {
	all, stats := fixture(t, "numbers.csv")
	want := [][2]string{{"0.0000000181", "0.0000564902"}, {"-25", "1000"}, {"0.000000000000000002", "0.0000000000000000000001"}, {"7.25", "1.5"}, {"0", "-3"}}
	for i, c := range all {
		if got := [2]string{c.BilledCost.Amount(), c.PricingQuantity.String()}; got != want[i] {
			t.Errorf("row %d: got %v, want %v", i+1, got, want[i])
		}
	}
	if stats.Rows != 5 || stats.Rounded != 1 {
		t.Errorf("stats %+v, want 5 rows and 1 rounded amount", stats)
	}
}

func TestNegativeRows(t *testing.T) {
	all, _ := fixture(t, "refund.csv")
	refund, correction := all[0], all[1]
	if refund.BilledCost != billing.MustMoney("-0.025", "CNY") || refund.PricingQuantity.String() != "-5" || refund.ChargeClass != "" {
		t.Errorf("refund %+v", refund)
	}
	if correction.BilledCost.Rounded(2) != "-30.00" || correction.ChargeClass != "Correction" || correction.ChargeCategory != "Credit" {
		t.Errorf("correction %+v", correction)
	}
}

func TestOlderNames(t *testing.T) {
	all, stats := fixture(t, "oracle.csv")
	c := all[0]
	got := []string{c.Provider, c.InvoiceIssuer, c.Publisher, c.RegionID, c.ConsumedQuantity.String(), c.ConsumedUnit, c.ChargeFrequency}
	want := []string{"Oracle", "Oracle America", "Oracle Cloud", "eu-frankfurt-1", "24", "HOURS", "Usage-Based"}
	if !reflect.DeepEqual(got, want) || stats.Version != "1.0" || !reflect.DeepEqual(stats.Ignored, []string{"oci_ReferenceNumber"}) {
		t.Errorf("got %q, stats %+v", got, stats)
	}
}

func TestProviderName(t *testing.T) {
	all, stats := fixture(t, "providers.csv")
	for i, want := range []string{"Amazon Web Services", "AWS", "Reseller"} {
		if all[i].Provider != want {
			t.Errorf("row %d: %s, want %s", i+1, all[i].Provider, want)
		}
	}
	if stats.Version != "1.3" {
		t.Errorf("version %s", stats.Version)
	}
}

func TestVersion14(t *testing.T) {
	all, stats := fixture(t, "focus-1.4.csv")
	if all[0].Provider != "Nebius" || all[0].ContractApplied != `{"Elements":[]}` || all[0].BilledCost.Currency() != "CNY" {
		t.Errorf("%+v", all[0])
	}
	if stats.Version != "1.4" || !reflect.DeepEqual(stats.Ignored, []string{"HostProviderName", "InvoiceDetailId", "x_Custom", "x_Other"}) {
		t.Errorf("stats %+v", stats)
	}
}

func TestHeaderCaseAndSpaces(t *testing.T) {
	if all, stats := fixture(t, "header-case.csv"); len(all) != 1 || all[0].BillingAccountID != "acct-1" || stats.Ignored != nil {
		t.Errorf("%+v, %+v", all, stats)
	}
}

// TestQuotedNewline also holds that lines are those of the file, which an editor shows.
func TestQuotedNewline(t *testing.T) {
	data, err := os.ReadFile("testdata/newline.csv")
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := readAll("newline.csv", bytes.NewReader(data))
	var row *focus.RowError
	if !errors.As(err, &row) || row.Line != 6 || row.Column != "BilledCost" {
		t.Errorf("error %v, want line 6", err)
	}
	if len(all) != 2 || all[0].ChargeDescription != "two\nlines, with \"quotes\"" {
		t.Errorf("%+v", all)
	}
}

func TestByteOrderMarkCRLFAndGzip(t *testing.T) {
	text := "\ufeff\"" + strings.Replace(head, ",", "\",", 1) + "\r\n1.5," + tail + "\r\n2.5," + tail
	for name, data := range map[string][]byte{"bill.csv": []byte(text), "bill.csv.gz": zipped(t, text)} {
		all, _, err := readAll(name, bytes.NewReader(data))
		if err != nil || len(all) != 2 || all[1].BilledCost.Amount() != "2.5" {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, text)
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestTruncatedGzip cuts a file at every place: half a bill must never pass for a whole one.
func TestTruncatedGzip(t *testing.T) {
	data := zipped(t, head+"\n"+strings.Repeat("1.5,"+tail+"\n", 50))
	for n := 2; n < len(data); n++ {
		_, _, err := readAll("bill.csv.gz", bytes.NewReader(data[:n]))
		if err == nil {
			t.Fatalf("cut at %d of %d bytes: no error", n, len(data))
		}
		if !strings.Contains(err.Error(), "the gzip data end too early; fetch the file again") {
			t.Fatalf("cut at %d of %d bytes: %v", n, len(data), err)
		}
	}
	data[len(data)-6] ^= 1
	if _, _, err := readAll("bill.csv.gz", bytes.NewReader(data)); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a changed byte: %v", err)
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "read bill.csv: the file is empty; a bill begins with a line of column names"},
		{"byte order mark only", "\ufeff", "the file is empty"},
		{"no cost", strings.TrimPrefix(head, "BilledCost,"), "read bill.csv: the file has no column BilledCost, which every FOCUS 1.0 to 1.4 cost and usage file has"},
		{"another data set", "ContractCommitmentId,BillingCurrency\n", "no column BilledCost, BillingAccountId, BillingPeriodStart, ChargePeriodStart, ChargePeriodEnd,"},
		{"twice", head + ",Tags, tags\n", "read bill.csv: column tags stands in the header twice"},
		{"unknown twice", head + ",x_A,X_a\n", "column X_a stands in the header twice"},
		{"quote in the header", "Billed\"Cost\n", `bill.csv, line 1: found a " inside a field`},
	}
	for _, tt := range tests {
		if _, _, err := readAll("bill.csv", strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	if all, _, err := readAll("bill.csv", strings.NewReader(head)); err != nil || all != nil {
		t.Errorf("a header without rows: %v, %v", all, err)
	}
}

func TestRowsThatCannotBeRead(t *testing.T) {
	row := func(cells ...string) string { return strings.Join(cells, ",") }
	const a, b = "acct-1", "2026-05-01T00:00:00Z"
	tests := []struct{ row, want string }{
		{row(`"1,2"`, "USD", a, b, b, b), `bill.csv, line 3, column BilledCost: "1,2" is not a number; write it like 1234.56`},
		{row("", "USD", a, b, b, b), `column BilledCost: "" is not a number; write it like 1234.56`},
		{row("NULL", "USD", a, b, b, b), `column BilledCost: "NULL" is not a number; write it like 1234.56`},
		{row("$1", "USD", a, b, b, b), `column BilledCost: "$1" is not a number`},
		{row("NaN", "USD", a, b, b, b), `column BilledCost: "NaN" is not a number`},
		{row("1E12", "USD", a, b, b, b), `column BilledCost: "1E12" is not a number that fits; an amount reaches to 9223372036`},
		{row("1", "人民币", a, b, b, b), `column BillingCurrency: "人民币" is not a currency; write the ISO 4217 code, like USD or CNY`},
		{row("1", "", a, b, b, b), `column BillingCurrency: "" is not a currency`},
		{row("1", "USD", "NULL", b, b, b), `column BillingAccountId: "NULL" is not an id; every row has one`},
		{row("1", "USD", a, "5/1/2026", b, b), `column BillingPeriodStart: "5/1/2026" is not a time; write it like 2026-05-01T00:00:00Z`},
		{row("1", "USD", a, b, "", b), `column ChargePeriodStart: "" is not a time`},
		{row("1", "USD", a, b, b, "2026-06-31T00:00:00Z"), `column ChargePeriodEnd: "2026-06-31T00:00:00Z" is not a time`},
		{row("1", "USD", a, b, b), `bill.csv, line 3: found 5 fields, want 6 like the header`},
		{row("1", "USD", a, b, b, b, "x"), `bill.csv, line 3: found 7 fields, want 6 like the header`},
		{row("1", "USD", `a"b`, b, b, b), `bill.csv, line 3: found a " inside a field, want fields that stand in "…"`},
		{row("1", "USD", `"ab`, b, b, b), `bill.csv, line 3: found a quoted field without a proper end`},
	}
	for _, tt := range tests {
		all, stats, err := readAll("bill.csv", strings.NewReader(head+"\n1,"+tail+"\n"+tt.row+"\n"))
		var failed *focus.RowError
		if !errors.As(err, &failed) || failed.Line != 3 || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.row, err, tt.want)
		}
		if len(all) != 1 || stats.Rows != 1 {
			t.Errorf("%s: %d rows, stats %+v", tt.row, len(all), stats)
		}
	}
}

// TestCurrencyChangesBetweenRows holds that a remembered cell never outlives its row.
func TestCurrencyChangesBetweenRows(t *testing.T) {
	var text strings.Builder
	text.WriteString(head + "\n")
	codes := []string{"USD", "EUR", "USD", "CNY", "CNY"}
	for _, code := range codes {
		fmt.Fprintf(&text, "1,%s\n", strings.Replace(tail, "USD", code, 1))
	}
	all, _, err := readAll("bill.csv", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range all {
		if string(c.BilledCost.Currency()) != codes[i] {
			t.Errorf("row %d: %s, want %s", i+1, c.BilledCost, codes[i])
		}
	}
}

// TestReusedCharge holds that nothing of the last row stays where this one has nulls.
func TestReusedCharge(t *testing.T) {
	text := head + ",Tags,EffectiveCost,ServiceName\n1," + tail + ",{},1,x\n2," + tail + ",,,\n"
	f, err := focus.NewReader("bill.csv", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := billing.Charge{Owner: "left over"}
	if err := errors.Join(f.Read(&c), f.Read(&c)); err != nil {
		t.Fatal(err)
	}
	if c.Tags+c.ServiceName+c.Owner != "" || c.EffectiveCost.Known() {
		t.Errorf("%+v", c)
	}
}

func TestManyDistinctWords(t *testing.T) {
	var text strings.Builder
	text.WriteString(head + ",SkuId,ChargeDescription\n")
	const rows = 40_000 // more than the interner and the Classifier keep
	for i := range rows {
		fmt.Fprintf(&text, "1,%s,sku-%d,description %d\n", tail, i, i)
	}
	f, err := focus.NewReader("bill.csv", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	var c billing.Charge
	for i := range rows {
		if err := f.Read(&c); err != nil || c.SkuID != fmt.Sprint("sku-", i) {
			t.Fatalf("row %d: %q, %v", i, c.SkuID, err)
		}
	}
}
