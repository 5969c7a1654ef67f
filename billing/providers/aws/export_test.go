package aws

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
)

// fakeBucket is S3 as far as an export is read: two objects a page of a listing.
type fakeBucket struct {
	objects map[string]fakeObject
	asked   []string
	short   bool
}

type fakeObject struct {
	body string
	at   time.Time
	etag string
}

func (f *fakeBucket) put(key, body, at string) {
	when, _ := time.Parse(time.RFC3339, at)
	f.objects[key] = fakeObject{body, when, fmt.Sprintf(`"%x-%s"`, len(body), at)}
}

func (f *fakeBucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, "/bills/")
	if !ok || !strings.Contains(r.Header.Get("Authorization"), "/us-east-1/s3/aws4_request") || r.Header.Get("X-Amz-Content-Sha256") == "" || r.Method != http.MethodGet {
		w.WriteHeader(403)
		_, _ = io.WriteString(w, `<Error><Code>AccessDenied</Code></Error>`)
		return
	}
	f.asked = append(f.asked, r.URL.RequestURI())
	if path == "" {
		f.list(w, r)
		return
	}
	o, ok := f.objects[path]
	var from, to int
	_, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to)
	switch {
	case !ok:
		w.WriteHeader(404)
		_, _ = io.WriteString(w, `<Error><Code>NoSuchKey</Code></Error>`)
	case r.Header.Get("If-Match") != o.etag || err != nil || to >= len(o.body):
		w.WriteHeader(412)
		_, _ = io.WriteString(w, `<Error><Code>PreconditionFailed</Code></Error>`)
	default:
		if f.short && strings.HasSuffix(path, ".gz") {
			to--
		}
		w.WriteHeader(206)
		_, _ = io.WriteString(w, o.body[from:to+1])
	}
}

func (f *fakeBucket) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var keys []string
	for _, k := range slices.Sorted(maps.Keys(f.objects)) {
		if strings.HasPrefix(k, q.Get("prefix")) {
			keys = append(keys, k)
		}
	}
	from, _ := strconv.Atoi(q.Get("continuation-token"))
	keys = keys[min(from, len(keys)):]
	next := ""
	if len(keys) > 2 {
		keys, next = keys[:2], "<NextContinuationToken>"+strconv.Itoa(from+2)+"</NextContinuationToken>"
	}
	fmt.Fprintf(w, `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>%t</IsTruncated>%s`, next != "", next)
	for _, k := range keys {
		o := f.objects[k]
		fmt.Fprintf(w, `<Contents><Key>%s</Key><LastModified>%s</LastModified><ETag>%s</ETag><Size>%d</Size></Contents>`, k,
			o.at.Format("2006-01-02T15:04:05.000Z"), strings.ReplaceAll(o.etag, `"`, "&quot;"), len(o.body))
	}
	_, _ = io.WriteString(w, `</ListBucketResult>`)
}

const exportFolder = "cost/daily/"

// bill makes a file of an export, one line a cost, each on its own day of the month.
func bill(month string, costs ...string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprintln(z, "BilledCost,BillingCurrency,BillingPeriodStart,BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ChargeDescription,ProviderName,ServiceName,ServiceCategory,BillingAccountId,EffectiveCost,ListCost,ContractedCost,RegionId,Tags")
	start, _ := time.Parse("2006-01", month)
	for i, cost := range costs {
		day := start.AddDate(0, 0, i)
		fmt.Fprintf(z, "%s,USD,%s,%s,%s,%s,Usage,p4d,AWS,Amazon Elastic Compute Cloud,Compute,123456789012,%s,%s,%s,\"\",{}\n", cost,
			start.Format(time.RFC3339), start.AddDate(0, 1, 0).Format(time.RFC3339), day.Format("2006-01-02T15:04:05.000Z"), day.Add(time.Hour).Format("2006-01-02T15:04:05.000Z"), cost, cost, cost)
	}
	_ = z.Close()
	return b.String()
}

