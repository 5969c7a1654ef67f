package huawei

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

func testSigner() signer {
	return signer{key: billing.NewSecret("testAK"), secret: billing.NewSecret("testSK"),
		now: func() time.Time { return time.Date(2026, 11, 30, 20, 0, 0, 0, time.FixedZone("", 8*3600)) }}
}

// The signatures were compared byte for byte with those of Huawei's own SDK.
func TestSignature(t *testing.T) {
	const project = "0123456789abcdef0123456789abcdef"
	for _, tt := range []struct{ name, address, project, names, want string }{
		{"global", "https://bss.myhuaweicloud.com/v2/accounts/customer-accounts/balances", "", "x-sdk-date",
			"686be3d2c42bd4892d122e3813f6cc7f7e19946ef1e42b7f8ca15e4d0bbd89b9"},
		{"of a project", "https://ecs.cn-north-4.myhuaweicloud.com/v1/" + project + "/cloudservers/detail?limit=100&offset=1", project,
			"x-project-id;x-sdk-date", "450c05f78dba66ab5ef44584fdc22af2d9106dbda96e7c993c3bfc457ac02523"},
		{"the order of the query does not matter", "https://ecs.cn-north-4.myhuaweicloud.com/v1/" + project + "/cloudservers/detail?offset=1&limit=100", project,
			"x-project-id;x-sdk-date", "450c05f78dba66ab5ef44584fdc22af2d9106dbda96e7c993c3bfc457ac02523"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, tt.address, nil)
			r.Header.Set("Content-Type", "application/json") // never signed
			if tt.project != "" {
				r.Header.Set("X-Project-Id", tt.project)
			}
			if err := testSigner().sign(r); err != nil {
				t.Fatal(err)
			}
			want := "SDK-HMAC-SHA256 Access=testAK, SignedHeaders=" + tt.names + ", Signature=" + tt.want
			if got := r.Header.Get("Authorization"); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestCanonicalRequest(t *testing.T) {
	r, err := httpx.NewRequest(t.Context(), http.MethodPost, "https://x.example/v2/a%20b/~c?n=*&m=a+b&m=~", map[string]int{"limit": 1})
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Security-Token", " tok ")
	names, got, err := canonicalRequest(r)
	want := "POST\n/v2/a%20b/~c/\nm=a%20b&m=~&n=%2A\nx-security-token:tok\n\nx-security-token\n" + hash([]byte(`{"limit":1}`))
	if err != nil || names != "x-security-token" || got != want {
		t.Errorf("%v\ngot  %q\nwant %q", err, got, want)
	}
	if rest, _ := bodyOf(r); string(rest) != `{"limit":1}` {
		t.Errorf("the body is %q after signing", rest)
	}
}

func TestDateIsFreshEachTime(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s := testSigner()
	s.now = func() time.Time { now = now.Add(time.Minute); return now }
	r := httptest.NewRequest(http.MethodGet, "https://x.example/", nil)
	var seen []string
	for range 2 {
		if err := s.sign(r); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, r.Header.Get("X-Sdk-Date")+r.Header.Get("Authorization"))
	}
	if seen[0] == seen[1] || !strings.HasPrefix(seen[1], "20261130T120200Z") {
		t.Errorf("signed as %q", seen)
	}
}
