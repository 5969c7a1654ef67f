package huawei

import (
	"context"
	"encoding/csv"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

// bubble runs a subtest in which waiting for the pace takes no time.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

func testNow() time.Time { return time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC) }

// over opens an account over a network, with fields changed as given by alternating names and values.
func over(t *testing.T, env billing.Env, change ...string) *account {
	t.Helper()
	c := billing.Config{Account: "test", Fields: map[string]billing.Secret{}, BaseURL: "https://cloud.example", Write: true}
	for name, value := range testFields() {
		c.Fields[name] = billing.NewSecret(value)
	}
	for i := 0; i < len(change); i += 2 {
		c.Fields[change[i]] = billing.NewSecret(change[i+1])
	}
	if env.Now == nil {
		env.Now = testNow
	}
	p, err := Driver().Open(c, env)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*account)
}

// overFake opens an account over a fake.
func overFake(t *testing.T, change ...string) (*account, *fake) {
	f := newFake(testNow)
	return over(t, billing.Env{Transport: fixture.Over(f)}, change...), f
}

func northOf(kind billing.Kind) billing.Scope {
	return billing.Scope{Kind: kind, Region: "cn-north-4", Project: north}
}

func listOf(t *testing.T, a *account, kind billing.Kind) map[string]billing.Resource {
	t.Helper()
	out := map[string]billing.Resource{}
	for r, err := range a.Resources(context.Background(), northOf(kind)) {
		if err != nil {
			t.Fatal(err)
		}
		out[r.Ref.ID] = r
	}
	return out
}

func exact() []cmp.Option {
	return []cmp.Option{
		cmp.Comparer(func(x, y billing.Money) bool { return x == y }),
		cmp.Comparer(func(x, y billing.Decimal) bool { return x.Equal(y) }),
	}
}

// route expects a signed GET of the project's.
func route(s *fixture.Server, path string) *fixture.Route {
	return s.Expect("GET "+path).Header("X-Project-Id", north).NoBody()
}

// documented plays the documentation's examples for everything that a listing of machines reads.
func documented(s *fixture.Server) {
	route(s, "/v1/"+north+"/cloudservers/detail").Query("limit", "1000", "offset", "1", "enterprise_project_id", "all_granted_eps").File(200, "ListServersDetails.json")
}

func TestDocumentedMachines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fixture.New(t, "testdata")
		documented(s)
		route(s, "/autoscaling-api/v1/"+north+"/scaling_group").Query("limit", "100", "start_number", "0").Answer(404, `{"error_code":"APIGW.0101"}`)
		route(s, "/v1/"+north+"/cloudservers/flavors").File(200, "ListFlavors.json").Answer(200, `{"flavors":[]}`)
		s.Expect("POST /v2/bills/ratings/on-demand-resources").JSON(`{"project_id":"`+north+`","inquiry_precision":1,"product_infos":[{"id":"1",
		"cloud_service_type":"hws.service.type.ec2","resource_type":"hws.resource.type.vm","resource_spec":"p2s.2xlarge.8.linux","region":"cn-north-4",
		"usage_factor":"Duration","usage_value":1,"usage_measure_id":4,"subscription_num":1}]}`).File(200, "ListOnDemandResourceRatings.json")
		s.Expect("POST /v2/orders/suscriptions/resources/query").JSON(`{"only_main_resource":0,"status_list":[2,4,5],"offset":0,"limit":500}`).File(200, "ListYearlyMonthlyResources.json")
		got := listOf(t, over(t, billing.Env{Transport: s}), billing.KindInstance)
		off := billing.Resource{
			Ref: ref(billing.KindInstance, "b37fd80e-ac67-4d02-b9f1-9891c9c0fabf"), Name: "train-01", Zone: "cn-north-4a", Type: "p2s.2xlarge.8",
			State: billing.StateStopped, VendorState: "SHUTOFF", Billed: billing.No, Rate: listed(billing.ZeroMoney(cny)), StoppedRate: listed(billing.ZeroMoney(cny)),
			Mode: billing.ModeOnDemand, GPU: billing.GPU{Model: "V100-32G", Count: billing.DecimalFromInt(1)},
			CreatedAt: time.Date(2018, 8, 13, 13, 46, 9, 0, time.UTC), StartedAt: time.Date(2018, 8, 13, 13, 46, 46, 0, time.UTC),
			HoldsData: billing.Yes, Owner: "alice", Project: "441d5677-b76a-4dd4-a97a-ef7fd633c095", Tags: map[string]string{"owner": "alice"},
		}
		if diff := cmp.Diff(off, got[off.Ref.ID], exact()...); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		ahead := got["8380dcc9-0eac-4407-9f9e-df8c9eddeacd"]
		until := time.Date(2026, 12, 1, 15, 59, 59, 0, time.UTC)
		if ahead.Mode != billing.ModeMonthly || !ahead.ExpiresAt.Equal(until) || ahead.RenewsItself != billing.No || ahead.NotReleasable.Args["until"] != until ||
			ahead.GPU.Model != "ASCEND-310" || ahead.Rate.Hourly.Known() {
			t.Errorf("paid ahead, with an Ascend card: %+v", ahead)
		}
	})
}

func TestDocumentedStorageAndAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fixture.New(t, "testdata")
		documented(s)
		route(s, "/v2/"+north+"/cloudvolumes/detail").File(200, "ListVolumes.json").Answer(200, `{"volumes":[]}`)
		route(s, "/v2/"+north+"/cloudsnapshots/detail").File(200, "ListSnapshots.json").Answer(200, `{"snapshots":[]}`)
		route(s, "/v2/cloudimages").File(200, "ListImages.json").Answer(200, `{"images":[]}`)
		route(s, "/v3/"+north+"/eip/publicips").File(200, "ListPublicips.v3.json").Answer(200, `{"publicips":[]}`)
		s.Expect("POST /v2/orders/suscriptions/resources/query").Answer(403, `{"error_code":"CBC.0151"}`)
		s.Expect("POST /v2/bills/ratings/on-demand-resources").Answer(403, `{"error_code":"APIGW.0302"}`)
		a := over(t, billing.Env{Transport: s})
		disks := listOf(t, a, billing.KindDisk)
		free, system := disks["b104b8db-170d-441b-897a-3c8ba9c5a214"], disks["2edc879f-022e-4bd6-b079-95a27564d449"]
		if free.State != billing.StateUnattached || !free.CreatedAt.Equal(time.Date(2016, 5, 25, 2, 42, 10, 856332000, time.UTC)) || free.Owner != "alice" || free.Rate.Hourly.Known() {
			t.Errorf("a free disk without a price: %+v", free)
		}
		// what was paid ahead is known by the disk itself, also where orders are out of reach
		if system.State != billing.StateAttached || !system.GoesWith || system.Mode != billing.ModeMonthly || system.NotReleasable.Key != "error.huawei.paid_ahead" {
			t.Errorf("a system disk that was paid ahead: %+v", system)
		}
		if got := listOf(t, a, billing.KindSnapshot)["fc05d5d7-7e99-42fb-b6f2-9ddd1b990e67"]; got.CreatedAt.IsZero() || got.Sources[0] != "f687bd70-37b3-4f00-a900-0ba1cfaa5196" {
			t.Errorf("snapshot: %+v", got)
		}
		image := listOf(t, a, billing.KindImage)["bc6bed6e-ba3a-4447-afcc-449174a3eb52"]
		if image.SizeGiB.String() != "5" || image.Owner != "alice" || image.Sources[0] != "b37fd80e-ac67-4d02-b9f1-9891c9c0fabf" {
			t.Errorf("image: size %s of the text, not of the 0; owner %q of key.value; %v", image.SizeGiB, image.Owner, image.Sources)
		}
		ip := listOf(t, a, billing.KindIP)["006343a1-32bf-4361-958a-efd158153dd0"]
		if ip.State != billing.StateAttached || ip.VendorState != "DOWN" || ip.Tags["key"] != "value" {
			t.Errorf("an EIP that is DOWN and has a port: %+v", ip)
		}
	})
}

func TestPagesOfMachinesAreNumbered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, f := overFake(t)
		if got := listOf(t, a, billing.KindInstance); len(got) != 8 || f.asked["/v1/"+north+"/cloudservers/detail"] != 5 {
			t.Errorf("%d machines in %d pages, want 8 of 9 in 5", len(got), f.asked["/v1/"+north+"/cloudservers/detail"])
		}
	})
}

