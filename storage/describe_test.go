package storage

import (
	"reflect"
	"testing"
	"time"

	"gpuspend/billing"
)

// Every field of a resource comes back: each for itself, so that a forgotten one is named, and all together.
func TestResourceRoundTrip(t *testing.T) {
	fields := reflect.TypeFor[billing.Resource]()
	var wanted []billing.Resource
	names := map[string]string{} // by vendor id
	add := func(name string, r billing.Resource) {
		r.Ref.ID = "id-" + name
		if r.Ref.Kind == "" {
			r.Ref.Kind = billing.KindInstance
		}
		names[r.Ref.ID] = name
		wanted = append(wanted, r)
	}
	n := 0
	for i := range fields.NumField() {
		var r billing.Resource
		populate(t, reflect.ValueOf(&r).Elem().Field(i), &n)
		add(fields.Field(i).Name, r)
	}
	var all billing.Resource
	populate(t, reflect.ValueOf(&all).Elem(), &n)
	add("everything", all)
	add("nothing", billing.Resource{})

	db := openStore(t)
	id := account(t, db, "a")
	for _, pass := range []string{"begun", "seen again"} {
		must(t, db.Observe(t.Context(), id, billing.Scope{Kind: billing.KindInstance}, t0, wanted))
		got, err := db.Holdings(t.Context(), false)
		must(t, err)
		if len(got) != len(wanted) {
			t.Fatalf("%s: %d holdings, want %d", pass, len(got), len(wanted))
		}
		for i, h := range got {
			want := wanted[i]
			want.Ref.Account = id
			diff(t, pass+": "+names[h.Ref.ID], want, h.Resource)
		}
	}
}

// A resource seen again takes over every field, too.
func TestResourceFollowsEveryField(t *testing.T) {
	db := openStore(t)
	id := account(t, db, "a")
	var r billing.Resource
	n := 0
	populate(t, reflect.ValueOf(&r).Elem(), &n)
	r.Ref.Account = id
	bare := billing.Resource{Ref: r.Ref}
	scope := billing.Scope{Kind: r.Ref.Kind}
	for i, is := range []billing.Resource{bare, r, bare} {
		must(t, db.Observe(t.Context(), id, scope, t0.Add(time.Duration(i)*time.Hour), []billing.Resource{is}))
		h, err := db.Holding(t.Context(), 1)
		must(t, err)
		diff(t, "as last seen", is, h.Resource)
	}
}
