package aws

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
)

func balanceOver(t *testing.T, answer string) (billing.Balance, error) {
	t.Helper()
	f := newFake(testNow)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer != "" && strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AWSBilling") {
			_, _ = io.WriteString(w, answer)
			return
		}
		f.ServeHTTP(w, r)
	})
	return openOver(t, h, configured("region", "eu-west-1")).(billing.Balancer).Balance(context.Background())
}

// A credit counts as far as open bills leave it, until its end, and where it is good for EC2 and not switched off. AWS
// holds no cash of ours: it stays unknown, and is no zero.
func TestCredits(t *testing.T) {
	b, err := balanceOver(t, "")
	if err != nil || b.Mode != billing.Postpaid || b.Cash.Known() || b.Credit.Known() {
		t.Fatalf("%+v, %v", b, err)
	}
	want := []billing.Voucher{
		{ID: "c-gpu", Remaining: billing.MustMoney("4321.123456789012345", "USD"), ExpiresAt: time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC)},
		{ID: "c-any", Remaining: billing.MustMoney("25", "USD")},
	}
	if len(b.Vouchers) != 2 || b.Vouchers[0] != want[0] || b.Vouchers[1] != want[1] {
		t.Errorf("%+v, want %+v", b.Vouchers, want)
	}
}

func TestCreditsThatAreNone(t *testing.T) {
	for name, answer := range map[string]string{
		"no list":         `{}`,
		"null":            `{"credits":null}`,
		"no amount":       `{"credits":[{"creditId":"c","creditStatus":"ENABLED"}]}`,
		"no number":       `{"credits":[{"creditId":"c","creditStatus":"ENABLED","remainingAmount":{"currencyCode":"USD","currencyAmount":"much"}}]}`,
		"an empty amount": `{"credits":[{"creditId":"c","creditStatus":"ENABLED","remainingAmount":{"currencyCode":"USD","currencyAmount":""}}]}`,
		"no currency":     `{"credits":[{"creditId":"c","creditStatus":"ENABLED","remainingAmount":{"currencyAmount":"1"}}]}`,
		"no time":         `{"credits":[{"creditId":"c","creditStatus":"ENABLED","remainingAmount":{"currencyCode":"USD","currencyAmount":"1"},"endDate":-1}]}`,
	} {
		if b, err := balanceOver(t, answer); billing.KindOf(err) != billing.Invalid {
			t.Errorf("%s: %+v, %v, want Invalid", name, b, err)
		}
	}
	if b, err := balanceOver(t, `{"credits":[]}`); err != nil || len(b.Vouchers) != 0 {
		t.Errorf("no credits: %+v, %v", b, err)
	}
}

// A refusal names the permission, so that the answer is no credit of nothing.
func TestCreditsDenied(t *testing.T) {
	f := newFake(testNow)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Amz-Target") != "" {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"__type":"com.amazonaws.billing#AccessDeniedException","message":"no"}`)
			return
		}
		f.ServeHTTP(w, r)
	})
	_, err := openOver(t, h, configured()).(billing.Balancer).Balance(context.Background())
	if billing.KindOf(err) != billing.Denied || billing.SayOf(err).Args["permission"] != "billing:GetCredits" {
		t.Errorf("%v %v", err, billing.SayOf(err))
	}
}

// The variable of AWS's tools leads elsewhere whichever way the keys came; the configuration comes first.
func TestEndpointVariable(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1/")
	hosts := map[string]bool{}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hosts[r.Host] = true
		w.WriteHeader(400)
	})
	ask := func(c billing.Config) {
		p := openOver(t, h, c)
		_, _ = p.(billing.Identifier).Identify(context.Background())
		for range p.(billing.Committer).Commitments(context.Background()) {
		}
	}
	c := configured("regions", "us-east-1")
	ask(c)
	if len(hosts) != 1 || !hosts["cloud.example"] {
		t.Errorf("with base_url: %v", hosts)
	}
	c.BaseURL = ""
	clear(hosts)
	ask(c)
	if len(hosts) != 1 || !hosts["127.0.0.1:1"] {
		t.Errorf("with AWS_ENDPOINT_URL: %v", hosts)
	}
	t.Setenv("AWS_ENDPOINT_URL", "")
	clear(hosts)
	ask(c)
	if !hosts["savingsplans.amazonaws.com"] || hosts["127.0.0.1:1"] {
		t.Errorf("without: %v", hosts)
	}
}
