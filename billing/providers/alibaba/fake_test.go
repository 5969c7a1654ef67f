package alibaba

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gpuspend/billing"
)

const (
	fakeKeyID  = "LTAI5tCANARYCANARYKEYID1"
	fakeSecret = "s3cretCANARYCANARYCANARYsecret"
	fakeToken  = "CAISCANARYCANARYSTSTOKEN0123456789"
	hidden     = "Passw0rd-CANARY-of-a-user"
)

// fake is an Alibaba Cloud that remembers. It checks signatures, dates and nonces, answers in pages of two, and refuses
// what Alibaba refuses.
type fake struct {
	now       func() time.Time
	mu        sync.Mutex
	nonces    map[string]bool
	instances []map[string]any
	disks     []map[string]any
	snapshots []map[string]any
	links     []map[string]any
	images    []map[string]any
	addresses []map[string]any
	asked     []string          // actions in their order, for tests that count
	queries   map[string]string // by action, the last one
	denied    map[string]string // actions that the key may not do: "403", or "empty" as Alibaba used to answer
	looping   bool
	deafStop  bool // StopCharging is ignored without a word
	shrinking bool // the total of a list falls while it is walked
}

func newFake(now func() time.Time) *fake {
	f := &fake{now: now, nonces: map[string]bool{}, denied: map[string]string{}, queries: map[string]string{}}
	f.instances = []map[string]any{
		machine("cn-hangzhou", "i-train", "ecs.gn7i-c8g1.2xlarge", 1, "NVIDIA A10"),
		machine("cn-hangzhou", "i-spot", "ecs.gn6v-c8g1.2xlarge", 1, "NVIDIA V100", "SpotStrategy", "SpotAsPriceGo"),
		machine("cn-hangzhou", "i-sub", "ecs.gn6i-c4g1.xlarge", 1, "NVIDIA T4", "InstanceChargeType", "PrePaid", "ExpiredTime", "2026-12-10T16:00Z"),
		machine("cn-hangzhou", "i-lock", "ecs.gn7i-c8g1.2xlarge", 1, "NVIDIA A10", "DeletionProtection", true),
		machine("cn-hangzhou", "i-asg", "ecs.gn7i-c8g1.2xlarge", 1, "NVIDIA A10", "Tags", tags("acs:autoscaling:scalingGroupId", "asg-infer")),
		machine("cn-hangzhou", "i-p100", "ecs.gn5-c4g1.xlarge", 1, "NVIDIA P100"),
		machine("cn-hangzhou", "i-kept", "ecs.gn7i-c8g1.2xlarge", 1, "NVIDIA A10", "Status", "Stopped", "StoppedMode", "KeepCharging"),
		machine("cn-hangzhou", "i-web", "ecs.g7.large", 0, ""),
		machine("cn-shanghai", "i-econ", "ecs.gn7e-c16g1.4xlarge", 1, "NVIDIA A100", "Status", "Stopped", "StoppedMode", "StopCharging"),
		machine("cn-shanghai", "i-vgpu", "ecs.vgn6i-m4-vws.xlarge", 0, "NVIDIA T4"),
		machine("cn-shanghai", "i-tagged", "ecs.g7.large", 0, "", "Tags", tags("gpuspend", "yes", "Owner", "bob")),
	}
	f.disks = []map[string]any{
		storage("cn-hangzhou", "d-data", 500, "i-train"),
		storage("cn-hangzhou", "d-left", 500, ""),
		storage("cn-hangzhou", "d-sub", 100, "i-sub", "DiskChargeType", "PrePaid", "ExpiredTime", "2026-12-10T16:00Z", "Type", "system"),
		storage("cn-hangzhou", "d-web", 40, "i-web", "Type", "system", "DeleteWithInstance", true),
		storage("cn-shanghai", "d-multi", 200, "i-econ", "InstanceId", "", "Attachments",
			map[string]any{"Attachment": []any{map[string]any{"InstanceId": "i-econ"}, map[string]any{"InstanceId": "i-vgpu"}}}),
	}
	f.snapshots = []map[string]any{
		copyOf("cn-hangzhou", "s-1", "d-left", "sl-left", "none"),
		copyOf("cn-hangzhou", "s-2", "d-left", "sl-left", "none"),
		copyOf("cn-hangzhou", "s-image", "d-gone", "sl-gone", "image"),
		copyOf("cn-hangzhou", "s-web", "d-web", "sl-web", "none"),
	}
	f.links = []map[string]any{chain("sl-left", 2, 53687091200), chain("sl-gone", 1, 1<<30), chain("sl-web", 1, 1<<30)}
	f.images = []map[string]any{
		picture("cn-hangzhou", "m-base", "none", "Available", "s-image"),
		picture("cn-hangzhou", "m-used", "instance", "Available", "s-elsewhere"),
		picture("cn-hangzhou", "m-broken", "none", "UnAvailable", ""),
		picture("cn-hangzhou", "m-web", "none", "Available", "s-web"),
	}
	f.addresses = []map[string]any{
		eip("cn-hangzhou", "eip-left", "", ""),
		eip("cn-hangzhou", "eip-train", "EcsInstance", "i-train"),
		eip("cn-hangzhou", "eip-nat", "Nat", "ngw-1"),
		eip("cn-shanghai", "eip-paid", "", "", "ChargeType", "PrePaid", "ExpiredTime", "2027-01-01T16:00:00Z"),
	}
	return f
}

