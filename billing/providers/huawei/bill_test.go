package huawei

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

func TestBalance(t *testing.T) {
	const path = "/v2/accounts/customer-accounts/balances"
	empty := `{"count":0}`
	for _, tt := range []struct {
		name, body, coupons string
		status              int
		cash, credit        string
		vouchers            int
		kind                billing.ErrorKind
	}{
		{"the documented example", "file", empty, 200, "20810.92", "50000", 0, ""},
		{"debt is taken off, with an exponent", `{"account_balances":[{"account_type":1,"amount":0E-8,"measure_id":1}],"debt_amount":12.5E0,"measure_id":1,"currency":"CNY"}`, empty, 200,
			"-12.5", "", 0, ""},
		{"hundredths", `{"account_balances":[{"account_type":1,"amount":12345,"measure_id":3}],"debt_amount":0,"measure_id":1,"currency":"CNY"}`, empty, 200, "123.45", "", 0, ""},
		{"a unit that is not known", `{"account_balances":[{"account_type":1,"amount":12345,"measure_id":7}],"currency":"CNY"}`, "", 200, "", "", 0, billing.Invalid},
		{"no cash account is not zero", `{"account_balances":[{"account_type":2,"amount":5,"measure_id":1}],"debt_amount":0,"currency":"CNY"}`, "", 200, "", "", 0, billing.Invalid},
		{"cash without an amount is not zero", `{"account_balances":[{"account_type":1,"amount":null,"measure_id":1}],"currency":"CNY"}`, "", 200, "", "", 0, billing.Invalid},
		{"a failure inside a success", `{"error_code":"CBC.0151","error_msg":"access denied"}`, "", 200, "", "", 0, billing.Denied},
		{"coupons out of reach", "file", `{"error_code":"APIGW.0302"}`, 403, "20810.92", "50000", 0, ""},
		{"a discount is no money", "file", `{"count":3,"user_coupons":[{"coupon_id":"a","coupon_type":1,"balance":9.5,"status":2,"expire_time":"2026-12-31T15:59:59Z"},
			{"coupon_id":"b","coupon_type":2,"balance":1,"status":2},{"coupon_id":"c","coupon_type":1,"balance":1,"status":2,"is_frozen":"1"}]}`, 200, "20810.92", "50000", 1, ""},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			s := fixture.New(t, "testdata")
			r := s.Expect("GET "+path).NoBody().Header("X-Project-Id", "")
			if tt.body == "file" {
				r.File(200, "ShowCustomerAccountBalances.json")
			} else {
				r.Answer(200, tt.body)
			}
			if tt.coupons != "" {
				s.Expect("GET /v2/promotions/benefits/coupons").Query("status", "2", "offset", "0", "limit", "100").Answer(tt.status, tt.coupons)
			}
			b, err := over(t, billing.Env{Transport: s}).Balance(context.Background())
			if billing.KindOf(err) != tt.kind {
				t.Fatalf("%v, want %q", err, tt.kind)
			}
			amount := func(m billing.Money) string {
				if !m.Known() {
					return ""
				}
				return m.Amount()
			}
			if amount(b.Cash) != tt.cash || amount(b.Credit) != tt.credit || len(b.Vouchers) != tt.vouchers {
				t.Errorf("cash %q, credit %q, vouchers %+v", amount(b.Cash), amount(b.Credit), b.Vouchers)
			}
		})
	}
}

func TestDocumentedCharge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fixture.New(t, "testdata")
		s.Expect("POST /v2/bills/customer-bills/res-records/query").Header("X-Language", "en_US").JSON(`{"cycle":"2026-11","statistic_type":2,"query_type":"DAILY",
			"bill_cycle_begin":"2026-11-29","bill_cycle_end":"2026-11-29","method":"oneself","include_zero_record":false,"offset":0,"limit":100}`).
			File(200, "ListCustomerselfResourceRecordDetails.json")
		now := func() time.Time { return time.Date(2026, 12, 1, 20, 0, 0, 0, time.UTC) }
		day := billing.Period{Start: time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC), End: time.Date(2026, 11, 29, 16, 0, 0, 0, time.UTC)}
		var got []billing.Charge
		for c, err := range over(t, billing.Env{Transport: s, Now: now}).Charges(context.Background(), day) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, c)
		}
		cost := billing.MustMoney("528.12", cny) // what is to be paid, 28 of it by coupon
		want := []billing.Charge{{
			Provider: "Huawei Cloud", Publisher: "Huawei Cloud", InvoiceIssuer: "Huawei Cloud",
			BillingAccountID: "52300efbd1844e4d8c5f3a0a4b1f****", SubAccountID: "52300efbd1844e4d8c5f3a0a4b1f****", SubAccountName: "demo",
			BillingPeriod: billing.Period{Start: time.Date(2026, 10, 31, 16, 0, 0, 0, time.UTC), End: time.Date(2026, 11, 30, 16, 0, 0, 0, time.UTC)},
			ChargePeriod:  day, BilledCost: cost, EffectiveCost: cost, ListCost: billing.MustMoney("586.8", cny), ChargeCategory: "Usage",
			ChargeDescription: "GPU加速型|p2s.2xlarge.8|8vCPUs|64GB|linux", PricingCurrency: "CNY",
			ResourceID: "b37fd80e-ac67-4d02-b9f1-9891c9c0fabf", ResourceName: "train-01", ResourceType: typeVM, RegionID: "cn-north-4", RegionName: "华北-北京四",
			ServiceName: "弹性云服务器", SkuID: "P2S.2XLARGE.8.LINUX", Tags: `{"owner":"alice"}`,
			Part: billing.PartInstance, GPU: "V100-32G", Mode: billing.ModeOnDemand, Owner: "alice",
		}}
		if diff := cmp.Diff(want, got, exact()...); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if !got[0].Whole() {
			t.Error("a day is whole")
		}
	})
}

func TestBillOverTwoMonthsAndWithoutMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func() time.Time { return time.Date(2026, 12, 4, 9, 0, 0, 0, time.UTC) })
		a := over(t, billing.Env{Transport: fixture.Over(f), Now: f.now})
		p := billing.Period{Start: time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC), End: time.Date(2026, 12, 4, 9, 0, 0, 0, time.UTC)}
		days := map[string]int{}
		for c, err := range a.Charges(context.Background(), p) {
			if err != nil {
				t.Fatal(err)
			}
			days[c.ChargePeriod.Start.In(zone()).Format(time.DateOnly)]++
		}
		// the 3rd ended 17 hours ago: its details may lack some still
		want := map[string]int{"2026-11-29": 2, "2026-11-30": 2, "2026-12-01": 2, "2026-12-02": 2}
		if diff := cmp.Diff(want, days); diff != "" {
			t.Errorf("lines a day (-want +got):\n%s", diff)
		}
	})
}

func TestCoverage(t *testing.T) {
	for _, tt := range []struct{ now, through, provisional string }{
		{"2026-11-21T10:30:00Z", "2026-11-19T16:00:00Z", "2026-10-31T16:00:00Z"},
		{"2026-11-21T15:59:59Z", "2026-11-19T16:00:00Z", "2026-10-31T16:00:00Z"}, // just before midnight there
		{"2026-11-21T16:00:00Z", "2026-11-20T16:00:00Z", "2026-10-31T16:00:00Z"},
		{"2026-12-03T10:00:00Z", "2026-12-01T16:00:00Z", "2026-10-31T16:00:00Z"}, // November may still be adjusted
		{"2026-12-06T10:00:00Z", "2026-12-04T16:00:00Z", "2026-11-30T16:00:00Z"},
	} {
		now, _ := time.Parse(time.RFC3339, tt.now)
		a := over(t, billing.Env{Now: func() time.Time { return now }})
		c, err := a.Billed(context.Background(), billing.Period{Start: now.AddDate(0, -1, 0), End: now})
		if err != nil || c.Through.Format(time.RFC3339) != tt.through || c.Provisional.Format(time.RFC3339) != tt.provisional {
			t.Errorf("at %s: through %v, provisional from %v, %v", tt.now, c.Through, c.Provisional, err)
		}
	}
}

func TestCategoriesModesAndParts(t *testing.T) {
	for _, tt := range []struct {
		billType, chargeMode json.Number
		want                 string
		mode                 billing.Mode
	}{
		{"5", "3", "Usage", billing.ModeOnDemand}, {"1", "1", "Purchase", billing.ModeMonthly}, {"8", "1", "Purchase", billing.ModeMonthly},
		{"4", "1", "Credit", billing.ModeMonthly}, {"25", "10", "Adjustment", billing.ModeReserved}, {"23", "11", "Usage", billing.ModeReserved}, {"18", "1", "Purchase", billing.ModeMonthly}, {"77", "", "Purchase", billing.ModeUnknown},
	} {
		if got := category(tt.billType, tt.chargeMode); got != tt.want || modeOf(tt.chargeMode) != tt.mode {
			t.Errorf("bill type %s, charge mode %s: %s, %s", tt.billType, tt.chargeMode, got, modeOf(tt.chargeMode))
		}
	}
	for kind, want := range map[string]billing.Part{typeVM: billing.PartInstance, typeVolume: billing.PartDisk, typeIP: billing.PartIP,
		typeBandwidth: billing.PartBandwidth, "hws.resource.type.snapshot": billing.PartSnapshot, "hws.resource.type.obs": billing.PartOther} {
		if got := partOf(kind); got != want {
			t.Errorf("%s is %s, want %s", kind, got, want)
		}
	}
}

