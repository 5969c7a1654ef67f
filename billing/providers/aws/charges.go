package aws

import (
	"context"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/costexplorer"
	"github.com/aws/aws-sdk-go-v2/service/costexplorer/types"

	"gpuspend/billing"
)

const (
	aDay = 24 * time.Hour
	// billKept is how long an answer serves: Cost Explorer is fresh once a day at least, and each page costs.
	billKept = 6 * time.Hour
	metric   = "UnblendedCost"
	quantity = "UsageQuantity"
)

// keptBill holds what Cost Explorer answered, by its days.
type keptBill struct {
	mu    sync.Mutex
	pages map[billing.Period]answered
}

type answered struct {
	at    time.Time
	lines []billing.Charge
}

// midnight is the first one at or after an instant, in UTC.
func midnight(t time.Time) time.Time {
	d := t.UTC().Truncate(aDay)
	if d.Before(t) {
		d = d.Add(aDay)
	}
	return d
}

// through is the day before which Cost Explorer has every line: it is refreshed once in 24 hours at least, so that
// yesterday may be half there.
func (p *payer) through() time.Time { return p.now().UTC().Truncate(aDay).Add(-aDay) }

// Billed says how far the bill goes. A month's figures change until it is closed some days into the next.
func (p *payer) Billed(_ context.Context, of billing.Period) (billing.Coverage, error) {
	c := billing.Coverage{Through: p.through()}
	if end := of.End.UTC(); end.Before(c.Through) {
		c.Through = end
	}
	closed := p.now().UTC().AddDate(0, 0, -7)
	c.Provisional = time.Date(closed.Year(), closed.Month(), 1, 0, 0, 0, 0, time.UTC)
	if c.Provisional.After(c.Through) {
		c.Provisional = c.Through
	}
	return c, nil
}

// Charges reads the bill by the day, service and usage type, credits and refunds left out: they hide what is spent.
// Every page costs, so that an answer serves for hours.
func (p *payer) Charges(ctx context.Context, of billing.Period) iter.Seq2[billing.Charge, error] {
	return func(yield func(billing.Charge, error) bool) {
		days := billing.Period{Start: midnight(of.Start), End: midnight(of.End)}
		if end := p.through(); days.End.After(end) {
			days.End = end
		}
		if !days.Start.Before(days.End) {
			return
		}
		lines, err := p.lines(ctx, days)
		if err != nil {
			yield(billing.Charge{}, err)
			return
		}
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	}
}

// lines reads some days, or gives what was read of them lately.
func (p *payer) lines(ctx context.Context, days billing.Period) ([]billing.Charge, error) {
	p.kept.mu.Lock()
	k, ok := p.kept.pages[days]
	p.kept.mu.Unlock()
	if ok && p.now().Sub(k.at) < billKept {
		return k.lines, nil
	}
	lines, err := p.read(ctx, days)
	if err != nil {
		return nil, err
	}
	p.kept.mu.Lock()
	defer p.kept.mu.Unlock()
	if len(p.kept.pages) > 4 || p.kept.pages == nil {
		p.kept.pages = map[billing.Period]answered{}
	}
	p.kept.pages[days] = answered{p.now(), lines}
	return lines, nil
}

