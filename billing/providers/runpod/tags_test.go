package runpod

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

// TestTagsAreJoinedByWhatTheyAreOn: RunPod gives them beside the things, not on them.
func TestTagsAreJoinedByWhatTheyAreOn(t *testing.T) {
	s := fixture.New(t, "testdata")
	podsOf(s).Answer(200, `{"pods":[{"id":"a","status":"RUNNING"},{"id":"b","status":"RUNNING"}]}`)
	get(s, "/v2/tags", "limit", "1000", "include", "resources").Answer(200, `{"tags":[
		{"id":"1","key":"owner","value":"ana","resources":[{"id":"a","type":"POD"},{"id":"b","type":"SERVERLESS_ENDPOINT"}]},
		{"id":"2","key":"project","value":"llm","resources":[{"id":"a","type":"POD"}]},{"id":"3","key":"env","value":"dev"}]}`)
	got := listed(t, over(t, s, false), billing.KindInstance)
	if diff := cmp.Diff(map[string]string{"owner": "ana", "project": "llm"}, got[0].Tags); diff != "" || got[0].Owner != "ana" || got[0].Project != "llm" {
		t.Errorf("owner %q, project %q; -want +got:\n%s", got[0].Owner, got[0].Project, diff)
	}
	if len(got[1].Tags) > 0 {
		t.Errorf("the tag of an endpoint with the same id is on a pod: %v", got[1].Tags)
	}
}

// TestTagsSpoilNoInventory: an edition of the API without them, a key without the right, and a form that we do not know
// leave things without tags; a passing fault does not, for owners would come and go.
func TestTagsSpoilNoInventory(t *testing.T) {
	for _, tt := range []struct {
		code int
		body string
		want billing.ErrorKind
	}{
		{404, `{"title":"Not Found"}`, ""},
		{403, `{"title":"Forbidden"}`, ""},
		{422, `{"title":"include"}`, ""},
		{200, `{"data":[]}`, ""},
		{200, `{"tags":[{"key":"k","value":"v","resources":{"POD":["a"]}}]}`, ""},
		{401, `{"title":"Unauthorized"}`, billing.Auth},
	} {
		s := fixture.New(t, "testdata")
		podsOf(s).Answer(200, `{"pods":[{"id":"a","status":"RUNNING"}]}`)
		get(s, "/v2/tags", "limit", "1000", "include", "resources").Answer(tt.code, tt.body)
		got, err := all(over(t, s, false).Resources(t.Context(), billing.Scope{Kind: billing.KindInstance}))
		if billing.KindOf(err) != tt.want || err == nil && len(got) != 1 {
			t.Errorf("%d %s gives %d things, %v, want %q", tt.code, tt.body, len(got), err, tt.want)
		}
	}
}