// The bill has the charge mode as a number, the hourly details have it as text; both are read.
func TestNumbersMayBeText(t *testing.T) {
	for _, body := range []string{`{"charge_mode":3}`, `{"charge_mode":"3"}`} {
		var r record
		if err := json.NewDecoder(strings.NewReader(body)).Decode(&r); err != nil || r.ChargeMode != "3" {
			t.Errorf("%s: %q, %v", body, r.ChargeMode, err)
		}
	}
}

func TestLineWithoutAmountIsAnError(t *testing.T) {
	a := over(t, billing.Env{})
	for _, r := range []record{{BillDate: "2026-11-29"}, {BillDate: "29.11.2026", Consumed: "1"}, {BillDate: "2026-11-29", Consumed: "1", Measure: "9"}} {
		if _, err := a.charge(r, "CNY"); billing.KindOf(err) != billing.Invalid {
			t.Errorf("%+v: %v, want Invalid", r, err)
		}
	}
}

func TestCommitments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := overFake(t)
		var got []billing.Commitment
		for c, err := range a.Commitments(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, c)
		}
		want := []billing.Commitment{{ID: "pack-1", Name: "name-of-pack-1", ExpiresAt: time.Date(2026, 12, 1, 15, 59, 59, 0, time.UTC), RenewsItself: billing.Yes}}
		if diff := cmp.Diff(want, got, exact()...); diff != "" {
			t.Errorf("machines, disks and EIPs stand in the inventory (-want +got):\n%s", diff)
		}
		if r := listOf(t, a, billing.KindDisk)["vol-month"]; r.RenewsItself != billing.Yes || r.ExpiresAt.IsZero() || r.AtZero != billing.FateKeeps {
			t.Errorf("a disk that renews itself: %+v", r)
		}
	})
}

func TestOffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := overFake(t, "projects", "cn-north-4="+north)
		got := map[string]string{}
		for o, err := range a.Offers(context.Background(), billing.OfferQuery{}) {
			if err != nil {
				t.Fatal(err)
			}
			price := "unknown"
			if o.Low.Known() {
				price = o.Low.Amount()
			}
			got[o.Type+" "+o.Unit] = price + o.Stock
		}
		want := map[string]string{"p2s.2xlarge.8 hour": "22", "p2s.2xlarge.8 month": "10", "p1.2xlarge.8 hour": "15.5NONE", "p1.2xlarge.8 month": "10NONE",
			"p3.2xlarge.8 hour": "30.5", "p3.2xlarge.8 month": "10", "ai1s.large.4 hour": "unknown", "ai1s.large.4 month": "10"} // a price of 0 is none
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func TestUtilisation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := overFake(t)
		p := billing.Period{Start: testNow().Add(-4 * time.Minute), End: testNow()}
		got := map[string][]float64{}
		for s, err := range a.Utilisation(context.Background(), p) {
			if err != nil {
				t.Fatal(err)
			}
			got[s.Ref.ID] = s.GPU
		}
		// a window within one step is not empty; machines without an agent have nothing, not zero
		want := map[string][]float64{"srv-train": {12.5, 12.5}, "srv-month": {12.5}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func TestMomentThatOneCardLacksIsUnknown(t *testing.T) {
	cards := []card{{metric: metric{Name: "m", Dimensions: []dimension{{"gpu", "a"}}}}, {metric: metric{Name: "m", Dimensions: []dimension{{"gpu", "b"}}}}}
	at := map[string]map[int64]float64{"m/a": {0: 1, 300000: 2}, "m/b": {300000: 0}}
	p := billing.Period{Start: time.UnixMilli(0), End: time.UnixMilli(600000)}
	got := samplesOf(cards, at, p, 5*time.Minute)
	if len(got) != 1 || got[0].At.UnixMilli() != 300000 || len(got[0].GPU) != 2 {
		t.Errorf("%+v, want the second moment only", got)
	}
}

func TestGrainFitsWhatCloudEyeKeeps(t *testing.T) {
	const day = 24 * time.Hour
	for _, tt := range []struct{ span, age, want time.Duration }{
		{time.Hour, time.Hour, 5 * time.Minute}, {day, day, 5 * time.Minute}, {day + time.Hour, 2 * day, 20 * time.Minute}, {time.Hour, 3 * day, 20 * time.Minute},
		{4 * day, 4 * day, time.Hour}, {11 * day, 11 * day, 4 * time.Hour}, {40 * day, 40 * day, day},
	} {
		if got := grain(tt.span, tt.age); got != tt.want {
			t.Errorf("%v from %v ago: %v, want %v", tt.span, tt.age, got, tt.want)
		}
	}
}
