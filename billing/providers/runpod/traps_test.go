package runpod

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

// heard is a network that notes what was asked for.
type heard struct {
	next http.RoundTripper
	urls *[]string
}

// RoundTrip implements http.RoundTripper.
func (h heard) RoundTrip(r *http.Request) (*http.Response, error) {
	*h.urls = append(*h.urls, r.URL.String())
	return h.next.RoundTrip(r)
}

// TestRetiredEditionsAreNotAsked: REST v1 (rest.runpod.io/v1) answers 410 since November 2026, and a key in an address
// (?api_key=, as GraphQL's pages show it) ends in logs.
func TestRetiredEditionsAreNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(testNow)
		f.noBalance = true
		var urls []string
		p, err := Driver().Open(billing.Config{Fields: map[string]billing.Secret{"api_key": billing.NewSecret(fakeKey)}},
			billing.Env{Transport: heard{fixture.Over(f), &urls}, Now: testNow})
		if err != nil {
			t.Fatal(err)
		}
		a := p.(*account)
		scopes, _ := a.Scopes(t.Context())
		for _, s := range scopes {
			_, _ = all(a.Resources(t.Context(), s))
		}
		_, _ = a.Identify(t.Context())
		_, _ = a.Balance(t.Context())
		_, _ = all(a.Offers(t.Context(), billing.OfferQuery{}))
		_, _ = all(a.Charges(t.Context(), billing.Period{Start: testNow().Add(-time.Hour), End: testNow()}))
		for _, u := range urls {
			if !strings.HasPrefix(u, "https://api.runpod.io/v2/") && u != "https://api.runpod.io/graphql" || strings.Contains(u, fakeKey) {
				t.Errorf("asks %s", u)
			}
		}
		if len(urls) < 12 {
			t.Errorf("only %d requests: the test looks at nothing", len(urls))
		}
	})
}

// TestReadyWorkersAreBilled: workers.min above zero costs around the clock although nothing calls the endpoint; its rate
// is not given and is not zero.
func TestReadyWorkersAreBilled(t *testing.T) {
	for workers, want := range map[string]billing.Tri{`{"min":2,"max":5}`: billing.Yes, `{"min":0,"max":5}`: billing.Unsure} {
		var e endpoint
		if err := json.Unmarshal([]byte(`{"id":"e","workers":`+workers+`}`), &e); err != nil {
			t.Fatal(err)
		}
		r := e.resource()
		if r.Billed != want || (r.State == billing.StateRunning) != (want == billing.Yes) || r.Rate.Hourly.Known() {
			t.Errorf("workers %s: billed %d, %s, %v", workers, r.Billed, r.State, r.Rate.Hourly)
		}
	}
}

// TestCatalogPriceIsOfOneCard: the catalogue quotes a single GPU, never a pod; and stock differs between the tiers.
func TestCatalogPriceIsOfOneCard(t *testing.T) {
	s := fixture.New(t, "testdata")
	s.Expect("GET /v2/catalog/gpus").Answer(200, `{"gpus":[{"id":"NVIDIA H200","secure":true,"community":true,"price":{"secure":3.59,"community":3.1},"maxCount":{"secure":8,"community":8},"availability":"NONE"}]}`)
	got, err := all(over(t, s, false).Offers(context.Background(), billing.OfferQuery{}))
	if err != nil || len(got) != 2 {
		t.Fatalf("%d offers, %v", len(got), err)
	}
	for i, price := range []string{"3.59", "3.1"} {
		if got[i].GPU.Count.String() != "1" || got[i].Low.Amount() != price || got[i].Stock != "NONE" || len(got[i].Excludes) == 0 {
			t.Errorf("%s x %s at %v, stock %s, without %v", got[i].GPU.Count, got[i].GPU.Model, got[i].Low, got[i].Stock, got[i].Excludes)
		}
	}
}

// TestBalanceIsSettledEveryFiveMinutes: between two settlements the balance is too high by what was used.
func TestBalanceIsSettledEveryFiveMinutes(t *testing.T) {
	s := fixture.New(t, "testdata")
	get(s, "/v2/billing/balance").File(200, "get-balance.json")
	if b, err := over(t, s, false).Balance(context.Background()); err != nil || b.Settles != 5*time.Minute {
		t.Errorf("settles every %v, %v", b.Settles, err)
	}
}

