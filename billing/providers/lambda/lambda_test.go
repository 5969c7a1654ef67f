package lambda

import (
	"context"
	"encoding/json"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

func testNow() time.Time { return time.Date(2026, 6, 3, 10, 30, 0, 0, time.UTC) }

// over opens an account over a fixture server; price is what file systems cost, "" for not configured.
func over(t *testing.T, s *fixture.Server, price string, write bool) *account {
	t.Helper()
	fields := map[string]billing.Secret{"api_key": billing.NewSecret(fakeKey), "filesystem_price": billing.NewSecret(price)}
	p, err := Driver().Open(billing.Config{Account: "test", Fields: fields, Write: write}, billing.Env{Transport: s, Now: testNow})
	if err != nil {
		t.Fatal(err)
	}
	return p.(*account)
}

// bubble runs a test of several requests where the pace between them costs no time.
func bubble(f func(t *testing.T)) func(t *testing.T) {
	return func(t *testing.T) { synctest.Test(t, f) }
}

func get(s *fixture.Server, path string) *fixture.Route {
	return s.Expect("GET "+path).Header("Authorization", "Bearer "+fakeKey).Query().NoBody()
}

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

const (
	anInstance = "0920582c7ff041399e34823a0be62549"
	aSystem    = "398578a2336b49079e74043f0bd2cfe8"
)

func TestInstances(t *testing.T) {
	s := fixture.New(t, "testdata")
	get(s, "/api/v1/instances").File(200, "list-instances.json")
	got, err := all(over(t, s, "", false).Resources(context.Background(), billing.Scope{Kind: billing.KindInstance}))
	want := []billing.Resource{{
		Ref:  billing.ResourceRef{Kind: billing.KindInstance, ID: anInstance},
		Name: "My Instance", Zone: "us-west-1", Type: "gpu_8x_h100_sxm5gdr", State: billing.StateRunning, VendorState: "active",
		Billed: billing.Yes, Mode: billing.ModeOnDemand,
		Rate: billing.Rate{Hourly: billing.MustMoney("35.92", usd), Source: billing.RateVendor}, // cents, and not times eight
		GPU:  billing.GPU{Model: "H100", Count: billing.DecimalFromInt(8)}, HoldsData: billing.Unsure, AtZero: billing.FateKeeps,
		Tags: map[string]string{"key1": "value1"},
	}}
	if diff := cmp.Diff(want, got, exact()...); diff != "" || err != nil {
		t.Errorf("%v; -want +got:\n%s", err, diff)
	}
}

// TestStates holds the declared table. There is no rate when stopped in any state: Lambda has no stop.
func TestStates(t *testing.T) {
	for status, want := range map[string]struct {
		state  billing.State
		billed billing.Tri
		rate   string
	}{
		"booting":     {billing.StateStarting, billing.Unsure, ""},
		"active":      {billing.StateRunning, billing.Yes, "35.92"},
		"unhealthy":   {billing.StateRunning, billing.Yes, "35.92"},
		"terminating": {billing.StateDeleting, billing.No, "0"},
		"terminated":  {billing.StateTerminated, billing.No, "0"},
		"preempted":   {billing.StateUnknown, billing.Unsure, ""},
		"stopped":     {billing.StateUnknown, billing.Unsure, ""}, // not a word of Lambda's
	} {
		var i instance
		if err := json.Unmarshal([]byte(`{"id":"a","status":"`+status+`","instance_type":{"price_cents_per_hour":3592}}`), &i); err != nil {
			t.Fatal(err)
		}
		r := i.resource()
		if r.State != want.state || r.Billed != want.billed || amount(r.Rate.Hourly) != want.rate || r.StoppedRate.Hourly.Known() {
			t.Errorf("%s: %s, billed %d, %v, stopped %v; want %+v", status, r.State, r.Billed, r.Rate.Hourly, r.StoppedRate.Hourly, want)
		}
	}
}

func amount(m billing.Money) string {
	if !m.Known() {
		return ""
	}
	return m.Amount()
}

func TestFilesystems(t *testing.T) {
	const bare = `{"data":[]}`
	for _, tt := range []struct {
		name, systems, machines, price string
		rate, size                     string
		state                          billing.State
		on                             []string
	}{
		{"an orphan", "list-file-systems.json", bare, "0.20", "0.277777777777777778", "1000", billing.StateUnattached, nil},
		{"no price configured", "list-file-systems.json", bare, "", "", "1000", billing.StateUnattached, nil},
		{"not measured yet", "list-file-systems-empty.json", bare, "0.20", "", "", billing.StateAttached, nil},
		{"mounted by a machine that boots, before Lambda says so", "list-file-systems.json", "list-instances-booting.json", "0.20", "0.277777777777777778", "1000", billing.StateAttached, []string{anInstance}},
		{"mounted, by name only", "list-file-systems.json", `{"data":[{"id":"i","file_system_names":["my-filesystem"],"region":{"name":"us-west-1"}}]}`, "", "", "1000", billing.StateAttached, []string{"i"}},
		{"another's of that name, elsewhere", "list-file-systems.json", `{"data":[{"id":"i","file_system_names":["my-filesystem"],"region":{"name":"us-east-1"}}]}`, "", "", "1000", billing.StateUnattached, nil},
	} {
		t.Run(tt.name, bubble(func(t *testing.T) {
			s := fixture.New(t, "testdata")
			get(s, "/api/v1/file-systems").File(200, tt.systems)
			if r := get(s, "/api/v1/instances"); tt.machines[0] == '{' {
				r.Answer(200, tt.machines)
			} else {
				r.File(200, tt.machines)
			}
			got, err := over(t, s, tt.price, false).Find(context.Background(), billing.ResourceRef{Kind: billing.KindFilesystem, ID: aSystem})
			if err != nil {
				t.Fatal(err)
			}
			if amount(got.Rate.Hourly) != tt.rate || got.SizeGiB.String() != tt.size || got.State != tt.state || !cmp.Equal(got.AttachedTo, tt.on) {
				t.Errorf("%v for %s GiB, %s on %v", got.Rate.Hourly, got.SizeGiB, got.State, got.AttachedTo)
			}
			if got.Billed != billing.Yes || got.Owner != "me@example.com" || got.CreatedAt != time.Date(2019, 8, 24, 14, 15, 22, 0, time.UTC) {
				t.Errorf("billed %d, of %s since %v", got.Billed, got.Owner, got.CreatedAt)
			}
		}))
	}
}

func TestPriceOfFilesystems(t *testing.T) {
	for _, price := range []string{"cheap", "0", "-1"} {
		_, err := Driver().Open(billing.Config{Fields: map[string]billing.Secret{
			"api_key": billing.NewSecret(fakeKey), "filesystem_price": billing.NewSecret(price)}}, billing.Env{Now: testNow})
		if billing.KindOf(err) != billing.Invalid || billing.SayOf(err).Key != "error.lambda.price" {
			t.Errorf("a price of %q gives %v", price, err)
		}
	}
}

// TestNothingIsPretended: Lambda has no balance, bill, utilisation, expiry or stop, and the claims say so.
func TestNothingIsPretended(t *testing.T) {
	for _, c := range []billing.Capability{billing.CanIdentify, billing.CanBalance, billing.CanCharges, billing.CanUtilisation, billing.CanCommitments, billing.CanStop} {
		if billing.Has(&account{}, c) || Driver().Claims[c].Can != billing.No {
			t.Errorf("%s: implemented %v, claim %+v", c, billing.Has(&account{}, c), Driver().Claims[c])
		}
	}
}

func TestOffers(t *testing.T) {
	s := fixture.New(t, "testdata")
	get(s, "/api/v1/instance-types").Answer(200, `{"data":{
		"gpu_2x_a100":{"instance_type":{"name":"gpu_2x_a100","gpu_description":"A100 (80 GB PCIe)","price_cents_per_hour":258,"specs":{"gpus":2}},"regions_with_capacity_available":[{"name":"us-west-1"},{"name":"us-east-1"}]},
		"gpu_1x_b200":{"instance_type":{"name":"gpu_1x_b200","gpu_description":"B200 (180 GB SXM6)","specs":{"gpus":1}},"regions_with_capacity_available":[]},
		"cpu":{"instance_type":{"name":"cpu","gpu_description":"N/A","price_cents_per_hour":10,"specs":{"gpus":0}},"regions_with_capacity_available":[]}}}`)
	type row struct{ Type, Region, Model, Count, Price, Stock string }
	var got []row
	for o, err := range over(t, s, "", false).Offers(context.Background(), billing.OfferQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row{o.Type, o.Region, o.GPU.Model, o.GPU.Count.String(), amount(o.Low), o.Stock})
	}
	want := []row{
		{"gpu_1x_b200", "", "B200", "1", "", "NONE"},
		{"gpu_2x_a100", "us-west-1", "A100-80G", "2", "2.58", ""},
		{"gpu_2x_a100", "us-east-1", "A100-80G", "2", "2.58", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name, file, body string
		code, asked      int
		want             billing.ErrorKind
	}{
		{"bad parameters", "error-400.json", "", 400, 1, billing.Invalid},
		{"bad key", "error-401.json", "", 401, 1, billing.Auth},
		{"bad key under another status", "error-401.json", "", 403, 1, billing.Auth},
		{"inactive account", "error-403.json", "", 403, 1, billing.Denied},
		{"no such thing", "error-404.json", "", 404, 1, billing.Missing},
		{"no such thing under another status", "error-404.json", "", 400, 1, billing.Missing},
		{"in use", "error-filesystem-in-use-400.json", "", 400, 1, billing.Conflict},
		{"what stands behind Lambda", "error-provider.json", "", 400, 3, billing.Upstream},
		{"an error in a success", "error-401.json", "", 200, 1, billing.Auth},
		{"a code that we do not know", "", `{"error":{"code":"global/new"}}`, 200, 1, billing.Unknown},
		{"no data", "", `{}`, 200, 1, billing.Invalid},
		{"data that is null", "", `{"data":null}`, 200, 1, billing.Invalid},
		{"a next page", "", `{"data":[],"page_token":"x"}`, 200, 1, billing.Invalid},
		{"no next page", "", `{"data":[],"page_token":null}`, 200, 1, ""},
	} {
		t.Run(tt.name, bubble(func(t *testing.T) {
			s := fixture.New(t, "testdata")
			if r := get(s, "/api/v1/instances"); tt.file != "" {
				r.File(tt.code, tt.file)
			} else {
				r.Answer(tt.code, tt.body)
			}
			_, err := all(over(t, s, "", false).Resources(context.Background(), billing.Scope{Kind: billing.KindInstance}))
			if n := s.Asked("GET /api/v1/instances"); billing.KindOf(err) != tt.want || n != tt.asked {
				t.Errorf("%v after %d requests, want %q after %d", err, n, tt.want, tt.asked)
			}
		}))
	}
}

// TestPace: one request a second, however many there are.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fixture.New(t, "testdata")
		get(s, "/api/v1/instances").File(200, "list-instances.json")
		a, began := over(t, s, "", false), time.Now()
		for range 5 {
			if _, err := a.api.instances(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took < 4*time.Second {
			t.Errorf("5 requests in %v", took)
		}
	})
}

