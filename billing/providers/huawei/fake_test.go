package huawei

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gpuspend/billing"
)

const (
	fakeAK     = "HPUATESTTESTTESTAK42"
	fakeSK     = "skTESTKEYTESTKEYTESTKEY0123456789abcdefgh"
	fakeToken  = "gQpjbi1ub3J0aC00TESTTOKEN0123456789"
	fakeSecret = "Passw0rdCANARYCANARY"
	north      = "0123456789abcdef0123456789abcdef"
	east       = "fedcba9876543210fedcba9876543210"
)

type thing = map[string]any

// fake is a Huawei Cloud that remembers, with two projects. It checks signatures, holds requests against the documented
// form, gives pages of two whatever it is asked for, and carries out jobs after 40 seconds.
type fake struct {
	now     func() time.Time
	mu      sync.Mutex
	servers map[string][]thing // by project
	volumes map[string][]thing
	snaps   map[string][]thing
	images  map[string][]thing
	ips     map[string][]thing
	jobs    []*fakeJob
	asked   map[string]int
	last    map[string]any // the newest body of each path that was written to
	looping bool
	hidden  bool                       // lists are empty although things are there
	refuse  map[string]func() fakeFail // by part of a path
}

type fakeFail struct {
	status int
	body   string
}

type fakeJob struct {
	id   string
	due  time.Time
	do   func()
	done bool
}

func newFake(now func() time.Time) *fake {
	f := &fake{now: now, servers: map[string][]thing{}, volumes: map[string][]thing{}, snaps: map[string][]thing{},
		images: map[string][]thing{}, ips: map[string][]thing{}, asked: map[string]int{}, last: map[string]any{}, refuse: map[string]func() fakeFail{}}
	f.servers[north] = []thing{
		fakeServer("srv-train", "ACTIVE", "p2s.2xlarge.8", chargedOnDemand, fakeDisk("vol-sys", "0", "true"), fakeDisk("vol-data", "", "false")),
		fakeServer("srv-local", "SHUTOFF", "p1.2xlarge.8", chargedOnDemand),
		fakeServer("srv-off", "SHUTOFF", "p2s.2xlarge.8", chargedOnDemand),
		fakeServer("srv-month", "ACTIVE", "ai1s.large.4", chargedAhead),
		fakeServer("srv-spot", "ACTIVE", "p2s.2xlarge.8", chargedSpot),
		fakeServer("srv-asg", "ACTIVE", "p2s.2xlarge.8", chargedOnDemand),
		fakeServer("srv-cce", "ACTIVE", "p2s.2xlarge.8", chargedOnDemand),
		fakeServer("srv-lock", "ACTIVE", "p2s.2xlarge.8", chargedOnDemand),
		fakeServer("srv-web", "ACTIVE", "s6.large.2", chargedOnDemand, fakeDisk("vol-web", "0", "true")),
	}
	f.servers[north][6]["tags"] = []string{"CCE-Cluster-ID=c-77", "owner=bob"}
	f.servers[north][7]["locked"] = true
	for _, id := range []string{"srv-east", "srv-east-2", "srv-east-3"} {
		f.servers[east] = append(f.servers[east], fakeServer(id, "ACTIVE", "p3.2xlarge.8", chargedOnDemand))
	}
	f.volumes[north] = []thing{
		fakeVolume("vol-sys", "GPSSD", 40, "srv-train"), fakeVolume("vol-data", "SSD", 100, "srv-train"), fakeVolume("vol-web", "SAS", 40, "srv-web"),
		fakeVolume("vol-left", "SSD", 500, ""), fakeVolume("vol-month", "SSD", 100, ""), fakeVolume("vol-snapped", "SSD", 10, ""), fakeVolume("vol-gp2", "ESSD2", 10, ""),
	}
	f.volumes[north][4]["metadata"] = thing{"orderID": "CS1808132145NRVRE"}
	f.snaps[north] = []thing{fakeSnap("snap-a", "before", "vol-snapped"), fakeSnap("snap-auto", "autobk_snapshot_2026", "vol-gone"), fakeSnap("snap-web", "web", "vol-web")}
	f.images[north] = []thing{fakeImage("img-train", "srv-train", false), fakeImage("img-kept", "srv-train", true), fakeImage("img-web", "srv-web", false)}
	f.ips[north] = []thing{fakeIP("ip-free", "", "", nil), fakeIP("ip-down", "PORT", "port-srv-train", nil), fakeIP("ip-month", "", "", "CS1:x"), fakeIP("ip-nat", "NATGW", "nat-1", nil)}
	return f
}

