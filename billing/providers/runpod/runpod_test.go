package runpod

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

func testNow() time.Time { return time.Date(2026, 6, 3, 10, 30, 0, 0, time.UTC) }

// over opens an account over a fixture server.
func over(t *testing.T, s *fixture.Server, write bool) *account {
	t.Helper()
	p, err := Driver().Open(
		billing.Config{Account: "test", Fields: map[string]billing.Secret{"api_key": billing.NewSecret(fakeKey)}, Write: write},
		billing.Env{Transport: s, Now: testNow})
	if err != nil {
		t.Fatal(err)
	}
	return p.(*account)
}

func get(s *fixture.Server, path string, query ...string) *fixture.Route {
	return s.Expect("GET "+path).Header("Authorization", "Bearer "+fakeKey).Query(query...).NoBody()
}

func podsOf(s *fixture.Server) *fixture.Route {
	return get(s, "/v2/pods", "limit", "1000", "includeClusterPods", "true")
}

// untagged is a RunPod whose key may not read tags.
func untagged(s *fixture.Server) *fixture.Route {
	return get(s, "/v2/tags", "limit", "1000", "include", "resources").File(403, "error-forbidden.json")
}

func listed(t *testing.T, a *account, kind billing.Kind) []billing.Resource {
	t.Helper()
	list, err := all(a.Resources(context.Background(), billing.Scope{Kind: kind}))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestPods(t *testing.T) {
	for _, tt := range []struct {
		file string
		want billing.Resource
	}{
		{"list-pods.json", billing.Resource{State: billing.StateRunning, VendorState: "RUNNING",
			Rate:      derived(billing.MustMoney("0.449589041095890411", usd)), // 0.44 + (50 + 20) GB x 0.10 / 730
			StartedAt: time.Date(2026, 6, 1, 12, 2, 0, 0, time.UTC)}},
		{"list-pods-stopped.json", billing.Resource{State: billing.StateStopped, VendorState: "EXITED",
			Rate: derived(billing.MustMoney("0.005479452054794521", usd))}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			s := fixture.New(t, "testdata")
			podsOf(s).File(200, tt.file)
			untagged(s)
			want := tt.want
			want.Ref = billing.ResourceRef{Kind: billing.KindInstance, ID: "7h9k2m4n6p"}
			want.Name, want.Zone, want.Type = "pytorch-training", "US-KS-2", "NVIDIA GeForce RTX 4090"
			want.Billed, want.HoldsData, want.Mode, want.AtZero = billing.Yes, billing.Yes, billing.ModeOnDemand, billing.FateLost
			want.StoppedRate = derived(billing.MustMoney("0.005479452054794521", usd)) // 20 GB x 0.20 / 730
			want.GPU = billing.GPU{Model: "RTX-4090", Count: billing.DecimalFromInt(1)}
			want.CreatedAt = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
			if diff := cmp.Diff([]billing.Resource{want}, listed(t, over(t, s, false), billing.KindInstance), exact()...); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func exact() []cmp.Option {
	return []cmp.Option{
		cmp.Comparer(func(x, y billing.Money) bool { return x == y }),
		cmp.Comparer(func(x, y billing.Decimal) bool { return x.Equal(y) }),
	}
}

func TestVolumeInUseByAnEndpointIsAttached(t *testing.T) {
	s := fixture.New(t, "testdata")
	get(s, "/v2/network-volumes", "limit", "1000").File(200, "list-network-volumes.json")
	untagged(s)
	podsOf(s).File(200, "list-pods.json")
	get(s, "/v2/serverless", "limit", "1000").File(200, "list-serverless.json")
	want := []billing.Resource{{
		Ref:  billing.ResourceRef{Kind: billing.KindDisk, ID: "2q9m7x4c"},
		Name: "training-dataset", Zone: "US-KS-2", Type: "HIGH_PERFORMANCE", State: billing.StateAttached, Billed: billing.Yes,
		Mode: billing.ModeOnDemand, SizeGiB: billing.DecimalFromInt(100), AttachedTo: []string{"4m7x2k9q"}, HoldsData: billing.Yes,
	}}
	if diff := cmp.Diff(want, listed(t, over(t, s, false), billing.KindDisk), exact()...); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestVolumeIsNotFreeWhereEndpointsAreDenied(t *testing.T) {
	s := fixture.New(t, "testdata")
	get(s, "/v2/network-volumes", "limit", "1000").File(200, "list-network-volumes.json")
	untagged(s)
	get(s, "/v2/network-volumes/2q9m7x4c").Answer(200, `{"id":"2q9m7x4c","name":"training-dataset","size":100,"type":"STANDARD"}`)
	podsOf(s).File(200, "list-pods.json")
	get(s, "/v2/serverless", "limit", "1000").File(403, "error-forbidden.json")
	a := over(t, s, true)
	if got := listed(t, a, billing.KindDisk)[0]; got.State != billing.StateUnknown {
		t.Errorf("state is %s, want unknown: an endpoint may use it", got.State)
	}
	_, err := a.Release(context.Background(), billing.Act{Ref: billing.ResourceRef{Kind: billing.KindDisk, ID: "2q9m7x4c"}})
	if billing.KindOf(err) != billing.Conflict || billing.SayOf(err).Key != "error.use_unknown" {
		t.Errorf("release gives %v, want a Conflict before anything is sent", err)
	}
}

func TestEndpoints(t *testing.T) {
	s := fixture.New(t, "testdata")
	get(s, "/v2/serverless", "limit", "1000").File(200, "list-serverless.json")
	untagged(s)
	got := listed(t, over(t, s, false), billing.KindEndpoint)[0]
	if got.State != billing.StateAvailable || got.Billed != billing.Unsure || got.Rate.Hourly.Known() {
		t.Errorf("an endpoint without ready workers: %s, billed %d, %v", got.State, got.Billed, got.Rate.Hourly)
	}
}

func TestBalance(t *testing.T) {
	const v2, graph = "/v2/billing/balance", "POST /graphql"
	for _, tt := range []struct {
		name  string
		setup func(s *fixture.Server)
		cash  string
		mode  billing.BillingMode
		kind  billing.ErrorKind
	}{
		{"API v2", func(s *fixture.Server) { get(s, v2).File(200, "get-balance.json") }, "42.18", billing.Prepaid, ""},
		{"postpaid", func(s *fixture.Server) {
			get(s, v2).Answer(200, `{"balanceAmount":-1828.72,"billingMode":"POSTPAID"}`)
		}, "-1828.72", billing.Postpaid, ""},
		{"404 turns to GraphQL", func(s *fixture.Server) {
			get(s, v2).File(404, "error-not-found.json")
			s.Expect(graph).Header("Authorization", "Bearer "+fakeKey).Query().
				JSON(`{"query":"query { myself { id clientBalance } }"}`).File(200, "graphql-myself.json")
		}, "435.85", billing.Prepaid, ""},
		{"410 turns to GraphQL", func(s *fixture.Server) {
			get(s, v2).Answer(410, "gone")
			s.Expect(graph).File(200, "graphql-myself.json")
		}, "435.85", billing.Prepaid, ""},
		{"403 is a missing permission", func(s *fixture.Server) { get(s, v2).File(403, "error-forbidden.json") }, "", "", billing.Denied},
		{"both fail", func(s *fixture.Server) {
			get(s, v2).File(404, "error-not-found.json")
			s.Expect(graph).File(200, "graphql-error.json")
		}, "", "", billing.Upstream},
		{"an answer without an amount", func(s *fixture.Server) { get(s, v2).Answer(200, `{"billingMode":"PREPAID"}`) }, "", "", billing.Invalid},
		{"GraphQL without an amount", func(s *fixture.Server) {
			get(s, v2).Answer(404, "")
			s.Expect(graph).Answer(200, `{"data":{"myself":{"id":"u","clientBalance":null}}}`)
		}, "", "", billing.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := fixture.New(t, "testdata")
			tt.setup(s)
			got, err := over(t, s, false).Balance(context.Background())
			if billing.KindOf(err) != tt.kind {
				t.Fatalf("error is %v, want %q", err, tt.kind)
			}
			if err != nil {
				if got.Cash.Known() {
					t.Errorf("a failed reading gives %v", got.Cash)
				}
				return
			}
			if got.Cash.Amount() != tt.cash || got.Mode != tt.mode || !got.ReadAt.Equal(testNow()) {
				t.Errorf("got %v %s at %v, want %s %s", got.Cash, got.Mode, got.ReadAt, tt.cash, tt.mode)
			}
		})
	}
}

func TestCharges(t *testing.T) {
	s := fixture.New(t, "testdata")
	day := billing.Period{Start: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC)}
	for _, route := range []string{"pods", "network-volumes", "serverless", "clusters", "endpoints"} {
		get(s, "/v2/billing/"+route, "startTime", "2026-06-01T00:00:00Z", "endTime", "2026-06-02T00:00:00Z", "bucketSize", "hour").
			File(200, "billing-"+route+".json")
	}
	type row struct{ Service, ID, Meter, Part, Amount string }
	var got []row
	for c, err := range over(t, s, false).Charges(context.Background(), day) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row{c.ServiceName, c.ResourceID, c.SkuMeter, string(c.Part), c.BilledCost.Amount()})
	}
	want := []row{
		{"Pods", "7h9k2m4n6p", "gpu", "instance", "11.1"},
		{"Pods", "7h9k2m4n6p", "disk", "disk", "1.24"},
		{"Network volumes", "2q9m7x4c", "high-performance storage", "disk", "5.79"},
		{"Serverless", "4m7x2k9q", "gpu", "instance", "7.5"},
		{"Serverless", "4m7x2k9q", "disk", "disk", "0.4"},
		{"Serverless", "4m7x2k9q", "fee", "other", "1"},
		{"Instant Clusters", "5c2n8m4q", "gpu", "instance", "95"},
		{"Instant Clusters", "5c2n8m4q", "disk", "disk", "3"},
		{"Instant Clusters", "5c2n8m4q", "networking", "bandwidth", "1"},
		{"Public endpoints", "", "", "other", "3.21"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestRecordAddsUpToItsTotal(t *testing.T) {
	pods := ledgers()[0]
	p := billing.Period{Start: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC)}
	for _, tt := range []struct {
		name, amounts string
		want          []string
		kind          billing.ErrorKind
	}{
		{"components", `"totalAmount":1.5,"gpuAmount":1.25,"diskAmount":0.25`, []string{"instance 1.25", "disk 0.25"}, ""},
		{"noise of floating point", `"totalAmount":0.30000000000000004,"gpuAmount":0.1,"diskAmount":0.2`, []string{"instance 0.1", "disk 0.2"}, ""},
		{"a component we do not know", `"totalAmount":2,"gpuAmount":1.5,"tpuAmount":0.5`, []string{"instance 1.5", "other 0.5"}, ""},
		{"a refund", `"totalAmount":-2,"gpuAmount":-2`, []string{"instance -2"}, ""},
		{"nothing", `"totalAmount":0,"gpuAmount":0`, nil, ""},
		{"no total", `"gpuAmount":1.5`, nil, billing.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r record
			if err := json.Unmarshal([]byte(`{"startTime":"2026-06-01T05:00:00Z","endTime":"2026-06-01T06:00:00Z",`+tt.amounts+`}`), &r); err != nil {
				t.Fatal(err)
			}
			lines, err := pods.charges("test", r, p)
			var got []string
			for _, l := range lines {
				got = append(got, string(l.Part)+" "+l.BilledCost.Amount())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || billing.KindOf(err) != tt.kind {
				t.Errorf("error %v; -want +got:\n%s", err, diff)
			}
		})
	}
}

func TestRunningHourIsNotAskedFor(t *testing.T) {
	s := fixture.New(t, "testdata")
	for _, route := range []string{"pods", "network-volumes", "serverless", "clusters", "endpoints"} {
		get(s, "/v2/billing/"+route, "startTime", "2026-06-03T00:00:00Z", "endTime", "2026-06-03T10:00:00Z", "bucketSize", "hour").
			Answer(200, `{"records":[]}`)
	}
	today := billing.Period{Start: time.Date(2026, 6, 3, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 6, 4, 0, 0, 0, 0, time.UTC)}
	a := over(t, s, false)
	if lines, err := all(a.Charges(context.Background(), today)); err != nil || len(lines) > 0 {
		t.Errorf("%d lines, %v", len(lines), err)
	}
	c, err := a.Billed(context.Background(), today)
	want := billing.Coverage{Through: time.Date(2026, 6, 3, 10, 0, 0, 0, time.UTC), Provisional: time.Date(2026, 6, 3, 8, 0, 0, 0, time.UTC)}
	if err != nil || c != want {
		t.Errorf("coverage is %+v, %v, want %+v", c, err, want)
	}
	may := billing.Period{Start: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}
	if c, _ := a.Billed(context.Background(), may); c != (billing.Coverage{Through: may.End}) {
		t.Errorf("coverage of a settled month is %+v", c)
	}
}

func TestOffers(t *testing.T) {
	s := fixture.New(t, "testdata")
	s.Expect("GET /v2/catalog/gpus").File(200, "list-gpus.json")
	type row struct{ Type, Region, Model, Price, Stock string }
	var got []row
	for o, err := range over(t, s, false).Offers(context.Background(), billing.OfferQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row{o.Type, o.Region, o.GPU.Model, o.Low.Amount(), o.Stock})
	}
	want := []row{
		{"NVIDIA GeForce RTX 4090, secure cloud", "US-KS-2", "RTX-4090", "0.44", "HIGH"},
		{"NVIDIA GeForce RTX 4090, community cloud", "US-KS-2", "RTX-4090", "0.31", "HIGH"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestUtilisation(t *testing.T) {
	s := fixture.New(t, "testdata")
	podsOf(s).File(200, "list-pods-busy.json").File(200, "list-pods.json")
	a := over(t, s, false)
	now := billing.Period{Start: testNow().Add(-time.Hour), End: testNow()}
	got, err := all(a.Utilisation(context.Background(), now))
	want := []billing.Sample{{Ref: billing.ResourceRef{Kind: billing.KindInstance, ID: "7h9k2m4n6p"}, At: testNow(), GPU: []float64{94}, CPU: 45}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v; -want +got:\n%s", err, diff)
	}
	if got, err := all(a.Utilisation(context.Background(), now)); err != nil || len(got) > 0 {
		t.Errorf("a pod without runtime.gpus gives %v, %v, want nothing", got, err)
	}
	past := billing.Period{Start: testNow().Add(-48 * time.Hour), End: testNow().Add(-24 * time.Hour)}
	if got, err := all(a.Utilisation(context.Background(), past)); err != nil || len(got) > 0 {
		t.Errorf("yesterday gives %v, %v: RunPod keeps no history", got, err)
	}
}

func TestStop(t *testing.T) {
	const stopped = `{"id":"7h9k2m4n6p","name":"n","status":"EXITED","actions":["start","terminate"],"cost":0.0}`
	act := billing.Act{Verb: billing.VerbStop, Ref: billing.ResourceRef{Kind: billing.KindInstance, ID: "7h9k2m4n6p"}}
	t.Run("running", func(t *testing.T) {
		s := fixture.New(t, "testdata")
		get(s, "/v2/pods/7h9k2m4n6p").File(200, "get-pod.json")
		s.Expect("POST /v2/pods/7h9k2m4n6p/action").Query().JSON(`{"action":"stop"}`).Answer(200, stopped)
		if r, err := over(t, s, true).Stop(context.Background(), act); err != nil || !r.Done {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("stopped already", func(t *testing.T) {
		s := fixture.New(t, "testdata")
		get(s, "/v2/pods/7h9k2m4n6p").Answer(200, stopped)
		if r, err := over(t, s, true).Stop(context.Background(), act); err != nil || !r.Done {
			t.Errorf("%+v, %v", r, err)
		}
	})
	for say, pod := range map[string]string{
		"error.protected": `{"id":"7h9k2m4n6p","status":"RUNNING","actions":["stop"],"locked":true}`,
		"error.managed":   `{"id":"7h9k2m4n6p","status":"RUNNING","actions":["stop"],"cluster":{"id":"c"}}`,
		"error.no_stop":   `{"id":"7h9k2m4n6p","status":"RUNNING","actions":["terminate"]}`,
		"error.garbled":   `{"id":"another","status":"RUNNING","actions":["stop"]}`,
	} {
		t.Run(say, func(t *testing.T) {
			s := fixture.New(t, "testdata")
			get(s, "/v2/pods/7h9k2m4n6p").Answer(200, pod)
			if _, err := over(t, s, true).Stop(context.Background(), act); billing.SayOf(err).Key != say {
				t.Errorf("refused with %v, %s", err, billing.SayOf(err).Key)
			}
		})
	}
}

func TestRelease(t *testing.T) {
	s := fixture.New(t, "testdata")
	get(s, "/v2/pods/7h9k2m4n6p").File(200, "get-pod.json").File(404, "error-not-found.json")
	s.Expect("DELETE /v2/pods/7h9k2m4n6p").Query().NoBody().Answer(204, "")
	s.Expect("DELETE /v2/serverless/4m7x2k9q").Query().NoBody().Answer(204, "").File(429, "error-too-many-requests.json")
	a := over(t, s, true)
	pod := billing.Act{Ref: billing.ResourceRef{Kind: billing.KindInstance, ID: "7h9k2m4n6p"}}
	if r, err := a.Release(context.Background(), pod); err != nil || r.Done {
		t.Errorf("%+v, %v: RunPod's yes is no proof", r, err)
	}
	if _, err := a.Release(context.Background(), pod); billing.KindOf(err) != billing.Missing {
		t.Errorf("second release gives %v, want Missing", err)
	}
	endpoint := billing.Act{Ref: billing.ResourceRef{Kind: billing.KindEndpoint, ID: "4m7x2k9q"}}
	if _, err := a.Release(context.Background(), endpoint); err != nil {
		t.Error(err)
	}
	if _, err := a.Release(context.Background(), endpoint); billing.KindOf(err) != billing.Limited || s.Asked("DELETE /v2/serverless/4m7x2k9q") != 2 {
		t.Errorf("a refused write gives %v after %d requests in all, want Limited and no second try", err, s.Asked("DELETE /v2/serverless/4m7x2k9q"))
	}
}