func TestTerminate(t *testing.T) {
	const order = "POST /api/v1/instance-operations/terminate"
	act := billing.Act{Verb: billing.VerbDelete, Ref: billing.ResourceRef{Kind: billing.KindInstance, ID: anInstance}}
	for _, tt := range []struct {
		name, instance, answer string // "" for the documented one; no answer: nothing may be sent
		sent                   bool
		kind                   billing.ErrorKind
		say                    string
	}{
		{"active", "", "", true, "", "error."},
		{"taken, without this one", "", `{"data":{"terminated_instances":[{"id":"another"}]}}`, true, billing.Unknown, "error.lambda.unconfirmed"},
		{"going already", `{"data":{"id":"` + anInstance + `","status":"terminating","actions":{"terminate":{"available":false}}}}`, "", false, "", "error."},
		{"not now", `{"data":{"id":"` + anInstance + `","status":"booting","actions":{"terminate":{"available":false,"reason_code":"vm-has-not-launched"}}}}`, "", false, billing.Conflict, "error.lambda.not_now"},
		{"reserved", `{"data":{"id":"` + anInstance + `","status":"active","is_reserved":true}}`, "", false, billing.Conflict, "error.lambda.paid_ahead"},
		{"another's answer", `{"data":{"id":"another","status":"active"}}`, "", false, billing.Invalid, "error.garbled"},
	} {
		t.Run(tt.name, bubble(func(t *testing.T) {
			s := fixture.New(t, "testdata")
			if r := get(s, "/api/v1/instances/"+anInstance); tt.instance != "" {
				r.Answer(200, tt.instance)
			} else {
				r.File(200, "get-instance.json")
			}
			if tt.sent {
				r := s.Expect(order).Query().JSON(`{"instance_ids":["` + anInstance + `"]}`)
				if tt.answer != "" {
					r.Answer(200, tt.answer)
				} else {
					r.File(200, "terminate.json")
				}
			}
			receipt, err := over(t, s, "", true).Release(context.Background(), act)
			if billing.KindOf(err) != tt.kind || receipt.Done || err != nil && billing.SayOf(err).Key != tt.say {
				t.Errorf("%+v, %v, %s; want %q, and never done", receipt, err, billing.SayOf(err).Key, tt.kind)
			}
		}))
	}
}

