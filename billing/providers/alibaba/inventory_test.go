package alibaba

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
)

func TestInstances(t *testing.T) {
	got := list(t, overFake(t, files{"DescribeInstances": "DescribeInstances.json", "DescribePrice": "DescribePrice.json",
		"QueryAvailableInstances": "403 error.forbidden.json"}), billing.KindInstance)
	want := billing.Resource{
		Ref:  hangzhou(billing.KindInstance, "i-bp67acfmxazb4p****"),
		Name: "train-01", Zone: "cn-hangzhou-g", Type: "ecs.gn7i-c8g1.2xlarge",
		State: billing.StateStopped, VendorState: "Stopped, KeepCharging", Billed: billing.Yes, Mode: billing.ModeOnDemand,
		Rate:        billing.Rate{Hourly: billing.MustMoney("3655", cny), Source: billing.RateList}, // TradePrice of instanceType, not the total
		StoppedRate: billing.Rate{Hourly: billing.ZeroMoney(cny), Source: billing.RateList},
		GPU:         billing.GPU{Model: "A10", Count: billing.DecimalFromInt(1)},
		CreatedAt:   time.Date(2026, 11, 10, 4, 4, 0, 0, time.UTC), StartedAt: time.Date(2026, 11, 12, 1, 30, 0, 0, time.UTC),
		HoldsData: billing.Yes, AtZero: billing.FateInterrupted, Owner: "alice", Tags: map[string]string{"owner": "alice"},
	}
	if diff := cmp.Diff(want, got[0], exact()...); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	sub := pick(t, got, "i-bp67acfmxazb4r****")
	if !sub.ExpiresAt.Equal(time.Date(2026, 12, 10, 16, 0, 0, 0, time.UTC)) || sub.NotReleasable.Key != "error.alibaba.paid_ahead_until" ||
		!sub.Protected || sub.RenewsItself != billing.Unsure || sub.Rate.Source != billing.RateDerived {
		t.Errorf("the subscription: %+v", sub)
	}
	if spot := pick(t, got, "i-bp67acfmxazb4q****"); spot.Mode != billing.ModeSpot || !spot.ExpiresAt.IsZero() || spot.GPU.Model != "V100-16G" {
		t.Errorf("the spot machine: %+v", spot)
	}
}

func TestBilledPerState(t *testing.T) {
	base := instance{Type: "ecs.gn7i-c8g1.2xlarge", ChargeType: postPaid, NetworkType: "vpc"}
	for _, tt := range []struct {
		name   string
		change func(*instance)
		billed billing.Tri
		keeps  bool
	}{
		{"running", func(i *instance) { i.Status = running }, billing.Yes, false},
		{"stopped, kept", func(i *instance) { i.Status, i.StoppedMode = stopped, keepCharging }, billing.Yes, false},
		{"stopped, economical", func(i *instance) { i.Status, i.StoppedMode = stopped, stopCharging }, billing.No, false},
		{"stopped, no word", func(i *instance) { i.Status = stopped }, billing.Unsure, false},
		{"stopped, not applicable", func(i *instance) { i.Status, i.StoppedMode = stopped, notApplicable }, billing.Yes, false},
		{"subscription, stopped", func(i *instance) { i.Status, i.ChargeType = stopped, prePaid }, billing.Yes, true},
		{"local disks", func(i *instance) { i.Status, i.Type = running, "ecs.gn5-c4g1.xlarge" }, billing.Yes, true},
		{"no local disks", func(i *instance) { i.Status, i.Type = running, "ecs.gn5i-c4g1.xlarge" }, billing.Yes, false},
		{"i family", func(i *instance) { i.Status, i.Type = running, "ecs.i3.xlarge" }, billing.Yes, true},
		{"classic network", func(i *instance) { i.Status, i.NetworkType = running, "classic" }, billing.Yes, true},
		{"pending", func(i *instance) { i.Status = "Pending" }, billing.Unsure, false},
	} {
		i := base
		tt.change(&i)
		if i.billed() != tt.billed || i.keepsBilling() != tt.keeps {
			t.Errorf("%s: billed %d, goes on when stopped %v; want %d, %v", tt.name, i.billed(), i.keepsBilling(), tt.billed, tt.keeps)
		}
	}
}

