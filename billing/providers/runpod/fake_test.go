package runpod

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
)

const (
	fakeKey    = "rpa_TESTKEYTESTKEYTESTKEY0123456789abcdef"
	fakeSecret = "hf_CANARYCANARYCANARY0123456789"
)

// fake is a RunPod that remembers: pods stop and go, volumes and endpoints go, every hour is billed. It holds requests
// against the documented form and answers in pages of two.
type fake struct {
	now       func() time.Time
	mu        sync.Mutex
	pods      []map[string]any
	volumes   []map[string]any
	endpoints []map[string]any
	clusters  []map[string]any
	noBalance bool // API v2 does not know the balance route
	looping   bool
	denied    string // a path that the key may not read
}

func newFake(now func() time.Time) *fake {
	f := &fake{now: now}
	f.pods = []map[string]any{
		fakePod("pod-train", "RUNNING", 5.38, persistent(100)),
		fakePod("pod-ckpt", "RUNNING", 0.86, network("vol-ckpt")),
		fakePod("pod-old", "EXITED", 0.0, persistent(200)),
		fakePod("pod-lock", "RUNNING", 0.69, map[string]any{}),
		fakePod("pod-node", "RUNNING", 20.32, map[string]any{}),
		fakePod("pod-odd", "RUNNING", nil, persistent(20)),
		fakePod("pod-node2", "RUNNING", 20.32, network("vol-nodes")),
	}
	f.pods[3]["locked"] = true
	f.pods[4]["cluster"] = map[string]any{"id": "cl-1", "rank": 0}
	f.pods[6]["cluster"] = map[string]any{"id": "cl-1", "rank": 1}
	f.clusters = []map[string]any{{"id": "cl-1", "name": "name-of-cl-1", "type": "TRAINING", "dataCenterId": "US-KS-2",
		"compute": map[string]any{"gpuTypeId": "NVIDIA H100 80GB HBM3", "gpuCountPerPod": 8, "podCount": 2},
		"pods":    map[string]any{"total": 2, "byStatus": map[string]any{"RUNNING": 2}}, "createdAt": "2026-11-18T12:00:00Z",
		"primary": map[string]any{"podId": "pod-node", "status": "RUNNING", "sshEndpoint": fakeSecret}}}
	f.volumes = []map[string]any{
		fakeVolume("vol-ckpt", 200, "STANDARD"),
		fakeVolume("vol-left", 1500, "STANDARD"),
		fakeVolume("vol-fast", 100, "HIGH_PERFORMANCE"),
		fakeVolume("vol-nodes", 1000, "STANDARD"),
	}
	f.endpoints = []map[string]any{fakeEndpoint("ep-ready", 1, "vol-fast"), fakeEndpoint("ep-idle", 0)}
	return f
}

func persistent(gb int) map[string]any {
	return map[string]any{"persistent": map[string]any{"size": gb, "path": "/workspace"}}
}

func network(volume string) map[string]any {
	return map[string]any{"network": []any{map[string]any{"volumeId": volume, "path": "/workspace"}}}
}

func fakePod(id, status string, cost any, mounts map[string]any) map[string]any {
	p := map[string]any{
		"id": id, "name": "name-of-" + id, "status": status, "cost": cost, "mounts": mounts, "disk": 50,
		"image": "runpod/pytorch", "env": map[string]any{"HF_TOKEN": fakeSecret}, "args": "--token " + fakeSecret,
		"gpu": map[string]any{"id": "NVIDIA H100 80GB HBM3", "count": 2}, "cloud": "SECURE", "dataCenterId": "US-KS-2",
		"locked": false, "template": nil, "createdAt": "2026-11-18T12:00:00Z", "startedAt": "2026-11-18T12:02:00Z",
		"actions": []string{"stop", "restart", "terminate"}, "ssh": map[string]any{"proxy": map[string]any{"command": "ssh " + fakeSecret}},
		"runtime": map[string]any{"uptime": 3600, "gpus": []any{map[string]any{"util": 94, "memoryUtil": 78}}, "cpu": map[string]any{"util": 45}},
	}
	if status == "EXITED" {
		p["runtime"], p["startedAt"], p["actions"] = nil, nil, []string{"start", "terminate"}
	}
	return p
}

func fakeVolume(id string, gb int, kind string) map[string]any {
	return map[string]any{"id": id, "name": "name-of-" + id, "size": gb, "dataCenter": "US-KS-2", "type": kind}
}

