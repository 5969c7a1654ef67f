package autodl

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

// TestInvalidTimesAreNone: Go's database form carries a time that means nothing where Valid is false.
func TestInvalidTimesAreNone(t *testing.T) {
	var i instance
	if err := json.Unmarshal([]byte(`{"uuid":"pro-1","status":"running","charge_type":"payg","start_mode":"gpu","req_gpu_amount":1,
		"expired_at":{"Time":"2025-12-20T00:00:00+08:00","Valid":false},"started_at":{"Time":"0001-01-01T00:00:00Z","Valid":true}}`), &i); err != nil {
		t.Fatal(err)
	}
	if r := i.resource(details{}, cny, testNow()); !r.ExpiresAt.IsZero() || !r.StartedAt.IsZero() {
		t.Errorf("ends %v, started %v", r.ExpiresAt, r.StartedAt)
	}
}

// TestOneRequestASecond: no limit is documented, and a list asks once more for each instance.
func TestOneRequestASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(testNow)
		p, err := Driver().Open(billing.Config{Fields: map[string]billing.Secret{"token": billing.NewSecret(fakeToken)}}, billing.Env{Transport: fixture.Over(f), Now: testNow})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		list, err := all(p.Resources(t.Context(), billing.Scope{Kind: billing.KindInstance}))
		if err != nil || len(list) != 8 {
			t.Fatalf("%d instances, %v", len(list), err)
		}
		if took := time.Since(began); took < 10*time.Second { // 4 pages and 7 looks
			t.Errorf("11 requests in %v", took)
		}
	})
}

// TestFirstThirtyGBOfImagesAreFreeTogether: no single image has a price, and none is called free.
func TestFirstThirtyGBOfImagesAreFreeTogether(t *testing.T) {
	r := image{UUID: "image-1", Status: imageFinished, Size: "42949672960"}.resource()
	if r.Rate.Hourly.Known() || r.Billed != billing.Unsure || r.SizeGiB.String() != "40" {
		t.Errorf("%s GiB, billed %d at %v", r.SizeGiB, r.Billed, r.Rate.Hourly)
	}
}

// TestLifetimeCounterIsTheOnlySpend: there is no bill, so that what was spent is the difference of two counters; it must
// come exact and never stand for the balance.
func TestLifetimeCounterIsTheOnlySpend(t *testing.T) {
	s := fixture.New(t, "testdata")
	r := route(s, "POST wallet/balance")
	for _, n := range []string{"1828723", "1830693"} {
		r.Answer(200, `{"code":"Success","msg":"","data":{"assets":86405,"accumulate":`+n+`,"voucher_balance":0}}`)
	}
	synctest.Test(t, func(t *testing.T) {
		a := over(t, s, false)
		first, err1 := a.Balance(context.Background())
		second, err2 := a.Balance(context.Background())
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if d, err := second.Spent.Sub(first.Spent); err != nil || d.Amount() != "1.97" || first.Cash.Amount() != "86.405" {
			t.Errorf("spent %v, %v, with %v in cash", d, err, first.Cash)
		}
	})
	if billing.Has(&account{}, billing.CanCharges) {
		t.Error("a bill is pretended")
	}
}

// TestOrdinaryInstancesAreNotPretended: the token sees Pro instances only, and a user must read so.
func TestOrdinaryInstancesAreNotPretended(t *testing.T) {
	if note := Driver().Claims[billing.CanResources].Note; !strings.Contains(note, "does not see ordinary instances") {
		t.Errorf("the claim says %q", note)
	}
}
