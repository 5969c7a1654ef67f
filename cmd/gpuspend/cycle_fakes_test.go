package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The clouds of BenchmarkFullCycle: generators that answer what the clients ask, in the clouds' own pages. They run in a
// process of their own, so that the memory measured is the program's alone.

// fakesIn names the variable that turns the test binary into the clouds.
const fakesIn = "GPUSPEND_CYCLE_FAKES"

// crowd serves every account at /CLOUD/NUMBER and counts what each is asked.
type crowd struct {
	mu    sync.Mutex
	asked map[string]int // "alibaba/3", and "alibaba-bill/3" for the API with a pace of its own
	now   time.Time
}

// TestCycleFakes is the clouds' process and no test: it serves until its input ends.
func TestCycleFakes(t *testing.T) {
	if os.Getenv(fakesIn) == "" {
		t.Skip("runs as the other process of BenchmarkFullCycle")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("listening", l.Addr())
	s := &http.Server{Handler: &crowd{asked: map[string]int{}, now: time.Now().UTC()}}
	go func() { _ = s.Serve(l) }()
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = s.Close()
}

// ServeHTTP answers one request.
func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/asked" {
		c.mu.Lock()
		defer c.mu.Unlock()
		_ = json.NewEncoder(w).Encode(c.asked)
		return
	}
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/")+"/", "/", 3)
	if len(parts) < 3 {
		http.Error(w, "no account in "+r.URL.Path, http.StatusNotFound)
		return
	}
	cloud, n := parts[0], parts[1]
	c.count(cloud, n, r)
	answer, ok := c.answer(cloud, n, r.URL.Path[len("/"+cloud+"/"+n):], r)
	if strings.HasPrefix(answer, "<") {
		w.Header().Set("Content-Type", "text/xml;charset=UTF-8")
	}
	headed(cloud, ok, answer, w)
	_, _ = io.WriteString(w, answer)
}

func (c *crowd) count(cloud, n string, r *http.Request) {
	a := r.Header.Get("x-acs-action")
	if cloud == "alibaba" && (a == "DescribeInstanceBill" || strings.HasPrefix(a, "Query")) {
		cloud = "alibaba-bill"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[cloud+"/"+n]++
}

func (c *crowd) answer(cloud, n, path string, r *http.Request) (string, bool) {
	body, _ := io.ReadAll(r.Body)
	switch cloud {
	case "lambda":
		return lambdaSays(n, path)
	case "autodl":
		return autodlSays(n, path, r.URL.Query(), body)
	case "vast":
		return vastSays(n, path, r.URL.Query(), c.now)
	case "runpod":
		return runpodSays(n, path, r.URL.Query(), c.now)
	case "huawei":
		return huaweiSays(n, path, r.URL.Query(), body, c.now)
	case "aws":
		v, _ := url.ParseQuery(string(body))
		return awsSays(n, r.Header.Get("X-Amz-Target"), v, body)
	case "alibaba":
		return alibabaSays(n, r.Header.Get("x-acs-action"), r.URL.Query())
	}
	return "", false
}

// many joins the texts of things from..to.
func many(from, to int, one func(i int) string) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		if i > from {
			b.WriteByte(',')
		}
		b.WriteString(one(i))
	}
	return b.String()
}

// after reads where a page begins, out of a token that pageOf made.
func after(token string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(token, "after-"))
	return n
}

const (
	lambdaThings  = 500
	autodlThings  = 60
	vastThings    = 400
	vastBilled    = 150 // of them have lines in the bill
	runpodPods    = 400
	alibabaThings = 270 // machines; as many disks
)

