package vast

import (
	"net/http"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/contract"
)

func TestContract(t *testing.T) {
	ref := func(kind billing.Kind, id string) billing.ResourceRef { return billing.ResourceRef{Kind: kind, ID: id} }
	running := ref(billing.KindInstance, "311")
	contract.Run(t, contract.Subject{
		Start: func(t *testing.T, now func() time.Time) (billing.Driver, contract.Cloud) {
			f := newFake(now)
			looping := &fake{now: now, instances: f.instances, volumes: f.volumes, looping: true}
			return Driver(), contract.Serve(contract.HTTP{Handler: f, IsWrite: f.isWrite, Inside: f.inside, Loop: http.Handler(looping)})
		},
		Now:      time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC),
		Fields:   map[string]string{"api_key": fakeKey},
		VendorID: "123456",
		Cash:     "24.870000000000001",
		Counts:   map[billing.Kind]int{billing.KindInstance: 7, billing.KindDisk: 3},
		Paged:    billing.KindInstance,
		Rates: map[string]string{
			"311": "9.6021000000000001", // the disk is in it already
			"312": "0.0105",             // outbid: the disk only, though dph_total says more
			"313": "0.0021",             // stopped: the same
			"314": "0",                  // its host is away: nothing
			"315": "",                   // reserved: the discounted rate is not given
			"316": "0.0021",             // loading: the disk only
			"317": "0.0042",             // 20.16 GB at 0.15/720
			"100": "0.0411",
		},
		Window:  billing.Period{Start: time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)},
		Charged: "466.1222", // two days of 230.5751, 0.986 and 1.5
		Secrets: []string{fakeSecret},
		Stop:    &running,
		Release: []billing.ResourceRef{running, ref(billing.KindDisk, "100")},
		Refused: []contract.Refusal{
			{Verb: billing.VerbStop, Ref: ref(billing.KindInstance, "315"), Kind: billing.Conflict},
			{Verb: billing.VerbDelete, Ref: ref(billing.KindInstance, "315"), Kind: billing.Conflict},
			{Verb: billing.VerbDelete, Ref: ref(billing.KindDisk, "101"), Kind: billing.Conflict},
			{Verb: billing.VerbDelete, Ref: ref(billing.KindDisk, "102"), Kind: billing.Conflict},
			{Verb: billing.VerbStop, Ref: ref(billing.KindInstance, "999"), Kind: billing.Missing},
			{Verb: billing.VerbStop, Ref: ref(billing.KindInstance, "../users/current"), Kind: billing.Missing},
			{Verb: billing.VerbStop, Ref: ref(billing.KindDisk, "100"), Kind: billing.Absent},
		},
		Inside: billing.Invalid,
	})
}