func TestListThatLostSomeIsNoList(t *testing.T) {
	s := fixture.New(t, "testdata")
	route(s, "/v1/"+north+"/cloudservers/detail").Answer(200, `{"count":3,"servers":[{"id":"a"},{"id":"b"}]}`).Answer(200, `{"count":3,"servers":[]}`)
	_, err := over(t, billing.Env{Transport: s}).list(context.Background(), northOf(billing.KindInstance))
	if billing.KindOf(err) != billing.Upstream || billing.SayOf(err).Key != "error.huawei.moved" {
		t.Errorf("two machines of three: %v", err)
	}
}

func TestEmptyListIsDoubted(t *testing.T) {
	for _, tt := range []struct {
		name string
		then func(f *fake)
		want billing.ErrorKind
	}{
		{"still there", func(f *fake) { f.hidden = true }, billing.Upstream},
		{"no longer to be seen", func(f *fake) {
			f.hidden = true
			f.refuse["cloudvolumes/vol-"] = func() fakeFail { return fakeFail{403, `{"error_code":"APIGW.0302"}`} }
		}, billing.Denied},
		{"really gone", func(f *fake) { f.volumes[north] = nil }, ""},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			a, f := overFake(t)
			if got := listOf(t, a, billing.KindDisk); len(got) == 0 {
				t.Fatal("nothing to begin with")
			}
			tt.then(f)
			if list, err := a.list(context.Background(), northOf(billing.KindDisk)); billing.KindOf(err) != tt.want || len(list) > 0 && err == nil {
				t.Errorf("%d disks, %v, want %q", len(list), err, tt.want)
			}
		})
	}
}

func TestStoppedIsDeclared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		flavors := map[string]flavor{"p2s.2xlarge.8": {}, "p1.4xlarge.8": {}, "s6.large.2": {}, "p1.2xlarge.8": {}}
		set := func(id, stop string) { f := flavors[id]; f.Extra.ChargeStop = stop; flavors[id] = f }
		set("p1.2xlarge.8", "free")
		set("s6.large.2", "charge")
		for id, want := range map[string]billing.Tri{
			"p2s.2xlarge.8": billing.No,     // no mark is free
			"p1.4xlarge.8":  billing.Yes,    // but for local disks
			"p1.2xlarge.8":  billing.No,     // unless Huawei says otherwise
			"s6.large.2":    billing.Yes,    // as marked
			"x9.large.2":    billing.Unsure, // not in the list of flavors
			"p2.2xlarge.8":  billing.Yes,    // known without the list
		} {
			if got := chargedWhenStopped(id, flavors); got != want {
				t.Errorf("%s: %d, want %d", id, got, want)
			}
		}
		a, f := overFake(t)
		f.refuse["/flavors"] = func() fakeFail { return fakeFail{403, `{"error":{"code":"Ecs.0110"}}`} }
		got := listOf(t, a, billing.KindInstance)
		if off := got["srv-off"]; off.Billed != billing.Unsure || off.Rate.Hourly.Known() {
			t.Errorf("stopped, and nobody can tell what that costs: %+v", off)
		}
		if spot := got["srv-spot"]; spot.Mode != billing.ModeSpot || spot.StoppedRate.Hourly.Known() {
			t.Errorf("a spot machine: %+v", spot)
		}
	})
}

func TestOneUnsoldProductSpoilsNoOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, f := overFake(t)
		f.servers[north][2]["flavor"] = thing{"id": "p2v.2xlarge.8"}
		f.servers[north][2]["metadata"] = thing{"charging_mode": "0", "metering.resourcespeccode": "p2s.2xlarge.8.linux", "os_type": "Windows"}
		f.servers[north][2]["status"] = "ACTIVE"
		got := listOf(t, a, billing.KindInstance)
		if r := got["srv-off"]; r.Rate.Hourly.Known() {
			t.Errorf("p2v on Windows is not sold, and the code of another flavor is not its price: %v", r.Rate)
		}
		if r := got["srv-train"]; !r.Rate.Hourly.Known() {
			t.Error("the others lost their prices")
		}
	})
}

