package vast

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// day is the length of a line of the bill.
const day = 24 * time.Hour

// unsettled is how many of the newest complete days are taken to be open to change. Vast.ai does not say; this is ours.
const unsettled = 1

// Charges reads the bill a day at a time, for Vast.ai gives one sum a contract over the whole window that it is asked
// for. The day that is running is left out: its amounts are not those of a day yet.
func (a *account) Charges(ctx context.Context, p billing.Period) iter.Seq2[billing.Charge, error] {
	return func(yield func(billing.Charge, error) bool) {
		first := p.Start.UTC().Truncate(day)
		if first.Before(p.Start) {
			first = first.Add(day) // that day's line belongs to the period before
		}
		today := a.now().UTC().Truncate(day)
		for d := first; d.Before(p.End) && d.Before(today); d = d.Add(day) {
			for c, err := range a.api.charges(ctx, billing.Period{Start: d, End: d.Add(day)}) {
				if !yield(c, err) || err != nil {
					return
				}
			}
		}
	}
}

// Billed says how far the bill goes: to the last midnight in UTC.
func (a *account) Billed(_ context.Context, p billing.Period) (billing.Coverage, error) {
	c := billing.Coverage{Through: a.now().UTC().Truncate(day)}
	open := c.Through.Add(-unsettled * day)
	if p.End.Before(c.Through) {
		c.Through = p.End
	}
	if open.Before(p.End) {
		c.Provisional = open
	}
	return c, nil
}

// charges reads one day, all contracts of all types. The end of the filter is inclusive.
func (c *client) charges(ctx context.Context, d billing.Period) iter.Seq2[billing.Charge, error] {
	const op = "vast: read charges"
	q := url.Values{
		"select_filters": {fmt.Sprintf(`{"day":{"gte":%d,"lte":%d}}`, d.Start.Unix(), d.End.Unix()-1)},
		"format":         {"table"},
		"limit":          {strconv.Itoa(chargesAPage)},
	}
	rows := walk(ctx, c, op, "/api/v0/charges/", q, func() *chargePage { return &chargePage{} },
		func(p *chargePage) (*[]charge, cursor) { return p.Results, cursor{p.Next, p.Total} })
	return func(yield func(billing.Charge, error) bool) {
		for row, err := range rows {
			var lines []billing.Charge
			if err == nil {
				lines, err = row.lines(op, d)
			}
			if err != nil {
				yield(billing.Charge{}, err)
				return
			}
			for _, line := range lines {
				if !yield(line, nil) {
					return
				}
			}
		}
	}
}

// lines makes one line an item, and one more for what the items leave of the sum. Costs are positive here; it is the
// list of invoices, which nobody reads, whose signs turn.
func (r charge) lines(op string, d billing.Period) ([]billing.Charge, error) {
	rest, err := httpx.Money(r.Amount, usd)
	if err != nil || !rest.Known() {
		return nil, garbled(op, "a row without its amount")
	}
	var out []billing.Charge
	for _, item := range r.Items {
		m, err := httpx.Money(item.Amount, usd)
		if err != nil {
			return nil, garbled(op, "an item with an amount that is no number")
		}
		if !m.Known() || m.Sign() == 0 {
			continue
		}
		if rest, err = rest.Sub(m); err != nil {
			return nil, garbled(op, "a row with an amount beyond reckoning")
		}
		line := r.line(d, m, item.Type, part(item.Type))
		line.ChargeDescription = item.Description
		measure(&line, item.Description)
		out = append(out, line)
	}
	if !rounding(rest, len(out)) {
		line := r.line(d, rest, "", billing.PartOther)
		if r.Type == "volume" {
			line.Part = billing.PartDisk
		}
		line.ChargeDescription = r.Description
		out = append(out, line)
	}
	return out, nil
}

// rounding says that a rest is no money: Vast.ai rounds the sum to three decimals, and items may be rounded likewise.
func rounding(rest billing.Money, items int) bool {
	size, err := rest.Abs()
	if err != nil {
		return false
	}
	most := billing.ZeroMoney(usd)
	if items > 0 {
		most = billing.MustMoney(strconv.FormatFloat(0.0005*float64(items+1), 'f', 4, 64), usd)
	}
	c, err := size.Cmp(most)
	return err == nil && c <= 0
}

func part(item string) billing.Part {
	switch item {
	case "gpu":
		return billing.PartInstance
	case "disk":
		return billing.PartDisk
	case "bwd", "bwu": // bytes down and up, billed in any state and in no rate by the hour
		return billing.PartBandwidth
	}
	return billing.PartOther
}

// measured matches how Vast.ai describes an item, as in its example: "96.000 hours at $0.389/hour".
var measured = regexp.MustCompile(`^([0-9.]+) ([A-Za-z-]+) at \$([0-9.]+)/`)

// measure reads quantity and price out of a description of the known form.
func measure(line *billing.Charge, text string) {
	m := measured.FindStringSubmatch(text)
	if m == nil {
		return
	}
	quantity, err1 := billing.ParseDecimal(m[1])
	price, err2 := billing.ParseDecimal(m[3])
	if err1 == nil && err2 == nil {
		line.PricingQuantity, line.PricingUnit, line.ContractedUnitPrice = quantity, m[2], price
	}
}

// line is a charge over the day that was asked for: the row's own dates are the contract's.
func (r charge) line(d billing.Period, m billing.Money, meter string, part billing.Part) billing.Charge {
	month := time.Date(d.Start.Year(), d.Start.Month(), 1, 0, 0, 0, 0, time.UTC)
	_, id, _ := strings.Cut(r.Source, "-")
	c := billing.Charge{
		Provider:        "Vast.ai",
		Publisher:       "Vast.ai",
		InvoiceIssuer:   "Vast.ai",
		BillingPeriod:   billing.Period{Start: month, End: month.AddDate(0, 1, 0)},
		ChargePeriod:    d,
		BilledCost:      m,
		ChargeCategory:  "Usage",
		ChargeFrequency: "Usage-Based",
		PricingCurrency: string(usd),
		ResourceID:      id,
		ResourceName:    r.Metadata.Label,
		ResourceType:    "Instance",
		ServiceCategory: "Compute",
		ServiceName:     "Instances",
		SkuMeter:        meter,
		Part:            part,
	}
	switch r.Type {
	case "volume":
		c.ResourceType, c.ServiceCategory, c.ServiceName = "Volume", "Storage", "Volumes"
	case "serverless":
		c.ResourceType, c.ServiceName = "Serverless endpoint", "Serverless"
	}
	return c
}
