package huawei

import (
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/contract"
)

func ref(kind billing.Kind, id string) billing.ResourceRef {
	return billing.ResourceRef{Kind: kind, Region: "cn-north-4", ID: id}
}

func testFields() map[string]string {
	return map[string]string{"access_key": fakeAK, "secret_key": fakeSK, "security_token": fakeToken, "projects": "cn-north-4=" + north + ", cn-east-3=" + east}
}

func TestContract(t *testing.T) {
	machine := func(id string) billing.ResourceRef { return ref(billing.KindInstance, id) }
	disk := func(id string) billing.ResourceRef { return ref(billing.KindDisk, id) }
	running := machine("srv-train")
	abroad := machine("srv-east")
	abroad.Region = "cn-east-3"
	var refusals []contract.Refusal
	for verb, refs := range map[billing.Verb][]billing.ResourceRef{
		billing.VerbStop: {machine("srv-month"), machine("srv-lock"), machine("srv-asg"), machine("srv-cce")},
		billing.VerbDelete: {machine("srv-month"), machine("srv-lock"), machine("srv-asg"), machine("srv-cce"),
			disk("vol-data"), disk("vol-month"), disk("vol-snapped"), ref(billing.KindSnapshot, "snap-auto"), ref(billing.KindImage, "img-kept"),
			ref(billing.KindIP, "ip-down"), ref(billing.KindIP, "ip-month"), ref(billing.KindIP, "ip-nat")},
	} {
		for _, r := range refs {
			refusals = append(refusals, contract.Refusal{Verb: verb, Ref: r, Kind: billing.Conflict})
		}
	}
	contract.Run(t, contract.Subject{
		Start: func(t *testing.T, now func() time.Time) (billing.Driver, contract.Cloud) {
			f, looping := newFake(now), newFake(now)
			looping.looping = true
			return Driver(), contract.Serve(contract.HTTP{Handler: f, IsWrite: f.isWrite, Inside: f.inside, Loop: looping})
		},
		Now:      time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC),
		Fields:   testFields(),
		VendorID: "52300efbd1844e4d8c5f3a0a4b1f0000",
		Cash:     "20800.42", // cash less debt; what is designated and the credit line are apart
		Counts: map[billing.Kind]int{billing.KindInstance: 11, billing.KindDisk: 6, billing.KindSnapshot: 2, billing.KindImage: 2,
			billing.KindIP: 3}, // without what hangs on srv-web, which has no GPU, and on a gateway
		Paged: billing.KindInstance,
		Rates: map[string]string{
			"srv-train": "22",
			"srv-local": "15.5", // stopped, and billed for its local disks
			"srv-off":   "0",
			"srv-month": "", // paid ahead
			"srv-spot":  "", // the rating is that of on-demand machines
			"srv-east":  "30.5",
			"vol-left":  "0.7",
			"vol-month": "",
			"vol-gp2":   "", // its price depends on more than its size
			"snap-a":    "",
			"ip-free":   "",
		},
		Window:  billing.Period{Start: time.Date(2026, 11, 17, 16, 0, 0, 0, time.UTC), End: time.Date(2026, 11, 19, 16, 0, 0, 0, time.UTC)},
		Charged: "1028.73", // twice 528.12 and 0.245, less a refund
		Secrets: []string{fakeSecret},
		Stop:    &running,
		Release: []billing.ResourceRef{abroad, disk("vol-left"), ref(billing.KindSnapshot, "snap-a"), ref(billing.KindImage, "img-train"), ref(billing.KindIP, "ip-free")},
		Refused: append(refusals,
			contract.Refusal{Verb: billing.VerbStop, Ref: machine("nosuch00thing"), Kind: billing.Missing},
			contract.Refusal{Verb: billing.VerbStop, Ref: disk("vol-left"), Kind: billing.Absent},
			contract.Refusal{Verb: billing.VerbStop, Ref: machine("srv-web"), Kind: billing.Conflict}, // not watched
			contract.Refusal{Verb: billing.VerbDelete, Ref: machine("srv-web"), Kind: billing.Conflict},
			contract.Refusal{Verb: billing.VerbDelete, Ref: ref(billing.KindSnapshot, "snap-web"), Kind: billing.Conflict},
			contract.Refusal{Verb: billing.VerbDelete, Ref: ref(billing.KindImage, "img-web"), Kind: billing.Conflict}),
		Inside:   billing.Upstream,
		Settling: time.Minute,
	})
}
