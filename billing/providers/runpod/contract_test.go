package runpod

import (
	"net/http"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/contract"
)

func TestContract(t *testing.T) {
	ref := func(kind billing.Kind, id string) billing.ResourceRef { return billing.ResourceRef{Kind: kind, ID: id} }
	running := ref(billing.KindInstance, "pod-train")
	contract.Run(t, contract.Subject{
		Start: func(t *testing.T, now func() time.Time) (billing.Driver, contract.Cloud) {
			f := newFake(now)
			looping := &fake{now: now, pods: f.pods, clusters: f.clusters, volumes: f.volumes, endpoints: f.endpoints, looping: true}
			return Driver(), contract.Serve(contract.HTTP{Handler: f, IsWrite: f.isWrite, Inside: f.inside, Loop: http.Handler(looping)})
		},
		Now:      time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC),
		Fields:   map[string]string{"api_key": fakeKey},
		VendorID: "user_abc123",
		Cash:     "42.180000000000003",
		Counts:   map[billing.Kind]int{billing.KindInstance: 5, billing.KindCluster: 1, billing.KindDisk: 4, billing.KindEndpoint: 2},
		Paged:    billing.KindInstance,
		Rates: map[string]string{
			"pod-train": "5.400547945205479452", // 5.38 + (50 + 100) GB at 0.10/730
			"pod-ckpt":  "0.866849315068493151", // 0.86 + 50 GB of container disk; the network volume has its own line
			"pod-old":   "0.054794520547945205", // stopped: 200 GB at the double rate, though cost says 0.0
			"pod-odd":   "",                     // no cost: unknown
			"vol-ckpt":  "0.019178082191780822", // 200 GB at 0.07/730
			"vol-left":  "0.130136986301369863", // 1,000 GB at 0.07 and 500 at 0.05
			"vol-fast":  "",                     // the price of high-performance volumes is not in the API
			"ep-ready":  "",
			"cl-1":      "40.653698630136986302", // both pods: twice 20.32 + 50 GB of container disk
		},
		Window:  billing.Period{Start: time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)},
		Charged: "289.3641095890410976", // 48 hours of pod and volume, twice 8.90 and 3.21
		Secrets: []string{fakeSecret},
		Stop:    &running,
		Release: []billing.ResourceRef{running, ref(billing.KindDisk, "vol-left"), ref(billing.KindEndpoint, "ep-idle"), ref(billing.KindCluster, "cl-1")},
		Refused: []contract.Refusal{
			{Verb: billing.VerbStop, Ref: ref(billing.KindInstance, "pod-lock"), Kind: billing.Conflict},
			{Verb: billing.VerbDelete, Ref: ref(billing.KindInstance, "pod-lock"), Kind: billing.Conflict},
			{Verb: billing.VerbDelete, Ref: ref(billing.KindInstance, "pod-node"), Kind: billing.Conflict},
			{Verb: billing.VerbDelete, Ref: ref(billing.KindDisk, "vol-ckpt"), Kind: billing.Conflict},
			{Verb: billing.VerbDelete, Ref: ref(billing.KindDisk, "vol-fast"), Kind: billing.Conflict},
			{Verb: billing.VerbDelete, Ref: ref(billing.KindDisk, "vol-nodes"), Kind: billing.Conflict},
			{Verb: billing.VerbStop, Ref: ref(billing.KindCluster, "cl-1"), Kind: billing.Absent},
			{Verb: billing.VerbStop, Ref: ref(billing.KindInstance, "nosuch00thing"), Kind: billing.Missing},
			{Verb: billing.VerbStop, Ref: ref(billing.KindDisk, "vol-left"), Kind: billing.Absent},
		},
		Inside: billing.Invalid,
		Kinds:  map[string]billing.ErrorKind{"200 with an error inside/identify": billing.Upstream},
	})
}