func lambdaSays(n, path string) (string, bool) {
	switch path {
	case "/api/v1/instances":
		return `{"data":[` + many(0, lambdaThings, func(i int) string {
			return fmt.Sprintf(`{"id":"l%s-%d","name":"train-%d","status":"active","region":{"name":"us-west-1"},"file_system_names":[],
			"instance_type":{"name":"gpu_8x_h100_sxm5","gpu_description":"H100 (80 GB SXM5)","price_cents_per_hour":3592,"specs":{"gpus":8}},
			"actions":{"terminate":{"available":true}},"tags":[{"key":"owner","value":"ana"}]}`, n, i, i)
		}) + `]}`, true
	case "/api/v1/file-systems":
		return `{"data":[]}`, true
	case "/api/v1/instance-types":
		return `{"data":{"gpu_1x_gh200":{"instance_type":{"name":"gpu_1x_gh200","gpu_description":"GH200 (96 GB)","price_cents_per_hour":149,"specs":{"gpus":1}},"regions_with_capacity_available":[{"name":"us-east-3"}]}}}`, true
	}
	return `{"error":{"code":"global/not-found"}}`, false
}

func autodlSays(n, path string, q url.Values, body []byte) (string, bool) {
	give := func(s string) (string, bool) { return `{"code":"Success","msg":"","data":` + s + `}`, true }
	var page struct {
		Index int `json:"page_index"`
		Size  int `json:"page_size"`
	}
	_ = json.Unmarshal(body, &page)
	switch strings.TrimPrefix(path, "/api/v1/dev/") {
	case "wallet/balance":
		return give(`{"assets":86405000,"accumulate":1828723,"voucher_balance":0,"blocked_asset":0}`)
	case "instance/pro/list":
		from := min((page.Index-1)*page.Size, autodlThings)
		to := min(from+page.Size, autodlThings)
		return give(fmt.Sprintf(`{"list":[%s],"page_index":%d,"max_page":%d,"result_total":%d}`, many(from, to, func(i int) string {
			return fmt.Sprintf(`{"created_at":"2026-11-15T17:30:54+08:00","uuid":"pro-%s-%d","name":"x","region_sign":"bj-B1","status":"running",
			"status_at":"2026-11-16T17:31:05+08:00","start_mode":"gpu","charge_type":"payg","req_gpu_amount":1,"gpu_spec_uuid":"pro6000-p",
			"started_at":{"Time":"2026-11-16T17:31:05+08:00","Valid":true}}`, n, i)
		}), page.Index, (autodlThings+page.Size-1)/page.Size, autodlThings))
	case "instance/pro/snapshot":
		return give(`{"payg_price":1970,"snapshot_gpu_alias_name":"NVIDIA RTX PRO 6000","usage_info":{"data_disk_total_size":0},
			"expand_system_disk_size":32212254720,"system_init_disk_size":32212254720}`)
	case "instance/pro/image/private/list":
		return give(`{"list":[],"page_index":1,"max_page":0,"result_total":0}`)
	}
	return `{"code":"RequestParameterIsWrong"}`, true
}

func vastSays(n, path string, q url.Values, now time.Time) (string, bool) {
	limit, from := 0, after(q.Get("after_token"))
	_, _ = fmt.Sscan(q.Get("limit"), &limit)
	next := func(to, of int) string {
		if to < of {
			return fmt.Sprintf(`"after-%d"`, to)
		}
		return "null"
	}
	switch path {
	case "/api/v0/users/current/":
		return `{"id":9` + n + `,"balance":0,"credit":2400.5}`, true
	case "/api/v1/instances/":
		to := min(from+limit, vastThings)
		return fmt.Sprintf(`{"success":true,"total_instances":%d,"next_token":%s,"instances":[%s]}`, vastThings, next(to, vastThings), many(from, to, func(i int) string {
			return fmt.Sprintf(`{"id":%s%05d,"label":"train","actual_status":"running","cur_state":"running","intended_status":"running","num_gpus":1,
			"gpu_name":"RTX 4090","gpu_ram":24564,"gpu_util":90.5,"disk_space":40.0,"dph_base":0.4,"dph_total":0.41,"storage_total_cost":0.01,
			"storage_cost":0.15,"start_date":1763467200.0,"end_date":1800000000.0,"is_bid":false,"geolocation":"California, US"}`, n, i)
		})), true
	case "/api/v0/volumes/":
		return `{"volumes":[]}`, true
	case "/api/v0/charges/":
		to := min(from+limit, vastBilled)
		return fmt.Sprintf(`{"success":true,"total":%d,"next_token":%s,"results":[%s]}`, vastBilled, next(to, vastBilled), many(from, to, func(i int) string {
			return fmt.Sprintf(`{"type":"instance","source":"instance-%s%05d","amount":9.84,"description":"Charges","metadata":{"label":"train"},
			"items":[{"type":"gpu","amount":9.6,"description":"24.000 hours at $0.4/hour"},{"type":"disk","amount":0.24,"description":"24.000 hours at $0.01/hour"}]}`, n, i)
		})), true
	case "/api/v0/bundles/":
		return `{"offers":[{"gpu_name":"RTX 4090","gpu_ram":24564,"num_gpus":1,"dph_total":0.4}]}`, true
	}
	return `{"success":false,"error":"not_found"}`, false
}

