package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers"
	"gpuspend/notify/words"
)

// half is a cloud whose key may do some things and not others: it gives one answer where a request's text holds a word,
// and its own form of "denied" everywhere else.
type half struct {
	cloud   string
	fields  map[string]string
	good    map[string]string // a word of path, body or headers: the answer
	denied  int
	refusal string
	rows    map[billing.Capability]string // what doctor must find
	writes  bool                          // whether its read key can write
}

// RoundTrip implements http.RoundTripper.
func (h half) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	said := r.Method + " " + r.URL.Path + " " + r.Header.Get("x-acs-action") + " " + string(body)
	w := httptest.NewRecorder()
	w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	w.Header().Set("Content-Type", "application/json")
	if strings.HasPrefix(h.refusal, "<") {
		w.Header().Set("Content-Type", "text/xml")
	}
	code, text := h.denied, h.refusal
	for word, answer := range h.good {
		if strings.Contains(said, word) {
			code, text = http.StatusOK, answer
		}
	}
	w.WriteHeader(code)
	_, _ = w.WriteString(text)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

func halves() []half {
	const ok, denied, none = "ok", "denied", "not offered"
	return []half{
		{"runpod", map[string]string{"api_key": "rpa_TEST"}, map[string]string{"/v2/billing/balance": `{"balanceAmount":42.18,"billingMode":"PREPAID"}`},
			403, `{"title":"Forbidden","status":403,"detail":"access denied"}`,
			map[billing.Capability]string{billing.CanBalance: ok, billing.CanResources: denied, billing.CanCharges: denied, billing.CanCommitments: none}, false},
		{"vast", map[string]string{"api_key": "TEST"}, map[string]string{"/users/current/": `{"id":1,"credit":24.87}`},
			403, `{"success":false,"error":"permission_denied","msg":"no"}`,
			map[billing.Capability]string{billing.CanIdentify: ok, billing.CanBalance: ok, billing.CanResources: denied, billing.CanMembers: none}, false},
		{"lambda", map[string]string{"api_key": "TEST"}, map[string]string{"/instance-types": `{"data":{}}`},
			403, `{"error":{"code":"global/account-inactive","message":"no"}}`,
			map[billing.Capability]string{billing.CanOffers: ok, billing.CanResources: denied, billing.CanBalance: none, billing.CanCharges: none, billing.CanStop: none}, true},
		{"autodl", map[string]string{"token": "TEST"}, map[string]string{"wallet/balance": `{"code":"Success","msg":"","data":{"assets":1000,"accumulate":1,"voucher_balance":0}}`},
			200, `{"code":"BadRequest","msg":"无当前资源访问权限","data":null}`,
			map[billing.Capability]string{billing.CanBalance: ok, billing.CanResources: denied, billing.CanCharges: none, billing.CanUtilisation: none}, true},
		{"alibaba", map[string]string{"access_key_id": "AK", "access_key_secret": "SK", "regions": "cn-hangzhou"},
			map[string]string{"GetCallerIdentity": `{"AccountId":"1234567890123456","RequestId":"r"}`},
			403, `{"RequestId":"r","Code":"Forbidden.RAM","Message":"no","AccessDeniedDetail":{"AuthAction":"ecs:DescribeInstances"}}`,
			map[billing.Capability]string{billing.CanIdentify: ok, billing.CanBalance: denied, billing.CanResources: denied, billing.CanMembers: none}, false},
		{"huawei", map[string]string{"access_key": "AK", "secret_key": "SK", "projects": "cn-north-4=0123456789abcdef0123456789abcdef"},
			map[string]string{"/customer-accounts/balances": `{"account_balances":[{"account_type":1,"amount":20.5,"currency":"CNY","measure_id":1}],"debt_amount":0,"measure_id":1,"currency":"CNY"}`,
				"coupons": `{"count":0,"user_coupons":[]}`},
			403, `{"error":{"message":"no","code":"Ecs.0008"},"error_code":"CBC.0151","error_msg":"Access denied."}`,
			map[billing.Capability]string{billing.CanBalance: ok, billing.CanResources: denied, billing.CanCharges: denied, billing.CanRehearse: none}, false},
		{"aws", map[string]string{"access_key_id": "AKIDTEST", "secret_access_key": "SK", "regions": "us-east-1"},
			map[string]string{"GetCallerIdentity": `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>123456789012</Account><Arn>arn:aws:iam::123456789012:user/x</Arn><UserId>U</UserId></GetCallerIdentityResult></GetCallerIdentityResponse>`},
			403, `<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>You are not authorized</Message></Error></Errors><RequestID>r</RequestID></Response>`,
			map[billing.Capability]string{billing.CanIdentify: ok, billing.CanResources: denied, billing.CanSnapshot: none}, false},
	}
}

