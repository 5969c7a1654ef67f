package alibaba

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// lag is how long after its end a day is billed.
const lag = 24 * time.Hour

// unsettled is how far back lines may still change in a month that is not closed yet.
const unsettled = 5 * day

const day = 24 * time.Hour

// zone is that of Alibaba's bill.
func zone() *time.Location { return time.FixedZone("UTC+8", 8*3600) }

// Charges reads the bill day by day: Alibaba gives no finer one, and one day a question. Days that it has not billed
// whole are left out.
func (a *account) Charges(ctx context.Context, p billing.Period) iter.Seq2[billing.Charge, error] {
	return func(yield func(billing.Charge, error) bool) {
		through := a.billedThrough()
		for at := firstDay(p.Start); at.Before(p.End) && at.Before(through); at = at.Add(day) {
			for c, err := range a.api.charges(ctx, at) {
				if !yield(c, err) || err != nil {
					return
				}
			}
		}
	}
}

// firstDay is the first midnight in UTC+8 that is not before t.
func firstDay(t time.Time) time.Time {
	at := midnight(t)
	if at.Before(t) {
		at = at.Add(day)
	}
	return at
}

// midnight is the begin of the day of t in UTC+8, which knows no summer time.
func midnight(t time.Time) time.Time {
	t = t.In(zone())
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, zone())
}

// billedThrough is the begin of the first day that is not billed whole yet.
func (a *account) billedThrough() time.Time { return midnight(a.now().Add(-lag)) }

// Billed says how far the bill goes. The lines of the last days may still change, and when a month is closed, on the 3rd
// of the next one at noon, any of its lines may.
func (a *account) Billed(_ context.Context, p billing.Period) (billing.Coverage, error) {
	through := a.billedThrough()
	open := through.Add(-unsettled)
	if now := a.now().In(zone()); now.Day() <= 4 { // closed by then; read once more after that
		open = earlier(open, time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, zone()))
	}
	c := billing.Coverage{Through: earlier(p.End, through).UTC()}
	if open.Before(c.Through) {
		c.Provisional = open.UTC()
	}
	return c, nil
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// charges reads the lines of one day.
func (c *client) charges(ctx context.Context, at time.Time) iter.Seq2[billing.Charge, error] {
	k := call{op: "alibaba: read bill", of: bss(), action: "DescribeInstanceBill", query: params(
		"BillingCycle", at.Format("2006-01"), "Granularity", "DAILY", "BillingDate", at.Format(time.DateOnly),
		"IsBillingItem", "true", "MaxResults", "300")}
	var account, name string
	lines := walk(ctx, c, k, func(p *billAnswer) (*[]item, string) {
		if p.Data == nil {
			return nil, ""
		}
		account, name = p.Data.AccountID, p.Data.AccountName
		if p.Data.Items == nil {
			return nil, ""
		}
		return p.Data.Items, p.Data.NextToken
	})
	return func(yield func(billing.Charge, error) bool) {
		for it, err := range lines {
			var line billing.Charge
			if err == nil {
				line, err = it.charge(k.op, at)
			}
			if err != nil {
				yield(billing.Charge{}, err)
				return
			}
			line.BillingAccountID, line.BillingAccountName = account, name
			if !yield(line, nil) {
				return
			}
		}
	}
}