func runpodSays(n, path string, q url.Values, now time.Time) (string, bool) {
	const end = `"pagination":{"nextCursor":null,"hasNextPage":false}}`
	empty := map[string]string{"/v2/network-volumes": "networkVolumes", "/v2/serverless": "endpoints", "/v2/clusters": "clusters", "/v2/tags": "tags"}
	if key, ok := empty[path]; ok {
		return `{"` + key + `":[],` + end, true
	}
	switch path {
	case "/graphql":
		return `{"data":{"myself":{"id":"user_` + n + `","clientBalance":4350.85}}}`, true
	case "/v2/billing/balance":
		return `{"balanceAmount":4200.18,"billingMode":"PREPAID"}`, true
	case "/v2/pods":
		return `{"pods":[` + many(0, runpodPods, func(i int) string {
			return fmt.Sprintf(`{"id":"pod-%s-%d","name":"train","status":"RUNNING","cost":2.69,"mounts":{"persistent":{"size":100}},"disk":50,
			"gpu":{"id":"NVIDIA H100 80GB HBM3","count":1},"cloud":"SECURE","dataCenterId":"US-KS-2","locked":false,"createdAt":"2026-11-18T12:00:00Z",
			"startedAt":"2026-11-18T12:02:00Z","actions":["stop","terminate"],"runtime":{"gpus":[{"util":94}]}}`, n, i)
		}) + `],` + end, true
	case "/v2/catalog/gpus":
		return `{"gpus":[{"id":"NVIDIA H200","secure":true,"community":false,"price":{"secure":3.59,"community":0},"availability":"LOW"}]}`, true
	case "/v2/billing/pods":
		return `{"records":[` + runpodHours(n, q, now) + `],"metadata":{}}`, true
	}
	if strings.HasPrefix(path, "/v2/billing/") {
		return `{"records":[],"metadata":{}}`, true
	}
	return `{"title":"no route","status":404}`, false
}

// runpodHours bills three pods every hour.
func runpodHours(n string, q url.Values, now time.Time) string {
	from, _ := time.Parse(time.RFC3339, q.Get("startTime"))
	to, _ := time.Parse(time.RFC3339, q.Get("endTime"))
	var records []string
	for at := from.Truncate(time.Hour); at.Before(to) && at.Before(now); at = at.Add(time.Hour) {
		for i := range 3 {
			records = append(records, fmt.Sprintf(`{"startTime":%q,"endTime":%q,"podId":"pod-%s-%d","totalAmount":2.7037,"gpuAmount":2.69,"cpuAmount":0,"diskAmount":0.0137}`,
				at.Format(time.RFC3339), at.Add(time.Hour).Format(time.RFC3339), n, i))
		}
	}
	return strings.Join(records, ",")
}

