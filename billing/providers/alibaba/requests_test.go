package alibaba

import (
	"context"
	"net/http"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

// Every question is asked as Alibaba documents it: host, method, version and query; the fake checks signature and body.
func TestRequestForms(t *testing.T) {
	got := map[string]string{}
	f := newFake(testNow)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		action := r.Header.Get("x-acs-action")
		if _, ok := got[action]; !ok {
			got[action] = r.Method + " " + r.Header.Get("x-acs-version") + " " + r.Host + r.URL.RequestURI()
		}
		f.ServeHTTP(w, r)
	})
	p, err := Driver().Open(billing.Config{Account: "test", Fields: settings("regions", "cn-hangzhou"), Write: true},
		billing.Env{Transport: fixture.Over(h), Now: testNow})
	if err != nil {
		t.Fatal(err)
	}
	a, ctx := p.(*account), context.Background()
	_, _ = a.Balance(ctx)
	for range a.Commitments(ctx) {
	}
	day := billing.Period{Start: time.Date(2026, 11, 19, 16, 0, 0, 0, time.UTC), End: time.Date(2026, 11, 20, 16, 0, 0, 0, time.UTC)} // UTC+8
	for range a.Charges(ctx, day) {
	}
	for range a.Utilisation(ctx, day) {
	}
	for range a.Offers(ctx, billing.OfferQuery{}) {
	}
	for _, kind := range kinds() {
		list(t, a, kind)
	}
	_, _ = a.Stop(ctx, billing.Act{Verb: billing.VerbStop, Ref: hangzhou(billing.KindInstance, "i-train")})
	for kind, id := range map[billing.Kind]string{billing.KindInstance: "i-spot", billing.KindDisk: "d-left", billing.KindSnapshot: "s-1",
		billing.KindImage: "m-base", billing.KindIP: "eip-left"} {
		if _, err := a.Release(ctx, billing.Act{Verb: billing.VerbDelete, Token: "act-1", Ref: hangzhou(kind, id)}); err != nil {
			t.Errorf("%s is not released: %v", id, err)
		}
	}
	const ecsHost, vpcHost, bssHost = "POST 2014-05-26 ecs.cn-hangzhou.aliyuncs.com/?", "POST 2016-04-28 vpc.cn-hangzhou.aliyuncs.com/?",
		"POST 2017-12-14 business.aliyuncs.com/?"
	for action, want := range map[string]string{
		"QueryAccountBalance":     bssHost,
		"DescribeInstanceBill":    bssHost + "BillingCycle=2026-11&BillingDate=2026-11-20&Granularity=DAILY&IsBillingItem=true&MaxResults=300",
		"QueryCashCoupons":        bssHost + "EffectiveOrNot=true",
		"QueryAvailableInstances": bssHost + "PageNum=1&PageSize=100&SubscriptionType=Subscription",
		"DescribeInstanceTypes":   ecsHost + "MaxResults=100&MinimumGPUAmount=1",
		"DescribePrice": ecsHost + "InstanceType=ecs.gn7i-c8g1.2xlarge&Period=1&PriceUnit=Hour&RegionId=cn-hangzhou&ResourceType=instance" +
			"&SystemDisk.Category=cloud_essd&SystemDisk.Size=40",
		"DescribeSpotPriceHistory": ecsHost + "EndTime=2026-11-22T10%3A30%3A00Z&InstanceType=ecs.gn7i-c8g1.2xlarge&NetworkType=vpc" +
			"&RegionId=cn-hangzhou&StartTime=2026-11-22T04%3A30%3A00Z",
		"DescribeMetricList": "POST 2019-01-01 metrics.cn-hangzhou.aliyuncs.com/?Dimensions=%5B%7B%22instanceId%22%3A%22i-train%22%7D%2C" +
			"%7B%22instanceId%22%3A%22i-spot%22%7D%2C%7B%22instanceId%22%3A%22i-sub%22%7D%2C%7B%22instanceId%22%3A%22i-lock%22%7D%2C" +
			"%7B%22instanceId%22%3A%22i-asg%22%7D%2C%7B%22instanceId%22%3A%22i-p100%22%7D%5D&EndTime=1795190400000&Length=1440" +
			"&MetricName=gpu_gpu_usedutilization&Namespace=acs_ecs_dashboard&Period=900&StartTime=1795104000000",
		"DescribeInstances":     ecsHost + "MaxResults=100&RegionId=cn-hangzhou",
		"DescribeDisks":         ecsHost + "MaxResults=500&RegionId=cn-hangzhou",
		"DescribeSnapshots":     ecsHost + "MaxResults=100&RegionId=cn-hangzhou",
		"DescribeSnapshotLinks": ecsHost + "MaxResults=100&RegionId=cn-hangzhou",
		"DescribeImages":        ecsHost + "ImageOwnerAlias=self&PageNumber=1&PageSize=100&RegionId=cn-hangzhou&Status=Creating%2CWaiting%2CAvailable%2CUnAvailable%2CCreateFailed",
		"DescribeEipAddresses":  vpcHost + "PageNumber=1&PageSize=100&RegionId=cn-hangzhou",
		"StopInstance":          ecsHost + "InstanceId=i-train&StoppedMode=StopCharging",
		"DeleteInstances":       ecsHost + "ClientToken=act-1&Force=true&InstanceId.1=i-spot&RegionId=cn-hangzhou",
		"DeleteDisk":            ecsHost + "DiskId=d-left",
		"DeleteSnapshot":        ecsHost + "SnapshotId=s-1",
		"DeleteImage":           ecsHost + "ImageId=m-base&RegionId=cn-hangzhou",
		"ReleaseEipAddress":     vpcHost + "AllocationId=eip-left&RegionId=cn-hangzhou",
	} {
		if got[action] != want {
			t.Errorf("%s is asked as\n%s, want\n%s", action, got[action], want)
		}
	}
}
