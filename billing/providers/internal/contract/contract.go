// Package contract is what every cloud promises, as one test suite.
//
// To join, a cloud writes a stateful fake of its API as an http.Handler (see runpod/fake_test.go) and one test:
//
//	func TestContract(t *testing.T) {
//		contract.Run(t, contract.Subject{
//			Start: func(t *testing.T, now func() time.Time) (billing.Driver, contract.Cloud) {
//				f := newFake(now)
//				return Driver(), contract.Serve(contract.HTTP{Handler: f, IsWrite: f.isWrite, Inside: f.inside, Loop: f.loop})
//			},
//			...
//		})
//	}
//
// The suite opens the driver over the fake, breaks the fake in every way in which networks and clouds break, and asks
// the same questions of every cloud. No part is skipped: where a cloud lacks an ability, the part asserts that the claim
// says so and that nothing pretends otherwise. Every part runs in a testing/synctest bubble with a fresh fake, so that
// waits cost no time; a fake must therefore start no goroutine that outlives its request.
//
// A cloud without HTTP (the simulated ones) sets Simulated and brings a Cloud of its own: Transport gives nil, Break
// injects an error of the fault's kind and answers false to those that it cannot play.
package contract

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/billing"
)

// Cloud is one running fake of a cloud.
type Cloud interface {
	Transport() http.RoundTripper // the network that ends at the fake; nil for a cloud without HTTP
	Break(f Fault) bool           // from now on the cloud fails so; Healthy heals; false where it cannot be played
	Writes() int                  // requests that reached the cloud and change something
}

// Subject is a cloud under test and what its fake holds.
type Subject struct {
	// Start makes a fresh fake whose clock is now, and the driver that it is opened with.
	Start  func(t *testing.T, now func() time.Time) (billing.Driver, Cloud)
	Now    time.Time         // when the fake's story begins
	Fields map[string]string // credentials that the fake accepts; long and strange, for they are searched for

	VendorID string                       // what Identify gives
	Cash     string                       // what Balance gives, exactly
	Counts   map[billing.Kind]int         // how many things each kind has over all scopes
	Paged    billing.Kind                 // a kind whose list takes several pages; "" where the cloud has no pages
	Unpaged  bool                         // no list of the cloud has pages; see broken and loop
	Rates    map[string]string            // the rate per hour of some things by id, exactly; "" for unknown
	Window   billing.Period               // whole hours that the bill covers, in the past
	Charged  string                       // what the lines of Window add up to, exactly
	Secrets  []string                     // texts in the cloud's answers that must come out nowhere
	Stop     *billing.ResourceRef         // a running machine that can be stopped; nil where the cloud has no stop
	Release  []billing.ResourceRef        // things that can be deleted, each in a fresh fake
	Refused  []Refusal                    // acts that must fail and change nothing
	Inside   billing.ErrorKind            // the kind of Break(Inside): success outside, an error inside
	Settling time.Duration                // how long an act may take until listings show it; 0 for at once
	Kinds    map[string]billing.ErrorKind // operations that answer a fault with another kind, by "fault/operation"

	Simulated bool // the cloud has no HTTP, and its sources are no URLs
}

// Refusal is an act that the cloud or we must refuse.
type Refusal struct {
	Verb billing.Verb
	Ref  billing.ResourceRef
	Kind billing.ErrorKind
}

// bench is one part of the suite at work: a fresh fake and an account opened over it.
type bench struct {
	t      *testing.T
	s      Subject
	driver billing.Driver
	cloud  Cloud
	log    *bytes.Buffer
}

// Run holds a cloud to the contract.
func Run(t *testing.T, s Subject) {
	for _, p := range parts() {
		t.Run(p.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { p.run(newBench(t, s)) })
		})
	}
}

type part struct {
	name string
	run  func(*bench)
}

func parts() []part {
	all := []part{
		{"claims equal what is implemented", claims},
		{"the driver describes itself", describes},
		{"opening asks for its credentials", opening},
		{"scopes name each thing to look at once", scopes},
		{"every page and scope is walked", pages},
		{"a resource has an id once and the driver's currency", resources},
		{"times are UTC and not in the future", times},
		{"no missing price is zero", prices},
		{"identity is stable", identity},
		{"the balance is exact", balance},
		{"charges are exact and lie in their period", charges},
		{"periods of the bill meet without overlap", windows},
		{"coverage says how far the bill goes", coverage},
		{"offers have prices or none, never zero", offers},
		{"utilisation is a percentage", utilisation},
		{"what is listed is found", found},
		{"a read-only opening reads all and writes nothing", readOnly},
		{"stop is seen in the listing", stop},
		{"what a choice saves and leaves is today's cost", sums},
		{"release is seen in the listing, and twice is once", release},
		{"what is protected, managed or unknown is refused", refused},
		{"a lost answer is never sent again", lost},
		{"pages that repeat end with an error", loop},
		{"a listing that breaks off is no listing", broken},
		{"a passing fault is waited out", passing},
		{"a cancelled context returns within 100 ms", cancelled},
		{"a slow answer ends", slow},
		{"nothing shows a secret", secrets},
	}
	return append(all, faultParts()...)
}

func newBench(t *testing.T, s Subject) *bench {
	b := &bench{t: t, s: s, log: &bytes.Buffer{}}
	b.driver, b.cloud = s.Start(t, b.now)
	return b
}

// now runs from the story's beginning with the bubble's clock.
func (b *bench) now() time.Time { return b.s.Now.Add(elapsed()) }

// elapsed is how long the part has run by its bubble's clock, which begins with the year 2000.
func elapsed() time.Duration { return time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) }

// open opens the account, for reading only or for writing too.
func (b *bench) open(write bool) billing.Provider {
	b.t.Helper()
	c := billing.Config{Account: "test", Fields: map[string]billing.Secret{}, BaseURL: "https://cloud.example", Write: write}
	for name, value := range b.s.Fields {
		c.Fields[name] = billing.NewSecret(value)
	}
	p, err := b.driver.Open(c, b.env())
	if err != nil {
		b.t.Fatalf("open: %v", err)
	}
	return p
}

func (b *bench) env() billing.Env {
	log := slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return billing.Env{Transport: b.cloud.Transport(), Log: log, Now: b.now, Purse: rich{}}
}

// rich pays for everything: the cloud is a fake.
type rich struct{}

// Reserve pays.
func (rich) Reserve(context.Context, billing.Money) error { return nil }

// list reads every scope whole.
func (b *bench) list(p billing.Provider) []billing.Resource {
	b.t.Helper()
	var all []billing.Resource
	scopes, err := p.Scopes(context.Background())
	if err != nil {
		b.t.Fatalf("scopes: %v", err)
	}
	for _, s := range scopes {
		for r, err := range p.Resources(context.Background(), s) {
			if err != nil {
				b.t.Fatalf("list %v: %v", s, err)
			}
			all = append(all, r)
		}
	}
	return all
}

// has says whether the cloud has an ability; where not, it asserts that the claim says so with a reason.
func (b *bench) has(p billing.Provider, c billing.Capability) bool {
	b.t.Helper()
	if billing.Has(p, c) {
		return true
	}
	if claim := b.driver.Claims[c]; claim.Can != billing.No || claim.Note == "" {
		b.t.Errorf("%s is not implemented, so its claim must be No and say why: %+v", c, claim)
	}
	return false
}

func find(all []billing.Resource, ref billing.ResourceRef) (billing.Resource, bool) {
	for _, r := range all {
		if r.Ref == ref {
			return r, true
		}
	}
	return billing.Resource{}, false
}