func (f *fakeBucket) deliver(month, at, part, body string) {
	data := exportFolder + "data/BILLING_PERIOD=" + month + "/" + part
	f.put(data, body, at)
	f.put(exportFolder+"metadata/BILLING_PERIOD="+month+"/daily-Manifest.json", `{"executionId":"e","dataFiles":["s3://bills/`+data+`"]}`, at)
}

func newBucket() *fakeBucket {
	f := &fakeBucket{objects: map[string]fakeObject{}}
	f.deliver("2026-10", "2026-11-05T04:00:00Z", "daily-00001.csv.gz", bill("2026-10", "1.25", "6.123E-7"))
	f.deliver("2026-11", "2026-11-29T04:00:00Z", "daily-00001.csv.gz", bill("2026-11", "10", "20", "30"))
	return f
}

func exportOver(t *testing.T, h http.Handler) *exported {
	t.Helper()
	return openOver(t, h, configured("focus_bucket", "bills", "focus_prefix", "/cost/", "focus_export", "daily", "region", "us-east-1")).(*exported)
}

func billOf(x *exported, from, to string) (string, error) {
	start, _ := time.Parse(time.DateOnly, from)
	end, _ := time.Parse(time.DateOnly, to)
	sum := billing.ZeroMoney(usd)
	for c, err := range x.Charges(context.Background(), billing.Period{Start: start, End: end}) {
		if err != nil {
			return "", err
		}
		if sum, err = sum.Add(c.BilledCost); err != nil {
			return "", err
		}
	}
	return sum.String(), nil
}

