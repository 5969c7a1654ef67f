package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuspend/billing"
)

const pricesHeader = "provider,region,instance_type,gpu_model,gpu_count,price_mode,price,currency,unit,as_of,source\n"

// runPrices runs the program and gives its exit code and what it said.
func runPrices(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, out.String() + errs.String()
}

// A list that was imported answers; a worse one leaves it as it was.
func TestImportPricesAndAsk(t *testing.T) {
	dir := t.TempDir()
	store, file := filepath.Join(dir, "g.db"), filepath.Join(dir, "list.csv")
	write := func(lines string) {
		if err := os.WriteFile(file, []byte(pricesHeader+lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("acme,any,t8,H100,8,on_demand,20,USD,hour,2026-11-30,list\n")
	if code, said := runPrices(t, "prices", "import", "--db", store, file); code != 0 || !strings.Contains(said, "took over 1 price of machines") {
		t.Fatalf("%d: %s", code, said)
	}
	write("acme,any,t8,H100,8,on_demand,-5,USD,hour,2026-11-30,list\n")
	if code, said := runPrices(t, "prices", "import", "--db", store, file); code != 1 || !strings.Contains(said, "nothing was taken over") {
		t.Errorf("%d: %s", code, said)
	}
	if code, said := runPrices(t, "prices", "list", "--db", store); code != 0 || !strings.Contains(said, "list.csv") {
		t.Errorf("%d: %s", code, said)
	}
	code, said := runPrices(t, "ask", "--db", store, "--now", "2026-12-02T02:00:00Z", "--json", "estimate 8xH100 72h provider=acme")
	if code != 0 || !strings.Contains(said, `"low": "1440"`) {
		t.Errorf("%d: %s", code, said)
	}
}

func TestNegotiatedPrices(t *testing.T) {
	ten := billing.DecimalFromInt(10)
	c := Config{Prices: []PriceConfig{{Provider: "aws", GPU: "H100", Price: billing.MustDecimal("2.5"), Currency: "USD", Discount: ten, RefundFee: ten, Until: "2026-12-31"}}}
	k := &checker{}
	k.prices(c.Prices)
	d := c.deals()[0]
	if len(k.problems) != 0 || d.Price.Amount() != "2.5" || d.Percent.String() != "0.1" || d.Until.Format("2006-01-02") != "2027-01-01" {
		t.Errorf("%v %+v", k.problems, d)
	}
	k.prices([]PriceConfig{{Price: ten}, {Provider: "aws", Discount: billing.DecimalFromInt(100)}, {Provider: "aws", Coupon: ten}, {Provider: "aws", Discount: ten, Until: "soon"}, {Provider: "aws"}})
	if len(k.problems) != 7 {
		t.Errorf("%d problems: %v", len(k.problems), k.problems)
	}
}
