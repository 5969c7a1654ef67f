package lambda

import (
	"net/http"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/contract"
)

func TestContract(t *testing.T) {
	ref := func(kind billing.Kind, id string) billing.ResourceRef { return billing.ResourceRef{Kind: kind, ID: id} }
	contract.Run(t, contract.Subject{
		Start: func(t *testing.T, _ func() time.Time) (billing.Driver, contract.Cloud) {
			f := newFake()
			return Driver(), contract.Serve(contract.HTTP{Handler: f, IsWrite: f.isWrite, Inside: f.inside, Loop: http.HandlerFunc(f.paged)})
		},
		Now:     time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC),
		Fields:  map[string]string{"api_key": fakeKey, "filesystem_price": "0.20"},
		Counts:  map[billing.Kind]int{billing.KindInstance: 7, billing.KindFilesystem: 3},
		Paged:   billing.KindInstance,
		Unpaged: true,
		Rates: map[string]string{
			"aaa1":    "35.92",                // all eight cards, in cents
			"aaa2":    "",                     // boots: for the first time, or again
			"aaa3":    "35.92",                // unhealthy, and not terminated
			"aaa4":    "0",                    // billing ends with the order to terminate
			"aaa6":    "",                     // preempted: not documented
			"aaa7":    "",                     // a price of 0 is none
			"fs-used": "0.277777777777777778", // 1,000 GiB at 0.20/720
			"fs-left": "0.138888888888888889",
			"fs-new":  "", // Lambda has not measured it yet
		},
		Window:  billing.Period{Start: time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)},
		Secrets: []string{fakeSecret},
		Release: []billing.ResourceRef{ref(billing.KindInstance, "aaa1"), ref(billing.KindFilesystem, "fs-left")},
		Refused: []contract.Refusal{
			{Verb: billing.VerbStop, Ref: ref(billing.KindInstance, "aaa1"), Kind: billing.Absent}, // there is no stop
			{Verb: billing.VerbDelete, Ref: ref(billing.KindInstance, "aaa5"), Kind: billing.Conflict},
			{Verb: billing.VerbDelete, Ref: ref(billing.KindFilesystem, "fs-used"), Kind: billing.Conflict},
			{Verb: billing.VerbDelete, Ref: ref(billing.KindDisk, "fs-left"), Kind: billing.Absent},
		},
		Inside: billing.Upstream,
	})
}
