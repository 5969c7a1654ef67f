package alibaba

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
)

func TestBill(t *testing.T) {
	a := overFake(t, files{"DescribeInstanceBill": "DescribeInstanceBill.json"})
	a.now = func() time.Time { return time.Date(2026, 12, 5, 0, 0, 0, 0, time.UTC) }
	start := time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC) // the 29th in UTC+8
	got, err := all(a.Charges(context.Background(), billing.Period{Start: start, End: start.Add(time.Hour)}))
	if err != nil || len(got) != 2 {
		t.Fatalf("%d lines, %v", len(got), err)
	}
	want := billing.Charge{
		Provider: "Alibaba Cloud", Publisher: "Alibaba Cloud", InvoiceIssuer: "Alibaba Cloud",
		BillingAccountID: "122", BillingAccountName: "test@test.aliyunid.com", SubAccountID: "122",
		BillingPeriod: billing.Period{Start: time.Date(2026, 10, 31, 16, 0, 0, 0, time.UTC), End: time.Date(2026, 11, 30, 16, 0, 0, 0, time.UTC)},
		ChargePeriod:  billing.Period{Start: start, End: start.Add(day)},
		BilledCost:    billing.MustMoney("216", cny), // after the discount; vouchers and cash are how it was paid
		ListCost:      billing.MustMoney("240", cny), ChargeCategory: "Usage", ChargeFrequency: "Usage-Based", PricingCurrency: "CNY",
		ResourceID: "i-bp67acfmxazb4p****", ResourceName: "train-01", ResourceType: "ecs.gn7i-c8g1.2xlarge", RegionName: "China (Hangzhou)",
		ServiceCategory: "Compute", ServiceName: "Elastic Compute Service", Tags: `{"owner":"alice","project":"llm"}`,
		Part: billing.PartInstance, GPU: "A10", Owner: "alice", Project: "llm",
	}
	if diff := cmp.Diff(want, got[0], exact()...); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got[1].Part != billing.PartDisk || got[1].ConsumedQuantity.String() != "40" || got[1].RegionID != "" {
		t.Errorf("the disk's line: %+v", got[1])
	}
}

func TestLinesOfOrdersAndRefunds(t *testing.T) {
	for _, tt := range []struct {
		item, subscription, category string
		mode                         billing.Mode
	}{
		{"SubscriptionOrder", "Subscription", "Purchase", billing.ModeMonthly},
		{"PayAsYouGoBill", "PayAsYouGo", "Usage", billing.ModeUnknown},
		{"Refund", "Subscription", "Adjustment", billing.ModeMonthly},
		{"Adjustment", "PayAsYouGo", "Adjustment", billing.ModeUnknown},
	} {
		c, err := item{BillingDate: "2026-11-29", Item: tt.item, SubscriptionType: tt.subscription, PretaxAmount: "-1.5", Currency: "CNY"}.
			charge("x", time.Date(2026, 11, 29, 0, 0, 0, 0, zone()))
		if err != nil || c.ChargeCategory != tt.category || c.Mode != tt.mode || c.BilledCost != billing.MustMoney("-1.5", cny) {
			t.Errorf("%s: %s, %q, %v, %v", tt.item, c.ChargeCategory, c.Mode, c.BilledCost, err)
		}
	}
	if _, err := (item{BillingDate: "2026-11-29", Currency: "CNY"}).charge("x", time.Date(2026, 11, 29, 0, 0, 0, 0, zone())); billing.KindOf(err) != billing.Invalid {
		t.Errorf("a line without an amount: %v, want Invalid and not zero", err)
	}
}

func TestPartsOfTheBill(t *testing.T) {
	for _, tt := range []struct {
		product, commodity, item string
		want                     billing.Part
	}{
		{"ecs", "ecs", "", billing.PartInstance}, {"ecs", "ecs", "systemdisk", billing.PartDisk}, {"ecs", "ecs", "bandwidth", billing.PartBandwidth},
		{"yundisk", "yundisk", "disk", billing.PartDisk}, {"snapshot", "snapshot", "", billing.PartSnapshot},
		{"eip", "eip", "", billing.PartIP}, {"eip", "eip", "flow_out", billing.PartBandwidth}, {"cbwp", "cbwp", "", billing.PartBandwidth},
		{"oss", "oss", "", billing.PartOther},
	} {
		if got := (item{ProductCode: tt.product, CommodityCode: tt.commodity, BillingItemCode: tt.item}).part(); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.commodity, tt.item, got, tt.want)
		}
	}
}

func TestCoverage(t *testing.T) {
	utc := func(month time.Month, day, hour int) time.Time {
		return time.Date(2026, month, day, hour, 0, 0, 0, time.UTC)
	}
	for _, tt := range []struct{ now, through, provisional time.Time }{
		{utc(11, 22, 10), utc(11, 20, 16), utc(11, 15, 16)}, // the 21st in UTC+8 is not 24 hours old yet
		{utc(11, 22, 16), utc(11, 21, 16), utc(11, 16, 16)}, // now it is
		{utc(12, 2, 10), utc(11, 30, 16), utc(10, 31, 16)},  // November is not closed
	} {
		a := overFake(t, newFake(testNow))
		a.now = func() time.Time { return tt.now }
		c, err := a.Billed(context.Background(), billing.Period{Start: utc(10, 1, 0), End: utc(12, 31, 0)})
		if err != nil || !c.Through.Equal(tt.through) || !c.Provisional.Equal(tt.provisional) {
			t.Errorf("at %v: %+v, %v; want %v and %v", tt.now, c, err, tt.through, tt.provisional)
		}
	}
}

