package main

import (
	"context"
	"iter"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/providers"
	"gpuspend/bot"
	"gpuspend/notify/notifytest"
)

// union is a cloud of one organisation: its payer lists the accounts and has the whole bill, each account has one machine.
type union struct {
	now    func() time.Time
	list   []billing.Member
	broken string // the member whose role can't be taken on
	opened map[string]billing.Config
}

type unionAccount struct {
	u  *union
	id string
}

const unionPayer = "100000000001"

func (u *union) driver() billing.Driver {
	return billing.Driver{Name: "union", Title: "Union Cloud", Currency: "USD", MonthHours: 730,
		Open: func(c billing.Config, _ billing.Env) (billing.Provider, error) {
			u.opened[c.Account] = c
			a := unionAccount{u, unionPayer}
			if role := c.Fields["role_arn"].Reveal(); role != "" {
				a.id = strings.Split(role, ":")[4]
				return a, nil
			}
			return unionPayerAccount{a}, nil
		}}
}

func (a unionAccount) Identify(context.Context) (string, error) {
	if a.id == a.u.broken {
		return "", &billing.Error{Kind: billing.Denied, Op: "union: assume role"}
	}
	return a.id, nil
}

func (a unionAccount) Scopes(context.Context) ([]billing.Scope, error) {
	return []billing.Scope{{Kind: billing.KindInstance}}, nil
}

func (a unionAccount) Resources(_ context.Context, s billing.Scope) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		yield(billing.Resource{Ref: billing.ResourceRef{Kind: s.Kind, ID: "i-" + a.id}, Name: "train-" + a.id, State: billing.StateRunning, Billed: billing.Yes}, nil)
	}
}

type unionPayerAccount struct{ unionAccount }

func (a unionPayerAccount) Members(context.Context) iter.Seq2[billing.Member, error] {
	return func(yield func(billing.Member, error) bool) {
		for _, m := range a.u.list {
			if !yield(m, nil) {
				return
			}
		}
	}
}

func (a unionPayerAccount) Billed(_ context.Context, p billing.Period) (billing.Coverage, error) {
	return billing.Coverage{Through: a.u.now().UTC().Truncate(24 * time.Hour)}, nil
}

func (a unionPayerAccount) Charges(_ context.Context, p billing.Period) iter.Seq2[billing.Charge, error] {
	return func(yield func(billing.Charge, error) bool) {
		day := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
		for i, id := range []string{"111122223333", "222233334444", "", "999999999999"} {
			if !p.Contains(day) {
				return
			}
			c := billing.Charge{Provider: "Union Cloud", BillingPeriod: billing.Period{Start: day.AddDate(0, 0, -29), End: day.AddDate(0, 0, 1)},
				ChargePeriod: billing.Period{Start: day, End: day.Add(24 * time.Hour)}, BilledCost: billing.MustMoney([]string{"10", "20", "3", "4"}[i], "USD"),
				ChargeCategory: "Usage", SubAccountID: id, Part: billing.PartInstance}
			if !yield(c, nil) {
				return
			}
		}
	}
}

func active(id, name string) billing.Member {
	return billing.Member{ID: id, Name: name, Status: billing.MemberActive}
}

// unionRig is a program that watches the union, whose warnings a robot hears.
func unionRig(t *testing.T, org OrganizationConfig) (*rig, *union, *notifytest.Service) {
	t.Helper()
	heard := notifytest.Serve(t, func(notifytest.Answer) (int, string) { return 200, `{"errcode":0}` },
		func(_ *http.Request, body []byte) notifytest.Seen { return notifytest.Seen{Text: string(body)} })
	t.Setenv("UNION_ROBOT", heard.URL)
	r := &rig{log: &logged{}, at: time.Date(2026, 12, 2, 2, 0, 0, 0, time.UTC)}
	u := &union{now: func() time.Time { return r.at }, opened: map[string]billing.Config{},
		list: []billing.Member{active(unionPayer, "Payer"), active("111122223333", "ML Research"), active("222233334444", "prod")}}
	c := Config{Store: filepath.Join(t.TempDir(), "union.db"), Hours: HoursConfig{Quiet: "none"}, Routes: []RouteConfig{{To: "ops", Rules: []string{"member"}}},
		Receivers: map[string]ReceiverConfig{"ops": {Kind: kindWeCom, URL: SecretConfig{Env: "UNION_ROBOT"}}},
		Accounts: []AccountConfig{{Name: "payer", Provider: "union", Release: "allow", Organization: org,
			Credentials: CredentialsConfig{Read: map[string]SecretConfig{"cost_explorer": {Plain: "on"}, "focus_bucket": {Plain: "b"}, "region": {Plain: "r"}}}}}}
	var err error
	if r.App, err = New(t.Context(), Options{Config: c, Drivers: []billing.Driver{u.driver()}, Log: r.log.logger(), Now: func() time.Time { return r.at }}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r, u, heard
}

func (r *rig) round(t *testing.T) error {
	t.Helper()
	err := r.Poll(t.Context())
	if e := r.Deliver(t.Context()); e != nil {
		t.Fatal(e)
	}
	r.at = r.at.Add(time.Hour)
	return err
}

func (r *rig) names(t *testing.T) (out []string) {
	t.Helper()
	v, err := r.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range v.Accounts {
		out = append(out, a.Name)
	}
	return out
}

// The accounts of an organisation are watched with their own role, those that were there at first without a word, one that
// comes later with one message; one that leaves is said and watched no more, and is not "all its machines are gone".
func TestMembersOfAnOrganisation(t *testing.T) {
	r, u, heard := unionRig(t, OrganizationConfig{Role: "gpuspend-read"})
	if err := r.round(t); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"payer", "payer/ml-research", "payer/prod"}, r.names(t)); diff != "" {
		t.Error(diff)
	}
	read := u.opened["payer/prod"].Fields
	if read["role_arn"].Reveal() != "arn:aws:iam::222233334444:role/gpuspend-read" || !read["cost_explorer"].Empty() || !read["focus_bucket"].Empty() ||
		read["region"].Reveal() != "r" || u.opened["payer/prod"].Write {
		t.Errorf("prod is read with %v", read)
	}
	u.list = append(u.list, active("333344445555", "Prod"), billing.Member{ID: "444455556666", Name: "closed", Status: "SUSPENDED"})
	for range 2 {
		if err := r.round(t); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"payer", "payer/ml-research", "payer/prod", "payer/prod-333344445555"}, r.names(t)); diff != "" {
		t.Error(diff)
	}
	if seen := heard.Seen(); len(seen) != 1 || !strings.Contains(seen[0].Text, "333344445555") || strings.Contains(seen[0].Text, "111122223333") {
		t.Errorf("heard %+v", seen)
	}
	v, _ := r.Look(t.Context())
	if len(v.Accounts[3].Holdings) != 1 || v.Accounts[3].Holdings[0].Ref.ID != "i-333344445555" {
		t.Errorf("the new member has %+v", v.Accounts[3].Holdings)
	}
	u.list = slices.DeleteFunc(u.list, func(m billing.Member) bool { return m.ID == "222233334444" })
	for range 3 {
		if err := r.round(t); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"payer", "payer/ml-research", "payer/prod-333344445555"}, r.names(t)); diff != "" {
		t.Error(diff)
	}
	if !r.holds(t, "payer/prod") {
		t.Error("what was known of a member that left is gone")
	}
}

