package huawei

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

// Every question is asked as Huawei documents it: host, method, path, query, project and body; the fake checks the
// signature.
func TestRequestForms(t *testing.T) {
	synctest.Test(t, requestForms)
}

func requestForms(t *testing.T) {
	got := map[string]string{}
	f := newFake(testNow)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		key := r.Method + " " + r.URL.Path
		if _, ok := got[key]; !ok {
			got[key] = strings.Join([]string{r.Host, r.URL.RawQuery, r.Header.Get("X-Project-Id"), string(body)}, " ")
		}
		f.ServeHTTP(w, r)
	})
	c := billing.Config{Account: "test", Fields: map[string]billing.Secret{}, Write: true}
	for name, value := range testFields() {
		c.Fields[name] = billing.NewSecret(value)
	}
	c.Fields["projects"] = billing.NewSecret("cn-north-4=" + north)
	p, err := Driver().Open(c, billing.Env{Transport: fixture.Over(h), Now: testNow})
	if err != nil {
		t.Fatal(err)
	}
	a, ctx := p.(*account), context.Background()
	_, _ = a.Balance(ctx)
	for range a.Commitments(ctx) {
	}
	day := billing.Period{Start: time.Date(2026, 11, 18, 16, 0, 0, 0, time.UTC), End: time.Date(2026, 11, 19, 16, 0, 0, 0, time.UTC)} // GMT+8
	for range a.Charges(ctx, day) {
	}
	for range a.Utilisation(ctx, day) {
	}
	for _, kind := range []billing.Kind{billing.KindInstance, billing.KindDisk, billing.KindSnapshot, billing.KindImage, billing.KindIP} {
		listOf(t, a, kind)
	}
	_, _ = a.Stop(ctx, billing.Act{Verb: billing.VerbStop, Ref: ref(billing.KindInstance, "srv-train")})
	for kind, id := range map[billing.Kind]string{billing.KindInstance: "srv-spot", billing.KindDisk: "vol-left", billing.KindSnapshot: "snap-a",
		billing.KindImage: "img-train", billing.KindIP: "ip-free"} {
		if _, err := a.Release(ctx, billing.Act{Verb: billing.VerbDelete, Ref: ref(kind, id)}); err != nil {
			t.Errorf("%s is not released: %v", id, err)
		}
	}
	const bssHost, id = "bss.myhuaweicloud.com ", "/0123456789abcdef0123456789abcdef"
	in := func(service, query, body string) string {
		return service + ".cn-north-4.myhuaweicloud.com " + query + " 0123456789abcdef0123456789abcdef " + body
	}
	for key, want := range map[string]string{
		"GET /v2/accounts/customer-accounts/balances": bssHost + "  ",
		"GET /v2/promotions/benefits/coupons":         bssHost + "limit=100&offset=0&status=2  ",
		"POST /v2/bills/customer-bills/res-records/query": bssHost + `  {"bill_cycle_begin":"2026-11-19","bill_cycle_end":"2026-11-19","cycle":"2026-11",` +
			`"include_zero_record":false,"limit":100,"method":"oneself","offset":0,"query_type":"DAILY","statistic_type":2}`,
		// the path is spelled so in the documentation
		"POST /v2/orders/suscriptions/resources/query": bssHost + `  {"limit":500,"offset":0,"only_main_resource":0,"status_list":[2,4,5]}`,
		"POST /v2/bills/ratings/on-demand-resources": bssHost + `  {"inquiry_precision":1,"product_infos":[` +
			`{"cloud_service_type":"hws.service.type.ec2","id":"1","region":"cn-north-4","resource_spec":"p2s.2xlarge.8.linux","resource_type":"hws.resource.type.vm",` +
			`"subscription_num":1,"usage_factor":"Duration","usage_measure_id":4,"usage_value":1},` +
			`{"cloud_service_type":"hws.service.type.ec2","id":"2","region":"cn-north-4","resource_spec":"p1.2xlarge.8.linux","resource_type":"hws.resource.type.vm",` +
			`"subscription_num":1,"usage_factor":"Duration","usage_measure_id":4,"usage_value":1}],"project_id":"0123456789abcdef0123456789abcdef"}`,
		"GET /v1" + id + "/cloudservers/detail":                  in("ecs", "enterprise_project_id=all_granted_eps&limit=1000&offset=1", ""),
		"GET /v1" + id + "/cloudservers/flavors":                 in("ecs", "limit=1000", ""),
		"GET /v2" + id + "/cloudvolumes/detail":                  in("evs", "limit=1000", ""),
		"GET /v2" + id + "/cloudsnapshots/detail":                in("evs", "limit=1000&offset=0", ""),
		"GET /v2/cloudimages":                                    in("ims", "__imagetype=private&limit=500", ""),
		"GET /v3" + id + "/eip/publicips":                        in("vpc", "limit=2000", ""),
		"GET /v2" + id + "/instances/srv-train/agent-dimensions": in("ces", "dim_name=gpu&limit=100&offset=0", ""),
		"GET /v2" + id + "/instances/srv-month/agent-dimensions": in("ces", "dim_name=npu&limit=100&offset=0", ""),
		"POST /v1" + id + "/cloudservers/action":                 in("ecs", "", `{"os-stop":{"servers":[{"id":"srv-train"}],"type":"SOFT"}}`),
		"POST /v1" + id + "/cloudservers/delete":                 in("ecs", "", `{"delete_publicip":false,"delete_volume":false,"servers":[{"id":"srv-spot"}]}`),
		"DELETE /v2" + id + "/cloudvolumes/vol-left":             in("evs", "", ""),
		"DELETE /v2" + id + "/cloudsnapshots/snap-a":             in("evs", "", ""),
		"DELETE /v2/images/img-train":                            in("ims", "", `{"delete_backup":false}`),
		"DELETE /v1" + id + "/publicips/ip-free":                 in("vpc", "", ""),
		"POST /V1.0" + id + "/batch-query-metric-data": in("ces", "", `{"filter":"average","from":1795016400000,"metrics":[`+ // a period earlier, or the answer is empty
			`{"namespace":"AGT.ECS","metric_name":"gpu_usage_gpu","dimensions":[{"name":"instance_id","value":"srv-train"},{"name":"gpu","value":"hash1"}]},`+
			`{"namespace":"AGT.ECS","metric_name":"gpu_usage_gpu","dimensions":[{"name":"instance_id","value":"srv-train"},{"name":"gpu","value":"hash2"}]},`+
			`{"namespace":"AGT.ECS","metric_name":"npu_util_rate_ai_core","dimensions":[{"name":"instance_id","value":"srv-month"},{"name":"npu","value":"hash3"}]}],`+
			`"period":"1200","to":1795104000000}`),
	} {
		if got[key] != want {
			t.Errorf("%s is asked as\n%q, want\n%q", key, got[key], want)
		}
	}
}