func fakeEndpoint(id string, ready int, volumes ...string) map[string]any {
	return map[string]any{
		"id": id, "name": "name-of-" + id, "type": "QUEUE", "env": map[string]any{"KEY": fakeSecret},
		"gpu":     map[string]any{"pools": []string{"ADA_24"}, "count": 1},
		"workers": map[string]any{"min": ready, "max": 5}, "networkVolumes": append([]string{}, volumes...), "createdAt": "2026-11-01T00:00:00Z",
	}
}

func (f *fake) isWrite(r *http.Request) bool {
	return r.Method != http.MethodGet && r.URL.Path != "/graphql"
}

// inside answers as GraphQL does when it fails, and as REST would if it did the same.
func (f *fake) inside(w http.ResponseWriter, _ *http.Request) {
	f.answer(w, 200, map[string]any{"data": nil, "errors": []any{map[string]any{
		"message": "no " + fakeSecret, "extensions": map[string]any{"code": "INTERNAL_SERVER_ERROR"}}}})
}

// ServeHTTP answers one request.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case r.Header.Get("Authorization") != "Bearer "+fakeKey:
		f.problem(w, 401, "missing bearer token")
	case f.denied != "" && strings.HasPrefix(r.URL.Path, f.denied):
		f.problem(w, 403, "access denied")
	case r.URL.Path == "/graphql":
		f.graphql(w, r)
	case r.URL.Path == "/v2/billing/balance":
		f.balance(w)
	case strings.HasPrefix(r.URL.Path, "/v2/billing/"):
		f.bill(w, r, path[2])
	case r.URL.Path == "/v2/tags":
		f.page(w, r, "tags", []map[string]any{
			{"id": "t1", "key": "owner", "value": "ana", "resources": []any{map[string]any{"id": "pod-train", "type": "POD"}}},
			{"id": "t2", "key": "project", "value": "llm", "resources": []any{map[string]any{"id": "pod-train", "type": "POD"}, map[string]any{"id": "cl-1", "type": "CLUSTER"}}},
			{"id": "t3", "key": "env", "value": ""},
		})
	case r.URL.Path == "/v2/catalog/gpus":
		f.catalog(w, r)
	case len(path) >= 2 && path[0] == "v2":
		f.things(w, r, path[1:])
	default:
		f.problem(w, 404, "no route")
	}
}

func (f *fake) things(w http.ResponseWriter, r *http.Request, path []string) {
	lists := map[string]struct {
		key string
		all *[]map[string]any
	}{"pods": {"pods", &f.pods}, "network-volumes": {"networkVolumes", &f.volumes}, "serverless": {"endpoints", &f.endpoints}, "clusters": {"clusters", &f.clusters}}
	l, ok := lists[path[0]]
	if !ok {
		f.problem(w, 404, "no route")
		return
	}
	if len(path) == 1 {
		f.page(w, r, l.key, *l.all)
		return
	}
	i := slices.IndexFunc(*l.all, func(t map[string]any) bool { return t["id"] == path[1] })
	switch {
	case i < 0:
		f.problem(w, 404, "resource not found")
	case len(path) == 3 && path[2] == "action" && r.Method == http.MethodPost:
		f.action(w, r, (*l.all)[i])
	case r.Method == http.MethodGet:
		f.answer(w, 200, (*l.all)[i])
	case r.Method == http.MethodDelete && (*l.all)[i]["cluster"] != nil:
		f.problem(w, 409, "pod belongs to a cluster")
	case r.Method == http.MethodDelete:
		if path[0] == "clusters" {
			f.pods = slices.DeleteFunc(f.pods, func(p map[string]any) bool {
				c, _ := p["cluster"].(map[string]any)
				return c["id"] == path[1]
			})
		}
		*l.all = slices.Delete(*l.all, i, i+1)
		w.WriteHeader(http.StatusNoContent)
	}
}

func (f *fake) action(w http.ResponseWriter, r *http.Request, pod map[string]any) {
	body, _ := io.ReadAll(r.Body)
	switch {
	case string(body) != `{"action":"stop"}`:
		f.problem(w, 422, "additional properties not allowed")
	case pod["locked"] == true || !slices.Contains(pod["actions"].([]string), "stop"):
		f.problem(w, 409, "action not valid for current pod status")
	default:
		pod["status"], pod["cost"], pod["runtime"], pod["actions"] = "EXITED", 0.0, nil, []string{"start", "terminate"}
		f.answer(w, 200, pod)
	}
}

