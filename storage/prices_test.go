package storage

import (
	"strings"
	"testing"
	"time"

	"gpuspend/billing/estimate"
)

const priceFile = "provider,region,instance_type,gpu_model,gpu_count,price_mode,price,currency,unit,as_of,source\n"

func TestPriceLists(t *testing.T) {
	db := openStore(t)
	at := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for i, price := range []string{"1.50", "1.75"} {
		l, err := estimate.ReadList(strings.NewReader(priceFile + "x,r,t,H100,8,on_demand," + price + ",USD,hour,2026-11-01,s\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := db.ImportPrices(t.Context(), "catalog.csv", l, at.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	lists, err := db.PriceLists(t.Context())
	if err != nil || len(lists) != 1 || lists[0].Taken != 1 || !lists[0].ImportedAt.Equal(at.Add(time.Hour)) {
		t.Errorf("lists: %+v, %v", lists, err)
	}
	kept, err := db.Prices(t.Context())
	if err != nil || len(kept) != 1 || kept[0].Sheet().Rows[0].Low.Amount() != "1.75" {
		t.Errorf("prices: %+v, %v", kept, err)
	}
}
