package vast

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
	fakeKey    = "0a1b2c3dTESTKEYTESTKEYTESTKEYTESTKEY4e5f6071829304a5b6c7d8e9f0a1b2c3"
	fakeSecret = "hf_CANARYCANARYCANARY0123456789"
)

// fake is a Vast.ai that remembers: instances stop and go, volumes go, every day is billed. It holds requests against
// the documented form and answers in pages of two.
type fake struct {
	now       func() time.Time
	mu        sync.Mutex
	instances []map[string]any
	volumes   []map[string]any
	looping   bool
}

func newFake(now func() time.Time) *fake {
	f := &fake{now: now}
	f.instances = []map[string]any{
		fakeInstance(311, "running", "running", "running", nil),
		fakeInstance(312, "exited", "stopped", "running", map[string]any{"is_bid": true, "storage_total_cost": raw("0.0105")}),
		fakeInstance(313, "exited", "stopped", "stopped", nil),
		fakeInstance(314, "offline", "running", "running", nil),
		fakeInstance(315, "running", "running", "running", map[string]any{"credit_balance": raw("4792.99"), "credit_discount": raw("0.37")}),
		fakeInstance(316, "loading", "running", "running", nil),
		fakeInstance(317, nil, "running", "running", map[string]any{"storage_total_cost": nil, "disk_space": raw("20.16")}),
	}
	f.volumes = []map[string]any{
		fakeVolume(100, []any{}), fakeVolume(101, []any{map[string]any{"id": 313, "jupyter_token": fakeSecret}}), fakeVolume(102, nil),
	}
	return f
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func fakeInstance(id int, actual any, current, intended string, changes map[string]any) map[string]any {
	i := map[string]any{
		"id": id, "label": fmt.Sprintf("name-of-%d", id), "actual_status": actual, "cur_state": current, "intended_status": intended,
		"next_state": current, "machine_id": 12, "num_gpus": 8, "gpu_frac": 1, "gpu_name": "A100 SXM4", "gpu_ram": 81920,
		"gpu_totalram": 655360, "gpu_util": raw("94.5"), "cpu_util": raw("45"), "disk_space": raw("10.08"), "disk_util": -1,
		"dph_base": raw("9.6"), "dph_total": raw("9.6021000000000001"), "storage_cost": raw("0.15"), "storage_total_cost": raw("0.0021"),
		"start_date": raw("1763467200.1223178"), "end_date": raw("1767225600.0"), "is_bid": false, "geolocation": "California, US",
		"credit_balance": nil, "credit_discount": nil, "time_remaining": "", "volume_info": []any{},
		"jupyter_token": fakeSecret, "extra_env": [][]string{{"HF_TOKEN", fakeSecret}}, "onstart": "login " + fakeSecret,
		"image_args": []string{fakeSecret}, "ssh_host": fakeSecret, "image_uuid": "registry.example/" + fakeSecret,
	}
	for k, v := range changes {
		i[k] = v
	}
	return i
}

func fakeVolume(id int, users []any) map[string]any {
	return map[string]any{
		"id": id, "label": fmt.Sprintf("name-of-%d", id), "status": "running", "disk_space": raw("200.0"), "disk_name": "Samsung SSD 870",
		"machine_id": 12, "storage_total_cost": raw("0.0411"), "start_date": raw("1763467200.0"), "geolocation": "California, US", "instances": users,
	}
}

func (f *fake) isWrite(r *http.Request) bool {
	return r.Method == http.MethodPut || r.Method == http.MethodDelete
}

// inside refuses with status 200, as Vast.ai does for a bad range of dates.
func (f *fake) inside(w http.ResponseWriter, _ *http.Request) {
	f.text(w, 200, `{"success":false,"error":"Invalid date range","msg":"no `+fakeSecret+`","count":0,"results":[],"next_token":null}`)
}

// ServeHTTP answers one request. Paths without their last slash are unknown here.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	id, one := strings.CutPrefix(strings.TrimSuffix(r.URL.Path, "/"), "/api/v0/instances/")
	switch {
	case r.Header.Get("Authorization") != "Bearer "+fakeKey:
		f.refuse(w, 404, "auth_error")
	case !strings.HasSuffix(r.URL.Path, "/"):
		w.Header().Set("Location", r.URL.Path+"/")
		w.WriteHeader(http.StatusMovedPermanently)
	case r.URL.Path == "/api/v1/instances/" && r.Method == http.MethodGet:
		f.list(w, r)
	case one:
		f.instance(w, r, id, string(body))
	case r.URL.Path == "/api/v0/volumes/" && r.Method == http.MethodGet:
		f.answer(w, map[string]any{"volumes": f.volumes})
	case r.URL.Path == "/api/v0/volumes/" && r.Method == http.MethodDelete:
		f.deleteVolume(w, r, string(body))
	case r.URL.Path == "/api/v0/users/current/":
		f.text(w, 200, `{"id":123456,"key_id":1,"email":"user@example.com","balance":0,"credit":24.870000000000001,"ssh_key":"`+fakeSecret+`","api_key":"`+fakeSecret+`"}`)
	case r.URL.Path == "/api/v0/charges/":
		f.charges(w, r)
	case r.URL.Path == "/api/v0/bundles/" && r.Method == http.MethodPost:
		f.search(w, body)
	default:
		f.refuse(w, 404, "not_found")
	}
}

