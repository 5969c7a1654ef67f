package autodl

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

func testNow() time.Time { return time.Date(2025, 12, 16, 10, 30, 0, 0, time.UTC) }

// over opens an account over a fixture server.
func over(t *testing.T, s *fixture.Server, write bool) *account { return at(t, s, "", write) }

func at(t *testing.T, s *fixture.Server, base string, write bool) *account {
	t.Helper()
	p, err := Driver().Open(
		billing.Config{Account: "test", BaseURL: base, Write: write, Fields: map[string]billing.Secret{"token": billing.NewSecret(fakeToken)}},
		billing.Env{Transport: s, Now: testNow})
	if err != nil {
		t.Fatal(err)
	}
	return p.(*account)
}

func all[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var out []T
	for v, err := range seq {
		if err != nil {
			return out, err
		}
		out = append(out, v)
	}
	return out, nil
}

func exact() []cmp.Option {
	return []cmp.Option{
		cmp.Comparer(func(x, y billing.Money) bool { return x == y }),
		cmp.Comparer(func(x, y billing.Decimal) bool { return x.Equal(y) }),
	}
}

func route(s *fixture.Server, pattern string) *fixture.Route {
	return s.Expect(strings.Replace(pattern, " ", " "+api, 1)).Header("Authorization", fakeToken)
}

func list(s *fixture.Server, page int) *fixture.Route {
	return route(s, "POST instance/pro/list").Query().JSON(fmt.Sprintf(`{"page_index":%d,"page_size":100}`, page))
}

// The documented requests and answers, field by field.
func TestInstances(t *testing.T) {
	s := fixture.New(t, "testdata")
	list(s, 1).File(200, "list-instances.json")
	route(s, "GET instance/pro/snapshot").Query("instance_uuid", "pro-76576c61fdf1").NoBody().File(200, "get-instance.json")
	got, err := all(over(t, s, false).Resources(context.Background(), billing.Scope{Kind: billing.KindInstance}))
	want := []billing.Resource{{
		Ref:  billing.ResourceRef{Kind: billing.KindInstance, ID: "pro-76576c61fdf1"},
		Name: "demo", Zone: "neimeng-C", Type: "pro6000-p", State: billing.StateRunning, VendorState: "running", Billed: billing.Yes,
		Rate:        billing.Rate{Hourly: billing.MustMoney("1.97", cny), Source: billing.RateVendor},
		StoppedRate: billing.Rate{Hourly: billing.ZeroMoney(cny), Source: billing.RateDerived},
		Mode:        billing.ModeOnDemand,
		GPU:         billing.GPU{Model: "RTX-PRO-6000", Count: billing.DecimalFromInt(1)},
		CreatedAt:   time.Date(2025, 12, 15, 9, 30, 54, 0, time.UTC),
		StartedAt:   time.Date(2025, 12, 15, 9, 31, 5, 0, time.UTC),
		HoldsData:   billing.Yes,
	}}
	if diff := cmp.Diff(want, got, exact()...); diff != "" || err != nil {
		t.Errorf("%v; -want +got:\n%s", err, diff)
	}
}

func TestImages(t *testing.T) {
	for _, tt := range []struct {
		name, base, route, file string
		size                    string // GiB, "" for unknown
		created                 time.Time
	}{
		{"AutoDL", "", "POST instance/pro/image/private/list", "list-images.json", "10.424948", time.Date(2026, 1, 20, 10, 34, 8, 0, time.UTC)},
		{"GPUhub has the elastic list", "https://api.gpuhub.com/", "POST image/private/list", "list-images-gpuhub.json", "", time.Date(2022, 1, 20, 10, 34, 8, 0, time.UTC)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := fixture.New(t, "testdata")
			route(s, tt.route).JSON(`{"page_index":1,"page_size":100}`).File(200, tt.file)
			got, err := all(at(t, s, tt.base, false).Resources(context.Background(), billing.Scope{Kind: billing.KindImage}))
			if err != nil || len(got) != 1 {
				t.Fatalf("%d images, %v", len(got), err)
			}
			r := got[0]
			if r.Ref.ID != "image-db8346e037" || r.Name == "" || r.State != billing.StateAvailable || !r.CreatedAt.Equal(tt.created) {
				t.Errorf("%+v", r)
			}
			if r.SizeGiB.Known() != (tt.size != "") || r.SizeGiB.Known() && r.SizeGiB.String() != tt.size {
				t.Errorf("size %v, want %q", r.SizeGiB, tt.size)
			}
			if r.Rate.Hourly.Known() || r.Billed != billing.Unsure || r.NotReleasable.IsZero() {
				t.Errorf("rate %v, billed %d, refused with %v: an image has no price of its own and no way to delete it", r.Rate, r.Billed, r.NotReleasable)
			}
		})
	}
}

