package aws

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
)

func membersOf(p billing.Provider) (all []billing.Member, err error) {
	for m, e := range p.(billing.Organizer).Members(context.Background()) {
		if e != nil {
			return all, e
		}
		all = append(all, m)
	}
	return all, nil
}

// Every page is read, an empty one in between too; units and tags are asked for only where the configuration chooses by
// them.
func TestMembers(t *testing.T) {
	f, targets := newFake(testNow), map[string]int{}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, action, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		targets[action]++
		f.ServeHTTP(w, r)
	})
	all, err := membersOf(openOver(t, h, configured()))
	if err != nil {
		t.Fatal(err)
	}
	want := []billing.Member{{ID: "123456789012", Name: "Payer", Status: "ACTIVE"}, {ID: "111122223333", Name: "ML Research", Status: "ACTIVE"},
		{ID: "222233334444", Name: "prod", Status: "ACTIVE"}, {ID: "333344445555", Name: "old", Status: "SUSPENDED"}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
	if targets["ListParents"]+targets["ListTagsForResource"] != 0 || targets["ListAccounts"] != 3 {
		t.Errorf("asked %v", targets)
	}
	c := configured()
	c.Members = billing.MemberDetail{Units: true, Tags: true}
	all, err = membersOf(openOver(t, h, c))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(billing.Member{ID: "111122223333", Name: "ML Research", Status: "ACTIVE", Units: []string{"ou-root-ml", "ou-root-eng", "r-root"},
		Tags: map[string]string{"team": "ml"}}, all[1]); diff != "" {
		t.Error(diff)
	}
}

// A list that is no list is no empty organisation: every member would look gone.
func TestMembersThatAreNone(t *testing.T) {
	for name, answer := range map[string]string{"no list": `{}`, "no id": `{"Accounts":[{"Id":"x","Status":"ACTIVE"}]}`,
		"the token again": `{"Accounts":[],"NextToken":"a"}`, "cut": `{"Accounts":[{"Id":"11`} {
		f := newFake(testNow)
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AWSOrganizations") {
				_, _ = io.WriteString(w, answer)
				return
			}
			f.ServeHTTP(w, r)
		})
		if all, err := membersOf(openOver(t, h, configured())); err == nil {
			t.Errorf("%s: %+v", name, all)
		}
	}
}

// The key of a member that is no delegated administrator is refused with the right it lacks.
func TestMembersDenied(t *testing.T) {
	f := newFake(testNow)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AWSOrganizations") {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"__type":"com.amazonaws.organizations#AccessDeniedException","message":"no"}`)
			return
		}
		f.ServeHTTP(w, r)
	})
	_, err := membersOf(openOver(t, h, configured()))
	if billing.KindOf(err) != billing.Denied || billing.SayOf(err).Args["permission"] != "organizations:ListAccounts" {
		t.Errorf("%v %v", err, billing.SayOf(err))
	}
}