func fakeDisk(id, boot, goes string) thing {
	d := thing{"id": id, "device": "/dev/vda", "bootIndex": boot, "delete_on_termination": goes}
	if boot == "" {
		d["bootIndex"] = nil
	}
	return d
}

func fakeServer(id, status, flavor, charging string, disks ...thing) thing {
	f := thing{"id": flavor, "name": flavor, "vcpus": "8", "ram": "65536", "gpus": []any{}, "asic_accelerators": []any{}}
	switch family(flavor) {
	case "p2s":
		f["gpus"] = []any{thing{"name": "NVIDIA V100", "count": 1, "memory_mb": 32768}}
	case "ai1s":
		f["asic_accelerators"] = []any{thing{"name": "Ascend 310", "count": 1, "memory_mb": 8192}}
	}
	return thing{"id": id, "name": "name-of-" + id, "status": status, "flavor": f, "locked": false, "tags": []string{"owner=alice"},
		"created": "2026-11-18T12:00:00Z", "OS-SRV-USG:launched_at": "2026-11-18T12:00:46.000000", "auto_terminate_time": "", "key_name": nil,
		"OS-EXT-AZ:availability_zone": "cn-north-4a", "OS-EXT-STS:task_state": nil, "OS-EXT-SRV-ATTR:user_data": fakeSecret,
		"metadata":                             thing{"charging_mode": charging, "metering.resourcespeccode": flavor + ".linux", "os_type": "Linux", "admin_pass": fakeSecret},
		"addresses":                            thing{"net": []any{thing{"addr": "192.168.0.2", "OS-EXT-IPS:port_id": "port-" + id}}},
		"os-extended-volumes:volumes_attached": disks, "enterprise_project_id": "0"}
}

func fakeVolume(id, kind string, gb int, server string) thing {
	v := thing{"id": id, "name": "name-of-" + id, "status": "available", "size": gb, "volume_type": kind, "bootable": "false", "attachments": []any{},
		"created_at": "2026-11-18T12:00:00.100000", "updated_at": "2026-11-18T12:00:30.100000", "metadata": thing{}, "tags": thing{"owner": "alice"}}
	if server != "" {
		v["status"], v["attachments"] = "in-use", []any{thing{"server_id": server, "device": "/dev/vdb", "attached_at": "2026-11-18T12:00:20.000000"}}
	}
	return v
}

func fakeSnap(id, name, volume string) thing {
	return thing{"id": id, "name": name, "status": "available", "volume_id": volume, "size": 10, "created_at": "2026-11-18T13:14:44.457975"}
}

func fakeImage(id, of string, protected bool) thing {
	return thing{"id": id, "name": "name-of-" + id, "status": "active", "protected": protected, "size": 0, "__image_size": "5368709120", "__backup_id": "",
		"__data_origin": "instance," + of, "created_at": "2026-11-18T14:03:27Z", "tags": []string{"owner.alice"}}
}

func fakeIP(id, kind, to string, paid any) thing {
	ip := thing{"id": id, "alias": nil, "public_ip_address": "88.88.1.141", "status": "DOWN", "created_at": "2026-11-18T09:46:22Z", "billing_info": paid, "lock_status": nil,
		"publicip_pool_name": "5_bgp", "associate_instance_type": kind, "associate_instance_id": to, "vnic": nil, "tags": []string{"owner=alice"},
		"bandwidth": thing{"id": "bw", "size": 5, "share_type": "PER", "charge_mode": "bandwidth", "billing_info": ""}}
	if kind == "" {
		ip["associate_instance_type"], ip["associate_instance_id"] = nil, nil
	}
	if kind == "PORT" {
		ip["vnic"] = thing{"device_id": "", "port_id": to, "instance_id": ""}
	}
	return ip
}

func (f *fake) isWrite(r *http.Request) bool {
	return r.Method == http.MethodDelete || strings.HasSuffix(r.URL.Path, "/cloudservers/delete") || strings.HasSuffix(r.URL.Path, "/cloudservers/action")
}

func (f *fake) inside(w http.ResponseWriter, _ *http.Request) {
	f.answer(w, 200, thing{"error_code": "CBC.0999", "error_msg": "no " + fakeSecret})
}

