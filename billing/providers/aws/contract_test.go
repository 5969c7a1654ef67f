package aws

import (
	"net/http"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/contract"
)

func here(kind billing.Kind, id string) billing.ResourceRef {
	return billing.ResourceRef{Kind: kind, Region: "us-east-1", ID: id}
}

func TestContract(t *testing.T) {
	train := here(billing.KindInstance, "i-train")
	refuse := func(verb billing.Verb, kind billing.Kind, id string, as billing.ErrorKind) contract.Refusal {
		return contract.Refusal{Verb: verb, Ref: here(kind, id), Kind: as}
	}
	contract.Run(t, contract.Subject{
		Start: func(t *testing.T, now func() time.Time) (billing.Driver, contract.Cloud) {
			f, loop := newFake(now), newFake(now)
			loop.looping = true
			return Driver(), contract.Serve(contract.HTTP{Handler: f, IsWrite: f.isWrite, Inside: f.inside, Loop: http.Handler(loop)})
		},
		Now: time.Date(2026, 11, 29, 10, 30, 0, 0, time.UTC),
		Fields: map[string]string{"access_key_id": fakeKeyID, "secret_access_key": fakeSecret, "session_token": fakeToken,
			"tag": "gpuspend=yes", "cost_explorer": "on"},
		VendorID: "123456789012",
		Counts: map[billing.Kind]int{billing.KindInstance: 11, billing.KindDisk: 6, billing.KindSnapshot: 3,
			billing.KindImage: 3, billing.KindIP: 3},
		Paged: billing.KindInstance,
		Rates: map[string]string{
			"i-train":   "21.957642", // AWS's list price, without its disk
			"i-spot":    "",
			"i-block":   "",  // paid ahead
			"i-frac":    "",  // Karpenter's list lacks it
			"i-off":     "0", // its disk costs on
			"i-new":     "",
			"i-eu":      "",                     // the price of another region is not known, and not that of us-east-1
			"vol-left":  "0.136986301369863014", // 80 + 3,000 IOPS at 0.005 + 125 MiB/s at 0.04 a month
			"vol-data":  "0.027397260273972603",
			"vol-io":    "",
			"snap-1":    "",
			"ami-base":  "0",
			"eip-left":  "0.005",
			"eip-train": "0.005", // attached ones cost too
			"eip-own":   "",
		},
		Window:  billing.Period{Start: time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)},
		Charged: "1057.7269138780246", // twice 526.1234567890123, 2.74 and 1.5E-7
		Secrets: []string{hidden},
		Stop:    &train,
		Release: []billing.ResourceRef{here(billing.KindInstance, "i-idle"), here(billing.KindDisk, "vol-left"), here(billing.KindSnapshot, "snap-1"),
			here(billing.KindImage, "ami-base"), here(billing.KindIP, "eip-left")},
		Refused: []contract.Refusal{
			refuse(billing.VerbStop, billing.KindInstance, "i-lock", billing.Conflict),
			refuse(billing.VerbStop, billing.KindInstance, "i-asg", billing.Conflict),
			refuse(billing.VerbStop, billing.KindInstance, "i-block", billing.Conflict),
			refuse(billing.VerbStop, billing.KindInstance, "i-web", billing.Conflict),
			refuse(billing.VerbStop, billing.KindInstance, "nosuch00thing", billing.Missing),
			refuse(billing.VerbStop, billing.KindDisk, "vol-left", billing.Absent),
			refuse(billing.VerbDelete, billing.KindInstance, "i-lock", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindInstance, "i-asg", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindInstance, "i-block", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindInstance, "i-web", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindDisk, "vol-data", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindDisk, "vol-web", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindDisk, "vol-k8s", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindSnapshot, "snap-ami", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindSnapshot, "snap-web", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindImage, "ami-used", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindImage, "ami-kept", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindImage, "ami-web", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindIP, "eip-train", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindIP, "eip-nat", billing.Conflict),
			refuse(billing.VerbDelete, billing.KindIP, "eip-web", billing.Conflict),
		},
		Inside:   billing.Invalid,
		Settling: 70 * time.Minute,
	})
}