func made(m map[string]any, pairs ...any) map[string]any {
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func tags(pairs ...string) map[string]any {
	list := []any{}
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, map[string]any{"TagKey": pairs[i], "TagValue": pairs[i+1]})
	}
	return map[string]any{"Tag": list}
}

func machine(region, id, typ string, cards int, spec string, pairs ...any) map[string]any {
	return made(map[string]any{"RegionId": region, "InstanceId": id, "InstanceName": "name-of-" + id, "InstanceType": typ,
		"GPUAmount": cards, "GPUSpec": spec, "Status": "Running", "StoppedMode": "Not-applicable", "InstanceChargeType": "PostPaid",
		"SpotStrategy": "NoSpot", "InstanceNetworkType": "vpc", "InternetChargeType": "PayByTraffic", "InternetMaxBandwidthOut": 5,
		"CreationTime": "2026-11-10T04:04Z", "StartTime": "2026-11-12T01:30Z", "ExpiredTime": "2099-12-31T15:59Z", "AutoReleaseTime": "",
		"DeletionProtection": false, "ZoneId": region + "-g", "EipAddress": map[string]any{"AllocationId": ""}, "UserData": hidden,
		"OperationLocks": map[string]any{"LockReason": []any{}}, "Tags": tags("owner", "alice", "project", "llm")}, pairs...)
}

func storage(region, id string, gib int, on string, pairs ...any) map[string]any {
	status, attached := "Available", []any{}
	if on != "" {
		status, attached = "In_use", []any{map[string]any{"InstanceId": on}}
	}
	return made(map[string]any{"RegionId": region, "DiskId": id, "DiskName": "name-of-" + id, "Size": gib, "Category": "cloud_essd",
		"PerformanceLevel": "PL1", "Type": "data", "Status": status, "DiskChargeType": "PostPaid", "Portable": true,
		"DeleteWithInstance": false, "InstanceId": on, "CreationTime": "2026-06-07T06:08:54Z", "ExpiredTime": "2099-12-31T15:59Z",
		"DetachedTime": "", "Attachments": map[string]any{"Attachment": attached}, "Tags": tags(), "ZoneId": region + "-g"}, pairs...)
}

func copyOf(region, id, disk, link, usage string) map[string]any {
	return map[string]any{"RegionId": region, "SnapshotId": id, "SnapshotName": "", "Status": "accomplished", "Category": "standard",
		"SourceDiskId": disk, "SourceDiskSize": "500", "SnapshotLinkId": link, "Usage": usage, "CreationTime": "2026-08-20T14:52:28Z", "Tags": tags()}
}

func chain(id string, n int, bytes int64) map[string]any {
	return map[string]any{"RegionId": "cn-hangzhou", "SnapshotLinkId": id, "TotalCount": n, "TotalSize": bytes}
}

func picture(region, id, usage, status, snapshot string) map[string]any {
	return map[string]any{"RegionId": region, "ImageId": id, "ImageName": "name-of-" + id, "Usage": usage, "Status": status, "Size": 60,
		"CreationTime": "2026-09-15T06:07:05Z", "Tags": tags(),
		"DiskDeviceMappings": map[string]any{"DiskDeviceMapping": []any{map[string]any{"SnapshotId": snapshot, "Size": "60"}}}}
}

