package focus_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"gpuspend/billing"
	"gpuspend/billing/focus"
)

// delivered is a FOCUS row as AWS delivers it in Parquet: costs are doubles, times milliseconds, tags a map. Costs as
// decimals, times in other units and a list stand beside them.
type delivered struct {
	BilledCost         float64           `parquet:"BilledCost"`
	EffectiveCost      int64             `parquet:"EffectiveCost,decimal(9:18)"`
	ListCost           *float64          `parquet:"ListCost,optional"`
	BillingCurrency    string            `parquet:"BillingCurrency,dict"`
	BillingAccountID   string            `parquet:"BillingAccountId"`
	BillingPeriodStart time.Time         `parquet:"BillingPeriodStart,timestamp(millisecond)"`
	BillingPeriodEnd   time.Time         `parquet:"BillingPeriodEnd,timestamp(microsecond)"`
	ChargePeriodStart  time.Time         `parquet:"ChargePeriodStart,timestamp(nanosecond)"`
	ChargePeriodEnd    string            `parquet:"ChargePeriodEnd"`
	ChargeCategory     string            `parquet:"ChargeCategory"`
	ProviderName       string            `parquet:"ProviderName"`
	ResourceID         *string           `parquet:"ResourceId,optional"`
	Tags               map[string]string `parquet:"Tags"`
	Lists              []string          `parquet:"x_Lists,list"`
}

func parquetFile(t testing.TB, rows []delivered, options ...parquet.WriterOption) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bill.snappy.parquet")
	var b bytes.Buffer
	w := parquet.NewGenericWriter[delivered](&b, append([]parquet.WriterOption{parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(70)}, options...)...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func deliveredRows(n int) []delivered {
	rows := make([]delivered, n)
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	list, id := 7.25, "i-0123"
	for i := range rows {
		at := start.Add(time.Duration(i) * time.Hour)
		rows[i] = delivered{BilledCost: 0.1, EffectiveCost: 123456789 * int64(1-i%2*2), BillingCurrency: "USD", BillingAccountID: "111122223333", BillingPeriodStart: start,
			BillingPeriodEnd: start.AddDate(0, 1, 0), ChargePeriodStart: at, ChargePeriodEnd: at.Add(time.Hour).Format(time.RFC3339), ChargeCategory: "Usage",
			ProviderName: "AWS", Lists: []string{"a", "b"}}
		if i%2 == 0 {
			rows[i].ListCost, rows[i].ResourceID = &list, &id
			rows[i].Tags = map[string]string{"team": "sft", "env": `"prod"`}
		}
	}
	return rows
}

func readPath(t testing.TB, path string) ([]billing.Charge, focus.Stats, error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, err := focus.NewReader("bill.parquet", f)
	if err != nil {
		return nil, focus.Stats{}, err
	}
	var all []billing.Charge
	for {
		var c billing.Charge
		switch err := r.Read(&c); err {
		case nil:
			all = append(all, c)
		case io.EOF:
			return all, r.Stats(), nil
		default:
			return all, r.Stats(), err
		}
	}
}

// A Parquet file says what the CSV of the same bill says: over several row groups, with nulls, maps, decimals, and times
// in any unit.
func TestParquet(t *testing.T) {
	all, stats, err := readPath(t, parquetFile(t, deliveredRows(200)))
	if err != nil || len(all) != 200 || stats.Rows != 200 || stats.Rounded != 0 || len(stats.Ignored) != 0 {
		t.Fatalf("%d charges, %+v, %v", len(all), stats, err)
	}
	if got := total(t, all); got != billing.MustMoney("20", "USD") {
		t.Errorf("BilledCost adds up to %s, want 20", got)
	}
	at := time.Date(2026, 11, 5, 4, 0, 0, 0, time.UTC) // the hundredth hour
	c, odd := all[100], all[101]
	if c.EffectiveCost != billing.MustMoney("0.123456789", "USD") || odd.EffectiveCost != billing.MustMoney("-0.123456789", "USD") ||
		c.ListCost != billing.MustMoney("7.25", "USD") || odd.ListCost.Known() || c.ResourceID != "i-0123" || odd.ResourceID != "" ||
		c.Tags != `{"env":"\"prod\"","team":"sft"}` || odd.Tags != "" ||
		!c.ChargePeriod.Start.Equal(at) || !c.ChargePeriod.End.Equal(at.Add(time.Hour)) || !c.BillingPeriod.End.Equal(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)) ||
		c.Mode != billing.ModeUnknown || c.Provider != "AWS" {
		t.Errorf("%+v\n%+v", c, odd)
	}
}

// What cannot be read is named with its row; a pipe and a file that was cut off say what to do.
func TestParquetThatIsRefused(t *testing.T) {
	rows := deliveredRows(3)
	rows[1].BillingCurrency = "dollars"
	_, _, err := readPath(t, parquetFile(t, rows))
	if want := `bill.parquet, row 2, column BillingCurrency: "dollars" is not a currency; write the ISO 4217 code, like USD or CNY`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	path := parquetFile(t, deliveredRows(3))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := focus.NewReader("standard input", bytes.NewReader(whole)); err == nil || !strings.Contains(err.Error(), "cannot be read from a pipe; name the file") {
		t.Errorf("a pipe: %v", err)
	}
	if err := os.WriteFile(path, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readPath(t, path); err == nil || !strings.Contains(err.Error(), "damaged; fetch it again") || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a file: %v", err)
	}
}