// charge puts a line into our words. A subscription's order lands whole on its day; its category tells it apart.
func (it item) charge(op string, at time.Time) (billing.Charge, error) {
	if it.BillingDate != at.Format(time.DateOnly) {
		return billing.Charge{}, garbled(op, "a line of another day")
	}
	currency, err := billing.ParseCurrency(it.Currency)
	if err != nil {
		return billing.Charge{}, garbled(op, "a line without its currency")
	}
	cost, err := httpx.Money(it.PretaxAmount, currency)
	if err != nil || !cost.Known() {
		return billing.Charge{}, garbled(op, "a line without its amount")
	}
	list, err := httpx.Money(it.PretaxGrossAmount, currency)
	if err != nil {
		return billing.Charge{}, garbled(op, "a line with an amount that is no number")
	}
	month := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, zone())
	tags := it.tags()
	c := billing.Charge{
		Provider:        "Alibaba Cloud",
		Publisher:       "Alibaba Cloud",
		InvoiceIssuer:   "Alibaba Cloud",
		SubAccountID:    it.OwnerID,
		BillingPeriod:   billing.Period{Start: month.UTC(), End: month.AddDate(0, 1, 0).UTC()},
		ChargePeriod:    billing.Period{Start: at.UTC(), End: at.Add(day).UTC()},
		BilledCost:      cost,
		ListCost:        list,
		PricingCurrency: it.Currency,
		ResourceID:      it.InstanceID,
		ResourceName:    it.NickName,
		ResourceType:    it.InstanceSpec,
		RegionName:      it.Region,
		ServiceName:     orID(it.ProductName, it.ProductCode),
		SkuMeter:        orID(it.BillingItem, it.BillingItemCode),
		Part:            it.part(),
		Tags:            tagsJSON(tags),
		Owner:           named(tags, "owner"),
		Project:         named(tags, "project"),
		// AvailabilityZone stays empty: Zone is a name for people.
	}
	if used, err := billing.ParseDecimal(it.Usage); err == nil && it.Usage != "" {
		c.ConsumedQuantity, c.ConsumedUnit = used, it.UsageUnit
	}
	if c.Part == billing.PartInstance {
		c.GPU = gpuOf(it.InstanceSpec, "", billing.Decimal{}).Model
	}
	it.classify(&c)
	return c, nil
}

// classify says what sort of line it is. Spot has no word of its own in the bill, so that the mode of what is paid as it
// goes stays open.
func (it item) classify(c *billing.Charge) {
	switch {
	case it.Item == "SubscriptionOrder":
		c.ChargeCategory, c.ChargeFrequency, c.PricingCategory = "Purchase", "One-Time", "Committed"
	case it.Item == "Refund", it.Item == "Adjustment":
		c.ChargeCategory, c.ChargeFrequency = "Adjustment", "One-Time"
		if it.Item == "Refund" {
			c.ChargeClass = "Correction"
		}
	default:
		c.ChargeCategory, c.ChargeFrequency = "Usage", "Usage-Based"
	}
	c.ServiceCategory = map[billing.Part]string{billing.PartInstance: "Compute", billing.PartDisk: "Storage",
		billing.PartSnapshot: "Storage", billing.PartIP: "Networking", billing.PartBandwidth: "Networking"}[c.Part]
	if c.ServiceCategory == "" {
		c.ServiceCategory = "Other"
	}
	if it.SubscriptionType == "Subscription" {
		c.Mode = billing.ModeMonthly
	}
}

// part says to which part of the bill a line belongs, by its product, and within ECS and EIP by the item that is billed.
func (it item) part() billing.Part {
	what := strings.ToLower(it.BillingItemCode + " " + it.BillingItem)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(what, w) {
				return true
			}
		}
		return false
	}
	switch code := strings.ToLower(orID(it.CommodityCode, it.ProductCode)); {
	case strings.Contains(code, "yundisk"), strings.Contains(code, "disk"):
		return billing.PartDisk
	case strings.Contains(code, "snapshot"):
		return billing.PartSnapshot
	case strings.Contains(code, "cbwp"), strings.Contains(code, "bandwidth"):
		return billing.PartBandwidth
	case strings.Contains(code, "eip"):
		if has("bandwidth", "flow", "traffic") {
			return billing.PartBandwidth
		}
		return billing.PartIP
	case code == "ecs", strings.HasPrefix(code, "ecs_"), strings.HasPrefix(code, "ecs-"), strings.EqualFold(it.ProductCode, "ecs"):
		switch {
		case has("disk"):
			return billing.PartDisk
		case has("snapshot"):
			return billing.PartSnapshot
		case has("bandwidth", "flow", "traffic"):
			return billing.PartBandwidth
		}
		return billing.PartInstance
	}
	return billing.PartOther
}

// tags reads "key:owner value:alice; key:project value:llm".
func (it item) tags() map[string]string {
	var out map[string]string
	for pair := range strings.SplitSeq(it.Tag, "; ") {
		rest, ok := strings.CutPrefix(strings.TrimSpace(pair), "key:")
		if !ok {
			continue
		}
		k, v, _ := strings.Cut(rest, " value:")
		if out == nil {
			out = map[string]string{}
		}
		out[k] = v
	}
	return out
}

func tagsJSON(tags map[string]string) string {
	if len(tags) == 0 {
		return ""
	}
	b, err := json.Marshal(tags)
	if err != nil {
		return ""
	}
	return string(b)
}