// TestDoctorOnEveryCloud: with a key that may do half of it, each of the seven real clouds shows ok, denied with the
// permission that lacks, and not offered, each as it is; and a key that reads at a cloud without narrower ones is named.
func TestDoctorOnEveryCloud(t *testing.T) {
	book, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	for _, h := range halves() {
		tried[h.cloud] = true
		t.Run(h.cloud, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := AccountConfig{Name: "main", Provider: h.cloud, BaseURL: "https://cloud.example", Credentials: CredentialsConfig{Read: map[string]SecretConfig{}}}
				for name, value := range h.fields {
					c.Credentials.Read[name] = SecretConfig{Plain: value}
				}
				w := &ward{Config: c, drivers: providers.All()}
				w.line.test = h
				trials, err := w.examine(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				got := map[billing.Capability]trial{}
				bad := 0
				for _, one := range trials {
					got[one.ability] = one
					if one.err != nil {
						bad++
					}
				}
				for ability, want := range h.rows {
					if got[ability].result != want {
						t.Errorf("%s is %q, %v; want %q", ability, got[ability].result, got[ability].err, want)
					}
				}
				var out bytes.Buffer
				if n := w.report(&out, book.For(words.English, time.UTC, time.Now()), trials); n != bad || bad == 0 {
					t.Errorf("%d things are said not to work, %d do not", n, bad)
				}
				if !strings.Contains(out.String(), "clocks agree") || !strings.Contains(out.String(), "Needs: ") {
					t.Errorf("no clock, or no permission that lacks:\n%s", out.String())
				}
				if says := strings.Contains(out.String(), "This read key can write: "+w.driver.Title+" offers no narrower one."); says != h.writes {
					t.Errorf("it says that the key can write: %v\n%s", says, out.String())
				}
			})
		})
	}
	for _, d := range providers.All() {
		if !tried[d.Name] {
			t.Errorf("%s is not tried", d.Name)
		}
	}
}

// TestReadKeysThatCanWrite: what the cloud tells of the key, what it offers at all, and one key in both places.
func TestReadKeysThatCanWrite(t *testing.T) {
	key := map[string]SecretConfig{"api_key": {Env: "KEY"}}
	driver := billing.Driver{Title: "Test Cloud", ReadKeys: billing.Yes, Fields: []billing.Field{{Name: "api_key", Secret: true}, {Name: "region"}}}
	no := driver
	no.ReadKeys = billing.No
	for _, tt := range []struct {
		name string
		w    *ward
		want string
	}{
		{"a narrow key", &ward{driver: driver, grants: []billing.Grant{{Permission: "read", Held: billing.Yes}, {Permission: "delete", Writes: true, Held: billing.No}}}, ""},
		{"nobody can tell", &ward{driver: driver, grants: []billing.Grant{{Permission: "delete", Writes: true}}}, ""},
		{"the cloud tells", &ward{driver: driver, grants: []billing.Grant{{Permission: "pods:write", Writes: true, Held: billing.Yes}}}, "it holds pods:write"},
		{"no narrower one", &ward{driver: no}, "Test Cloud offers no narrower one"},
		{"one key in both places", &ward{driver: driver, Config: AccountConfig{Credentials: CredentialsConfig{Read: key, Release: key}}}, "it is the release key too"},
		{"two keys, one region", &ward{driver: driver, Config: AccountConfig{Credentials: CredentialsConfig{
			Read:    map[string]SecretConfig{"api_key": {Env: "A"}, "region": {Plain: "x"}},
			Release: map[string]SecretConfig{"api_key": {Env: "B"}, "region": {Plain: "x"}}}}}, ""},
	} {
		if got := strings.Join(tt.w.writes(), "; "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	var out bytes.Buffer
	a, b, c := &ward{driver: no}, &ward{driver: no}, &ward{driver: driver}
	a.Config.Name, b.Config.Name, c.Config.Name = "one", "two", "three"
	writers(&out, []*ward{a, c, b})
	if want := "Read keys that can write: one, two. No narrower key is offered by Test Cloud.\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
