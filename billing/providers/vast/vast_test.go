package vast

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

func testNow() time.Time { return time.Date(2024, 11, 4, 10, 30, 0, 0, time.UTC) }

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

// bubble runs a test of several requests where the pace between them costs no time.
func bubble(f func(t *testing.T)) func(t *testing.T) {
	return func(t *testing.T) { synctest.Test(t, f) }
}

// get expects a read of a path, which ends in a slash: {$} keeps ServeMux from taking it as a folder.
func get(s *fixture.Server, path string, query ...string) *fixture.Route {
	return s.Expect("GET "+path+"{$}").Header("Authorization", "Bearer "+fakeKey).Query(query...).NoBody()
}

func instancesOf(s *fixture.Server) *fixture.Route {
	return get(s, "/api/v1/instances/", "limit", "25", "order_by", `[{"col":"id","dir":"asc"}]`)
}

func volumesOf(s *fixture.Server) *fixture.Route {
	return get(s, "/api/v0/volumes/", "owner", "me", "type", "all_volume")
}

func chargesOf(s *fixture.Server) *fixture.Route {
	// 1 November 2024, its last second included
	return get(s, "/api/v0/charges/", "select_filters", `{"day":{"gte":1730419200,"lte":1730505599}}`, "format", "table", "limit", "500")
}

func theFirst() billing.Period {
	return billing.Period{Start: time.Date(2024, 11, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2024, 11, 2, 0, 0, 0, 0, time.UTC)}
}

