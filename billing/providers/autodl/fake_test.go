package autodl

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	fakeToken  = "eyJTESTTESTTESTTOKEN.0123456789abcdefghijkl"
	fakeSecret = "CANARYCANARYCANARY0123456789"
)

// fake is an AutoDL that remembers: instances are switched off and released after a while, each hour is settled. It
// holds requests against the documented form and answers in pages of two, whatever it is asked for. All its answers
// have status 200.
type fake struct {
	now       func() time.Time
	mu        sync.Mutex
	instances []map[string]any
	images    []map[string]any
	details   map[string]map[string]any
	changing  map[string]time.Time // when an order is carried out
	looping   bool
}

func newFake(now func() time.Time) *fake {
	f := &fake{now: now, details: map[string]map[string]any{}, changing: map[string]time.Time{}}
	f.add(1970, fakeInstance("pro-train", "running", nil))
	f.add(1970, fakeInstance("pro-off", "shutdown", map[string]any{"stopped_at": nullable("2026-11-18T23:10:00+08:00")}))
	f.add(1970, fakeInstance("pro-big-disk", "shutdown", map[string]any{"stopped_at": nullable("2026-11-16T08:00:00+08:00")}))
	f.add(5980, fakeInstance("pro-eight", "running", map[string]any{"req_gpu_amount": 8}))
	f.add(1970, fakeInstance("pro-no-gpu", "running", map[string]any{"start_mode": "non_gpu"}))
	f.add(1970, fakeInstance("pro-monthly", "running", map[string]any{"charge_type": "monthly", "expired_at": nullable("2026-12-08T10:00:00+08:00")}))
	f.add(0, fakeInstance("pro-odd", "running", nil))
	f.details["pro-big-disk"]["expand_system_disk_size"] = int64(80) << 30
	f.instances = append(f.instances, fakeInstance("pro-new", "creating", map[string]any{"started_at": nullable("")}))
	for _, id := range []string{"image-a", "image-b", "image-c"} {
		f.images = append(f.images, map[string]any{"image_uuid": id, "name": "name-of-" + id, "status": "finished",
			"image_size": int64(10) << 30, "create_at": "2026-09-20T18:34:08+08:00"})
	}
	return f
}

func (f *fake) add(price int, i map[string]any) {
	f.instances = append(f.instances, i)
	f.details[i["uuid"].(string)] = map[string]any{
		"region_sign": "bj-B1", "payg_price": price, "origin_pay_price": 3030, "snapshot_gpu_alias_name": "NVIDIA RTX PRO 6000",
		"usage_info":              map[string]any{"cpu_usage_percent": 3.34, "data_disk_total_size": 0, "valid": false},
		"expand_system_disk_size": int64(30) << 30, "system_init_disk_size": int64(30) << 30,
		"root_password": fakeSecret, "jupyter_token": fakeSecret, "ssh_command": "ssh -p 34222 root@" + fakeSecret,
	}
}

// nullable is a time as Go's database types write it; "" is none.
func nullable(at string) map[string]any {
	if at == "" {
		return map[string]any{"Time": "0001-01-01T00:00:00Z", "Valid": false}
	}
	return map[string]any{"Time": at, "Valid": true}
}

// fakeInstance keeps the time of an earlier stop, as running instances may.
func fakeInstance(id, status string, change map[string]any) map[string]any {
	i := map[string]any{
		"created_at": "2026-11-15T17:30:54+08:00", "uuid": id, "name": "name-of-" + id, "region_sign": "neimeng-C",
		"status": status, "status_at": "2026-11-16T17:31:05+08:00", "start_mode": "gpu", "charge_type": "payg", "req_gpu_amount": 1,
		"expired_at": nullable(""), "started_at": nullable("2026-11-16T17:31:05+08:00"), "stopped_at": nullable("2026-11-16T10:00:00+08:00"),
		"timed_shutdown_at": nullable(""), "gpu_spec_uuid": "pro6000-p",
	}
	for k, v := range change {
		i[k] = v
	}
	return i
}

func (f *fake) isWrite(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/power_off") || strings.HasSuffix(r.URL.Path, "/release")
}