func (p *payer) read(ctx context.Context, days billing.Period) ([]billing.Charge, error) {
	const op = "aws: read Cost Explorer"
	client := costexplorer.NewFromConfig(p.cfg, func(o *costexplorer.Options) { o.Region = home })
	group := func(key string) types.GroupDefinition {
		return types.GroupDefinition{Type: types.GroupDefinitionTypeDimension, Key: aws.String(key)}
	}
	results, err := walk(ctx, op, func(token *string) ([]types.ResultByTime, *string, error) {
		out, err := client.GetCostAndUsage(ctx, &costexplorer.GetCostAndUsageInput{
			TimePeriod:    &types.DateInterval{Start: aws.String(days.Start.Format(time.DateOnly)), End: aws.String(days.End.Format(time.DateOnly))},
			Granularity:   types.GranularityDaily,
			Metrics:       []string{metric, quantity},
			GroupBy:       []types.GroupDefinition{group(p.first()), group("USAGE_TYPE")},
			NextPageToken: token,
			Filter: &types.Expression{Not: &types.Expression{Dimensions: &types.DimensionValues{
				Key: types.DimensionRecordType, Values: []string{"Credit", "Refund"}}}},
		})
		if err != nil {
			return nil, nil, err
		}
		if out.ResultsByTime == nil {
			return nil, nil, garbled(op, "the answer lacks its days")
		}
		return out.ResultsByTime, out.NextPageToken, nil
	})
	if err != nil {
		return nil, err
	}
	var all []billing.Charge
	for _, r := range results {
		lines, err := day(op, r)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	return all, nil
}

// first is what the bill is divided by beside the usage type: Cost Explorer takes two. An organisation's is divided by the
// account that each line is for.
func (p *payer) first() string {
	if p.members.Listed {
		return "LINKED_ACCOUNT"
	}
	return "SERVICE"
}

// day makes lines of one day. Without groups the day's total is all there is.
func day(op string, r types.ResultByTime) ([]billing.Charge, error) {
	if r.TimePeriod == nil {
		return nil, garbled(op, "a day lacks its date")
	}
	from, err := time.Parse(time.DateOnly, aws.ToString(r.TimePeriod.Start))
	if err != nil {
		return nil, garbled(op, "a day's date is none")
	}
	groups := r.Groups
	if len(groups) == 0 && len(r.Total) > 0 {
		groups = []types.Group{{Keys: []string{"AWS", ""}, Metrics: r.Total}}
	}
	var lines []billing.Charge
	for _, g := range groups {
		cost, ok := g.Metrics[metric]
		if !ok || len(g.Keys) != 2 {
			return nil, garbled(op, "a group lacks its cost or its keys")
		}
		amount, err := money(cost)
		if err != nil {
			return nil, garbled(op, "a cost is no amount")
		}
		if amount.Sign() != 0 {
			lines = append(lines, line(from, g, amount))
		}
	}
	return lines, nil
}

func money(v types.MetricValue) (billing.Money, error) {
	c, err := billing.ParseCurrency(aws.ToString(v.Unit))
	if err != nil {
		return billing.Money{}, err
	}
	m, _, err := billing.ParseMoney(aws.ToString(v.Amount), c)
	return m, err
}

func line(from time.Time, g types.Group, amount billing.Money) billing.Charge {
	month := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, time.UTC)
	service, usage, member := g.Keys[0], g.Keys[1], ""
	if accountID(service) {
		service, member = "AWS", service
	}
	what := readUsage(service, usage)
	c := billing.Charge{
		Provider:          "AWS",
		Publisher:         "AWS",
		InvoiceIssuer:     "AWS",
		BillingPeriod:     billing.Period{Start: month, End: month.AddDate(0, 1, 0)},
		ChargePeriod:      billing.Period{Start: from, End: from.Add(aDay)},
		BilledCost:        amount,
		ChargeCategory:    "Usage",
		ChargeDescription: usage,
		ServiceName:       service,
		SubAccountID:      member,
		SkuMeter:          usage,
		Part:              what.part,
		Mode:              what.mode,
		GPU:               gpuOf(what.typ).Model,
	}
	if service == "Tax" {
		c.ChargeCategory = "Tax"
	}
	if q, ok := g.Metrics[quantity]; ok {
		if d, err := billing.ParseDecimal(aws.ToString(q.Amount)); err == nil && aws.ToString(q.Unit) != "N/A" {
			c.ConsumedQuantity, c.ConsumedUnit = d, aws.ToString(q.Unit)
		}
	}
	return c
}

// usageType is what a usage type says, such as "USE1-SpotUsage:p4d.24xlarge".
type usageType struct {
	part billing.Part
	mode billing.Mode
	typ  string
}

func readUsage(service, usage string) usageType {
	if service == "Tax" {
		return usageType{part: billing.PartOther}
	}
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(usage, w) {
				return true
			}
		}
		return false
	}
	_, typ, _ := strings.Cut(usage, ":")
	switch {
	case has("SpotUsage"):
		return usageType{billing.PartInstance, billing.ModeSpot, typ}
	case has("BoxUsage", "DedicatedUsage"):
		return usageType{billing.PartInstance, billing.ModeOnDemand, typ}
	case has("HeavyUsage", "Reservation", "UnusedBox", "CapacityBlock"):
		return usageType{billing.PartInstance, billing.ModeReserved, typ}
	case has("Snapshot"):
		return usageType{part: billing.PartSnapshot}
	case has("EBS:", "VolumeUsage", "FSx", "TimedStorage"):
		return usageType{part: billing.PartDisk}
	case has("PublicIPv4", "ElasticIP", "IdleAddress"):
		return usageType{part: billing.PartIP}
	case has("DataTransfer", "NatGateway", "-Bytes"):
		return usageType{part: billing.PartBandwidth}
	}
	return usageType{part: billing.PartOther}
}