// ServeHTTP answers one request.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range f.jobs {
		if !j.done && !f.now().Before(j.due) {
			j.done = true
			j.do()
		}
	}
	f.asked[r.URL.Path]++
	if !f.signedWell(r) {
		f.raw(w, 401, `{"error_msg":"Incorrect IAM authentication information: verify aksk signature fail `+r.Header.Get("Authorization")+`","error_code":"APIGW.0301"}`)
		return
	}
	for part, fail := range f.refuse {
		if strings.Contains(r.URL.Path, part) {
			bad := fail()
			if bad.status > 0 {
				f.raw(w, bad.status, bad.body)
				return
			}
		}
	}
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/v3/auth/domains":
		f.answer(w, 200, thing{"domains": []any{thing{"id": "52300efbd1844e4d8c5f3a0a4b1f0000", "name": "demo", "enabled": true}}})
	case r.URL.Path == "/v3/auth/projects":
		f.answer(w, 200, thing{"projects": []any{thing{"id": north, "name": "cn-north-4", "enabled": true}, thing{"id": "mos0", "name": "MOS", "enabled": true},
			thing{"id": "off0", "name": "cn-south-1", "enabled": false}, thing{"id": east, "name": "cn-east-3_team", "enabled": true}}})
	case strings.HasPrefix(r.URL.Path, "/v2/accounts/"), strings.HasPrefix(r.URL.Path, "/v2/promotions/"), strings.HasPrefix(r.URL.Path, "/v2/bills/"),
		strings.HasPrefix(r.URL.Path, "/v2/orders/"):
		f.business(w, r)
	case strings.HasPrefix(r.URL.Path, "/v2/cloudimages"):
		f.listImages(w, r)
	case len(path) == 3 && strings.HasPrefix(r.URL.Path, "/v2/images/") && r.Method == http.MethodDelete:
		f.deleteImage(w, r, path[2])
	default:
		f.ofProject(w, r, path)
	}
}

// signedWell recomputes the signature.
func (f *fake) signedWell(r *http.Request) bool {
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Sdk-Date"))
	if err != nil || f.now().Sub(at).Abs() > 15*time.Minute || r.Header.Get("X-Security-Token") != fakeToken {
		return false
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	again := r.Clone(r.Context())
	again.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(string(body))), nil }
	want := r.Header.Get("Authorization")
	s := signer{key: billing.NewSecret(fakeAK), secret: billing.NewSecret(fakeSK), session: billing.NewSecret(fakeToken), now: func() time.Time { return at }}
	return s.sign(again) == nil && again.Header.Get("Authorization") == want
}