func TestExport(t *testing.T) {
	f := newBucket()
	x := exportOver(t, f)
	if got, err := billOf(x, "2026-10-01", "2026-12-01"); err != nil || got != "USD 61.2500006123" {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := billOf(x, "2026-11-02", "2026-11-03"); err != nil || got != "USD 20" {
		t.Errorf("one day: %s, %v", got, err)
	}
	of := billing.Period{Start: time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
	c, err := x.Billed(context.Background(), of)
	want := billing.Coverage{From: time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), Through: time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC),
		Provisional: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
	if err != nil || c != want {
		t.Errorf("covered %+v, %v", c, err)
	}
	if !slices.ContainsFunc(f.asked, func(s string) bool {
		return strings.HasPrefix(s, "/bills/cost/daily/data/BILLING_PERIOD%3D2026-11/")
	}) {
		t.Errorf("requests %v", f.asked)
	}
}

// Only what was delivered anew is read anew, and it replaces what was read: a month closed long ago, too.
func TestExportReplacesAMonth(t *testing.T) {
	f := newBucket()
	x := exportOver(t, f)
	gets := func() (n int) {
		for _, a := range f.asked {
			if strings.Contains(a, ".csv.gz") {
				n++
			}
		}
		return n
	}
	for range 3 {
		if _, err := billOf(x, "2026-10-01", "2026-12-01"); err != nil || gets() != 2 {
			t.Fatalf("%v, %d files read", err, gets())
		}
	}
	f.deliver("2026-10", "2026-11-28T04:00:00Z", "daily-00001.csv.gz", bill("2026-10", "2"))
	c, err := x.Billed(context.Background(), billing.Period{End: testNow()})
	if err != nil || !c.Provisional.Equal(time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("a month that was delivered anew: %+v, %v", c, err)
	}
	if got, err := billOf(x, "2026-10-01", "2026-12-01"); err != nil || got != "USD 62" || gets() != 3 {
		t.Errorf("%s, %v, %d files", got, err, gets())
	}
}

// Exports that overwrite nothing leave older deliveries beside the newest; the manifest says which counts.
func TestExportOldDeliveriesDoNotCountTwice(t *testing.T) {
	f := newBucket()
	data := exportFolder + "data/billing_period=2026-11/20261129-run2/daily-00001.csv.gz"
	f.put(data, bill("2026-11", "11"), "2026-11-29T08:00:00Z")
	f.put(exportFolder+"metadata/billing_period=2026-11/20261129-run2/daily-Manifest.json", `{"dataFiles":["s3://bills/`+data+`"]}`, "2026-11-29T08:00:00Z")
	if got, err := billOf(exportOver(t, f), "2026-11-01", "2026-12-01"); err != nil || got != "USD 11" {
		t.Errorf("%s, %v", got, err)
	}
}

// A month without a manifest is not delivered: neither the first morning of one, nor one before a hole, is a month of nothing.
func TestExportMonthNotDelivered(t *testing.T) {
	f := &fakeBucket{objects: map[string]fakeObject{}}
	x := exportOver(t, f)
	if _, err := x.Billed(context.Background(), billing.Period{End: testNow()}); billing.KindOf(err) != billing.Missing {
		t.Errorf("an empty bucket: %v", err)
	}
	f.deliver("2026-08", "2026-09-05T04:00:00Z", "daily-00001.csv.gz", bill("2026-08", "1"))
	f.deliver("2026-10", "2026-11-20T04:00:00Z", "daily-00001.csv.gz", bill("2026-10", "1"))
	c, err := x.Billed(context.Background(), billing.Period{End: testNow()})
	first := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	if err != nil || !c.Through.Equal(first) || !c.From.Equal(first.AddDate(0, -1, 0)) {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestExportThatIsNotWhole(t *testing.T) {
	for name, spoil := range map[string]func(f *fakeBucket){
		"a file is missing": func(f *fakeBucket) { delete(f.objects, exportFolder+"data/BILLING_PERIOD=2026-11/daily-00001.csv.gz") },
		"a file is short":   func(f *fakeBucket) { f.short = true },
		"a file is cut": func(f *fakeBucket) {
			b := bill("2026-11", "1")
			f.deliver("2026-11", "2026-11-29T05:00:00Z", "daily-00001.csv.gz", b[:len(b)-12])
		},
		"the manifest names none": func(f *fakeBucket) {
			f.put(exportFolder+"metadata/BILLING_PERIOD=2026-11/daily-Manifest.json", `{}`, "2026-11-29T05:00:00Z")
		},
		"a file of another bucket": func(f *fakeBucket) {
			f.put(exportFolder+"metadata/BILLING_PERIOD=2026-11/daily-Manifest.json", `{"dataFiles":["s3://other/x.csv.gz"]}`, "2026-11-29T05:00:00Z")
		},
		"Parquet": func(f *fakeBucket) {
			f.deliver("2026-11", "2026-11-29T05:00:00Z", "daily-00001.snappy.parquet", "PAR1")
		},
		"a line without its amount": func(f *fakeBucket) {
			f.deliver("2026-11", "2026-11-29T05:00:00Z", "daily-00001.csv.gz", bill("2026-11", "much"))
		},
	} {
		f := newBucket()
		spoil(f)
		if got, err := billOf(exportOver(t, f), "2026-11-01", "2026-12-01"); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestExportSettings(t *testing.T) {
	for _, tt := range [][]string{
		{"focus_bucket", "b/../x", "focus_export", "daily"}, {"focus_bucket", "bills"}, {"focus_export", "daily"},
		{"focus_bucket", "bills", "focus_export", "daily", "cost_explorer", "on"},
		{"focus_bucket", "bills", "focus_export", "daily", "focus_region", "us-east-1.evil.example"},
	} {
		if _, err := Driver().Open(configured(tt...), billing.Env{Now: testNow}); billing.KindOf(err) != billing.Invalid {
			t.Errorf("%v: %v, want Invalid", tt, err)
		}
	}
}

// A listing or a file that the key may not read names the permission.
func TestExportDenied(t *testing.T) {
	x := exportOver(t, answering(403, `<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>`))
	_, err := x.Billed(context.Background(), billing.Period{End: testNow()})
	if billing.KindOf(err) != billing.Denied || billing.SayOf(err).Args["permission"] != "s3:ListBucket" {
		t.Errorf("%v %v", err, billing.SayOf(err))
	}
}
