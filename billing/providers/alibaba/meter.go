package alibaba

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"time"

	"gpuspend/billing"
)

// The metrics of how busy cards are: per card, and per machine for accounts that are refused the first.
const (
	perCard    = "gpu_gpu_usedutilization"
	perMachine = "instance_gpu_gpu_usedutilization"
)

// Alibaba's limits of one question about metrics.
const (
	machinesPerQuestion = 50
	pointsPerPage       = "1440"
	oldestMetric        = 31 * day
)

// Utilisation reads how busy the cards of running machines were. No points means that nobody knows: CloudMonitor's agent
// and the driver may be missing.
func (a *account) Utilisation(ctx context.Context, p billing.Period) iter.Seq2[billing.Sample, error] {
	return func(yield func(billing.Sample, error) bool) {
		now := a.now()
		p.End = earlier(p.End, now)
		if oldest := now.Add(-oldestMetric); p.Start.Before(oldest) {
			p.Start = oldest
		}
		if !p.Start.Before(p.End) {
			return
		}
		regions, err := a.allRegions(ctx)
		if err != nil {
			yield(billing.Sample{}, err)
			return
		}
		for _, region := range regions {
			samples, err := a.regionSamples(ctx, region, p)
			if err != nil {
				yield(billing.Sample{}, err)
				return
			}
			for _, s := range samples {
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}

func (a *account) regionSamples(ctx context.Context, region string, p billing.Period) ([]billing.Sample, error) {
	list, err := a.instances(ctx, region)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, i := range list {
		if i.hasGPU() && i.Status == running && a.watches(i) {
			ids = append(ids, i.ID)
		}
	}
	var out []billing.Sample
	for part := range slices.Chunk(ids, machinesPerQuestion) {
		points, err := a.api.metric(ctx, region, perCard, part, p)
		if billing.KindOf(err) == billing.Denied {
			points, err = a.api.metric(ctx, region, perMachine, part, p)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, samples(region, points, period(p))...)
	}
	return out, nil
}

// period is the distance of points that keeps an answer small.
func period(p billing.Period) time.Duration {
	switch {
	case p.Duration() <= 2*time.Hour:
		return time.Minute
	case p.Duration() <= 2*day:
		return 15 * time.Minute
	}
	return time.Hour
}

func (c *client) metric(ctx context.Context, region, name string, ids []string, p billing.Period) ([]datapoint, error) {
	type dimension struct {
		ID string `json:"instanceId"`
	}
	var of []dimension
	for _, id := range ids {
		of = append(of, dimension{id})
	}
	dimensions, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	ms := func(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }
	k := call{op: "alibaba: read GPU metrics", of: cms(), region: region, action: "DescribeMetricList", query: params(
		"Namespace", "acs_ecs_dashboard", "MetricName", name, "Dimensions", string(dimensions),
		"Period", strconv.Itoa(int(period(p).Seconds())), "StartTime", ms(p.Start), "EndTime", ms(p.End), "Length", pointsPerPage)}
	return all(walk(ctx, c, k, func(page *metricsAnswer) (*[]datapoint, string) {
		points := []datapoint{}
		if page.Datapoints == nil {
			return nil, ""
		}
		if *page.Datapoints != "" && json.Unmarshal([]byte(*page.Datapoints), &points) != nil {
			return nil, ""
		}
		return &points, page.NextToken
	}))
}

// samples puts the points of one instant together, the cards in their order.
func samples(region string, points []datapoint, covering time.Duration) []billing.Sample {
	slices.SortStableFunc(points, func(x, y datapoint) int {
		switch {
		case x.InstanceID != y.InstanceID:
			return compare(x.InstanceID < y.InstanceID)
		case x.Timestamp != y.Timestamp:
			return compare(x.Timestamp < y.Timestamp)
		case x.GPU != y.GPU:
			return compare(len(x.GPU) < len(y.GPU) || len(x.GPU) == len(y.GPU) && x.GPU < y.GPU)
		}
		return 0
	})
	var out []billing.Sample
	for _, p := range points {
		busy := decimal(p.Average)
		if !busy.Known() {
			continue
		}
		at := time.UnixMilli(p.Timestamp).UTC()
		if n := len(out) - 1; n < 0 || out[n].Ref.ID != p.InstanceID || !out[n].At.Equal(at) {
			out = append(out, billing.Sample{At: at, Covering: covering,
				Ref: billing.ResourceRef{Kind: billing.KindInstance, Region: region, ID: p.InstanceID}})
		}
		last := &out[len(out)-1]
		last.GPU = append(last.GPU, min(busy.Float64(), 100))
	}
	return out
}

func compare(less bool) int {
	if less {
		return -1
	}
	return 1
}