// ofProject serves the paths with a project in them; it must be the header's.
func (f *fake) ofProject(w http.ResponseWriter, r *http.Request, path []string) {
	pid := path[min(1, len(path)-1)]
	if path[0] == "autoscaling-api" {
		pid = path[2]
	}
	if r.Header.Get("X-Project-Id") != pid || f.servers[pid] == nil {
		f.raw(w, 403, `{"error_code":"APIGW.0302","error_msg":"no such project"}`)
		return
	}
	rest := strings.Join(path[2:], "/")
	q := r.URL.Query()
	switch {
	case rest == "cloudservers/detail":
		page, _ := strconv.Atoi(q.Get("offset"))
		if q.Get("enterprise_project_id") != "all_granted_eps" {
			f.raw(w, 400, `{"error":{"code":"Ecs.0005","message":"only the default enterprise project is listed so"}}`)
			return
		}
		all := f.list(f.servers[pid])
		f.answer(w, 200, thing{"count": len(all), "servers": f.cut(all, (max(page, 1)-1)*2)})
	case rest == "cloudservers/flavors":
		f.answer(w, 200, thing{"flavors": f.after(fakeFlavors(), q.Get("marker"))})
	case rest == "cloudservers/delete", rest == "cloudservers/action":
		f.changeServer(w, r, pid)
	case strings.HasPrefix(rest, "cloudservers/"):
		f.one(w, f.servers[pid], path[3], "server", `{"itemNotFound":{"message":"Instance could not be found","code":404}}`)
	case rest == "cloudvolumes/detail":
		f.answer(w, 200, thing{"count": 2, "volumes": f.after(f.list(f.volumes[pid]), q.Get("marker"))})
	case rest == "cloudsnapshots/detail":
		from, _ := strconv.Atoi(q.Get("offset"))
		all := slices.DeleteFunc(slices.Clone(f.list(f.snaps[pid])), func(s thing) bool { return q.Get("volume_id") != "" && s["volume_id"] != q.Get("volume_id") })
		f.answer(w, 200, thing{"snapshots": f.cut(all, from)})
	case strings.HasPrefix(rest, "cloudvolumes/") && r.Method == http.MethodDelete:
		f.deleteVolume(w, pid, path[3])
	case strings.HasPrefix(rest, "cloudvolumes/"):
		f.one(w, f.volumes[pid], path[3], "volume", `{"error":{"code":"EVS.2000","message":"not found"}}`)
	case strings.HasPrefix(rest, "cloudsnapshots/") && r.Method == http.MethodDelete:
		f.schedule(w, func() { f.snaps[pid] = without(f.snaps[pid], path[3]) })
	case strings.HasPrefix(rest, "cloudsnapshots/"):
		f.one(w, f.snaps[pid], path[3], "snapshot", `{"error":{"code":"EVS.2001","message":"not found"}}`)
	case rest == "eip/publicips":
		f.answer(w, 200, thing{"total_count": 100, "publicips": f.after(f.list(f.ips[pid]), q.Get("marker"))})
	case strings.HasPrefix(rest, "eip/publicips/"):
		f.one(w, f.ips[pid], path[4], "publicip", `{"code":"VPC.0504","message":"gone"}`)
	case strings.HasPrefix(rest, "publicips/") && r.Method == http.MethodDelete:
		f.ips[pid] = without(f.ips[pid], path[3])
		w.WriteHeader(204)
	case strings.HasPrefix(rest, "jobs/"):
		f.job(w, path[3])
	default:
		f.others(w, r, pid, rest, path)
	}
}

// others serves Auto Scaling and Cloud Eye.
func (f *fake) others(w http.ResponseWriter, r *http.Request, pid, rest string, path []string) {
	switch {
	case strings.HasSuffix(rest, "/scaling_group"):
		groups := []thing{}
		if pid == north {
			groups = append(groups, thing{"scaling_group_id": "g-1", "scaling_group_name": "asg-infer"})
		}
		f.answer(w, 200, thing{"total_number": len(groups), "scaling_groups": groups})
	case strings.HasSuffix(rest, "/scaling_group_instance/g-1/list"):
		f.answer(w, 200, thing{"total_number": 1, "scaling_group_instances": []thing{{"instance_id": "srv-asg"}}})
	case strings.HasSuffix(rest, "/agent-dimensions"):
		f.dimensions(w, r, path[3])
	case rest == "batch-query-metric-data":
		f.metrics(w, r)
	default:
		f.raw(w, 404, `{"error_code":"APIGW.0101","error_msg":"The API does not exist"}`)
	}
}

func (f *fake) dimensions(w http.ResponseWriter, r *http.Request, server string) {
	dim := r.URL.Query().Get("dim_name")
	switch {
	case server == "srv-train" && dim == "gpu":
		f.answer(w, 200, thing{"count": 2, "dimensions": []thing{{"name": dim, "value": "hash1"}, {"name": dim, "value": "hash2"}}})
	case server == "srv-month" && dim == "npu":
		f.answer(w, 200, thing{"count": 1, "dimensions": []thing{{"name": dim, "value": "hash3"}}})
	default:
		f.answer(w, 200, thing{"count": 0, "dimensions": []thing{}})
	}
}

// metrics has a value each five minutes, and none of what has not been put together yet: the newest is that which began
// before the last five minutes.
func (f *fake) metrics(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Metrics  []metric `json:"metrics"`
		From, To int64
		Period   string
		Filter   string
	}
	if json.NewDecoder(r.Body).Decode(&q) != nil || q.Filter != "average" || len(q.Metrics) > 500 {
		f.raw(w, 400, `{"error_code":"ces.0014","error_msg":"bad request"}`)
		return
	}
	out := []thing{}
	for _, m := range q.Metrics {
		points := []thing{}
		for at := time.UnixMilli(q.From).Truncate(5 * time.Minute); at.Add(5*time.Minute).UnixMilli() <= q.To; at = at.Add(5 * time.Minute) {
			if m.Namespace == agent && at.UnixMilli() >= q.From {
				points = append(points, thing{"average": 12.5, "timestamp": at.UnixMilli()})
			}
		}
		out = append(out, thing{"namespace": m.Namespace, "metric_name": m.Name, "unit": "%", "datapoints": points, "dimensions": m.Dimensions})
	}
	f.answer(w, 200, thing{"metrics": out})
}