func TestUtilisation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hour := billing.Period{Start: testNow().Add(-time.Hour), End: testNow()}
		want := []billing.Sample{{Ref: hangzhou(billing.KindInstance, "i-train"), At: testNow().Add(-5 * time.Minute),
			GPU: []float64{99.52, 42.5, 3}, Covering: time.Minute}} // cards 0, 2 and 10
		f := newFake(testNow)
		got, err := all(overFake(t, f).Utilisation(context.Background(), hour))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v\n-want +got:\n%s", err, diff)
		}
		f.denied["metric "+perCard] = "403"
		if got, err = all(overFake(t, f).Utilisation(context.Background(), hour)); err != nil || len(got) != 1 {
			t.Errorf("with the metric per card refused: %v, %v", got, err)
		}
		f.denied["metric "+perMachine] = "403"
		if _, err = all(overFake(t, f).Utilisation(context.Background(), hour)); billing.KindOf(err) != billing.Denied {
			t.Errorf("with both refused: %v, want Denied", err)
		}
	})
}

func TestOffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, err := all(overFake(t, newFake(testNow), "regions", "cn-hangzhou").Offers(context.Background(), billing.OfferQuery{GPU: "NVIDIA A10"}))
		if err != nil || len(got) != 4 {
			t.Fatalf("%d offers, %v; want on demand and spot in two zones", len(got), err)
		}
		var prices []string
		for _, o := range got {
			prices = append(prices, string(o.Mode)+" "+o.Low.Amount())
		}
		if want := []string{"on_demand 9.98", "spot 2.43", "on_demand 9.98", "spot "}; !slices.Equal(prices, want) {
			t.Errorf("prices are %q, want %q: the newest, and none where Alibaba says 0", prices, want)
		}
	})
}

func TestGPUs(t *testing.T) {
	for _, tt := range []struct{ typ, spec, amount, model, count string }{
		{"ecs.gn7i-c8g1.2xlarge", "NVIDIA A10", "1", "A10", "1"},
		{"ecs.gn6v-c8g1.8xlarge", "NVIDIA V100", "4", "V100-16G", "4"},
		{"ecs.gn6e-c12g1.3xlarge", "NVIDIA V100", "1", "V100-32G", "1"},
		{"ecs.gn7e-c16g1.4xlarge", "NVIDIA A100", "1", "A100-80G", "1"},
		{"ecs.ebmgn7e.32xlarge", "NVIDIA A100", "8", "A100-80G", "8"},
		{"ecs.gn7-c12g1.3xlarge", "NVIDIA A100", "1", "A100-40G", "1"},
		{"ecs.gn5-c4g1.xlarge", "NVIDIA P100", "1", "P100", "1"},
		{"ecs.gn5i-c2g1.large", "NVIDIA P4", "1", "P4", "1"},
		{"ecs.vgn6i-m4-vws.xlarge", "NVIDIA T4", "0", "T4", "0.25"},
		{"ecs.sgn7i-vws-m8s.4xlarge", "NVIDIA A10", "1", "A10", "0.333333"},
		{"ecs.vgn7i-vws-m24.7xlarge", "NVIDIA A10", "1", "A10", "1"},
		{"ecs.gn99-new.xlarge", "", "2", "GN99", "2"},
		{"ecs.g7.large", "", "0", "", ""},
	} {
		g := gpuOf(tt.typ, tt.spec, billing.MustDecimal(tt.amount))
		if g.Model != tt.model || g.Count.String() != tt.count {
			t.Errorf("%s has %s x %s, want %s x %s", tt.typ, g.Count, g.Model, tt.count, tt.model)
		}
	}
}

func TestManagedMarks(t *testing.T) {
	for key, want := range map[string]string{
		"acs:autoscaling:scalingGroupId":   "Auto Scaling group x",
		"ack.aliyun.com":                   "ACK cluster x",
		"ack.alibabacloud.com/nodepool-id": "ACK node pool x",
		"acs:ros:stackId":                  "ROS stack x",
		"team":                             "",
	} {
		if got := managedBy(map[string]string{key: "x"}); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

func TestInstants(t *testing.T) {
	for s, want := range map[string]time.Time{
		"2017-12-10T04:04Z":    time.Date(2017, 12, 10, 4, 4, 0, 0, time.UTC), // no seconds
		"2021-06-07T21:01:22Z": time.Date(2021, 6, 7, 21, 1, 22, 0, time.UTC),
		"":                     {}, "yesterday": {},
	} {
		if got := instant(s); !got.Equal(want) {
			t.Errorf("%q is %v, want %v", s, got, want)
		}
	}
	if !expiry("2099-12-31T15:59Z").IsZero() || expiry("2026-12-10T16:00Z").IsZero() {
		t.Error("what is paid as it goes ends in 2099, and what is paid ahead at its date")
	}
}

func TestExamplesOfPricesAndMetrics(t *testing.T) {
	a := overFake(t, files{"DescribeInstanceTypes": "DescribeInstanceTypes.json", "DescribeMetricList": "DescribeMetricLast.gpu.json"})
	types, err := all(a.api.gpuTypes(context.Background(), "cn-hangzhou"))
	if err != nil || len(types) != 1 || types[0] != (instanceType{"ecs.gn6v-c8g1.2xlarge", "1", "NVIDIA V100"}) {
		t.Errorf("types %+v, %v", types, err)
	}
	points, err := a.api.metric(context.Background(), "cn-hangzhou", perCard, []string{"i-abcdefgh12****"}, billing.Period{Start: testNow().Add(-time.Hour), End: testNow()})
	want := []datapoint{{Timestamp: 1548777660000, InstanceID: "i-abcdefgh12****", GPU: "0", Average: "99.52"}}
	if err != nil || !slices.Equal(points, want) { // JSON inside a JSON string
		t.Errorf("points %+v, %v", points, err)
	}
}
