package huawei

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
)

// zone is the zone of Huawei's days and months.
func zone() *time.Location { return time.FixedZone("UTC+8", 8*60*60) }

// lag is how long after the end of a day its details may still come.
const lag = 24 * time.Hour

// settling is how long after its end a month may still be adjusted.
const settling = 4 * 24 * time.Hour

const readBill = "huawei: read bill"

// delivered is how far the bill goes: every day that ended 24 hours ago or longer.
func (a *account) delivered() time.Time { return day(a.now().Add(-lag)) }

// day is the beginning of the day, in Huawei's zone, that an instant lies in.
func day(t time.Time) time.Time {
	y, m, d := t.In(zone()).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone()).UTC()
}

func month(t time.Time) time.Time {
	y, m, _ := t.In(zone()).Date()
	return time.Date(y, m, 1, 0, 0, 0, 0, zone())
}

// Billed says how far the bill goes. What month-ends bring is dated back, so that a month stays open beyond its end.
func (a *account) Billed(_ context.Context, p billing.Period) (billing.Coverage, error) {
	through := a.delivered()
	if p.End.Before(through) {
		through = p.End
	}
	c := billing.Coverage{Through: through}
	if open := month(a.now().Add(-settling)).UTC(); open.Before(through) {
		c.Provisional = open
	}
	return c, nil
}

// Charges reads the bill day by day; a day belongs to the period that its beginning lies in. Days that are not wholly
// delivered yet are left out.
func (a *account) Charges(ctx context.Context, p billing.Period) iter.Seq2[billing.Charge, error] {
	if through := a.delivered(); through.Before(p.End) {
		p.End = through
	}
	return func(yield func(billing.Charge, error) bool) {
		first := day(p.Start)
		if first.Before(p.Start) {
			first = first.Add(24 * time.Hour)
		}
		for first.Before(p.End) {
			end := month(first).AddDate(0, 1, 0).UTC() // Huawei takes no span over two months
			if p.End.Before(end) {
				end = p.End
			}
			lines, err := a.bill(ctx, first, end)
			if err != nil {
				yield(billing.Charge{}, err)
				return
			}
			for _, c := range lines {
				if p.Contains(c.ChargePeriod.Start) && !yield(c, nil) {
					return
				}
			}
			first = end
		}
	}
}

