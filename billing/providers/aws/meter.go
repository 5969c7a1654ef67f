package aws

import (
	"cmp"
	"context"
	"encoding/xml"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"gpuspend/billing"
)

// What CloudWatch's agent reports of each NVIDIA card, and what EC2 reports of each machine. Source: docGPU.
const (
	agentSpace  = "CWAgent"
	agentMetric = "nvidia_smi_utilization_gpu"
	ec2Space    = "AWS/EC2"
	cpuMetric   = "CPUUtilization"
)

// mostPoints is how many values CloudWatch gives in one answer.
const mostPoints = 1440

// series is one metric of one thing.
type series struct {
	Space      string      `xml:"Namespace"`
	Name       string      `xml:"MetricName"`
	Dimensions []dimension `xml:"Dimensions>member"`
}

type dimension struct {
	Name  string
	Value string
}

func (m series) of(name string) string {
	for _, d := range m.Dimensions {
		if d.Name == name {
			return d.Value
		}
	}
	return ""
}

// Utilisation gives how busy the cards of each running machine were, where CloudWatch's agent reports them with the
// machine's id; nothing otherwise, and nothing for a moment that one of its cards lacks: unknown is not idle. It asks
// GetMetricStatistics, a card a request: AWS charges nothing for the first million of them a month, but for each metric
// of GetMetricData.
func (a *account) Utilisation(ctx context.Context, p billing.Period) iter.Seq2[billing.Sample, error] {
	if now := a.now().UTC(); p.End.After(now) {
		p.End = now
	}
	return func(yield func(billing.Sample, error) bool) {
		regions, err := a.allRegions(ctx)
		for _, region := range regions {
			var samples []billing.Sample
			if samples, err = a.samples(ctx, region, p); err != nil {
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

// samples reads one region.
func (a *account) samples(ctx context.Context, region string, p billing.Period) ([]billing.Sample, error) {
	if !p.End.After(p.Start) {
		return nil, nil
	}
	machines, err := a.instances(ctx, "aws: list instances", region, nil)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{} // running machines with cards, and how many; 0 where that is not known
	for _, i := range machines {
		if stateOf(i) == billing.StateRunning && hasGPU(string(i.InstanceType)) {
			counts[aws.ToString(i.InstanceId)] = int(gpuOf(string(i.InstanceType)).Count.Float64())
		}
	}
	if len(counts) == 0 {
		return nil, nil
	}
	cards, err := a.cards(ctx, region, counts)
	if err != nil {
		return nil, err
	}
	var out []billing.Sample
	for _, id := range slices.Sorted(maps.Keys(cards)) {
		some, err := a.measure(ctx, region, id, cards[id], p)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

// cards lists the series of the machines' cards, in the order of the cards. A machine of which some card does not report
// is left out, and so is one whose agent adds values up over cards.
func (a *account) cards(ctx context.Context, region string, counts map[string]int) (map[string][]series, error) {
	const op = "aws: list metrics"
	all, err := walk(ctx, op, func(token *string) ([]series, *string, error) {
		q := url.Values{"Namespace": {agentSpace}, "MetricName": {agentMetric}}
		if token != nil {
			q.Set("NextToken", *token)
		}
		var out struct {
			Metrics []series `xml:"ListMetricsResult>Metrics>member"`
			Next    string   `xml:"ListMetricsResult>NextToken"`
		}
		err := a.askCloudWatch(ctx, op, region, "ListMetrics", q, &out)
		return out.Metrics, aws.String(out.Next), err
	})
	if err != nil {
		return nil, err
	}
	found := map[string][]series{}
	for _, m := range all {
		id := m.of("InstanceId")
		if _, ok := counts[id]; ok && m.of("index") != "" {
			found[id] = append(found[id], m)
		}
	}
	for id, of := range found {
		slices.SortFunc(of, func(x, y series) int {
			n, _ := strconv.Atoi(x.of("index"))
			m, _ := strconv.Atoi(y.of("index"))
			return cmp.Compare(n, m)
		})
		if n := counts[id]; n > 0 && n != len(of) || twice(of) {
			delete(found, id)
		}
	}
	return found, nil
}

// twice says that a card reports under two names, as it does after its machine's image or type was changed.
func twice(cards []series) bool {
	for i := range cards[1:] {
		if cards[i].of("index") == cards[i+1].of("index") {
			return true
		}
	}
	return false
}

// grain is how fine values are asked for: CloudWatch keeps minutes for 15 days, five minutes for 63, then hours.
func grain(span, age time.Duration) time.Duration {
	switch {
	case age > 63*24*time.Hour, span > mostPoints*5*time.Minute:
		return time.Hour
	}
	return 5 * time.Minute
}

// measure puts the values of one machine's cards together, moment by moment.
func (a *account) measure(ctx context.Context, region, id string, cards []series, p billing.Period) ([]billing.Sample, error) {
	step := grain(p.Duration(), a.now().Sub(p.Start))
	cpu, err := a.values(ctx, region, series{ec2Space, cpuMetric, []dimension{{"InstanceId", id}}}, p, step)
	if err != nil {
		return nil, err
	}
	var each []map[time.Time]float64
	for _, c := range cards {
		v, err := a.values(ctx, region, c, p, step)
		if err != nil {
			return nil, err
		}
		each = append(each, v)
	}
	var out []billing.Sample
	for _, at := range slices.SortedFunc(maps.Keys(each[0]), time.Time.Compare) {
		s := billing.Sample{Ref: billing.ResourceRef{Kind: billing.KindInstance, Region: region, ID: id}, At: at, Covering: step, CPU: cpu[at]}
		for _, v := range each {
			if busy, ok := v[at]; ok {
				s.GPU = append(s.GPU, busy)
			}
		}
		if len(s.GPU) == len(cards) {
			out = append(out, s)
		}
	}
	return out, nil
}

// values reads the averages of one series, in percent, by the moment at which each step begins. They come in no order.
func (a *account) values(ctx context.Context, region string, m series, p billing.Period, step time.Duration) (map[time.Time]float64, error) {
	const op = "aws: read metrics"
	q := url.Values{"Namespace": {m.Space}, "MetricName": {m.Name}, "Statistics.member.1": {"Average"}, "Unit": {"Percent"},
		"StartTime": {p.Start.UTC().Format(time.RFC3339)}, "EndTime": {p.End.UTC().Format(time.RFC3339)},
		"Period": {strconv.Itoa(int(step.Seconds()))}}
	for i, d := range m.Dimensions {
		at := "Dimensions.member." + strconv.Itoa(i+1)
		q.Set(at+".Name", d.Name)
		q.Set(at+".Value", d.Value)
	}
	var out struct {
		Points []struct {
			Timestamp time.Time
			Average   string
		} `xml:"GetMetricStatisticsResult>Datapoints>member"`
	}
	if err := a.askCloudWatch(ctx, op, region, "GetMetricStatistics", q, &out); err != nil {
		return nil, failed(ctx, op, err)
	}
	values := map[time.Time]float64{}
	for _, point := range out.Points {
		if v, err := strconv.ParseFloat(point.Average, 64); err == nil && v >= 0 && v <= 100 && !point.Timestamp.IsZero() {
			values[point.Timestamp.UTC()] = v
		}
	}
	return values, nil
}

// askCloudWatch sends a question of the query protocol and decodes its XML.
func (a *account) askCloudWatch(ctx context.Context, op, region, action string, q url.Values, out any) error {
	q.Set("Action", action)
	q.Set("Version", "2010-08-01")
	host := "monitoring." + region + ".amazonaws.com"
	if strings.HasPrefix(region, "cn-") {
		host += ".cn"
	}
	answer, err := a.ask(ctx, asked{service: watchService, action: action, signing: "monitoring", region: region, method: http.MethodPost, host: host,
		path: "/", headers: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, body: []byte(q.Encode())})
	if err != nil {
		return err
	}
	if err := xml.Unmarshal(answer, out); err != nil {
		return garbled(op, "the answer is not of the documented form")
	}
	return nil
}