// list gives two instances at a time; a looping fake always points to its second page.
func (f *fake) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("limit") != "25" || q.Has("select_cols") || q.Get("order_by") != `[{"col":"id","dir":"asc"}]` {
		f.refuse(w, 400, "invalid_request")
		return
	}
	page, next := f.page(r, f.instances)
	f.answer(w, map[string]any{"success": true, "instances_found": len(page), "total_instances": len(f.instances), "next_token": next, "instances": page})
}

func (f *fake) page(r *http.Request, all []map[string]any) (page []map[string]any, next any) {
	from, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("after_token"), "after-"))
	to := min(from+2, len(all))
	switch {
	case f.looping:
		return all[:2], "after-2"
	case to < len(all):
		return all[from:to], fmt.Sprintf("after-%d", to)
	}
	return all[from:to], nil
}

func (f *fake) instance(w http.ResponseWriter, r *http.Request, id, body string) {
	i := slices.IndexFunc(f.instances, func(t map[string]any) bool { return strconv.Itoa(t["id"].(int)) == id })
	switch {
	case r.Method == http.MethodGet && i < 0:
		f.text(w, 200, `{"instances":null}`)
	case i < 0:
		f.refuse(w, 404, "not_found")
	case r.Method == http.MethodGet:
		f.answer(w, map[string]any{"instances": f.instances[i]})
	case r.Method == http.MethodPut && body == `{"state":"stopped"}`:
		f.instances[i]["actual_status"], f.instances[i]["cur_state"], f.instances[i]["intended_status"] = "exited", "stopped", "stopped"
		f.text(w, 200, `{"success":true}`)
	case r.Method == http.MethodDelete && body == `{}`:
		f.instances = slices.Delete(f.instances, i, i+1)
		f.text(w, 200, `{"success":true,"msg":"Instance destroyed successfully"}`)
	default:
		f.refuse(w, 400, "invalid_args")
	}
}

// deleteVolume wants the id in the address, as the client of Vast.ai sends it, and in the body, as it is documented.
func (f *fake) deleteVolume(w http.ResponseWriter, r *http.Request, body string) {
	id := r.URL.Query().Get("id")
	i := slices.IndexFunc(f.volumes, func(t map[string]any) bool { return strconv.Itoa(t["id"].(int)) == id })
	switch {
	case body != `{"id":`+id+`}`:
		f.refuse(w, 400, "invalid_args")
	case i < 0:
		f.refuse(w, 404, "no_such_volume")
	default:
		f.volumes = slices.Delete(f.volumes, i, i+1)
		f.text(w, 200, `{"success":true}`)
	}
}