// bill reads the days of one month from one on, up to and without an end.
func (a *account) bill(ctx context.Context, from, end time.Time) ([]billing.Charge, error) {
	currency, n := "", 0
	count := func(record) string { n++; return strconv.Itoa(n) } // two equal lines are two charges
	all, err := walk(readBill, true, count, func(at place) (*[]record, int, error) {
		var page billAnswer
		body := map[string]any{
			"cycle": from.In(zone()).Format("2006-01"), "statistic_type": 2, "query_type": "DAILY",
			"bill_cycle_begin": from.In(zone()).Format(time.DateOnly), "bill_cycle_end": end.Add(-time.Second).In(zone()).Format(time.DateOnly),
			"method":              "oneself", // without it the member accounts' lines come too
			"include_zero_record": false, "offset": at.items, "limit": 100,
		}
		k := call{op: readBill, service: bss, method: http.MethodPost, path: "/v2/bills/customer-bills/res-records/query", body: body, language: "en_US"}
		err := a.api.read(ctx, k, &page)
		if err == nil && page.Currency != "" {
			currency = page.Currency
		}
		list, total := counted(page.Records, page.Total)
		return list, total, err
	})
	if err != nil {
		return nil, err
	}
	out := make([]billing.Charge, len(all))
	for i, r := range all {
		if out[i], err = a.charge(r, currency); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// charge puts a line into our words. What is to be paid counts, whether cash, credit or coupons pay it.
func (a *account) charge(r record, currency string) (billing.Charge, error) {
	at, err := time.ParseInLocation(time.DateOnly, r.BillDate, zone())
	if err != nil {
		return billing.Charge{}, garbled(readBill, "a line without its day")
	}
	cost, err := a.money(r.Consumed, r.Measure, currency)
	if err != nil || !cost.Known() {
		return billing.Charge{}, garbled(readBill, "a line without its amount")
	}
	list, err := a.money(r.Official, r.Measure, currency)
	if err != nil {
		return billing.Charge{}, garbled(readBill, "a list price that cannot be read")
	}
	flavor := flavorOf(r)
	tags := billTags(r.Tag)
	c := billing.Charge{
		Provider: "Huawei Cloud", Publisher: "Huawei Cloud", InvoiceIssuer: "Huawei Cloud",
		BillingAccountID: r.Payer, SubAccountID: r.CustomerID, SubAccountName: r.Account,
		BillingPeriod:     billing.Period{Start: month(at).UTC(), End: month(at).AddDate(0, 1, 0).UTC()},
		ChargePeriod:      billing.Period{Start: at.UTC(), End: at.AddDate(0, 0, 1).UTC()},
		BilledCost:        cost,
		EffectiveCost:     cost,
		ListCost:          list,
		ChargeCategory:    category(r.BillType, r.ChargeMode),
		ChargeDescription: r.Spec,
		PricingCurrency:   string(cost.Currency()),
		ResourceID:        r.ResourceID,
		ResourceName:      r.ResourceName,
		ResourceType:      r.ResourceType,
		RegionID:          r.Region,
		RegionName:        r.RegionName,
		ServiceName:       r.ServiceName,
		SkuID:             r.SKU,
		Part:              partOf(r.ResourceType),
		GPU:               modelOf(flavor),
		Mode:              modeOf(r.ChargeMode),
		Owner:             named(tags, "owner"),
		Project:           cmp.Or(named(tags, "project"), a.enterprise.call(r.Enterprise, r.EnterpriseOf)),
	}
	if c.ServiceName == "" {
		c.ServiceName = r.Service
	}
	if len(tags) > 0 {
		text, err := json.Marshal(tags)
		if err != nil {
			return billing.Charge{}, garbled(readBill, "tags that cannot be written")
		}
		c.Tags = string(text)
	}
	return c, nil
}

// billTags takes "key=value;key=value" apart.
func billTags(s string) map[string]string {
	if s == "" {
		return nil
	}
	return pairs(strings.FieldsFunc(s, func(r rune) bool { return r == ';' || r == ',' }), "=")
}

// flavorOf finds the flavor of a machine's line: "P2S.2XLARGE.8.LINUX" is the SKU of "p2s.2xlarge.8".
func flavorOf(r record) string {
	if r.ResourceType != typeVM {
		return ""
	}
	sku := strings.ToLower(r.SKU)
	for _, end := range []string{".linux", ".win", ".windows"} {
		sku = strings.TrimSuffix(sku, end)
	}
	return sku
}

// category is FOCUS's word for a bill type: 5, 12 and 23 are use; 4, 20 and 24 give back; 9, 16 and 25 adjust; what is left
// buys: orders, renewals, and what is paid by the month or year.
func category(billType, chargeMode json.Number) string {
	switch billType {
	case "5", "12", "23":
		return "Usage"
	case "4", "20", "24":
		return "Credit"
	case "9", "16", "25":
		return "Adjustment"
	case "3":
		if chargeMode == "3" {
			return "Usage"
		}
	}
	return "Purchase"
}

func partOf(resourceType string) billing.Part {
	switch {
	case resourceType == typeVM:
		return billing.PartInstance
	case resourceType == typeVolume:
		return billing.PartDisk
	case resourceType == typeIP:
		return billing.PartIP
	case strings.Contains(resourceType, "bandwidth"):
		return billing.PartBandwidth
	case strings.Contains(resourceType, "snapshot"), strings.Contains(resourceType, "image"), strings.Contains(resourceType, "backup"):
		return billing.PartSnapshot
	}
	return billing.PartOther
}

// modeOf reads the charge mode, a number here and text elsewhere. Spot machines are billed as pay-per-use.
func modeOf(chargeMode json.Number) billing.Mode {
	switch chargeMode {
	case "1":
		return billing.ModeMonthly
	case "3":
		return billing.ModeOnDemand
	case "10", "11":
		return billing.ModeReserved
	}
	return billing.ModeUnknown
}