func TestEmptyListWithoutPermissionIsNoEmptyList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, kind := range kinds() {
			f := newFake(testNow)
			a := overFake(t, f)
			if len(list(t, a, kind)) == 0 {
				t.Fatalf("no %s to begin with", kind)
			}
			f.denied = map[string]string{"DescribeInstances": "empty", "DescribeDisks": "empty", "DescribeSnapshots": "empty",
				"DescribeImages": "empty", "DescribeEipAddresses": "empty"}
			_, err := all(a.Resources(context.Background(), billing.Scope{Kind: kind, Region: "cn-hangzhou"}))
			if billing.KindOf(err) != billing.Denied || billing.SayOf(err).Key != "error.alibaba.permission" {
				t.Errorf("%s: %v, want Denied, naming the permission", kind, err)
			}
		}
	})
}

func TestEmptyListIsConfirmedOnce(t *testing.T) {
	f := newFake(testNow)
	f.disks = nil
	a := overFake(t, f, "scope", "all")
	for range 3 {
		if got := list(t, a, billing.KindDisk); len(got) > 0 {
			t.Fatal("what?")
		}
	}
	if len(f.asked) != 4 { // three lists and one dry run
		t.Errorf("asked %v, want one dry run only", f.asked)
	}
}

func TestEmptyListWithoutAWordIsDenied(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"Disks":{"Disk":[]}}`) })
	_, err := all(overFake(t, h).Resources(context.Background(), billing.Scope{Kind: billing.KindDisk, Region: "cn-hangzhou"}))
	if billing.KindOf(err) != billing.Denied || billing.SayOf(err).Key != "error.alibaba.empty" {
		t.Errorf("%v, want Denied", err)
	}
}

func TestDisks(t *testing.T) {
	f := newFake(testNow)
	got := list(t, overFake(t, files{"DescribeDisks": "DescribeDisks.json", "DescribeInstances": "DescribeInstances.json",
		"DescribePrice": "DescribePrice.json"}), billing.KindDisk)
	d := pick(t, got, "d-bp67acfmxazb4p****")
	if d.State != billing.StateUnattached || d.GoesWith || d.Type != "cloud_essd PL1" || d.SizeGiB.String() != "500" || !d.ExpiresAt.IsZero() {
		t.Errorf("the free disk: %+v", d)
	}
	if d := pick(t, got, "d-bp67acfmxazb4q****"); d.State != billing.StateAttached || !d.GoesWith || len(d.AttachedTo) != 1 {
		t.Errorf("the system disk: %+v", d)
	}
	shanghai, err := all(overFake(t, f).Resources(context.Background(), billing.Scope{Kind: billing.KindDisk, Region: "cn-shanghai"}))
	if err != nil || !slices.Equal(shanghai[0].AttachedTo, []string{"i-econ", "i-vgpu"}) {
		t.Errorf("the disk on two machines: %+v, %v", shanghai, err)
	}
}

func TestSnapshotsAreBilledByTheirChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := overFake(t, newFake(testNow))
		got := list(t, a, billing.KindSnapshot)
		if s := pick(t, got, "s-1"); s.SizeGiB.String() != "25" { // of 50 GiB for two; the disk has 500
			t.Errorf("s-1 has %s GiB, want its share of the chain", s.SizeGiB)
		}
		f := newFake(testNow)
		f.denied["DescribeSnapshotLinks"] = "403"
		if s := pick(t, list(t, overFake(t, f), billing.KindSnapshot), "s-1"); s.SizeGiB.Known() {
			t.Errorf("s-1 has %s GiB although the chain can't be read", s.SizeGiB)
		}
	})
}

func TestImagesInEveryState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := list(t, overFake(t, newFake(testNow)), billing.KindImage)
		if i := pick(t, got, "m-broken"); i.State != billing.StateUnknown {
			t.Errorf("the broken image is %s", i.State)
		}
		if i := pick(t, got, "m-base"); i.Billed != billing.No || !slices.Equal(i.Sources, []string{"s-image"}) {
			t.Errorf("the image: %+v", i)
		}
	})
}

func TestAddresses(t *testing.T) {
	got := list(t, overFake(t, files{"DescribeEipAddresses": "DescribeEipAddresses.json", "DescribeInstances": "DescribeInstances.json"}), billing.KindIP)
	want := billing.Resource{
		Ref: hangzhou(billing.KindIP, "eip-2zeerraiwb7ujcdvf****"), Name: "EIP-01", Type: "PayByBandwidth 5 Mbps",
		State: billing.StateUnattached, VendorState: "Available", Billed: billing.Yes, Mode: billing.ModeOnDemand,
		CreatedAt: time.Date(2021, 4, 23, 1, 37, 38, 0, time.UTC), HoldsData: billing.No, AtZero: billing.FateKeeps,
		Tags: map[string]string{"KeyTest": "ValueTest"}, // VPC says Key where ECS says TagKey
	}
	if diff := cmp.Diff([]billing.Resource{want}, got, exact()...); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	managed := overFake(t, newFake(testNow)).addressResource("cn-hangzhou", address{ID: "eip-1", ServiceManaged: 1, InstanceType: "Nat"})
	if managed.Managed != "Nat" {
		t.Errorf("an address of a service: %+v", managed)
	}
}

func TestScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ids := func(pairs ...string) (out []string) {
			a := overFake(t, newFake(testNow), pairs...)
			for _, kind := range kinds() {
				for _, r := range list(t, a, kind) {
					out = append(out, r.Ref.ID)
				}
			}
			return out
		}
		gpu, everything := ids(), ids("scope", "all")
		for _, id := range []string{"i-web", "d-web", "s-web", "m-web", "eip-nat"} {
			if slices.Contains(gpu, id) || !slices.Contains(everything, id) {
				t.Errorf("%s: watched by default %v, with scope all %v; want only the latter", id, slices.Contains(gpu, id), slices.Contains(everything, id))
			}
		}
		for _, id := range []string{"d-left", "eip-left", "s-image", "i-train", "d-data"} {
			if !slices.Contains(gpu, id) {
				t.Errorf("%s is not watched", id)
			}
		}
	})
}

func TestAListThatChangesIsReadAgain(t *testing.T) {
	f := newFake(testNow)
	f.shrinking = true
	_, err := all(overFake(t, f).Resources(context.Background(), billing.Scope{Kind: billing.KindImage, Region: "cn-hangzhou"}))
	if billing.KindOf(err) != billing.Upstream {
		t.Errorf("%v, want Upstream: what moved up a page would be missing", err)
	}
}

func TestBalance(t *testing.T) {
	for _, tt := range []struct{ file, cash string }{
		{"QueryAccountBalance.json", "10000"}, {"QueryAccountBalance.real-format.json", "1828.72"},
	} {
		b, err := overFake(t, files{"QueryAccountBalance": tt.file, "QueryCashCoupons": "403 error.forbidden.json",
			"QueryPrepaidCards": "QueryAccountBalance.not-authorized.json"}).Balance(context.Background())
		if err != nil || b.Cash != billing.MustMoney(tt.cash, cny) || b.Credit.Known() || b.Mode != billing.Prepaid || b.Vouchers != nil {
			t.Errorf("%s: %+v, %v", tt.file, b, err)
		}
	}
	b, err := overFake(t, newFake(testNow)).Balance(context.Background())
	want := billing.Voucher{ID: "c-1", Remaining: billing.MustMoney("1100", cny), ExpiresAt: time.Date(2026, 12, 29, 15, 15, 50, 0, time.UTC)}
	if err != nil || b.Credit != billing.MustMoney("5000", cny) || len(b.Vouchers) != 1 || b.Vouchers[0] != want {
		t.Errorf("%+v, %v; want the credit line apart and the coupon that counts", b, err)
	}
}

func TestArrearsAreNegative(t *testing.T) {
	if m, err := money("-1,234.50", cny); err != nil || m != billing.MustMoney("-1234.5", cny) {
		t.Errorf("%v, %v", m, err)
	}
}

func TestPriceThatCannotBeHadIsUnknown(t *testing.T) {
	f := newFake(testNow)
	f.denied["DescribePrice"] = "403"
	if m := pick(t, list(t, overFake(t, f), billing.KindInstance), "i-train"); m.Rate.Hourly.Known() || m.Rate.Source != billing.RateUnknown {
		t.Errorf("the rate is %v", m.Rate)
	}
}

func TestPublicBandwidthBelongsToTheMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(testNow)
		f.instances[0]["InternetChargeType"] = "PayByBandwidth"
		if m := pick(t, list(t, overFake(t, f), billing.KindInstance), "i-train"); m.Rate.Hourly != billing.MustMoney("10.48", cny) {
			t.Errorf("the rate is %v, want 9.98 and 0.5 for the bandwidth", m.Rate.Hourly)
		}
		f.instances[0]["EipAddress"] = map[string]any{"AllocationId": "eip-train"}
		if m := pick(t, list(t, overFake(t, f), billing.KindInstance), "i-train"); m.Rate.Hourly != billing.MustMoney("9.98", cny) {
			t.Errorf("the rate is %v, want 9.98: the EIP has a line of its own", m.Rate.Hourly)
		}
	})
}

func TestRenewals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := overFake(t, newFake(testNow))
		if m := pick(t, list(t, a, billing.KindInstance), "i-sub"); m.RenewsItself != billing.Yes {
			t.Errorf("renews itself: %d", m.RenewsItself)
		}
		got, err := all(a.Commitments(context.Background()))
		want := []billing.Commitment{{ID: "spn-1", Name: "savingplan", ExpiresAt: time.Date(2027, 1, 10, 16, 0, 0, 0, time.UTC), RenewsItself: billing.No}}
		if diff := cmp.Diff(want, got, exact()...); diff != "" || err != nil {
			t.Errorf("%v\n-want +got:\n%s", err, diff)
		}
	})
}

func TestWhatAPageRepeatsIsOneThing(t *testing.T) {
	f := newFake(testNow)
	f.disks = append(f.disks, f.disks[0])
	got := list(t, overFake(t, f), billing.KindDisk)
	if got = slices.DeleteFunc(got, func(r billing.Resource) bool { return r.Ref.ID != "d-data" }); len(got) != 1 {
		t.Errorf("d-data is listed %d times", len(got))
	}
}

func TestAllRegionsAreAskedFor(t *testing.T) {
	f := newFake(testNow)
	for _, tt := range []struct {
		setting string
		want    int
	}{{"", 10}, {"cn-shanghai", 5}, {" cn-hangzhou , cn-beijing,", 10}} {
		got, err := overFake(t, f, "regions", tt.setting).Scopes(context.Background())
		if err != nil || len(got) != tt.want {
			t.Errorf("regions %q: %d scopes, %v, want %d", tt.setting, len(got), err, tt.want)
		}
	}
}

// Three pages of 100, 100 and 7, of which the second fails once and the last repeats a thing of the second, are 206 things.
func TestC23EveryPageIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, failed := newFake(testNow), false
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("x-acs-action") != "DescribeDisks" || r.URL.Query().Get("DiskIds") != "" {
				f.ServeHTTP(w, r)
				return
			}
			from, n, next := 0, 100, "p2"
			switch r.URL.Query().Get("NextToken") {
			case "p2":
				if !failed {
					failed = true
					http.Error(w, `{"Code":"InternalError","Message":"x"}`, http.StatusInternalServerError)
					return
				}
				from, next = 100, "p3"
			case "p3":
				from, n, next = 199, 7, ""
			}
			var disks []string
			for i := from; i < from+n; i++ {
				disks = append(disks, fmt.Sprintf(`{"RegionId":"cn-hangzhou","DiskId":"d-%d","Size":10,"Category":"cloud_essd","Type":"data","Status":"Available","DiskChargeType":"PostPaid",
					"CreationTime":"2026-06-07T06:08:54Z","ExpiredTime":"2099-12-31T15:59Z"}`, i))
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"RequestId":"r","NextToken":%q,"TotalCount":0,"Disks":{"Disk":[%s]}}`, next, strings.Join(disks, ","))
		})
		if got := list(t, overFake(t, h), billing.KindDisk); len(got) != 206 || !failed {
			t.Errorf("%d disks, want 206 (the second page failed once: %t)", len(got), failed)
		}
	})
}