// all reads a list to its end.
func all[T any](seq iter.Seq2[T, error]) (out []T, err error) {
	for v, err := range seq {
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func exact() []cmp.Option {
	return []cmp.Option{
		cmp.Comparer(func(x, y billing.Money) bool { return x == y }),
		cmp.Comparer(func(x, y billing.Decimal) bool { return x.Equal(y) }),
	}
}

func usdRate(amount string, source billing.RateSource) billing.Rate {
	return billing.Rate{Hourly: billing.MustMoney(amount, usd), Source: source}
}

func TestDocumentedInstance(t *testing.T) {
	s := fixture.New(t, "testdata")
	instancesOf(s).File(200, "list-instances.json")
	got, err := all(over(t, s, false).Resources(context.Background(), billing.Scope{Kind: billing.KindInstance}))
	if err != nil {
		t.Fatal(err)
	}
	want := []billing.Resource{{
		Ref:  billing.ResourceRef{Kind: billing.KindInstance, ID: "312"},
		Name: "ML Training Job 2025", Zone: "California, United States", Type: "RTX 4090",
		State: billing.StateRunning, VendorState: "running", Billed: billing.Yes, Mode: billing.ModeOnDemand,
		Rate:        usdRate("0.8021", billing.RateVendor), // 0.8 and the disk: not 0.8021 and the disk
		StoppedRate: usdRate("0.0021", billing.RateDerived),
		GPU:         billing.GPU{Model: "RTX-4090", Count: billing.DecimalFromInt(1)},
		CreatedAt:   time.Date(2022, 11, 18, 20, 52, 25, 0, time.UTC),
		ExpiresAt:   time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
		HoldsData:   billing.Yes, AtZero: billing.FateLost,
	}}
	if diff := cmp.Diff(want, got, exact()...); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestVolumes(t *testing.T) {
	s := fixture.New(t, "testdata")
	volumesOf(s).File(200, "list-volumes.json")
	got, err := all(over(t, s, false).Resources(context.Background(), billing.Scope{Kind: billing.KindDisk}))
	want := []billing.Resource{{
		Ref:  billing.ResourceRef{Kind: billing.KindDisk, ID: "100"},
		Name: "datasets", Zone: "California, US", Type: "Samsung SSD 870", State: billing.StateUnattached, VendorState: "running",
		Billed: billing.Yes, Mode: billing.ModeOnDemand, Rate: usdRate("0.0411", billing.RateVendor),
		SizeGiB: billing.DecimalFromInt(200), CreatedAt: time.Date(2024, 11, 1, 0, 0, 0, 0, time.UTC), HoldsData: billing.Yes,
	}}
	if diff := cmp.Diff(want, got, exact()...); diff != "" || err != nil {
		t.Errorf("%v; -want +got:\n%s", err, diff)
	}
}

func TestShortListIsNoList(t *testing.T) {
	s := fixture.New(t, "testdata")
	instancesOf(s).Answer(200, `{"success":true,"total_instances":26,"next_token":null,"instances":[{"id":1},{"id":2}]}`)
	_, err := all(over(t, s, false).Resources(context.Background(), billing.Scope{Kind: billing.KindInstance}))
	if billing.KindOf(err) != billing.Invalid {
		t.Errorf("2 of 26 instances give %v, want Invalid: 24 would look gone", err)
	}
}

func TestUsersOfAVolume(t *testing.T) {
	for list, want := range map[string]billing.Resource{
		`[]`:             {State: billing.StateUnattached},
		`[311, 312]`:     {State: billing.StateAttached, AttachedTo: []string{"311", "312"}},
		`[{"id":311}]`:   {State: billing.StateAttached, AttachedTo: []string{"311"}},
		`[{"name":"x"}]`: {State: billing.StateAttached}, // somebody, whoever it is
		`null`:           {State: billing.StateUnknown},
		``:               {State: billing.StateUnknown},
	} {
		s := fixture.New(t, "testdata")
		body := `{"volumes":[{"id":100,"disk_space":1,"instances":` + list + `}]}`
		if list == "" {
			body = `{"volumes":[{"id":100,"disk_space":1}]}`
		}
		volumesOf(s).Answer(200, body)
		got, err := over(t, s, false).Find(context.Background(), billing.ResourceRef{Kind: billing.KindDisk, ID: "100"})
		if err != nil || got.State != want.State || !cmp.Equal(got.AttachedTo, want.AttachedTo) {
			t.Errorf("instances %s: %s on %v, %v; want %s on %v", list, got.State, got.AttachedTo, err, want.State, want.AttachedTo)
		}
	}
}

func TestBalance(t *testing.T) {
	for _, tt := range []struct {
		name, file, body, cash string
		kind                   billing.ErrorKind
	}{
		{"credit, beside a balance of 0", "show-user.json", "", "24.87", ""},
		{"balance, where there is no credit", "show-user-documented.json", "", "3.5", ""},
		{"a credit of 0 is no missing one", "", `{"id":1,"credit":0,"balance":7}`, "0", ""},
		{"owed", "", `{"id":1,"credit":-1828.72}`, "-1828.72", ""},
		{"neither", "", `{"id":1}`, "", billing.Invalid},
		{"refused with status 200", "", `{"success":false,"error":"auth_error"}`, "", billing.Auth},
		{"refused with status 200 and no word", "", `{"success":false,"credit":0}`, "", billing.Unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := fixture.New(t, "testdata")
			if r := get(s, "/api/v0/users/current/"); tt.file != "" {
				r.File(200, tt.file)
			} else {
				r.Answer(200, tt.body)
			}
			got, err := over(t, s, false).Balance(context.Background())
			if billing.KindOf(err) != tt.kind || got.Cash.Known() != (err == nil) {
				t.Fatalf("%v, %v, want %q", got.Cash, err, tt.kind)
			}
			if err == nil && got.Cash.Amount() != tt.cash {
				t.Errorf("cash is %v, want %s", got.Cash, tt.cash)
			}
		})
	}
}

func TestCharges(t *testing.T) {
	s := fixture.New(t, "testdata")
	chargesOf(s).File(200, "show-charges.json")
	got, err := all(over(t, s, false).Charges(context.Background(), theFirst()))
	if err != nil || len(got) != 2 {
		t.Fatalf("%d lines, %v", len(got), err)
	}
	for i, want := range []struct{ meter, part, amount string }{
		{"gpu", "instance", "37.344"},
		{"", "other", "1.077"}, // what the example's single item leaves of 38.421
	} {
		c := got[i]
		if c.SkuMeter != want.meter || string(c.Part) != want.part || c.BilledCost.Amount() != want.amount {
			t.Errorf("line %d is %s, %s, %v; want %+v", i, c.SkuMeter, c.Part, c.BilledCost, want)
		}
		if c.ChargePeriod != theFirst() {
			t.Errorf("line %d is over %v: the row's dates are the contract's, the day is the one asked for", i, c.ChargePeriod)
		}
		if c.ResourceID != "12345678" || c.ResourceName != "my-training-job" || c.ResourceType != "Instance" {
			t.Errorf("line %d is about %s %q %q", i, c.ResourceType, c.ResourceID, c.ResourceName)
		}
	}
	if q := got[0].PricingQuantity; q.String() != "96" || got[0].PricingUnit != "hours" || got[0].ContractedUnitPrice.String() != "0.389" {
		t.Errorf("%s %s at %s, want 96 hours at 0.389", q, got[0].PricingUnit, got[0].ContractedUnitPrice)
	}
}

func TestRowAddsUpToItsAmount(t *testing.T) {
	for _, tt := range []struct {
		name, row string
		want      []string
		kind      billing.ErrorKind
	}{
		{"bandwidth is a part", `"amount":0.3,"items":[{"type":"bwd","amount":0.1},{"type":"bwu","amount":0.2}]`, []string{"bandwidth 0.1", "bandwidth 0.2"}, ""},
		{"rounding of the sum", `"amount":1.235,"items":[{"type":"gpu","amount":1.2346},{"type":"disk","amount":0}]`, []string{"instance 1.2346"}, ""},
		{"a rest is money", `"amount":1.24,"items":[{"type":"gpu","amount":1.23}]`, []string{"instance 1.23", "other 0.01"}, ""},
		{"no items", `"amount":0.001,"items":[]`, []string{"other 0.001"}, ""},
		{"a volume without items", `"type":"volume","amount":0.7`, []string{"disk 0.7"}, ""},
		{"a refund", `"amount":-2,"items":[{"type":"gpu","amount":-2}]`, []string{"instance -2"}, ""},
		{"nothing", `"amount":0,"items":[]`, nil, ""},
		{"no amount", `"items":[{"type":"gpu","amount":1}]`, nil, billing.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := fixture.New(t, "testdata")
			chargesOf(s).Answer(200, `{"success":true,"results":[{"source":"instance-1",`+tt.row+`}]}`)
			lines, err := all(over(t, s, false).Charges(context.Background(), theFirst()))
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

func TestCoverage(t *testing.T) {
	a := over(t, fixture.New(t, "testdata"), false)
	midnight := time.Date(2024, 11, 4, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		end  time.Time
		want billing.Coverage
	}{
		{midnight.Add(day), billing.Coverage{Through: midnight, Provisional: midnight.Add(-day)}},
		{midnight.Add(-3 * day), billing.Coverage{Through: midnight.Add(-3 * day)}},
	} {
		got, err := a.Billed(context.Background(), billing.Period{Start: midnight.Add(-9 * day), End: tt.end})
		if err != nil || got != tt.want {
			t.Errorf("to %v: %+v, %v, want %+v", tt.end, got, err, tt.want)
		}
	}
}

func TestOffers(t *testing.T) {
	type row struct{ Type, Model, Mode, Low, High string }
	read := func(t *testing.T, ask string, body string, answers ...string) (got []row) {
		s := fixture.New(t, "testdata")
		r := s.Expect("POST /api/v0/bundles/{$}").Query()
		for _, a := range answers {
			r.Answer(200, a)
		}
		if len(answers) == 0 {
			r.File(200, "search-offers-object.json")
		}
		if body != "" {
			r.JSON(body)
		}
		for o, err := range over(t, s, false).Offers(context.Background(), billing.OfferQuery{GPU: ask}) {
			if err != nil {
				t.Fatal(err)
			}
			text := func(m billing.Money) string {
				if !m.Known() {
					return ""
				}
				return m.Amount()
			}
			got = append(got, row{o.Type, o.GPU.Model, string(o.Mode), text(o.Low), text(o.High)})
		}
		return got
	}
	t.Run("the live list", bubble(func(t *testing.T) {
		list := `{"offers":[{"gpu_name":"RTX 4090","num_gpus":2,"dph_total":0.6,"gpu_ram":24564},{"gpu_name":"RTX 4090","num_gpus":2,"dph_total":null,"gpu_ram":24564},
			{"gpu_name":"RTX 4090","num_gpus":2,"dph_total":0.9,"gpu_ram":24564},{"gpu_name":"RTX 4090","num_gpus":1,"dph_total":0.5,"gpu_ram":49140}]}`
		want := []row{
			{"2x RTX-4090", "RTX-4090", "on_demand", "0.6", "0.9"},
			{"1x RTX-4090-48G", "RTX-4090-48G", "on_demand", "0.5", "0.5"}, // gpu_ram is in MB
		}
		if diff := cmp.Diff(want, read(t, "", "", list, `{"offers":[]}`)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}))
	t.Run("the documented object", bubble(func(t *testing.T) {
		got := read(t, "", "")
		if len(got) != 2 || got[0].Low != "0.234567" || got[1].Mode != string(billing.ModeSpot) {
			t.Errorf("got %+v", got)
		}
	}))
	t.Run("one card by its name in queries", bubble(func(t *testing.T) {
		read(t, "RTX 4090D", "", `{"offers":[]}`)
		s := fixture.New(t, "testdata")
		s.Expect("POST /api/v0/bundles/{$}").Answer(200, `{"offers":[]}`).JSON(`{"type":"bid","verified":{"eq":true},"rentable":{"eq":true},
			"order":[["dph_total","asc"],["id","asc"]],"limit":3000,"gpu_name":{"in":["RTX_4090D"]}}`)
		if _, err := over(t, s, false).api.offers(context.Background(), "bid", "RTX 4090D"); err != nil {
			t.Error(err)
		}
	}))
}

func TestUtilisation(t *testing.T) {
	s := fixture.New(t, "testdata")
	instancesOf(s).Answer(200, `{"instances":[{"id":1,"actual_status":"running","num_gpus":8,"gpu_util":93.5,"cpu_util":45},
		{"id":2,"actual_status":"running","gpu_util":null},{"id":3,"actual_status":"running","gpu_util":-1},
		{"id":4,"actual_status":"exited","gpu_util":80},{"id":5,"actual_status":"running","gpu_util":0,"cpu_util":1600}]}`)
	a := over(t, s, false)
	got, err := all(a.Utilisation(context.Background(), billing.Period{Start: testNow().Add(-time.Hour), End: testNow()}))
	ref := func(id string) billing.ResourceRef { return billing.ResourceRef{Kind: billing.KindInstance, ID: id} }
	want := []billing.Sample{
		{Ref: ref("1"), At: testNow(), GPU: []float64{93.5}, CPU: 45},
		{Ref: ref("5"), At: testNow(), GPU: []float64{0}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v; -want +got:\n%s", err, diff)
	}
	past := billing.Period{Start: testNow().Add(-48 * time.Hour), End: testNow().Add(-24 * time.Hour)}
	if got, err := all(a.Utilisation(context.Background(), past)); err != nil || len(got) > 0 {
		t.Errorf("yesterday gives %v, %v: Vast.ai keeps no history", got, err)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name string
		code int
		file string
		want billing.ErrorKind
	}{
		{"a key of nobody is 404", 404, "error-auth-404.json", billing.Auth},
		{"a bad range is 200", 200, "error-date-range-200.json", billing.Invalid},
		{"not found is not found", 404, "error-destroy-404.json", billing.Missing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := fixture.New(t, "testdata")
			chargesOf(s).File(tt.code, tt.file)
			if _, err := all(over(t, s, false).Charges(context.Background(), theFirst())); billing.KindOf(err) != tt.want {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

// TestTooFrequent: Vast.ai names the wait in the text only, as plain text or JSON, and has no Retry-After.
func TestTooFrequent(t *testing.T) {
	for file, wait := range map[string]time.Duration{"error-429-plain.txt": time.Second, "error-instances-429.json": time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := fixture.New(t, "testdata")
			get(s, "/api/v0/users/current/").File(429, file)
			began := time.Now()
			_, err := over(t, s, false).Balance(context.Background())
			e, ok := err.(*billing.Error)
			if !ok || e.Kind != billing.Limited || e.RetryAfter != wait {
				t.Errorf("%v, want Limited with a wait of %v", err, wait)
			}
			if n, took := s.Asked("GET /api/v0/users/current/{$}"), time.Since(began); n != 3 || took != 3*time.Second {
				t.Errorf("%d requests in %v, want 3 with the pace of 1.5 s between them", n, took)
			}
		})
	}
}

func TestStop(t *testing.T) {
	act := billing.Act{Verb: billing.VerbStop, Ref: billing.ResourceRef{Kind: billing.KindInstance, ID: "883"}}
	t.Run("running", bubble(func(t *testing.T) {
		s := fixture.New(t, "testdata")
		get(s, "/api/v0/instances/883/").File(200, "get-instance.json")
		s.Expect("PUT /api/v0/instances/883/{$}").Query().JSON(`{"state":"stopped"}`).File(200, "instance-manage.json")
		if r, err := over(t, s, true).Stop(context.Background(), act); err != nil || r.Done {
			t.Errorf("%+v, %v: Vast.ai's yes is no proof", r, err)
		}
	}))
	t.Run("outbid is not stopped for good", bubble(func(t *testing.T) {
		s := fixture.New(t, "testdata")
		get(s, "/api/v0/instances/883/").Answer(200, `{"instances":{"id":883,"actual_status":"exited","cur_state":"stopped","intended_status":"running","is_bid":true}}`)
		s.Expect("PUT /api/v0/instances/883/{$}").Answer(200, `{"success":true}`)
		if r, err := over(t, s, true).Stop(context.Background(), act); err != nil || r.Done {
			t.Errorf("%+v, %v: it would come back", r, err)
		}
	}))
	t.Run("a no with status 200", bubble(func(t *testing.T) {
		s := fixture.New(t, "testdata")
		get(s, "/api/v0/instances/883/").File(200, "get-instance.json")
		s.Expect("PUT /api/v0/instances/883/{$}").Answer(200, `{"success":false,"error":"no_such_instance"}`)
		if r, err := over(t, s, true).Stop(context.Background(), act); billing.KindOf(err) != billing.Missing || r.Done {
			t.Errorf("%+v, %v, want Missing", r, err)
		}
	}))
}

func TestRelease(t *testing.T) { synctest.Test(t, release) }

func release(t *testing.T) {
	s := fixture.New(t, "testdata")
	get(s, "/api/v0/instances/883/").File(200, "get-instance.json")
	s.Expect("DELETE /api/v0/instances/883/{$}").Query().JSON(`{}`).File(200, "instance-destroy.json").
		Answer(200, `{"success":false,"error":"no_such_instance"}`)
	volumesOf(s).File(200, "list-volumes.json")
	s.Expect("DELETE /api/v0/volumes/{$}").Query("id", "100").JSON(`{"id":100}`).File(200, "volume-delete.json").
		File(404, "error-volume-404.json").Answer(400, `{"success":false,"error":"no_such_volume"}`)
	a := over(t, s, true)
	for i, tt := range []struct {
		kind billing.Kind
		id   string
		want billing.ErrorKind
	}{
		{billing.KindInstance, "883", ""},
		{billing.KindInstance, "883", billing.Missing},
		{billing.KindDisk, "100", ""},
		{billing.KindDisk, "100", billing.Missing},
		{billing.KindDisk, "100", billing.Missing},
	} {
		r, err := a.Release(context.Background(), billing.Act{Ref: billing.ResourceRef{Kind: tt.kind, ID: tt.id}})
		if billing.KindOf(err) != tt.want || r.Done {
			t.Errorf("%d: %+v, %v; want %q, and never done", i, r, err, tt.want)
		}
	}
}