func alibabaSays(n, action string, q url.Values) (string, bool) {
	size, from := 100, after(q.Get("NextToken"))
	_, _ = fmt.Sscan(q.Get("MaxResults"), &size)
	list := func(outer, inner string, one func(i int) string) (string, bool) {
		ids := q.Get("InstanceIds") + q.Get("DiskIds")
		to, next := min(from+size, alibabaThings), ""
		if ids != "" {
			picked := []string{}
			for i := range alibabaThings {
				if strings.Contains(ids, fmt.Sprintf("-%s-%d\"", n, i)) {
					picked = append(picked, one(i))
				}
			}
			return `{"RequestId":"r","TotalCount":0,"` + outer + `":{"` + inner + `":[` + strings.Join(picked, ",") + `]}}`, true
		}
		if to < alibabaThings {
			next = fmt.Sprintf(`"NextToken":"after-%d",`, to)
		}
		return `{"RequestId":"r",` + next + `"TotalCount":0,"` + outer + `":{"` + inner + `":[` + many(from, to, one) + `]}}`, true
	}
	empty := map[string][2]string{"DescribeSnapshots": {"Snapshots", "Snapshot"}, "DescribeSnapshotLinks": {"SnapshotLinks", "SnapshotLink"},
		"DescribeImages": {"Images", "Image"}, "DescribeEipAddresses": {"EipAddresses", "EipAddress"}}
	if e, ok := empty[action]; ok {
		if q.Get("DryRun") == "true" {
			return `{"RequestId":"r","Code":"DryRunOperation"}`, false
		}
		return `{"RequestId":"r","TotalCount":0,"` + e[0] + `":{"` + e[1] + `":[]}}`, true
	}
	switch action {
	case "GetCallerIdentity":
		return `{"RequestId":"r","AccountId":"12345678901234` + n + `","IdentityType":"RAMUser"}`, true
	case "DescribeRegions":
		return `{"RequestId":"r","Regions":{"Region":[{"RegionId":"cn-hangzhou"}]}}`, true
	case "DescribeInstances":
		return list("Instances", "Instance", func(i int) string { return alibabaMachine(n, i) })
	case "DescribeDisks":
		return list("Disks", "Disk", func(i int) string { return alibabaDisk(n, i) })
	case "QueryAccountBalance":
		return `{"Code":"200","Success":true,"Data":{"CreditAmount":"5,000.00","MybankCreditAmount":"0.00","Currency":"CNY","AvailableCashAmount":"91,828.72"}}`, true
	case "QueryCashCoupons":
		return `{"Code":"Success","Success":true,"Data":{"CashCoupon":[]}}`, true
	case "QueryPrepaidCards":
		return `{"Code":"Success","Success":true,"Data":{"PrepaidCard":[]}}`, true
	case "QueryAvailableInstances":
		return `{"Code":"Success","Success":true,"Data":{"TotalCount":0,"InstanceList":[]}}`, true
	case "DescribePrice":
		return `{"PriceInfo":{"Price":{"OriginalPrice":9.5,"DiscountPrice":0,"TradePrice":9.5,"Currency":"CNY","DetailInfos":{"DetailInfo":[
			{"Resource":"instanceType","TradePrice":9.4},{"Resource":"systemDisk","TradePrice":0.1}]}}}}`, true
	case "DescribeInstanceTypes":
		return `{"RequestId":"r","InstanceTypes":{"InstanceType":[{"InstanceTypeId":"ecs.gn7i-c8g1.2xlarge","GPUAmount":1,"GPUSpec":"NVIDIA A10"}]}}`, true
	case "DescribeSpotPriceHistory":
		return `{"RequestId":"r","Currency":"CNY","NextOffset":0,"SpotPrices":{"SpotPriceType":[]}}`, true
	case "DescribeMetricList":
		return `{"Code":"200","Success":true,"Datapoints":"[]"}`, true
	case "DescribeInstanceBill":
		return alibabaBill(n, from, q), true
	}
	return `{"Code":"InvalidAction.NotFound"}`, false
}