func fakeFlavors() []thing {
	one := func(id, kind, stop, status string) thing {
		x := thing{"ecs:performancetype": kind, "cond:operation:status": status, "cond:operation:charge": "demand,period"}
		if stop != "" {
			x["cond:operation:charge:stop"] = stop
		}
		return thing{"id": id, "name": id, "vcpus": "8", "ram": 65536, "os_extra_specs": x}
	}
	return []thing{one("ai1s.large.4", "ascend", "", "normal"), one("p1.2xlarge.8", "gpu", "charge", "sellout"), one("p2s.2xlarge.8", "gpu", "free", "normal"),
		one("p3.2xlarge.8", "gpu", "", "normal"), one("s6.large.2", "computingv3", "", "normal")}
}

// business serves BSS.
func (f *fake) business(w http.ResponseWriter, r *http.Request) {
	var body thing
	if r.Method == http.MethodPost && json.NewDecoder(r.Body).Decode(&body) != nil {
		f.raw(w, 400, `{"error_code":"CBC.0100","error_msg":"no JSON"}`)
		return
	}
	switch r.URL.Path {
	case "/v2/accounts/customer-accounts/balances":
		f.raw(w, 200, `{"account_balances":[
			{"account_id":"AT1","account_type":1,"amount":20810.92000000,"currency":"CNY","designated_amount":14999.98000000,"measure_id":1},
			{"account_id":"AT2","account_type":2,"amount":50000.00000000,"currency":"CNY","credit_amount":80000.00000000,"measure_id":1},
			{"account_id":"AT3","account_type":5,"amount":0E-8,"currency":"CNY","measure_id":1}],"debt_amount":10.50000000,"measure_id":1,"currency":"CNY"}`)
	case "/v2/promotions/benefits/coupons":
		f.raw(w, 200, `{"count":2,"user_coupons":[{"coupon_id":"CP1","coupon_type":1,"balance":28.5,"face_value":100,"expire_time":"2026-12-31T15:59:59Z","status":2,"currency":"CNY"},
			{"coupon_id":"CP2","coupon_type":2,"balance":null,"face_value":0.8,"expire_time":"2026-12-31T15:59:59Z","status":2}]}`)
	case "/v2/bills/customer-bills/res-records/query":
		f.bill(w, body)
	case "/v2/orders/suscriptions/resources/query":
		f.orders(w, body)
	case "/v2/bills/ratings/on-demand-resources":
		f.rate(w, body)
	case "/v2/bills/ratings/period-resources/subscribe-rate":
		f.rateMonths(w, body)
	default:
		f.raw(w, 404, `{"error_code":"APIGW.0101","error_msg":"The API does not exist"}`)
	}
}