// page gives two things at a time; a looping fake always points to its second page.
func (f *fake) page(w http.ResponseWriter, r *http.Request, key string, all []map[string]any) {
	if key == "pods" && r.URL.Query().Get("includeClusterPods") != "true" {
		all = slices.DeleteFunc(slices.Clone(all), func(p map[string]any) bool { return p["cluster"] != nil })
	}
	from, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("cursor"), "after-"))
	to := min(from+2, len(all))
	p := map[string]any{"nextCursor": nil, "hasNextPage": false}
	if f.looping {
		from, to = 0, 2
		p = map[string]any{"nextCursor": "after-2", "hasNextPage": true}
	} else if to < len(all) {
		p = map[string]any{"nextCursor": fmt.Sprintf("after-%d", to), "hasNextPage": true}
	}
	f.answer(w, 200, map[string]any{key: all[from:to], "pagination": p})
}

func (f *fake) graphql(w http.ResponseWriter, r *http.Request) {
	var q struct{ Query string }
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || !strings.Contains(q.Query, "myself { id") {
		f.problem(w, 400, "no such query")
		return
	}
	f.raw(w, 200, `{"data":{"myself":{"id":"user_abc123","email":"user@example.com","clientBalance":435.85}}}`)
}

func (f *fake) balance(w http.ResponseWriter) {
	if f.noBalance {
		f.problem(w, 404, "no route")
		return
	}
	f.raw(w, 200, `{"balanceAmount":42.180000000000003,"billingMode":"PREPAID"}`)
}

// bill gives a record an hour for one pod and one volume from 18 November on, the hour that is running too. As RunPod
// does, it widens the window to whole hours.
func (f *fake) bill(w http.ResponseWriter, r *http.Request, route string) {
	q := r.URL.Query()
	start, err1 := time.Parse(time.RFC3339, q.Get("startTime"))
	end, err2 := time.Parse(time.RFC3339, q.Get("endTime"))
	if err1 != nil || err2 != nil || q.Get("bucketSize") != "hour" {
		f.problem(w, 400, "request could not be processed")
		return
	}
	records := []string{}
	for at := start.Truncate(time.Hour); at.Before(end) && at.Before(f.now()); at = at.Add(time.Hour) {
		span := fmt.Sprintf(`"startTime":%q,"endTime":%q`, at.Format(time.RFC3339), at.Add(time.Hour).Format(time.RFC3339))
		switch {
		case at.Before(time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)):
		case route == "pods":
			records = append(records, `{`+span+`,"podId":"pod-train","totalAmount":5.3936986301369863,"gpuAmount":5.38,"cpuAmount":0,"diskAmount":0.0136986301369863}`)
		case route == "network-volumes":
			records = append(records, `{`+span+`,"networkVolumeId":"vol-left","totalAmount":0.1301369863013699,"standardAmount":0.1301369863013699,"highPerformanceAmount":0}`)
		case route == "serverless" && at.Hour() == 7:
			records = append(records, `{`+span+`,"serverlessId":"ep-idle","totalAmount":8.9,"gpuAmount":7.5,"cpuAmount":0,"diskAmount":0.4,"feeAmount":1.0}`)
		case route == "endpoints" && at.Hour() == 7:
			records = append(records, `{`+span+`,"totalAmount":3.21}`)
		}
	}
	f.raw(w, 200, `{"records":[`+strings.Join(records, ",")+`],"metadata":{"recordCount":`+strconv.Itoa(len(records))+`}}`)
}

func (f *fake) catalog(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("include") != "AVAILABILITY" || q.Get("product") != "POD" || q.Get("cloud") == "" {
		f.problem(w, 400, "product is needed")
		return
	}
	stock := map[string]string{"SECURE": "HIGH", "COMMUNITY": "LOW"}[q.Get("cloud")]
	f.raw(w, 200, `{"gpus":[
		{"id":"NVIDIA GeForce RTX 4090","secure":true,"community":true,"price":{"secure":0.44,"community":0.31,"serverless":1.1},
		 "availability":"`+stock+`","dataCenters":[{"id":"US-KS-2","availability":"`+stock+`"},{"id":"EU-RO-1","availability":"LOW"}]},
		{"id":"NVIDIA H200","secure":true,"community":false,"price":{"secure":3.59,"community":0},"availability":"NONE"},
		{"id":"NVIDIA B200","secure":true,"community":false,"price":{"secure":0,"community":0},"availability":"NONE"}]}`)
}

func (f *fake) problem(w http.ResponseWriter, code int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"title": http.StatusText(code), "status": code, "detail": detail})
}

func (f *fake) answer(w http.ResponseWriter, code int, v any) {
	b, _ := json.Marshal(v)
	f.raw(w, code, string(b))
}

func (f *fake) raw(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}