func alibabaMachine(n string, i int) string {
	return fmt.Sprintf(`{"RegionId":"cn-hangzhou","InstanceId":"i-%s-%d","InstanceName":"train-%d","InstanceType":"ecs.gn7i-c8g1.2xlarge","GPUAmount":1,
		"GPUSpec":"NVIDIA A10","Status":"Running","StoppedMode":"Not-applicable","InstanceChargeType":"PostPaid","SpotStrategy":"NoSpot","InstanceNetworkType":"vpc",
		"InternetChargeType":"PayByTraffic","InternetMaxBandwidthOut":0,"CreationTime":"2026-11-10T04:04Z","StartTime":"2026-11-12T01:30Z","ExpiredTime":"2099-12-31T15:59Z",
		"ZoneId":"cn-hangzhou-g","Tags":{"Tag":[{"TagKey":"owner","TagValue":"alice"}]}}`, n, i, i)
}

func alibabaDisk(n string, i int) string {
	return fmt.Sprintf(`{"RegionId":"cn-hangzhou","DiskId":"d-%s-%d","DiskName":"data","Size":500,"Category":"cloud_essd","PerformanceLevel":"PL1","Type":"data",
		"Status":"In_use","DiskChargeType":"PostPaid","Portable":true,"InstanceId":"i-%s-%d","CreationTime":"2026-06-07T06:08:54Z","ExpiredTime":"2099-12-31T15:59Z",
		"Attachments":{"Attachment":[{"InstanceId":"i-%s-%d"}]},"ZoneId":"cn-hangzhou-g"}`, n, i, n, i, n, i)
}

// alibabaBill has a line a day for most of the machines.
func alibabaBill(n string, from int, q url.Values) string {
	const lines = 300
	size := 300
	_, _ = fmt.Sscan(q.Get("MaxResults"), &size)
	to, next := min(from+size, lines), ""
	if to < lines {
		next = fmt.Sprintf("after-%d", to)
	}
	return fmt.Sprintf(`{"Code":"Success","Success":true,"Data":{"AccountID":"12345678901234%s","AccountName":"x","NextToken":%q,"Items":[%s]}}`, n, next, many(from, to, func(i int) string {
		return fmt.Sprintf(`{"BillingDate":%q,"ProductName":"Elastic Compute Service","ProductCode":"ecs","CommodityCode":"ecs","SubscriptionType":"PayAsYouGo",
		"Item":"PayAsYouGoBill","InstanceID":"i-%s-%d","InstanceSpec":"ecs.gn7i-c8g1.2xlarge","Region":"China (Hangzhou)","Tag":"key:owner value:alice","BillingItem":"Instance Type",
		"BillingItemCode":"instance_type","PretaxAmount":225.6,"PretaxGrossAmount":240,"Currency":"CNY","Usage":"24","UsageUnit":"Hour","OwnerID":"1"}`, q.Get("BillingDate"), n, i)
	}))
}

// pace is what a client allows itself, of billing/providers/*/client.go: one request in every, after a burst.
type pace struct {
	every time.Duration
	burst int
}

func paces() map[string]pace {
	return map[string]pace{"runpod": {1200 * time.Millisecond, 10}, "vast": {1500 * time.Millisecond, 1}, "lambda": {1100 * time.Millisecond, 1},
		"autodl": {time.Second, 1}, "alibaba": {50 * time.Millisecond, 20}, "alibaba-bill": {125 * time.Millisecond, 8},
		"huawei": {125 * time.Millisecond, 8}, "aws": {100 * time.Millisecond, 50}}
}

// dictated is how long the slowest account needs by its pace alone, since accounts are read side by side.
func dictated(asked map[string]int) (longest time.Duration, who string) {
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for k := range asked {
			if !yield(k) {
				return
			}
		}
	}) {
		cloud, _, _ := strings.Cut(name, "/")
		p := paces()[cloud]
		if d := time.Duration(max(0, asked[name]-p.burst)) * p.every; d > longest {
			longest, who = d, name
		}
	}
	return longest, who
}