func (f *fake) inside(w http.ResponseWriter, _ *http.Request) {
	f.refuse(w, "InternalError", "no "+fakeSecret+" "+fakeToken)
}

// ServeHTTP answers one request.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settle()
	body, _ := io.ReadAll(r.Body)
	switch route := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/api/v1/dev/"); {
	case r.Header.Get("Authorization") != fakeToken:
		w.WriteHeader(http.StatusUnauthorized)
	case route == "POST wallet/balance" && len(body) == 0:
		f.give(w, map[string]any{"assets": 86405, "accumulate": 1828723, "voucher_balance": 5001, "blocked_asset": 5})
	case route == "POST instance/pro/list":
		f.page(w, body, f.instances)
	case route == "POST instance/pro/image/private/list":
		f.page(w, body, f.images)
	case route == "GET instance/pro/snapshot" && len(body) == 0:
		if d, ok := f.details[r.URL.Query().Get("instance_uuid")]; ok {
			f.give(w, d)
			return
		}
		f.refuse(w, "RecordNotFoundError", "未查询到相关实例")
	case route == "POST instance/pro/power_off":
		f.order(w, body, "running", "shutting_down")
	case route == "POST instance/pro/release":
		f.order(w, body, "shutdown", "releasing")
	default:
		f.refuse(w, "RequestParameterIsWrong", "请求参数错误")
	}
}

// page gives two things at a time; a looping fake gives its first page for ever.
func (f *fake) page(w http.ResponseWriter, body []byte, all []map[string]any) {
	var q struct {
		Index int `json:"page_index"`
		Size  int `json:"page_size"`
	}
	if err := json.Unmarshal(body, &q); err != nil || q.Index < 1 || q.Size < 1 {
		f.refuse(w, "RequestParameterIsWrong", "请求参数错误")
		return
	}
	pages, from := (len(all)+1)/2, min(2*q.Index-2, len(all))
	if f.looping {
		pages, from = q.Index+1, 0
	}
	f.give(w, map[string]any{"list": all[from:min(from+2, len(all))], "page_index": q.Index, "page_size": 2, "offset": from,
		"max_page": pages, "result_total": len(all), "page": q.Index})
}

func (f *fake) find(id string) map[string]any {
	i := slices.IndexFunc(f.instances, func(i map[string]any) bool { return i["uuid"] == id })
	if i < 0 {
		return nil
	}
	return f.instances[i]
}

// order takes an order that is carried out half a minute later.
func (f *fake) order(w http.ResponseWriter, body []byte, from, to string) {
	var q map[string]string
	if err := json.Unmarshal(body, &q); err != nil || len(q) != 1 {
		f.refuse(w, "RequestParameterIsWrong", "请求参数错误")
		return
	}
	i := f.find(q["instance_uuid"])
	switch {
	case i == nil:
		f.refuse(w, "RecordNotFoundError", "未查询到相关实例")
	case i["status"] != from:
		f.refuse(w, "InternalError", "请确保实例是关机状态")
	default:
		i["status"], i["status_at"] = to, f.now().Format(time.RFC3339)
		f.changing[q["instance_uuid"]] = f.now().Add(30 * time.Second)
		f.give(w, nil)
	}
}

// settle carries out the orders whose time has come.
func (f *fake) settle() {
	for id, at := range f.changing {
		if f.now().Before(at) {
			continue
		}
		delete(f.changing, id)
		if i := f.find(id); i["status"] == "shutting_down" {
			i["status"], i["stopped_at"] = "shutdown", nullable(at.Format(time.RFC3339))
		} else {
			f.instances = slices.DeleteFunc(f.instances, func(i map[string]any) bool { return i["uuid"] == id })
			delete(f.details, id)
		}
	}
}

func (f *fake) give(w http.ResponseWriter, data any) {
	f.answer(w, map[string]any{"code": "Success", "msg": "", "data": data, "request_id": "983edb8c8c8553db1115d51fb2758ae8"})
}

func (f *fake) refuse(w http.ResponseWriter, code, msg string) {
	f.answer(w, map[string]any{"code": code, "msg": msg, "data": nil})
}

func (f *fake) answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v)
}
