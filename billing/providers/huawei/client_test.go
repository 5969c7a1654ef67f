package huawei

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name, file, body string
		status           int
		want             billing.ErrorKind
	}{
		{"a wrong signature", "error.auth.json", "", 401, billing.Auth},
		{"the gateway's other prefix", "", `{"error_code":"APIGW.0301","error_msg":"x"}`, 401, billing.Auth},
		{"no permission", "", `{"error_code":"APIGW.0302","error_msg":"x"}`, 403, billing.Denied},
		{"no such API", "", `{"error_code":"APIGW.0101","error_msg":"x"}`, 404, billing.Absent},
		{"throttled", "error.throttling.json", "", 429, billing.Limited},
		{"no such machine", "error.ecs.json", "", 404, billing.Missing},
		{"OpenStack's own form", "", `{"itemNotFound":{"message":"x","code":404}}`, 404, billing.Missing},
		{"and its bad request", "", `{"badRequest":{"message":"x","code":400}}`, 400, billing.Invalid},
		{"a disk in use, with 400", "error.evs-in-use.json", "", 400, billing.Conflict},
		{"a busy snapshot, with 400", "", `{"error":{"code":"EVS.2409","message":"x"}}`, 400, billing.Conflict},
		{"a bound EIP", "error.eip-bound.json", "", 409, billing.Conflict},
		{"an EIP of a load balancer, with 500", "", `{"code":"VPC.0516","message":"x"}`, 500, billing.Conflict},
		{"an EIP that is gone", "", `{"code":"VPC.0504","message":"x"}`, 404, billing.Missing},
		{"the wrong state", "", `{"error":{"code":"Ecs.0100","message":"x"}}`, 400, billing.Conflict},
		{"suspended", "", `{"error":{"code":"Ecs.0071","message":"x"}}`, 403, billing.Denied},
		{"no such image", "", `{"error":{"code":"IMG.0027","message":"x"}}`, 400, billing.Missing},
		{"a code that nobody knows goes by its status", "", `{"error":{"code":"Ecs.9999","message":"x"}}`, 400, billing.Invalid},
		{"a code that is none", "", `{"error_code":"<b>secret words</b>"}`, 403, billing.Denied},
		{"a failure in a success", "", `{"error":{"code":"Ecs.0114","message":"x"}}`, 200, billing.Missing},
		{"a number for a code", "", `{"error_code":500}`, 200, billing.Upstream},
		{"a success that names its code", "", `{"error_code":"CBC.0000","server":{"id":"x-1"}}`, 200, ""},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			s := fixture.New(t, "testdata")
			r := route(s, "/v1/"+north+"/cloudservers/x-1")
			if tt.file != "" {
				r.File(tt.status, tt.file)
			} else {
				r.Answer(tt.status, tt.body)
			}
			_, err := over(t, billing.Env{Transport: s}).server(context.Background(), project{"cn-north-4", north}, "x-1")
			if billing.KindOf(err) != tt.want {
				t.Errorf("%v is %s, want %q", err, billing.KindOf(err), tt.want)
			}
		})
	}
}

// Six wrong signatures in a row lock a key, and its account's owner out, for five minutes.
func TestWrongKeyIsNotLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		now := func() time.Time { return testNow().Add(time.Since(began)) }
		f := newFake(now)
		a := over(t, billing.Env{Transport: fixture.Over(f), Now: now}, "secret_key", "wrong")
		asked := func() int {
			f.mu.Lock()
			defer f.mu.Unlock()
			n := 0
			for _, times := range f.asked {
				n += times
			}
			return n
		}
		round := func() {
			var all sync.WaitGroup
			for _, kind := range kinds() {
				all.Go(func() {
					if _, err := a.list(context.Background(), northOf(kind)); billing.KindOf(err) != billing.Auth || billing.SayOf(err).Key != "error.huawei.auth" {
						t.Errorf("list %s: %v", kind, err)
					}
					if _, err := a.Balance(context.Background()); billing.KindOf(err) != billing.Auth {
						t.Errorf("balance: %v", err)
					}
				})
			}
			all.Wait()
		}
		round()
		time.Sleep(4 * time.Minute)
		round()
		if n := asked(); n != 1 {
			t.Errorf("%d wrong signatures were sent, want 1", n)
		}
		time.Sleep(2 * time.Minute)
		round()
		if n := asked(); n != 2 {
			t.Errorf("%d wrong signatures after six minutes, want 2", n)
		}
	})
}