// TestDeletedThingsStayOnTheBill: the bill names pods that no list has any more, and their lines count.
func TestDeletedThingsStayOnTheBill(t *testing.T) {
	s := fixture.New(t, "testdata")
	s.Expect("GET /v2/billing/pods").Answer(200, `{"records":[{"startTime":"2026-06-01T05:00:00Z","endTime":"2026-06-01T06:00:00Z","podId":"gone","totalAmount":1.5,"gpuAmount":1.5}]}`)
	for _, route := range []string{"network-volumes", "serverless", "clusters", "endpoints"} {
		s.Expect("GET /v2/billing/"+route).Answer(200, `{"records":[]}`)
	}
	p := billing.Period{Start: time.Date(2026, 6, 1, 5, 0, 0, 0, time.UTC), End: time.Date(2026, 6, 1, 6, 0, 0, 0, time.UTC)}
	if got, err := all(over(t, s, false).Charges(context.Background(), p)); err != nil || len(got) != 1 || got[0].ResourceID != "gone" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestWidenedWindowIsCutAgain: RunPod widens what was asked for to whole buckets; a record outside would count twice.
func TestWidenedWindowIsCutAgain(t *testing.T) {
	s := fixture.New(t, "testdata")
	record := func(hour string) string {
		return `{"startTime":"2026-06-01T0` + hour + `:00:00Z","endTime":"2026-06-01T0` + hour + `:59:59Z","podId":"p","totalAmount":1,"gpuAmount":1}`
	}
	s.Expect("GET /v2/billing/pods").Answer(200, `{"records":[`+record("4")+`,`+record("5")+`,`+record("6")+`]}`)
	for _, route := range []string{"network-volumes", "serverless", "clusters", "endpoints"} {
		s.Expect("GET /v2/billing/"+route).Answer(200, `{"records":[]}`)
	}
	p := billing.Period{Start: time.Date(2026, 6, 1, 5, 0, 0, 0, time.UTC), End: time.Date(2026, 6, 1, 6, 0, 0, 0, time.UTC)}
	if got, err := all(over(t, s, false).Charges(context.Background(), p)); err != nil || len(got) != 1 || got[0].ChargePeriod.Start.Hour() != 5 {
		t.Errorf("%d lines, %v", len(got), err)
	}
}

// TestTooManyRequestsWaitAsTold: the refusal names its wait. A short one is kept to, a long one is handed to the schedule.
func TestTooManyRequestsWaitAsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fixture.New(t, "testdata")
		const busy = `{"title":"Too Many Requests","status":429}`
		get(s, "/v2/billing/balance").Answer(429, busy, "Retry-After", "4").File(200, "get-balance.json").Answer(429, busy, "Retry-After", "12")
		began, a := time.Now(), over(t, s, false)
		if _, err := a.Balance(context.Background()); err != nil || time.Since(began) < 4*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		_, err := a.Balance(context.Background())
		var e *billing.Error
		if n := s.Asked("GET /v2/billing/balance"); !errors.As(err, &e) || e.Kind != billing.Limited || e.RetryAfter != 12*time.Second || n != 3 {
			t.Errorf("%v after %d requests", err, n)
		}
	})
}

// TestBodyHoldsNothingMore: RunPod refuses a body with a field that it does not know (422).
func TestBodyHoldsNothingMore(t *testing.T) {
	f := newFake(testNow)
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/v2/pods/pod-train/action", strings.NewReader(`{"action":"stop","force":true}`))
	r.Header.Set("Authorization", "Bearer "+fakeKey)
	if f.ServeHTTP(w, r); w.Code != 422 {
		t.Fatalf("the fake takes more: %d", w.Code)
	}
	p, _ := Driver().Open(billing.Config{Write: true, Fields: map[string]billing.Secret{"api_key": billing.NewSecret(fakeKey)}}, billing.Env{Transport: fixture.Over(f), Now: testNow})
	act := billing.Act{Verb: billing.VerbStop, Ref: billing.ResourceRef{Kind: billing.KindInstance, ID: "pod-train"}, Token: "t-1"}
	if _, err := p.(billing.Stopper).Stop(t.Context(), act); err != nil {
		t.Error(err)
	}
}

// TestPagesEndWhereRunPodSaysSo: a last page may still carry a cursor, and the first edition of API v2 has no pages at all.
func TestPagesEndWhereRunPodSaysSo(t *testing.T) {
	for _, end := range []string{``, `,"pagination":null`, `,"pagination":{"nextCursor":"c","hasNextPage":false}`} {
		s := fixture.New(t, "testdata")
		podsOf(s).Answer(200, `{"pods":[{"id":"a","status":"RUNNING"}]`+end+`}`)
		untagged(s)
		if got := listed(t, over(t, s, false), billing.KindInstance); len(got) != 1 || s.Asked("GET /v2/pods") != 1 {
			t.Errorf("%q: %d pods in %d requests", end, len(got), s.Asked("GET /v2/pods"))
		}
	}
}