// charges gives one row a contract for the whole window that was asked for, from 18 November on, the running day too.
func (f *fake) charges(w http.ResponseWriter, r *http.Request) {
	var filter struct {
		Day struct{ GTE, LTE int64 }
	}
	if json.Unmarshal([]byte(r.URL.Query().Get("select_filters")), &filter) != nil || filter.Day.GTE == 0 || filter.Day.LTE == 0 {
		f.refuse(w, 400, "invalid_args")
		return
	}
	days := 0
	for d := time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC); d.Before(f.now()); d = d.Add(day) {
		if d.Unix() >= filter.Day.GTE && d.Unix() <= filter.Day.LTE { // both ends inclusive
			days++
		}
	}
	rows := []map[string]any{}
	if days > 0 {
		rows = append(rows, fakeCharge(days, "instance-311", "instance", "230.575", "gpu:230.4", "disk:0.05", "bwd:0.123", "bwu:0.0021"),
			fakeCharge(days, "volume-100", "volume", "0.986", "disk:0.986"), fakeCharge(days, "instance-299", "instance", "1.5", "gpu:1.25"))
	}
	page, next := f.page(r, rows)
	f.answer(w, map[string]any{"success": true, "count": len(page), "total": len(rows), "next_token": next, "results": page})
}

// fakeCharge is a row whose dates are the contract's, not the window's.
func fakeCharge(days int, source, kind, amount string, items ...string) map[string]any {
	times := func(s string) json.RawMessage {
		v, _ := strconv.ParseFloat(s, 64)
		return raw(strconv.FormatFloat(v*float64(days), 'f', -1, 64))
	}
	list := []any{}
	for _, item := range items {
		what, sum, _ := strings.Cut(item, ":")
		list = append(list, map[string]any{"type": what, "amount": times(sum), "description": "24.000 hours at $0.1/hour", "start": 1760000000, "end": 1770000000})
	}
	return map[string]any{"start": 1760000000, "end": 1770000000, "type": kind, "source": source, "amount": times(amount),
		"description": "Charges", "metadata": map[string]any{"label": "name-of-" + source}, "items": list}
}

func (f *fake) search(w http.ResponseWriter, body []byte) {
	var q struct {
		Type  string
		Limit int
		Order [][]string
		Name  struct{ In []string } `json:"gpu_name"`
	}
	if json.Unmarshal(body, &q) != nil || q.Type != "ondemand" && q.Type != "bid" || q.Limit < 1 || len(q.Order) != 2 {
		f.refuse(w, 400, "invalid_args")
		return
	}
	rows := []string{}
	for _, o := range []struct{ name, rest string }{
		{"A100 SXM4", `"gpu_ram":81920,"num_gpus":1,"dph_total":0.55`},
		{"A100 SXM4", `"gpu_ram":81920,"num_gpus":1,"dph_total":1.25`},
		{"A100 SXM4", `"gpu_ram":40960,"num_gpus":1,"dph_total":0.41`},
		{"RTX 4090", `"gpu_ram":24564,"num_gpus":4,"dph_total":0`},
	} {
		if len(q.Name.In) == 0 || slices.Contains(q.Name.In, strings.ReplaceAll(o.name, " ", "_")) { // queries have underscores, answers spaces
			rows = append(rows, `{"gpu_name":"`+o.name+`",`+o.rest+`}`)
		}
	}
	f.text(w, 200, `{"offers":[`+strings.Join(rows, ",")+`]}`)
}

func (f *fake) refuse(w http.ResponseWriter, code int, word string) {
	f.text(w, code, `{"success":false,"error":"`+word+`","msg":"about `+fakeSecret+`"}`)
}

func (f *fake) answer(w http.ResponseWriter, v any) {
	b, _ := json.Marshal(v)
	f.text(w, 200, string(b))
}

func (f *fake) text(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}