// Amounts are thousandths, not hundredths; GPUhub's are of a dollar; what is frozen can't be spent.
func TestBalance(t *testing.T) {
	for _, tt := range []struct {
		name, base, data     string
		cash, spent, voucher string // "" for unknown, "" for none
		currency             billing.Currency
		kind                 billing.ErrorKind
	}{
		{"documented", "", `{"assets":1000,"accumulate":1000,"voucher_balance":1000}`, "1", "1", "1", cny, ""},
		{"to the thousandth", "", `{"assets":1,"accumulate":1828723,"voucher_balance":0}`, "0.001", "1828.723", "", cny, ""},
		{"more thousandths than Money has units", "", `{"assets":29290,"accumulate":9223372036854775,"voucher_balance":0}`, "29.29", "9223372036854.775", "", cny, billing.Invalid},
		{"a company's lifetime", "", `{"assets":29290,"accumulate":123456789012,"voucher_balance":0}`, "29.29", "123456789.012", "", cny, ""},
		{"frozen", "", `{"assets":20500,"accumulate":0,"voucher_balance":0,"blocked_asset":500}`, "20", "0", "", cny, ""},
		{"owed", "", `{"assets":-3960,"accumulate":5,"voucher_balance":0}`, "-3.96", "0.005", "", cny, ""},
		{"no counter", "", `{"assets":1000}`, "1", "", "", cny, ""},
		{"GPUhub", "https://api.gpuhub.com", `{"assets":12340,"accumulate":987650,"voucher_balance":5000}`, "12.34", "987.65", "5", usd, ""},
		{"no amount", "", `{"accumulate":1000}`, "", "", "", cny, billing.Invalid},
		{"null", "", `null`, "", "", "", cny, billing.Invalid},
		{"text", "", `{"assets":"much"}`, "", "", "", cny, billing.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := fixture.New(t, "testdata")
			route(s, "POST wallet/balance").Query().NoBody().Answer(200, `{"code":"Success","msg":"","data":`+tt.data+`}`)
			b, err := at(t, s, tt.base, false).Balance(context.Background())
			if billing.KindOf(err) != tt.kind {
				t.Fatalf("%v, want %q", err, tt.kind)
			}
			if err != nil {
				return
			}
			voucher := billing.Money{}
			if len(b.Vouchers) == 1 {
				voucher = b.Vouchers[0].Remaining
			}
			got := []string{text(b.Cash), text(b.Spent), text(voucher), string(b.Cash.Currency())}
			if diff := cmp.Diff([]string{tt.cash, tt.spent, tt.voucher, string(tt.currency)}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if b.Mode != billing.Prepaid || b.Settles != time.Hour || !b.ReadAt.Equal(testNow()) {
				t.Errorf("%+v", b)
			}
		})
	}
}

func text(m billing.Money) string {
	if !m.Known() {
		return ""
	}
	return m.Amount()
}

