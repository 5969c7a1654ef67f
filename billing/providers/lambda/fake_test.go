package lambda

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

const (
	fakeKey    = "secret_test_TESTKEYTESTKEY0123456789.abcdefTESTKEYTESTKEY"
	fakeSecret = "jt_CANARYCANARYCANARY0123456789"
)

// fake is a Lambda that remembers: instances and file systems go. It holds requests against the documented form.
type fake struct {
	mu        sync.Mutex
	instances []map[string]any
	systems   []map[string]any
}

func newFake() *fake {
	f := &fake{}
	f.instances = []map[string]any{
		fakeInstance("aaa1", "active", "fs-used"), fakeInstance("aaa2", "booting", ""), fakeInstance("aaa3", "unhealthy", ""),
		fakeInstance("aaa4", "terminating", ""), fakeInstance("aaa5", "active", ""), fakeInstance("aaa6", "preempted", ""),
		fakeInstance("aaa7", "active", ""),
	}
	f.instances[4]["actions"] = map[string]any{"terminate": map[string]any{"available": false, "reason_code": "vm-action-in-progress"}}
	f.instances[6]["instance_type"].(map[string]any)["price_cents_per_hour"] = 0
	f.systems = []map[string]any{
		fakeSystem("fs-used", true, 1073741824000), fakeSystem("fs-left", false, 536870912000), fakeSystem("fs-new", false, 0),
	}
	return f
}

func fakeInstance(id, status, mounted string) map[string]any {
	i := map[string]any{
		"id": id, "name": "name-of-" + id, "status": status, "region": map[string]any{"name": "us-west-1", "description": "California, USA"},
		"ssh_key_names": []string{fakeSecret}, "file_system_names": []string{}, "hostname": fakeSecret,
		"jupyter_token": fakeSecret, "jupyter_url": "https://jupyter.example/?token=" + fakeSecret, "user_data": fakeSecret,
		"instance_type": map[string]any{"name": "gpu_8x_h100_sxm5", "description": "8x H100 (80 GB SXM5)", "gpu_description": "H100 (80 GB SXM5)",
			"price_cents_per_hour": 3592, "specs": map[string]any{"gpus": 8, "vcpus": 208, "memory_gib": 1800, "storage_gib": 24780}},
		"actions": map[string]any{"terminate": map[string]any{"available": true}},
		"tags":    []any{map[string]any{"key": "owner", "value": "ana"}},
	}
	if mounted != "" {
		i["file_system_names"] = []string{"name-of-" + mounted}
		i["file_system_mounts"] = []any{map[string]any{"mount_point": "/lambda/nfs/x", "file_system_id": mounted}}
	}
	return i
}

func fakeSystem(id string, used bool, bytes int) map[string]any {
	return map[string]any{
		"id": id, "name": "name-of-" + id, "mount_point": "/lambda/nfs/x", "created": "2026-11-01T14:15:22Z", "is_in_use": used,
		"created_by": map[string]any{"id": "u1", "email": "ana@example.com", "status": "active"},
		"region":     map[string]any{"name": "us-west-1", "description": "California, USA"}, "bytes_used": bytes,
	}
}

func (f *fake) isWrite(r *http.Request) bool { return r.Method != http.MethodGet }

// inside is a success with an error in it, which Lambda does not document.
func (f *fake) inside(w http.ResponseWriter, _ *http.Request) {
	f.refuse(w, 200, "provider/internal-unavailable")
}

// paged answers lists that name a next page, as an edition of the API that we do not know may.
func (f *fake) paged(w http.ResponseWriter, _ *http.Request) {
	f.answer(w, map[string]any{"data": f.instances[:2], "page_token": "after-2"})
}

// ServeHTTP answers one request.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	id := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	route := r.Method + " " + strings.TrimSuffix(r.URL.Path, "/"+id)
	switch {
	case r.Header.Get("Authorization") != "Bearer "+fakeKey:
		f.refuse(w, 401, "global/invalid-api-key")
	case route == "GET /api/v1" && id == "instances":
		f.answer(w, map[string]any{"data": f.instances})
	case route == "GET /api/v1" && id == "file-systems":
		f.answer(w, map[string]any{"data": f.systems})
	case route == "GET /api/v1" && id == "instance-types":
		f.text(w, 200, `{"data":{"gpu_1x_gh200":{"instance_type":{"name":"gpu_1x_gh200","gpu_description":"GH200 (96 GB)","price_cents_per_hour":149,"specs":{"gpus":1}},
			"regions_with_capacity_available":[{"name":"us-east-3"},{"name":"us-west-1"}]},
			"gpu_8x_a100":{"instance_type":{"name":"gpu_8x_a100","gpu_description":"A100 (40 GB SXM4)","price_cents_per_hour":1032,"specs":{"gpus":8}},"regions_with_capacity_available":[]},
			"cpu_4x_general":{"instance_type":{"name":"cpu_4x_general","gpu_description":"N/A","price_cents_per_hour":10,"specs":{"gpus":0}},"regions_with_capacity_available":[]}}}`)
	case route == "GET /api/v1/instances":
		f.one(w, id)
	case r.Method == http.MethodPost && r.URL.Path == "/api/v1/instance-operations/terminate":
		f.terminate(w, body)
	case route == "DELETE /api/v1/filesystems" && len(body) == 0: // no hyphen here
		f.deleteSystem(w, id)
	default:
		f.refuse(w, 404, "global/not-found")
	}
}

func at(all []map[string]any, id string) int {
	return slices.IndexFunc(all, func(t map[string]any) bool { return t["id"] == id })
}

func (f *fake) one(w http.ResponseWriter, id string) {
	if i := at(f.instances, id); i >= 0 {
		f.answer(w, map[string]any{"data": f.instances[i]})
		return
	}
	f.refuse(w, 404, "global/object-does-not-exist")
}

func (f *fake) terminate(w http.ResponseWriter, body []byte) {
	var q struct {
		IDs []string `json:"instance_ids"`
	}
	if json.Unmarshal(body, &q) != nil || len(q.IDs) != 1 {
		f.refuse(w, 400, "global/invalid-parameters")
		return
	}
	i := at(f.instances, q.IDs[0])
	if i < 0 {
		f.refuse(w, 404, "global/object-does-not-exist")
		return
	}
	gone := f.instances[i]
	f.instances = slices.Delete(f.instances, i, i+1)
	f.answer(w, map[string]any{"data": map[string]any{"terminated_instances": []any{gone}}})
}

func (f *fake) deleteSystem(w http.ResponseWriter, id string) {
	i := at(f.systems, id)
	switch {
	case i < 0:
		f.refuse(w, 404, "global/object-does-not-exist")
	case f.systems[i]["is_in_use"] == true:
		f.refuse(w, 400, "filesystems/filesystem-in-use")
	default:
		f.systems = slices.Delete(f.systems, i, i+1)
		f.answer(w, map[string]any{"data": map[string]any{"deleted_ids": []string{id}}})
	}
}

func (f *fake) refuse(w http.ResponseWriter, code int, word string) {
	f.text(w, code, `{"error":{"code":"`+word+`","message":"about `+fakeSecret+`"}}`)
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