func TestProjects(t *testing.T) {
	four, three := project{"cn-north-4", north}, project{"cn-east-3", east}
	for _, tt := range []struct {
		name, field string
		want        []project
		kind        billing.ErrorKind
		asked       bool
	}{
		{"as configured", "cn-north-4=" + north, []project{four}, "", false},
		{"all that the key may use", "", []project{four, three}, "", true},                   // neither MOS nor a disabled one
		{"a region's, a sub-project too", "cn-east-3", []project{three}, "", true},           // "cn-east-3_team"
		{"mixed", "cn-east-3,cn-north-4=" + north, []project{three, four}, "", true},         //
		{"a region that the key does not see", "ap-southeast-1", nil, billing.Invalid, true}, //
	} {
		bubble(t, tt.name, func(t *testing.T) {
			a, f := overFake(t, "projects", tt.field)
			got, err := a.allProjects(context.Background(), 0)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(project{})); diff != "" || billing.KindOf(err) != tt.kind {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if asked := f.asked["/v3/auth/projects"] > 0; asked != tt.asked {
				t.Errorf("IAM was asked: %v", asked)
			}
		})
	}
}

func TestSettingsThatAreWrong(t *testing.T) {
	for name, value := range map[string]string{"projects": "cn-north-4=" + north + "/../x", "site": "mars", "scope": "some"} {
		c := billing.Config{Fields: map[string]billing.Secret{"access_key": billing.NewSecret("a"), "secret_key": billing.NewSecret("b"), name: billing.NewSecret(value)}}
		if _, err := Driver().Open(c, billing.Env{Now: testNow}); billing.KindOf(err) != billing.Invalid || billing.SayOf(err).Args["field"] != name {
			t.Errorf("%s %q: %v", name, value, err)
		}
	}
	if _, ok := parseProjects("evil.example/=x"); ok {
		t.Error("a region becomes part of a host name")
	}
}

func TestHosts(t *testing.T) {
	for _, tt := range []struct{ service, site, want string }{
		{ecs, china, "ecs.cn-north-4.myhuaweicloud.com"}, {bss, china, "bss.myhuaweicloud.com"}, {bss, international, "bss-intl.myhuaweicloud.com"},
		{bss, europe, "bss.myhuaweicloud.eu"}, {vpc, europe, "vpc.cn-north-4.myhuaweicloud.eu"}, {iam, international, "iam.myhuaweicloud.com"}, {iam, europe, "iam.myhuaweicloud.eu"},
	} {
		if got := host(tt.service, tt.site, "cn-north-4"); got != tt.want {
			t.Errorf("%s at %s: %s, want %s", tt.service, tt.site, got, tt.want)
		}
	}
	a := over(t, billing.Env{})
	a.api.base = ""
	r, err := a.api.request(t.Context(), call{service: ecs, in: project{"cn-east-3", east}, path: "/v1/x"})
	if err != nil || r.URL.String() != "https://ecs.cn-east-3.myhuaweicloud.com/v1/x" || r.Header.Get("X-Project-Id") != east || r.Method != http.MethodGet {
		t.Errorf("%v %v %v", r.URL, r.Header, err)
	}
}

func TestTimesAreUTC(t *testing.T) {
	want := time.Date(2018, 8, 13, 13, 46, 46, 0, time.UTC)
	for _, s := range []string{"2018-08-13T13:46:46Z", "2018-08-13T13:46:46.000000", "2018-08-13 13:46:46", "2018-08-13T13:46:46"} {
		if got := instant(s); !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%q is %v", s, got)
		}
	}
	if !instant("").IsZero() || !instant("soon").IsZero() {
		t.Error("what is no time is unknown")
	}
}