// Every failure has status 200. Those that were seen live have the kind that tells what to do.
func TestFailuresInSuccess(t *testing.T) {
	for _, tt := range []struct {
		file, answer string
		kind         billing.ErrorKind
		say          string
	}{
		{"error-record-not-found.json", "", billing.Missing, "error.missing"},
		{"error-request-parameter-is-wrong.json", "", billing.Invalid, "error.autodl.says"},
		{"error-no-permission.json", "", billing.Denied, "error.autodl.verification"},
		{"error-no-real-name.json", "", billing.Denied, "error.autodl.real_name"},
		{"error-no-stock.json", "", billing.Conflict, "error.autodl.says"},
		{"error-image-save-not-stopped.json", "", billing.Conflict, "error.autodl.says"},
		{"", `{"code":"InternalError","msg":"服务器开小差了","data":null}`, billing.Upstream, "error.autodl.says"},
		{"", `{"code":"BadRequest","msg":"","data":null}`, billing.Invalid, "error.autodl.says"},
		{"", `{"code":"AuthorizeFailed","msg":"登录超时，请重新登录","data":null}`, billing.Auth, "error.auth"},
		{"", `{"code":"Whatever","msg":"请求过于频繁","data":null}`, billing.Limited, "error.limited"},
		{"", `{"code":"NobodyHasSeenThis","msg":"?","data":null}`, billing.Unknown, "error.autodl.says"},
		{"", `{"code":"","msg":"","data":{}}`, billing.Invalid, "error.garbled"},
		{"", `{"data":{"assets":1000}}`, billing.Invalid, "error.garbled"},
	} {
		t.Run(tt.file+tt.answer, func(t *testing.T) {
			body := tt.answer
			if tt.file != "" {
				raw, err := os.ReadFile("testdata/" + tt.file)
				if err != nil {
					t.Fatal(err)
				}
				body = string(raw)
			}
			s := fixture.New(t, "testdata")
			route(s, "POST wallet/balance").Answer(200, body)
			_, err := over(t, s, false).Balance(context.Background())
			if billing.KindOf(err) != tt.kind || billing.SayOf(err).Key != tt.say {
				t.Errorf("%v, %s; want %s, %s", err, billing.SayOf(err).Key, tt.kind, tt.say)
			}
		})
	}
}

// AutoDL's own words may be shown, as there is no list of codes; whatever could be a key may not.
func TestOwnWordsAreHarmless(t *testing.T) {
	for _, tt := range []struct{ msg, want string }{
		{"当前算力规格暂无库存, 请修改配置或稍等再试", "当前算力规格暂无库存, 请修改配置或稍等再试"},
		{"Insufficient balance, please top up.", "Insufficient balance, please top up."},
		{"no " + fakeToken + " here", "no … here"},
		{"密码jbeOXgTWUxq+", "密码…"},
		{strings.Repeat("长", 200), strings.Repeat("长", 119) + "…"},
	} {
		if got := harmless(tt.msg); got != tt.want {
			t.Errorf("%q gives %q, want %q", tt.msg, got, tt.want)
		}
	}
}

// However it was pasted, the token goes out bare: with "Bearer" AutoDL does not know it.
func TestTokenIsSentBare(t *testing.T) {
	s := fixture.New(t, "testdata")
	route(s, "POST wallet/balance").File(200, "get-balance.json")
	p, err := Driver().Open(billing.Config{Fields: map[string]billing.Secret{"token": billing.NewSecret(" Bearer " + fakeToken + "\n")}},
		billing.Env{Transport: s, Now: testNow})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.(billing.Balancer).Balance(context.Background()); err != nil {
		t.Error(err)
	}
}

// An instance that goes away between the list and the look at it has no price, and spoils no list. Other failures do.
func TestInstanceGoneMeanwhile(t *testing.T) {
	for _, tt := range []struct {
		file string
		n    int
		kind billing.ErrorKind
	}{{"error-record-not-found.json", 1, ""}, {"error-no-permission.json", 0, billing.Denied}} {
		synctest.Test(t, func(t *testing.T) {
			s := fixture.New(t, "testdata")
			list(s, 1).File(200, "list-instances.json")
			route(s, "GET instance/pro/snapshot").File(200, tt.file)
			got, err := all(over(t, s, false).Resources(context.Background(), billing.Scope{Kind: billing.KindInstance}))
			if len(got) != tt.n || billing.KindOf(err) != tt.kind {
				t.Fatalf("%d things, %v; want %d, %q", len(got), err, tt.n, tt.kind)
			}
			if tt.n == 1 && (got[0].Rate.Hourly.Known() || got[0].StoppedRate.Hourly.Known() || got[0].GPU.Model != "RTX-PRO-6000") {
				t.Errorf("%+v", got[0])
			}
		})
	}
}