// bill has three lines a day since 1 November, in pages of two, and members' lines for whoever asks for all.
func (f *fake) bill(w http.ResponseWriter, q thing) {
	begin, err1 := time.Parse(time.DateOnly, fmt.Sprint(q["bill_cycle_begin"]))
	end, err2 := time.Parse(time.DateOnly, fmt.Sprint(q["bill_cycle_end"]))
	limit, _ := q["limit"].(float64)
	if err1 != nil || err2 != nil || q["statistic_type"] != 2.0 || q["query_type"] != "DAILY" || limit < 1 || limit > 100 ||
		begin.Format("2006-01") != q["cycle"] || end.Format("2006-01") != q["cycle"] || end.Before(begin) {
		f.raw(w, 400, `{"error_code":"CBC.0100","error_msg":"bad parameters"}`)
		return
	}
	lines := []string{}
	for day := begin; !day.After(end) && day.Before(f.now().In(zone())); day = day.AddDate(0, 0, 1) {
		line := func(rest string) {
			lines = append(lines, fmt.Sprintf(`{"bill_date":%q,"region":"cn-north-4","customer_id":"c1","payer_account_id":"c1","measure_id":1,%s}`, day.Format(time.DateOnly), rest))
		}
		line(`"bill_type":5,"cloud_service_type":"hws.service.type.ec2","resource_Type_code":"hws.resource.type.vm","cloud_service_type_name":"Elastic Cloud Server","res_instance_id":"srv-train","resource_tag":"owner=alice",
			"sku_code":"P2S.2XLARGE.8.LINUX","charge_mode":3,"consume_amount":528.12,"cash_amount":500.12,"coupon_amount":28.00,"official_amount":586.80`)
		line(`"bill_type":5,"cloud_service_type":"hws.service.type.ebs","resource_Type_code":"hws.resource.type.volume","res_instance_id":"vol-left","charge_mode":3,"consume_amount":0.245,"official_amount":0E-8`)
		if day.Day() == 18 {
			line(`"bill_type":4,"cloud_service_type":"hws.service.type.ec2","resource_Type_code":"hws.resource.type.vm","res_instance_id":"srv-old","charge_mode":1,"consume_amount":-28.00,"official_amount":-28.00`)
		}
		if q["method"] != "oneself" {
			line(`"bill_type":5,"cloud_service_type":"hws.service.type.ec2","resource_Type_code":"hws.resource.type.vm","res_instance_id":"member","charge_mode":3,"consume_amount":1000,"official_amount":1000`)
		}
	}
	from := min(int(q["offset"].(float64)), len(lines))
	to := min(from+2, len(lines))
	f.raw(w, 200, fmt.Sprintf(`{"monthly_records":[%s],"total_count":%d,"currency":"CNY"}`, strings.Join(lines[from:to], ","), len(lines)))
}

func (f *fake) orders(w http.ResponseWriter, q thing) {
	one := func(id, kind string, policy int) thing {
		return thing{"id": "o-" + id, "resource_id": id, "resource_name": "name-of-" + id, "resource_type_code": kind, "effective_time": "2026-11-01T08:05:01Z",
			"expire_time": "2026-12-01T15:59:59Z", "expire_policy": policy, "is_main_resource": 1, "status": 2}
	}
	all := []thing{one("srv-month", typeVM, 0), one("vol-month", typeVolume, 3), one("ip-month", typeIP, 0), one("pack-1", "hws.resource.type.obs", 3)}
	from := min(int(q["offset"].(float64)), len(all))
	f.answer(w, 200, thing{"total_count": len(all), "data": all[from:min(from+2, len(all))]})
}

func (f *fake) rate(w http.ResponseWriter, q thing) {
	results, prices := []string{}, map[string]string{"p2s.2xlarge.8.linux": "22.00", "p1.2xlarge.8.linux": "15.5", "p3.2xlarge.8.linux": "30.50", "ai1s.large.4.linux": "0"}
	perGB := map[string]string{"SSD": "0.0014", "GPSSD": "0.001", "SAS": "0.0005"}
	for _, p := range q["product_infos"].([]any) {
		info := p.(thing)
		amount := prices[info["resource_spec"].(string)]
		if unit := perGB[info["resource_spec"].(string)]; unit != "" {
			m, _ := billing.MustMoney(unit, cny).Mul(billing.DecimalFromInt(int64(info["resource_size"].(float64))))
			amount = m.Amount()
		}
		if info["usage_measure_id"] != 4.0 || amount == "" {
			f.raw(w, 400, `{"error_code":"CBC.99003001","error_msg":"no such product"}`)
			return
		}
		results = append(results, fmt.Sprintf(`{"id":%q,"amount":%s,"official_website_amount":99,"measure_id":1}`, info["id"], amount))
	}
	f.raw(w, 200, `{"amount":1,"currency":"CNY","measure_id":1,"product_rating_results":[`+strings.Join(results, ",")+`]}`)
}

func (f *fake) rateMonths(w http.ResponseWriter, q thing) {
	results := []thing{}
	for _, p := range q["product_infos"].([]any) {
		results = append(results, thing{"id": p.(thing)["id"], "official_website_amount": 7200, "measure_id": 1})
	}
	f.answer(w, 200, thing{"currency": "CNY", "official_website_rating_result": thing{"measure_id": 1, "product_rating_results": results}})
}

func (f *fake) listImages(w http.ResponseWriter, r *http.Request) {
	q, pid := r.URL.Query(), r.Header.Get("X-Project-Id")
	all := slices.DeleteFunc(slices.Clone(f.list(f.images[pid])), func(i thing) bool { return q.Get("id") != "" && i["id"] != q.Get("id") })
	if q.Get("__imagetype") != "private" {
		all = append(all, fakeImage("img-gold", "x", true))
	}
	f.answer(w, 200, thing{"images": f.after(all, q.Get("marker"))})
}

