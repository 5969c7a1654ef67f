package huawei

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"time"

	"gpuspend/billing"
)

// agent is the namespace of what Cloud Eye's agent reports; the hypervisor's has no GPU.
const agent = "AGT.ECS"

// Metrics a request, and points an answer, that Cloud Eye takes.
const (
	mostMetrics = 500
	mostPoints  = 3000
)

// grain is how fine Cloud Eye keeps what lies so far apart and so far back: its answers are empty beyond.
func grain(span, age time.Duration) time.Duration {
	switch {
	case span <= 24*time.Hour && age <= 2*24*time.Hour:
		return 5 * time.Minute
	case span <= 3*24*time.Hour:
		return 20 * time.Minute
	case span <= 10*24*time.Hour:
		return time.Hour
	case span <= 30*24*time.Hour:
		return 4 * time.Hour
	}
	return 24 * time.Hour
}

// card is one GPU or NPU of a machine. Cloud Eye names it by a hash.
type card struct {
	ref    billing.ResourceRef
	metric metric
}

// Utilisation gives how busy the cards of each running machine were; nothing for a machine without agent or driver, and
// for a moment that one of its cards lacks: unknown is not idle.
func (a *account) Utilisation(ctx context.Context, p billing.Period) iter.Seq2[billing.Sample, error] {
	if now := a.now().UTC(); p.End.After(now) {
		p.End = now
	}
	return func(yield func(billing.Sample, error) bool) {
		projects, err := a.allProjects(ctx, 0)
		for _, in := range projects {
			var samples []billing.Sample
			if samples, err = a.samples(ctx, in, p); err != nil {
				break
			}
			for _, s := range samples {
				if !yield(s, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(billing.Sample{}, err)
		}
	}
}

func (a *account) samples(ctx context.Context, in project, p billing.Period) ([]billing.Sample, error) {
	servers, err := a.servers(ctx, in)
	if err != nil || !p.End.After(p.Start) {
		return nil, err
	}
	a.noteMachines(in, servers)
	var cards []card
	for _, s := range servers {
		if !s.accelerated() || s.Status != "ACTIVE" {
			continue
		}
		some, err := a.cards(ctx, in, s)
		if err != nil {
			return nil, err
		}
		cards = append(cards, some...)
	}
	return a.measure(ctx, in, cards, p)
}

// cards lists the cards of a machine that report to Cloud Eye, in a stable order.
func (a *account) cards(ctx context.Context, in project, s server) ([]card, error) {
	const op = "huawei: list cards"
	dim, name := "gpu", "gpu_usage_gpu"
	if len(s.Flavor.NPUs) > 0 || npu(s.Flavor.ID) {
		dim, name = "npu", "npu_util_rate_ai_core"
	}
	list, err := walk(op, false, func(d dimension) string { return d.Value }, func(at place) (*[]dimension, int, error) {
		var page dimensionsAnswer
		q := params("dim_name", dim, "offset", strconv.Itoa(at.items), "limit", "100")
		err := a.api.read(ctx, call{op: op, service: ces, in: in, path: "/v2/" + in.id + "/instances/" + escape(s.ID) + "/agent-dimensions", query: q}, &page)
		if err == nil && page.Dimensions == nil {
			page.Dimensions = &[]dimension{} // no agent
		}
		return page.Dimensions, page.Count, err
	})
	if billing.KindOf(err) == billing.Missing {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(x, y dimension) int { return cmp.Compare(x.Value, y.Value) })
	out := make([]card, len(list))
	for i, d := range list {
		out[i] = card{billing.ResourceRef{Kind: billing.KindInstance, Region: in.region, ID: s.ID},
			metric{agent, name, []dimension{{"instance_id", s.ID}, {dim, d.Value}}}}
	}
	return out, nil
}

// measure reads the values of some cards and puts together those of one machine and moment.
func (a *account) measure(ctx context.Context, in project, cards []card, p billing.Period) ([]billing.Sample, error) {
	step := grain(p.Duration(), a.now().Sub(p.Start))
	points := int(p.Duration()/step) + 2
	at := map[string]map[int64]float64{}
	batch := max(1, min(mostMetrics, mostPoints/points))
	for from := 0; from < len(cards); from += batch {
		if err := a.readMetrics(ctx, in, cards[from:min(from+batch, len(cards))], p, step, at); err != nil {
			return nil, err
		}
	}
	var out []billing.Sample
	for len(cards) > 0 {
		n := 1
		for n < len(cards) && cards[n].ref == cards[0].ref {
			n++
		}
		out = append(out, samplesOf(cards[:n], at, p, step)...)
		cards = cards[n:]
	}
	return out, nil
}

// readMetrics asks for the values of some cards. Values stand at the beginning of what they cover, so that the question
// begins one step earlier: without that the newest answer is empty.
func (a *account) readMetrics(ctx context.Context, in project, cards []card, p billing.Period, step time.Duration, at map[string]map[int64]float64) error {
	const op = "huawei: read metrics"
	metrics := make([]metric, len(cards))
	for i, c := range cards {
		metrics[i] = c.metric
	}
	body := map[string]any{"metrics": metrics, "from": p.Start.Add(-step).UnixMilli(), "to": p.End.UnixMilli(),
		"period": strconv.Itoa(int(step.Seconds())), "filter": "average"}
	var answer metricsAnswer
	k := call{op: op, service: ces, in: in, method: http.MethodPost, path: "/V1.0/" + in.id + "/batch-query-metric-data", body: body}
	if err := a.api.read(ctx, k, &answer); err != nil {
		return err
	}
	if answer.Metrics == nil {
		return garbled(op, "the answer lacks its metrics")
	}
	for _, m := range *answer.Metrics {
		values := map[int64]float64{}
		for _, point := range m.Points {
			if d := decimal(point.Average); d.Known() && d.Float64() <= 100 {
				values[point.At] = d.Float64()
			}
		}
		at[m.key()] = values
	}
	return nil
}

// key names a metric whatever the order of its dimensions.
func (m metric) key() string {
	key := m.Name
	for _, name := range []string{"instance_id", "gpu", "npu"} {
		for _, d := range m.Dimensions {
			if d.Name == name {
				key += "/" + d.Value
			}
		}
	}
	return key
}

// samplesOf makes the samples of one machine: moments that all of its cards have.
func samplesOf(cards []card, at map[string]map[int64]float64, p billing.Period, step time.Duration) []billing.Sample {
	var moments []int64
	for ms := range at[cards[0].metric.key()] {
		moments = append(moments, ms)
	}
	slices.Sort(moments)
	var out []billing.Sample
	for _, ms := range moments {
		s := billing.Sample{Ref: cards[0].ref, At: time.UnixMilli(ms).UTC(), Covering: step}
		for _, c := range cards {
			if v, ok := at[c.metric.key()][ms]; ok {
				s.GPU = append(s.GPU, v)
			}
		}
		if len(s.GPU) == len(cards) && s.At.Before(p.End) && s.At.Add(step).After(p.Start) {
			out = append(out, s)
		}
	}
	return out
}