func TestScope(t *testing.T) {
	for _, tt := range []struct {
		name               string
		change             []string
		machines, disks    int
		addresses, shots   int
		withoutGPUIsListed bool
	}{
		{"gpu", nil, 8, 6, 3, 2, false},
		{"all", []string{"scope", "all"}, 9, 7, 4, 3, true},
		{"tag", []string{"tag", "owner=alice"}, 9, 7, 4, 3, true},
		{"another tag", []string{"tag", "owner=carol"}, 8, 6, 3, 2, false},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			a, _ := overFake(t, tt.change...)
			machines := listOf(t, a, billing.KindInstance)
			got := []int{len(machines), len(listOf(t, a, billing.KindDisk)), len(listOf(t, a, billing.KindIP)), len(listOf(t, a, billing.KindSnapshot))}
			if diff := cmp.Diff([]int{tt.machines, tt.disks, tt.addresses, tt.shots}, got); diff != "" {
				t.Errorf("machines, disks, EIPs, snapshots (-want +got):\n%s", diff)
			}
			if _, ok := machines["srv-web"]; ok != tt.withoutGPUIsListed {
				t.Errorf("srv-web is listed: %v", ok)
			}
		})
	}
}

// The table agrees with what was gathered from Huawei's pages.
func TestFlavorsHaveTheirCards(t *testing.T) {
	file, err := os.Open("testdata/gpus.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		id, model, count := row[1], row[2], row[3]
		f := flavor{ID: strings.Replace(id, "*", "large.4", 1)}
		got := f.gpu()
		want := map[string]string{"1/6": "0.166667", "1/3": "0.333333", "1/2": "0.5", "": ""}
		if w, ok := want[count]; ok {
			count = w
		}
		have := ""
		if got.Count.Known() {
			have = got.Count.String()
		}
		if have != count {
			t.Errorf("%s: %s cards, want %s", id, have, count)
		}
		short, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(model, "NVIDIA "), "Huawei "), " ")
		if strings.HasPrefix(model, "Huawei") {
			short = "ASCEND"
		}
		if !strings.HasPrefix(got.Model, short) && !(got.Model == "" && strings.Contains(row[5], "not verified")) && got.Model != "" {
			t.Errorf("%s: %q, want %s", id, got.Model, model)
		}
		if got.Model == "" && !strings.Contains(model, "not verified") && !strings.Contains(model, "NPU-monitored") {
			t.Errorf("%s has no model, want %s", id, model)
		}
	}
}

func TestPartsOfACardAreNotCounted(t *testing.T) {
	var s server
	s.Flavor.ID = "g7v.6xlarge.8"
	s.Flavor.GPUs = []accelerator{{Name: "NVIDIA A40-24Q", Count: "1", MemoryMiB: "24576"}}
	if g := s.gpu(); g.Model != "A40" || g.Count.String() != "0.5" {
		t.Errorf("half a card is %s of %s", g.Count, g.Model)
	}
}

// An address in a bandwidth that others share (WHOLE) may cost nothing by itself, and giving it back ends no bandwidth: what
// it costs is unknown, so that no saving is claimed. One that nothing has is billed in any bandwidth.
func TestSharedBandwidthOutlivesItsAddress(t *testing.T) {
	bound := address{ID: "ip", Status: "ACTIVE", BoundType: "PORT", BoundTo: "port-1"}
	bound.Bandwidth.Charge = "bandwidth"
	for share, want := range map[string]billing.Tri{"PER": billing.Yes, "WHOLE": billing.Unsure} {
		bound.Bandwidth.Share = share
		if r := bound.resource(project{region: "cn-north-4"}, nil, machineSet{}); r.Billed != want || r.Rate.Hourly.Known() {
			t.Errorf("%s: billed %d at %s, want %d at an unknown rate", share, r.Billed, r.Rate.Hourly, want)
		}
	}
	free := address{ID: "ip", Status: "DOWN"}
	free.Bandwidth.Share = "WHOLE"
	if r := free.resource(project{region: "cn-north-4"}, nil, machineSet{}); r.State != billing.StateUnattached || r.Billed != billing.Yes {
		t.Errorf("%s, billed %d", r.State, r.Billed)
	}
}
