package runpod

import (
	"context"
	"encoding/json"
	"iter"
	"net/url"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// bucket is the length of a line of the bill.
const bucket = time.Hour

// unsettled is how many of the newest complete buckets RunPod may still change.
const unsettled = 2

// span is how much of the bill is asked for at once, so that no answer grows beyond reading.
const span = 7 * 24 * time.Hour

// ledger is one of RunPod's billing routes with how its records are read.
type ledger struct {
	path, service, category, kind string
	id                            func(r record) string
	lines                         []line
}

// line is one component of a record.
type line struct {
	meter string
	part  billing.Part
	of    func(r record) json.Number
}

// ledgers lists the routes whose records together make the account's bill.
func ledgers() []ledger {
	gpu := line{"gpu", billing.PartInstance, func(r record) json.Number { return r.GPU }}
	cpu := line{"cpu", billing.PartInstance, func(r record) json.Number { return r.CPU }}
	disk := line{"disk", billing.PartDisk, func(r record) json.Number { return r.Disk }}
	fee := line{"fee", billing.PartOther, func(r record) json.Number { return r.Fee }}
	net := line{"networking", billing.PartBandwidth, func(r record) json.Number { return r.Networking }}
	standard := line{"standard storage", billing.PartDisk, func(r record) json.Number { return r.Standard }}
	fast := line{"high-performance storage", billing.PartDisk, func(r record) json.Number { return r.HighPerformance }}
	return []ledger{
		{"/v2/billing/pods", "Pods", "Compute", "Pod", func(r record) string { return r.PodID }, []line{gpu, cpu, disk}},
		{"/v2/billing/network-volumes", "Network volumes", "Storage", "Network volume",
			func(r record) string { return r.NetworkVolumeID }, []line{standard, fast}},
		{"/v2/billing/serverless", "Serverless", "Compute", "Serverless endpoint",
			func(r record) string { return r.ServerlessID }, []line{gpu, cpu, disk, fee}},
		{"/v2/billing/clusters", "Instant Clusters", "Compute", "Cluster",
			func(r record) string { return r.ClusterID }, []line{gpu, disk, net}},
		{"/v2/billing/endpoints", "Public endpoints", "AI and Machine Learning", "",
			func(record) string { return "" }, nil},
	}
}

// Charges reads the bill hour by hour. The hour that is running is left out: its amounts are not those of an hour yet.
func (a *account) Charges(ctx context.Context, p billing.Period) iter.Seq2[billing.Charge, error] {
	p.End = earlier(p.End, a.now().UTC().Truncate(bucket))
	return func(yield func(billing.Charge, error) bool) {
		for _, l := range ledgers() {
			for from := p.Start; from.Before(p.End); from = from.Add(span) {
				part := billing.Period{Start: from, End: earlier(from.Add(span), p.End)}
				for c, err := range a.api.charges(ctx, l, part) {
					if !yield(c, err) || err != nil {
						return
					}
				}
			}
		}
	}
}

// Billed says how far the bill goes. RunPod books by the hour, soon after its end, and may correct the last two.
func (a *account) Billed(_ context.Context, p billing.Period) (billing.Coverage, error) {
	last := a.now().UTC().Truncate(bucket)
	c := billing.Coverage{Through: earlier(p.End, last)}
	if open := last.Add(-unsettled * bucket); open.Before(p.End) {
		c.Provisional = open
	}
	return c, nil
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// charges reads one route. RunPod widens the window to whole buckets, so that what lies outside is dropped here.
func (c *client) charges(ctx context.Context, l ledger, p billing.Period) iter.Seq2[billing.Charge, error] {
	op := "runpod: read " + l.path
	q := url.Values{
		"startTime":  {p.Start.UTC().Format(time.RFC3339)},
		"endTime":    {p.End.UTC().Format(time.RFC3339)},
		"bucketSize": {"hour"},
	}
	records := walk(ctx, c, op, l.path, q, func(p *recordPage) (*[]record, pagination) { return p.Records, p.Pagination })
	return func(yield func(billing.Charge, error) bool) {
		for r, err := range records {
			var lines []billing.Charge
			if err == nil {
				lines, err = l.charges(op, r, p)
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

// charges makes one line a component, and one more for what the components leave of the total.
func (l ledger) charges(op string, r record, p billing.Period) ([]billing.Charge, error) {
	at := billing.Period{Start: instant(r.StartTime), End: instant(r.EndTime)}
	if at.Start.IsZero() || !at.End.After(at.Start) {
		return nil, garbled(op, "a record without its period")
	}
	if !p.Contains(at.Start) {
		return nil, nil
	}
	rest, err := httpx.Money(r.Total, usd)
	if err != nil || !rest.Known() {
		return nil, garbled(op, "a record without its total")
	}
	var out []billing.Charge
	for _, line := range l.lines {
		m, err := httpx.Money(line.of(r), usd)
		if err != nil {
			return nil, garbled(op, "a record with an amount that is no number")
		}
		if !m.Known() || m.Sign() == 0 {
			continue
		}
		rest = known(rest.Sub(m)).Money
		out = append(out, l.charge(r, at, line.meter, line.part, m))
	}
	if !rest.Known() {
		return nil, garbled(op, "a record with an amount beyond reckoning")
	}
	if !noise(rest) {
		out = append(out, l.charge(r, at, "", billing.PartOther, rest))
	}
	return out, nil
}

// noise says that an amount is what is left when binary floating-point numbers are added up, and no money.
func noise(m billing.Money) bool {
	size, err := m.Abs()
	if err != nil {
		return false
	}
	c, err := size.Cmp(billing.MustMoney("0.000000001", usd))
	return err == nil && c < 0
}

func (l ledger) charge(r record, at billing.Period, meter string, part billing.Part, m billing.Money) billing.Charge {
	month := time.Date(at.Start.Year(), at.Start.Month(), 1, 0, 0, 0, 0, time.UTC)
	return billing.Charge{
		Provider:        "RunPod",
		Publisher:       "RunPod",
		InvoiceIssuer:   "RunPod",
		BillingPeriod:   billing.Period{Start: month, End: month.AddDate(0, 1, 0)},
		ChargePeriod:    at,
		BilledCost:      m,
		ChargeCategory:  "Usage",
		ChargeFrequency: "Usage-Based",
		PricingCurrency: string(usd),
		ResourceID:      l.id(r),
		ResourceType:    l.kind,
		ServiceCategory: l.category,
		ServiceName:     l.service,
		SkuMeter:        meter,
		Part:            part,
	}
}