func eip(region, id, kind, on string, pairs ...any) map[string]any {
	status := "Available"
	if on != "" {
		status = "InUse"
	}
	return made(map[string]any{"RegionId": region, "AllocationId": id, "IpAddress": "47.75.0.1", "Name": "name-of-" + id, "Status": status,
		"ChargeType": "PostPaid", "InternetChargeType": "PayByBandwidth", "Bandwidth": "5", "BandwidthPackageId": "",
		"InstanceId": on, "InstanceType": kind, "AllocationTime": "2026-04-23T01:37:38Z", "ExpiredTime": "", "DeletionProtection": false,
		"ServiceManaged": 0, "Tags": map[string]any{"Tag": []any{map[string]any{"Key": "project", "Value": "llm"}}}}, pairs...)
}

// versions are the APIs that the actions belong to.
func versions(action string) string {
	switch action {
	case "GetCallerIdentity":
		return "2015-04-01"
	case "DescribeMetricList":
		return "2019-01-01"
	case "DescribeEipAddresses", "ReleaseEipAddress":
		return "2016-04-28"
	case "DescribeInstanceBill":
		return "2017-12-14"
	}
	if strings.HasPrefix(action, "Query") {
		return "2017-12-14"
	}
	return "2014-05-26"
}

func (f *fake) isWrite(r *http.Request) bool {
	a := r.Header.Get("x-acs-action")
	return !strings.HasPrefix(a, "Describe") && !strings.HasPrefix(a, "Query") && !strings.HasPrefix(a, "Get")
}

func (f *fake) inside(w http.ResponseWriter, _ *http.Request) {
	f.answer(w, 200, map[string]any{"RequestId": "r-1", "Success": false, "Code": "InternalError", "Message": "no " + hidden})
}

// ServeHTTP answers one request.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	action, q := r.Header.Get("x-acs-action"), r.URL.Query()
	f.asked = append(f.asked, action)
	f.queries[action] = r.URL.RawQuery
	if code := f.unsigned(r); code != "" {
		f.refuse(w, 400, code)
		return
	}
	if how := f.denied[action]; how == "403" || how == "empty" && q.Get("DryRun") == "true" {
		f.answer(w, 403, map[string]any{"RequestId": "r-1", "Code": "Forbidden.RAM", "Message": "no " + hidden,
			"AccessDeniedDetail": map[string]any{"AuthAction": "ecs:" + action, "NoPermissionType": "ImplicitDeny"}})
		return
	}
	if q.Get("DryRun") == "true" && strings.HasPrefix(action, "Describe") {
		f.refuse(w, 400, "DryRunOperation")
		return
	}
	if serve, ok := f.actions()[action]; ok {
		serve(w, q)
		return
	}
	f.refuse(w, 404, "InvalidAction.NotFound")
}

func (f *fake) actions() map[string]func(http.ResponseWriter, url.Values) {
	list := func(things *[]map[string]any, outer, inner, id, filter string, paged bool) func(http.ResponseWriter, url.Values) {
		return func(w http.ResponseWriter, q url.Values) { f.list(w, q, *things, outer, inner, id, filter, paged) }
	}
	return map[string]func(http.ResponseWriter, url.Values){
		"DescribeRegions":          f.regions,
		"GetCallerIdentity":        f.caller,
		"DescribeInstances":        list(&f.instances, "Instances", "Instance", "InstanceId", "InstanceIds", false),
		"DescribeDisks":            list(&f.disks, "Disks", "Disk", "DiskId", "DiskIds", false),
		"DescribeSnapshots":        list(&f.snapshots, "Snapshots", "Snapshot", "SnapshotId", "SnapshotIds", false),
		"DescribeSnapshotLinks":    list(&f.links, "SnapshotLinks", "SnapshotLink", "SnapshotLinkId", "SnapshotLinkIds", false),
		"DescribeImages":           list(&f.images, "Images", "Image", "ImageId", "ImageId", true),
		"DescribeEipAddresses":     list(&f.addresses, "EipAddresses", "EipAddress", "AllocationId", "AllocationId", true),
		"DescribePrice":            f.price,
		"DescribeInstanceTypes":    f.types,
		"DescribeSpotPriceHistory": f.spot,
		"DescribeMetricList":       f.metrics,
		"DescribeInstanceBill":     f.bill,
		"QueryAccountBalance":      f.balance,
		"QueryCashCoupons":         f.coupons,
		"QueryPrepaidCards":        f.cards,
		"QueryAvailableInstances":  f.subscriptions,
		"StopInstance":             f.stop,
		"DeleteInstances":          f.deleteInstances,
		"DeleteDisk":               f.deleteDisk,
		"DeleteSnapshot":           f.deleteSnapshot,
		"DeleteImage":              f.deleteImage,
		"ReleaseEipAddress":        f.release,
	}
}