// What the payer paid for a member counts there, once; what is nobody's stays with the payer.
func TestPayersBillByMember(t *testing.T) {
	r, _, _ := unionRig(t, OrganizationConfig{Role: "gpuspend-read"})
	for range 2 {
		if err := r.round(t); err != nil {
			t.Fatal(err)
		}
		r.at = r.at.Add(24 * time.Hour) // a bill was delivered
	}
	a, err := r.Desk().Ask(t.Context(), bot.Request{Words: []string{"cost 2026-11 by account"}, Local: true, Now: r.at})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, row := range a.Data.(bot.CostData).Rows {
		if row.Billed != nil {
			got[row.Key] = *row.Billed
		}
	}
	if diff := cmp.Diff(map[string]string{"payer/ml-research": "10", "payer/prod": "20", "payer": "7"}, got); diff != "" {
		t.Error(diff)
	}
}

// A member whose role can't be taken on fails alone; one that the configuration leaves out is not opened.
func TestMembersFailAloneAndAreChosen(t *testing.T) {
	r, u, _ := unionRig(t, OrganizationConfig{Role: "gpuspend-read", ReleaseRole: "gpuspend-release", Exclude: ChoiceConfig{IDs: []string{"222233334444"}}})
	u.list = append(u.list, active("333344445555", "lab"))
	u.broken = "111122223333"
	if err := r.round(t); err == nil || !strings.Contains(err.Error(), "payer/ml-research") || strings.Contains(err.Error(), "payer/lab") {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff([]string{"payer", "payer/ml-research", "payer/lab"}, r.names(t)); diff != "" {
		t.Error(diff)
	}
	v, _ := r.Look(t.Context())
	if len(v.Accounts[2].Holdings) != 1 || len(v.Accounts[1].Holdings) != 0 {
		t.Errorf("%+v", v.Accounts)
	}
	if _, err := r.OpenForRelease(t.Context(), v.Accounts[2].ID); err != nil {
		t.Fatal(err)
	}
	if c := u.opened["payer/lab"]; !c.Write || c.Fields["role_arn"].Reveal() != "arn:aws:iam::333344445555:role/gpuspend-release" {
		t.Errorf("released with %+v", c.Fields["role_arn"].Reveal())
	}
}

func TestOrganizationsAreChecked(t *testing.T) {
	c, err := ParseConfig([]byte(`
accounts:
  - {name: a, provider: lambda, credentials: {read: {api_key: {exec: "echo k"}}}, organization: {role: r}}
  - {name: b, provider: aws, organization: {release_role: x, include: {ids: ["12"]}}}
  - {name: c, provider: aws, organization: {role: "arn:aws:iam::1:role/x", release_role: x, exclude: {units: [eng]}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	p := c.Check(t.Context(), providers.All())
	for _, want := range []string{"accounts[0].organization: organisations are read at AWS only", "accounts[1].organization.role: the role to take on",
		"accounts[2].organization.role: \"arn:aws:iam::1:role/x\" is no role's name", "accounts[2].organization.release_role: a role to release",
		"accounts[2].organization.exclude.units[0]: \"eng\" is no unit's id"} {
		if !strings.Contains(p.Error(), want) {
			t.Errorf("missing %q in\n%s", want, p)
		}
	}
}
