package alibaba

import (
	"net/http"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/contract"
)

func at(kind billing.Kind, region, id string) billing.ResourceRef {
	return billing.ResourceRef{Kind: kind, Region: region, ID: id}
}

func hangzhou(kind billing.Kind, id string) billing.ResourceRef { return at(kind, "cn-hangzhou", id) }

func TestContract(t *testing.T) {
	train := hangzhou(billing.KindInstance, "i-train")
	refuse := func(verb billing.Verb, kind billing.Kind, id string, as billing.ErrorKind) contract.Refusal {
		return contract.Refusal{Verb: verb, Ref: hangzhou(kind, id), Kind: as}
	}
	contract.Run(t, contract.Subject{
		Start: func(t *testing.T, now func() time.Time) (billing.Driver, contract.Cloud) {
			f, loop := newFake(now), newFake(now)
			loop.looping = true
			return Driver(), contract.Serve(contract.HTTP{Handler: f, IsWrite: f.isWrite, Inside: f.inside, Loop: http.Handler(loop)})
		},
		Now: time.Date(2026, 11, 22, 10, 30, 0, 0, time.UTC),
		Fields: map[string]string{"access_key_id": fakeKeyID, "access_key_secret": fakeSecret, "security_token": fakeToken,
			"tag": "gpuspend=yes"},
		VendorID: "1234567890123456",
		Cash:     "1828.72",
		Counts: map[billing.Kind]int{billing.KindInstance: 10, billing.KindDisk: 4, billing.KindSnapshot: 3,
			billing.KindImage: 3, billing.KindIP: 3},
		Paged: billing.KindInstance,
		Rates: map[string]string{
			"i-train":  "9.98", // without the system disk, which the price holds too
			"i-spot":   "2.43",
			"i-sub":    "5.076388888888888889", // 3,655 a month
			"i-p100":   "12.78",                // an old family, which takes the old disk only
			"i-kept":   "9.98",                 // stopped, and charged as before
			"i-econ":   "0",
			"i-vgpu":   "", // the answer has the disk's price only
			"i-tagged": "0.8",
			"d-left":   "1.05",
			"d-multi":  "0.42",
			"d-sub":    "",
			"s-1":      "",
			"m-base":   "0",
			"eip-left": "",
		},
		Window: billing.Period{Start: time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC)},
		// four days of 216.123456789012345, 9.12 and 1E-8
		Charged: "900.97382719604938",
		Secrets: []string{hidden},
		Stop:    &train,
		Release: []billing.ResourceRef{train, hangzhou(billing.KindDisk, "d-left"), hangzhou(billing.KindSnapshot, "s-1"),
			hangzhou(billing.KindImage, "m-base"), hangzhou(billing.KindIP, "eip-left")},
		Refused: []contract.Refusal{
			refuse(billing.VerbStop, billing.KindInstance, "i-sub", billing.Conflict),
			refuse(billing.VerbStop, billing.KindInstance, "i-asg", billing.Conflict),
			refuse(billing.VerbStop, billing.KindInstance, "i-p100", billing.Conflict),
			refuse(billing.VerbStop, billing.KindInstance, "i-kept", billing.Conflict),
			refuse(billing.VerbStop, billing.KindInstance, "i-web", billing.Conflict),
			refuse(billing.VerbStop, billing.KindInstance, "nosuch00thing", billing.Missing),
			refuse(billing.VerbStop, billing.KindDisk, "d-left", billing.Absent),
			refuse(billing.VerbDelete, billing.KindInstance, "i-sub", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindInstance, "i-lock", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindInstance, "i-asg", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindInstance, "i-web", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindDisk, "d-data", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindDisk, "d-web", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindSnapshot, "s-image", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindSnapshot, "s-web", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindImage, "m-used", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindImage, "m-web", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindIP, "eip-train", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindIP, "eip-nat", billing.Conflict),
			{Verb: billing.VerbDelete, Ref: at(billing.KindIP, "cn-shanghai", "eip-paid"), Kind: billing.Conflict},
		},
		Inside: billing.Upstream,
	})
}