// unsigned says what is wrong with a request's signature, date or nonce.
func (f *fake) unsigned(r *http.Request) string {
	at, err := time.Parse("2006-01-02T15:04:05Z", r.Header.Get("x-acs-date"))
	nonce := r.Header.Get("x-acs-signature-nonce")
	_, canonical := canonicalRequest(r)
	s := signer{keyID: billing.NewSecret(fakeKeyID), secret: billing.NewSecret(fakeSecret), now: func() time.Time { return at }, nonce: func() string { return nonce }}
	again := r.Clone(r.Context())
	again.Header.Del("Authorization")
	_ = s.sign(again)
	switch {
	case r.Method != http.MethodPost, r.URL.Path != "/":
		return "UnsupportedHTTPMethod"
	case err != nil, at.Sub(f.now()).Abs() > 15*time.Minute:
		return "InvalidTimeStamp.Expired"
	case nonce == "" || f.nonces[nonce]:
		return "SignatureNonceUsed"
	case !strings.Contains(canonical, "x-acs-content-sha256:"+emptyBody), again.Header.Get("Authorization") != r.Header.Get("Authorization"):
		return "SignatureDoesNotMatch"
	case r.Header.Get("x-acs-version") != versions(r.Header.Get("x-acs-action")):
		return "InvalidVersion"
	}
	f.nonces[nonce] = true
	return ""
}

// list gives two things at a time: by token, or where Alibaba has none by page number.
func (f *fake) list(w http.ResponseWriter, q url.Values, things []map[string]any, outer, inner, id, filter string, paged bool) {
	var picked []map[string]any
	var ids []string
	if want := q.Get(filter); strings.HasPrefix(want, "[") {
		_ = json.Unmarshal([]byte(want), &ids)
	} else if want != "" {
		ids = []string{want}
	}
	for _, t := range things {
		status, _ := t["Status"].(string)
		if t["RegionId"] != q.Get("RegionId") || q.Has(filter) && !slices.Contains(ids, t[id].(string)) ||
			inner == "Image" && !slices.Contains(strings.Split(cmpOr(q.Get("Status"), "Available"), ","), status) {
			continue
		}
		picked = append(picked, t)
	}
	if f.denied["Describe"+outer] == "empty" {
		picked = nil
	}
	answer := map[string]any{"RequestId": "r-1"}
	from := 0
	if paged {
		n, _ := strconv.Atoi(q.Get("PageNumber"))
		from = 2 * (max(n, 1) - 1)
		answer["TotalCount"] = len(picked)
		if f.shrinking && n > 1 {
			answer["TotalCount"] = len(picked) - 1
		}
	} else {
		from, _ = strconv.Atoi(strings.TrimPrefix(q.Get("NextToken"), "after-"))
		answer["TotalCount"] = 0
	}
	from = min(from, len(picked))
	to := min(from+2, len(picked))
	if !paged && to < len(picked) {
		answer["NextToken"] = fmt.Sprintf("after-%d", to)
	}
	if f.looping {
		answer["NextToken"] = "after-0"
	}
	page := picked[from:to]
	if page == nil {
		page = []map[string]any{}
	}
	answer[outer] = map[string]any{inner: page}
	f.answer(w, 200, answer)
}

func cmpOr(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func (f *fake) refuse(w http.ResponseWriter, status int, code string) {
	f.answer(w, status, map[string]any{"RequestId": "r-1", "HostId": "ecs.aliyuncs.com", "Code": code, "Message": "no " + hidden})
}

func (f *fake) answer(w http.ResponseWriter, code int, v any) {
	b, _ := json.Marshal(v)
	f.raw(w, code, string(b))
}

func (f *fake) raw(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}
