package aws

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"gpuspend/billing"
)

// Every question is asked as AWS documents it: host, method, path, query, version or target, and body.
func TestRequestForms(t *testing.T) {
	got := map[string]string{}
	f := newFake(testNow)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		action := r.Header.Get("X-Amz-Target")
		if action == "" {
			action = form(r).Get("Action")
		}
		if action == "" {
			action = r.URL.Path
		}
		if _, ok := got[action]; !ok {
			got[action] = r.Method + " " + r.Host + r.URL.RequestURI() + " " + r.Header.Get("Content-Type") + " " + string(body)
		}
		f.ServeHTTP(w, r)
	})
	c := configured("regions", "us-east-1", "focus_bucket", "bills", "focus_export", "daily", "focus_prefix", "cost")
	c.BaseURL, c.Write = "", true
	p := openOver(t, h, c)
	_, _ = p.(billing.Balancer).Balance(context.Background())
	for range p.(billing.Committer).Commitments(context.Background()) {
	}
	_, _ = list(p, billing.KindInstance, "us-east-1")
	_, _ = p.(billing.Charger).Billed(context.Background(), billing.Period{End: testNow()})
	for range p.(billing.Meter).Utilisation(context.Background(), billing.Period{Start: testNow().Add(-time.Hour), End: testNow()}) {
	}
	_, _ = p.(billing.Releaser).Release(context.Background(), billing.Act{Verb: billing.VerbDelete, Ref: here(billing.KindImage, "ami-base")})
	const query = " application/x-www-form-urlencoded "
	for action, want := range map[string]string{
		"AWSBilling.GetCredits":                   `POST billing.us-east-1.api.aws/ application/x-amz-json-1.0 {"accountId":"123456789012","startDate":1764460800}`,
		"AWSBudgetServiceGateway.DescribeBudgets": `POST budgets.amazonaws.com/ application/x-amz-json-1.1 {"AccountId":"123456789012","MaxResults":100}`,
		"/DescribeSavingsPlans":                   `POST savingsplans.amazonaws.com/DescribeSavingsPlans application/json {"maxResults":100,"states":["active","queued","payment-pending"]}`,
		"/bills/":                                 `GET s3.us-east-1.amazonaws.com/bills/?list-type=2&prefix=cost%2Fdaily%2Fmetadata%2F  `,
		"GetCallerIdentity":                       `POST sts.us-east-1.amazonaws.com/` + query + `Action=GetCallerIdentity&Version=2011-06-15`,
		"DescribeInstances":                       `POST ec2.us-east-1.amazonaws.com/` + query + `Action=DescribeInstances&MaxResults=1000&Version=2016-11-15`,
		"DescribeReservedInstances":               `POST ec2.us-east-1.amazonaws.com/` + query + `Action=DescribeReservedInstances&Version=2016-11-15`,
		"DescribeCapacityReservations":            `POST ec2.us-east-1.amazonaws.com/` + query + `Action=DescribeCapacityReservations&MaxResults=1000&Version=2016-11-15`,
		"ListMetrics":                             `POST monitoring.us-east-1.amazonaws.com/` + query + `Action=ListMetrics&MetricName=nvidia_smi_utilization_gpu&Namespace=CWAgent&Version=2010-08-01`,
		"GetMetricStatistics": `POST monitoring.us-east-1.amazonaws.com/` + query + `Action=GetMetricStatistics&Dimensions.member.1.Name=InstanceId&Dimensions.member.1.Value=i-idle` +
			`&EndTime=2026-11-29T10%3A30%3A00Z&MetricName=CPUUtilization&Namespace=AWS%2FEC2&Period=300&StartTime=2026-11-29T09%3A30%3A00Z&Statistics.member.1=Average&Unit=Percent&Version=2010-08-01`,
		"DeregisterImage": `POST ec2.us-east-1.amazonaws.com/` + query + `Action=DeregisterImage&DryRun=false&ImageId=ami-base&Version=2016-11-15`, // its snapshots stay
	} {
		if got[action] != want {
			t.Errorf("%s is asked as\n%s, want\n%s", action, got[action], want)
		}
	}
}

// What lies in the recycle bin costs on and can come back: it is not gone.
func TestSnapshotInTheRecycleBinIsRecoverable(t *testing.T) {
	for _, s := range []ec2types.SnapshotState{"recoverable", "recovering"} {
		r := snapshotResource("us-east-1", ec2types.Snapshot{State: s})
		if r.State != billing.StateRecoverable || r.Billed != billing.Yes {
			t.Errorf("%s: %s, billed %d", s, r.State, r.Billed)
		}
	}
}

// A credit for something else, or one that is switched off, keeps no machine running.
func TestCreditForOtherProductsIsNoRunway(t *testing.T) {
	for name, want := range map[string]bool{"Amazon Elastic Compute Cloud": true, "Amazon EC2": true, "AWS Elemental MediaLive": false, "Amazon S3": false} {
		if paysForEC2([]string{name}) != want {
			t.Errorf("%s pays for machines: %t", name, !want)
		}
	}
	if !paysForEC2(nil) {
		t.Error("a credit that names no products is good for all")
	}
}