// GPUhub's API has no instances: asked for, they would be missing each time.
func TestGPUhubHasImagesOnly(t *testing.T) {
	for base, want := range map[string]int{"https://api.gpuhub.com": 1, "https://gpuhub.com.example": 2, "https://api.autodl.com": 2, "": 2} {
		scopes, err := at(t, fixture.New(t, "testdata"), base, false).Scopes(context.Background())
		if err != nil || len(scopes) != want {
			t.Errorf("%q: %v, %v", base, scopes, err)
		}
	}
	a := at(t, fixture.New(t, "testdata"), "https://api.gpuhub.com", true)
	ref := billing.ResourceRef{Kind: billing.KindInstance, ID: "pro-1"}
	if _, err := a.Release(context.Background(), billing.Act{Ref: ref}); billing.KindOf(err) != billing.Absent {
		t.Errorf("release gives %v", err)
	}
	if _, err := a.Find(context.Background(), ref); billing.KindOf(err) != billing.Absent {
		t.Errorf("find gives %v", err)
	}
}

// An order goes out once, in the documented form, and its yes proves nothing.
func TestOrders(t *testing.T) {
	raw, _ := os.ReadFile("testdata/list-instances.json")
	listed := func(status string) string {
		return strings.Replace(string(raw), `"status": "running"`, `"status": "`+status+`"`, 1)
	}
	act := billing.Act{Ref: billing.ResourceRef{Kind: billing.KindInstance, ID: "pro-76576c61fdf1"}}
	for _, tt := range []struct {
		name, status, order, file string
		release                   bool
		want                      billing.Receipt
		kind                      billing.ErrorKind
	}{
		{"stop", "running", "power_off", "power-off.json", false, billing.Receipt{RequestID: "20114f6ef29ab403cc421489bb6e5539"}, ""},
		{"stop, off already", "shutdown", "", "", false, billing.Receipt{Done: true}, ""},
		{"stop, on its way", "shutting_down", "", "", false, billing.Receipt{}, ""},
		{"release", "shutdown", "release", "release.json", true, billing.Receipt{RequestID: "20114f6ef29ab403cc421489bb6e5539"}, ""},
		{"release, running", "running", "", "", true, billing.Receipt{}, billing.Conflict},
		{"release, not off yet", "shutting_down", "", "", true, billing.Receipt{}, billing.Conflict},
		{"release, on its way", "releasing", "", "", true, billing.Receipt{}, ""},
		{"release, refused for its state", "shutdown", "release", "error-image-save-not-stopped.json", true, billing.Receipt{}, billing.Conflict},
		{"release, not found", "shutdown", "release", "error-record-not-found.json", true, billing.Receipt{}, billing.Missing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := fixture.New(t, "testdata")
				list(s, 1).Answer(200, listed(tt.status))
				if tt.order != "" {
					route(s, "POST instance/pro/"+tt.order).Query().JSON(`{"instance_uuid":"pro-76576c61fdf1"}`).File(200, tt.file)
				}
				order := over(t, s, true).Stop
				if tt.release {
					order = over(t, s, true).Release
				}
				got, err := order(context.Background(), act)
				if diff := cmp.Diff(tt.want, got); diff != "" || billing.KindOf(err) != tt.kind {
					t.Errorf("%v, want %q; -want +got:\n%s", err, tt.kind, diff)
				}
				if tt.order != "" {
					if n := s.Asked("POST " + api + "instance/pro/" + tt.order); n != 1 {
						t.Errorf("ordered %d times", n)
					}
				}
			})
		})
	}
}
