package runpod

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

// TestClusterCostsWhatItsPodsDo: a cluster has no price of its own, its pods are not counted a second time, and a sum
// that lacks a pod is no sum.
func TestClusterCostsWhatItsPodsDo(t *testing.T) {
	const compute = `"compute":{"gpuTypeId":"NVIDIA H100 80GB HBM3","gpuCountPerPod":8,"podCount":2}`
	node := func(id, rest string) string {
		return `{"id":"` + id + `","disk":730,"cluster":{"id":"c"},` + rest + `}`
	}
	for _, tt := range []struct {
		name, total string
		pods        []string
		state       billing.State
		billed      billing.Tri
		rate        string // "" is unknown
		data        billing.Tri
	}{
		{"running", "2", []string{node("a", `"status":"RUNNING","cost":20`), node("b", `"status":"RUNNING","cost":20`)}, billing.StateRunning, billing.Yes, "40.2", billing.Yes},
		{"one starts still", "2", []string{node("a", `"status":"RUNNING","cost":20`), node("b", `"status":"PROVISIONING","cost":0`)}, billing.StateRunning, billing.Yes, "", billing.Yes},
		{"a pod not seen", "2", []string{node("a", `"status":"RUNNING","cost":20`)}, billing.StateRunning, billing.Yes, "", billing.Yes},
		{"no pod yet", "0", nil, billing.StateStarting, billing.Unsure, "", billing.Yes},
		{"stopped", "1", []string{node("a", `"status":"EXITED","cost":0.0,"mounts":{"persistent":{"size":730}}`)}, billing.StateStopped, billing.Yes, "0.2", billing.Yes},
		{"broken", "1", []string{node("a", `"status":"ERROR","cost":0`)}, billing.StateUnknown, billing.Unsure, "", billing.Yes},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c cluster
			if err := json.Unmarshal([]byte(`{"id":"c",`+compute+`,"pods":{"total":`+tt.total+`}}`), &c); err != nil {
				t.Fatal(err)
			}
			var pods []pod
			for _, text := range tt.pods {
				var p pod
				if err := json.Unmarshal([]byte(text), &p); err != nil {
					t.Fatal(err)
				}
				pods = append(pods, p)
			}
			r := c.resource(c.members(pods))
			rate := ""
			if r.Rate.Hourly.Known() {
				rate = r.Rate.Hourly.Amount()
			}
			if r.State != tt.state || r.Billed != tt.billed || rate != tt.rate || r.HoldsData != tt.data {
				t.Errorf("%s, billed %d, %q, data %d", r.State, r.Billed, rate, r.HoldsData)
			}
			if r.GPU.Model != "H100" || r.GPU.Count.String() != "16" || r.StoppedRate.Hourly.Known() {
				t.Errorf("%s x %s, stopped %v: there is no stop", r.GPU.Count, r.GPU.Model, r.StoppedRate)
			}
		})
	}
}

// TestClusterPodsAreNoInstances: they would be counted twice, and could be released one by one.
func TestClusterPodsAreNoInstances(t *testing.T) {
	const pods = `{"pods":[{"id":"alone","status":"RUNNING"},{"id":"node","status":"RUNNING","cluster":{"id":"c","rank":0}}]}`
	s := fixture.New(t, "testdata")
	podsOf(s).Answer(200, pods)
	untagged(s)
	got := listed(t, over(t, s, false), billing.KindInstance)
	if len(got) != 1 || got[0].Ref.ID != "alone" {
		t.Errorf("got %+v, want the pod that stands alone", got)
	}
}

// TestLockedClusterIsNotDeleted: with it its locked pod would go.
func TestLockedClusterIsNotDeleted(t *testing.T) {
	s := fixture.New(t, "testdata")
	get(s, "/v2/clusters/c").Answer(200, `{"id":"c","name":"n","pods":{"total":1}}`)
	podsOf(s).Answer(200, `{"pods":[{"id":"a","status":"RUNNING","locked":true,"cluster":{"id":"c"}}]}`)
	_, err := over(t, s, true).Release(context.Background(), billing.Act{Ref: billing.ResourceRef{Kind: billing.KindCluster, ID: "c"}})
	if billing.SayOf(err).Key != "error.protected" {
		t.Errorf("got %v, want it refused before anything is sent", err)
	}
}

// TestClusterSampleHoldsAllItsCards: idle is said of the whole; a pod that says nothing leaves it open.
func TestClusterSampleHoldsAllItsCards(t *testing.T) {
	read := func(text string) (p pod) {
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	a := read(`{"id":"a","cluster":{"id":"c"},"runtime":{"gpus":[{"util":1},{"util":2}],"cpu":{"util":40}}}`)
	b := read(`{"id":"b","cluster":{"id":"c"},"runtime":{"gpus":[{"util":3}]}}`)
	bare := read(`{"id":"x","runtime":{"gpus":[{"util":5}],"cpu":{"util":null}}}`)
	if got := samples([]pod{bare}); len(got) != 1 || got[0].CPU != 0 {
		t.Errorf("a CPU that was not measured is %v", got)
	}
	mute := read(`{"id":"m","cluster":{"id":"c"}}`)
	alone := read(`{"id":"s","runtime":{"gpus":[{"util":9}],"cpu":{"util":4}}}`)
	want := []billing.Sample{{Ref: billing.ResourceRef{Kind: billing.KindCluster, ID: "c"}, GPU: []float64{1, 2, 3}},
		{Ref: billing.ResourceRef{Kind: billing.KindInstance, ID: "s"}, GPU: []float64{9}, CPU: 4}}
	if diff := cmp.Diff(want, samples([]pod{a, b, alone})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(want[1:], samples([]pod{a, b, mute, alone})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
