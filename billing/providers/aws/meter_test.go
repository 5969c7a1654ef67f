package aws

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
)

// metrics answers CloudWatch's query protocol as documented: two pages of series, values in no order.
func (f *fake) metrics(w http.ResponseWriter, v url.Values) {
	result := func(body string) {
		fmt.Fprintf(w, `<%[1]sResponse xmlns="http://monitoring.amazonaws.com/doc/2010-08-01/"><%[1]sResult>%[2]s</%[1]sResult>`+
			`<ResponseMetadata><RequestId>r-1</RequestId></ResponseMetadata></%[1]sResponse>`, v.Get("Action"), body)
	}
	switch v.Get("Action") {
	case "ListMetrics":
		if f.looping || v.Get("NextToken") == "" {
			result(`<Metrics>` + seriesXML("i-idle", "0") + seriesXML("", "0") + seriesXML("i-gone", "0") + `</Metrics><NextToken>page2</NextToken>`)
			return
		}
		var all strings.Builder
		for card := range 8 {
			all.WriteString(seriesXML("i-train", fmt.Sprint(7-card)))
		}
		result(`<Metrics>` + all.String() + seriesXML("i-asg", "") + `</Metrics>`)
	case "GetMetricStatistics":
		end, err := time.Parse(time.RFC3339, v.Get("EndTime"))
		if err != nil || v.Get("Statistics.member.1") != "Average" || v.Get("Version") != "2010-08-01" {
			refuse(w, 400, "InvalidParameterValue")
			return
		}
		point := func(ago time.Duration, value string) string {
			return `<member><Timestamp>` + end.Add(-ago).Format(time.RFC3339) + `</Timestamp><Unit>Percent</Unit><Average>` + value + `</Average></member>`
		}
		busy := "3.5"
		switch {
		case v.Get("MetricName") == "CPUUtilization":
			busy = "12.25"
		case strings.Contains(v.Encode(), "i-train"):
			busy = "9" + v.Get("Dimensions.member.2.Value") // the card's index
		}
		values := point(5*time.Minute, busy)
		if v.Get("Dimensions.member.2.Value") != "7" {
			values += point(10*time.Minute, busy) // card 7 lacks this moment
		}
		result(`<Label>x</Label><Datapoints>` + values + `</Datapoints>`)
	default:
		refuse(w, 400, "InvalidAction")
	}
}

// seriesXML is a card's series; without id as of an agent that does not append it, without index as of one that adds up.
func seriesXML(id, index string) string {
	member := func(name, value string) string {
		if value == "" {
			return ""
		}
		return `<member><Name>` + name + `</Name><Value>` + value + `</Value></member>`
	}
	return `<member><Namespace>CWAgent</Namespace><MetricName>nvidia_smi_utilization_gpu</MetricName><Dimensions>` +
		member("InstanceId", id) + member("index", index) + member("arch", "Tesla") + `</Dimensions></member>`
}

func utilisationOver(t *testing.T, h http.Handler) ([]billing.Sample, error) {
	t.Helper()
	var out []billing.Sample
	now := testNow()
	for s, err := range openOver(t, h, configured("regions", "us-east-1")).(billing.Meter).Utilisation(context.Background(), billing.Period{Start: now.Add(-time.Hour), End: now}) {
		if err != nil {
			return out, err
		}
		out = append(out, s)
	}
	return out, nil
}

// Each card of a machine has its value, in the order of the cards, for the moments that all of them have. A machine that
// does not report each card by its own id is no sample: it is unknown, not idle.
func TestUtilisation(t *testing.T) {
	got, err := utilisationOver(t, newFake(testNow))
	if err != nil {
		t.Fatal(err)
	}
	at := func(ago time.Duration) time.Time { return testNow().UTC().Add(-ago) }
	want := []billing.Sample{
		{Ref: here(billing.KindInstance, "i-idle"), At: at(10 * time.Minute), GPU: []float64{3.5}, CPU: 12.25, Covering: 5 * time.Minute},
		{Ref: here(billing.KindInstance, "i-idle"), At: at(5 * time.Minute), GPU: []float64{3.5}, CPU: 12.25, Covering: 5 * time.Minute},
		{Ref: here(billing.KindInstance, "i-train"), At: at(5 * time.Minute), GPU: []float64{90, 91, 92, 93, 94, 95, 96, 97}, CPU: 12.25, Covering: 5 * time.Minute},
	}
	if !slices.EqualFunc(got, want, func(x, y billing.Sample) bool {
		return x.Ref == y.Ref && x.At.Equal(y.At) && slices.Equal(x.GPU, y.GPU) && x.CPU == y.CPU && x.Covering == y.Covering
	}) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// A machine of which a card reports twice or not at all is left out.
func TestUtilisationOfSomeCardsIsNone(t *testing.T) {
	for name, cards := range map[string][]string{"one of eight": {"0"}, "a card twice": {"0", "1", "2", "3", "4", "5", "6", "6"}} {
		f := newFake(testNow)
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if form(r).Get("Action") != "ListMetrics" {
				f.ServeHTTP(w, r)
				return
			}
			body := ""
			for _, c := range cards {
				body += seriesXML("i-train", c)
			}
			_, _ = io.WriteString(w, `<ListMetricsResponse><ListMetricsResult><Metrics>`+body+`</Metrics></ListMetricsResult></ListMetricsResponse>`)
		})
		if got, err := utilisationOver(t, h); err != nil || len(got) != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestUtilisationDenied(t *testing.T) {
	f := newFake(testNow)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if form(r).Get("Action") == "ListMetrics" {
			w.WriteHeader(403)
			_, _ = io.WriteString(w, `<ErrorResponse xmlns="http://monitoring.amazonaws.com/doc/2010-08-01/"><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>`)
			return
		}
		f.ServeHTTP(w, r)
	})
	_, err := utilisationOver(t, h)
	if billing.KindOf(err) != billing.Denied || billing.SayOf(err).Args["permission"] != "cloudwatch:ListMetrics" {
		t.Errorf("%v %v", err, billing.SayOf(err))
	}
}