func (f *fake) deleteImage(w http.ResponseWriter, r *http.Request, id string) {
	body, _ := io.ReadAll(r.Body)
	pid := r.Header.Get("X-Project-Id")
	f.last["images"] = string(body)
	if string(body) != `{"delete_backup":false}` {
		f.raw(w, 400, `{"error":{"code":"IMG.0001","message":"say what becomes of the backup"}}`)
		return
	}
	f.images[pid] = without(f.images[pid], id)
	w.WriteHeader(204)
}

func (f *fake) changeServer(w http.ResponseWriter, r *http.Request, pid string) {
	var body struct {
		Servers []struct{ ID string } `json:"servers"`
		IP      *bool                 `json:"delete_publicip"`
		Volume  *bool                 `json:"delete_volume"`
		Stop    *struct {
			Type    string
			Servers []struct{ ID string } `json:"servers"`
		} `json:"os-stop"`
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		f.raw(w, 400, `{"error":{"code":"Ecs.0005","message":"bad"}}`)
		return
	}
	if body.Stop != nil {
		id := body.Stop.Servers[0].ID
		f.schedule(w, func() { find(f.servers[pid], id)["status"] = "SHUTOFF" })
		return
	}
	f.last["delete"] = body
	if body.IP == nil || body.Volume == nil || *body.IP || *body.Volume {
		f.raw(w, 400, `{"error":{"code":"Ecs.0005","message":"both flags are needed, and both false"}}`)
		return
	}
	id := body.Servers[0].ID
	f.schedule(w, func() { f.servers[pid] = without(f.servers[pid], id) })
}

func (f *fake) deleteVolume(w http.ResponseWriter, pid, id string) {
	if v := find(f.volumes[pid], id); v == nil || v["status"] != "available" {
		f.raw(w, 400, `{"error":{"code":"EVS.1046","message":"volume status must be available"}}`)
		return
	}
	f.schedule(w, func() { f.volumes[pid] = without(f.volumes[pid], id) })
}

func (f *fake) schedule(w http.ResponseWriter, do func()) {
	j := &fakeJob{id: fmt.Sprintf("job-%d", len(f.jobs)+1), due: f.now().Add(40 * time.Second), do: do}
	f.jobs = append(f.jobs, j)
	f.answer(w, 200, thing{"job_id": j.id})
}

func (f *fake) job(w http.ResponseWriter, id string) {
	for _, j := range f.jobs {
		if j.id == id {
			f.answer(w, 200, thing{"job_id": id, "status": map[bool]string{true: "SUCCESS", false: "RUNNING"}[j.done], "error_code": nil, "entities": thing{"sub_jobs": []any{}}})
			return
		}
	}
	f.raw(w, 404, `{"error":{"code":"Ecs.0614","message":"no such job"}}`)
}

func (f *fake) list(all []thing) []thing {
	if f.hidden {
		return []thing{}
	}
	return all
}

// cut gives two things from a place on; a looping fake always the first two.
func (f *fake) cut(all []thing, from int) []thing {
	if f.looping {
		from = 0
	}
	from = min(from, len(all))
	return append([]thing{}, all[from:min(from+2, len(all))]...)
}

// after gives the two things that follow one.
func (f *fake) after(all []thing, id string) []thing {
	return f.cut(all, 1+slices.IndexFunc(all, func(t thing) bool { return t["id"] == id }))
}

func (f *fake) one(w http.ResponseWriter, all []thing, id, key, gone string) {
	if t := find(all, id); t != nil {
		f.answer(w, 200, thing{key: t})
		return
	}
	f.raw(w, 404, gone)
}

func find(all []thing, id string) thing {
	for _, t := range all {
		if t["id"] == id {
			return t
		}
	}
	return nil
}

func without(all []thing, id string) []thing {
	return slices.DeleteFunc(slices.Clone(all), func(t thing) bool { return t["id"] == id })
}

func (f *fake) answer(w http.ResponseWriter, code int, v any) {
	b, _ := json.Marshal(v)
	f.raw(w, code, string(b))
}

func (f *fake) raw(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-Id", "req-1")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}
