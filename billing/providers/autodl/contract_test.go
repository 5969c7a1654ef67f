package autodl

import (
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/contract"
)

func TestContract(t *testing.T) {
	ref := func(kind billing.Kind, id string) billing.ResourceRef { return billing.ResourceRef{Kind: kind, ID: id} }
	machine := func(id string) billing.ResourceRef { return ref(billing.KindInstance, id) }
	running := machine("pro-train")
	contract.Run(t, contract.Subject{
		Start: func(t *testing.T, now func() time.Time) (billing.Driver, contract.Cloud) {
			f := newFake(now)
			looping := newFake(now)
			looping.looping = true
			return Driver(), contract.Serve(contract.HTTP{Handler: f, IsWrite: f.isWrite, Inside: f.inside, Loop: looping})
		},
		Now:    time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC),
		Fields: map[string]string{"token": fakeToken},
		Cash:   "86.4", // 86,405 thousandths, 5 of them frozen
		Counts: map[billing.Kind]int{billing.KindInstance: 8, billing.KindImage: 3},
		Paged:  billing.KindInstance,
		Rates: map[string]string{
			"pro-train":    "1.97", // 1,970 thousandths
			"pro-off":      "0",
			"pro-big-disk": "", // off, but the expanded disk bills on at a fee that is not in the API
			"pro-eight":    "", // per card or per machine is not documented
			"pro-no-gpu":   "0.1",
			"pro-monthly":  "", // its price per hour is not what was paid
			"pro-odd":      "", // a price of 0
			"image-a":      "",
		},
		Secrets: []string{fakeSecret},
		Stop:    &running,
		Release: []billing.ResourceRef{machine("pro-off"), machine("pro-big-disk")},
		Refused: []contract.Refusal{
			{Verb: billing.VerbDelete, Ref: running, Kind: billing.Conflict},
			{Verb: billing.VerbDelete, Ref: machine("pro-new"), Kind: billing.Conflict},
			{Verb: billing.VerbStop, Ref: machine("pro-new"), Kind: billing.Conflict},
			{Verb: billing.VerbStop, Ref: machine("pro-monthly"), Kind: billing.Conflict},
			{Verb: billing.VerbDelete, Ref: machine("pro-monthly"), Kind: billing.Conflict},
			{Verb: billing.VerbStop, Ref: machine("b4d8-ordinary"), Kind: billing.Missing},
			{Verb: billing.VerbDelete, Ref: machine("b4d8-ordinary"), Kind: billing.Missing},
			{Verb: billing.VerbDelete, Ref: ref(billing.KindImage, "image-a"), Kind: billing.Absent},
			{Verb: billing.VerbStop, Ref: ref(billing.KindImage, "image-a"), Kind: billing.Absent},
		},
		Inside:   billing.Upstream,
		Settling: time.Minute,
	})
}