func TestDeleteFilesystem(t *testing.T) {
	act := billing.Act{Verb: billing.VerbDelete, Ref: billing.ResourceRef{Kind: billing.KindFilesystem, ID: aSystem}}
	for _, tt := range []struct {
		name, systems, answer string // answer "" for nothing may be sent
		code                  int
		kind                  billing.ErrorKind
	}{
		{"free", "list-file-systems.json", "delete-filesystem.json", 200, ""},
		{"mounted meanwhile", "list-file-systems.json", "error-filesystem-in-use-400.json", 400, billing.Conflict},
		{"mounted", "list-file-systems-empty.json", "", 0, billing.Conflict},
	} {
		t.Run(tt.name, bubble(func(t *testing.T) {
			s := fixture.New(t, "testdata")
			get(s, "/api/v1/file-systems").File(200, tt.systems)
			get(s, "/api/v1/instances").Answer(200, `{"data":[]}`)
			if tt.answer != "" { // listed under file-systems, deleted under filesystems
				s.Expect("DELETE /api/v1/filesystems/"+aSystem).Query().NoBody().File(tt.code, tt.answer)
			}
			if r, err := over(t, s, "", true).Release(context.Background(), act); billing.KindOf(err) != tt.kind || r.Done {
				t.Errorf("%+v, %v; want %q, and never done", r, err, tt.kind)
			}
		}))
	}
	t.Run("deleted, without this one", bubble(func(t *testing.T) {
		s := fixture.New(t, "testdata")
		get(s, "/api/v1/file-systems").File(200, "list-file-systems.json")
		get(s, "/api/v1/instances").Answer(200, `{"data":[]}`)
		s.Expect("DELETE /api/v1/filesystems/"+aSystem).Answer(200, `{"data":{"deleted_ids":[]}}`)
		if _, err := over(t, s, "", true).Release(context.Background(), act); billing.KindOf(err) != billing.Unknown {
			t.Errorf("%v, want Unknown", err)
		}
	}))
}
