package storage

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
)

func TestOfferRoundTrip(t *testing.T) {
	db := openStore(t)
	id := account(t, db, "a")
	var full billing.Offer
	n := 0
	populate(t, reflect.ValueOf(&full).Elem(), &n)
	want := []billing.Offer{{}, full, full} // two equal ones are two
	must(t, db.RecordOffers(t.Context(), id, t0, want))
	must(t, db.RecordOffers(t.Context(), id, minute(1), want))
	got, err := db.Offers(t.Context(), id)
	must(t, err)
	diff(t, "offers", want, got)
	mixed := billing.Offer{Low: billing.ZeroMoney("CNY"), High: billing.ZeroMoney("USD")}
	wantKind(t, db.RecordOffers(t.Context(), id, minute(2), []billing.Offer{mixed}), billing.Invalid, "")
}

func TestOffersAreIntervals(t *testing.T) {
	db := openStore(t)
	id := account(t, db, "a")
	offer := func(kind, price, stock string) billing.Offer {
		m := billing.MustMoney(price, "CNY")
		return billing.Offer{Type: kind, Low: m, High: m, Stock: stock}
	}
	lists := [][]billing.Offer{
		{offer("8xA100", "880", "LOW"), offer("spot", "96", "LOW")},
		{offer("8xA100", "880", "LOW"), offer("spot", "144", "LOW")},
		{offer("8xA100", "880", "LOW")},
		{offer("8xA100", "880", "NONE"), offer("spot", "144", "LOW")},
	}
	for i, l := range lists {
		must(t, db.RecordOffers(t.Context(), id, minute(i), l))
	}
	must(t, db.RecordOffers(t.Context(), id, minute(2), nil)) // began before the last one stored
	got, err := list(t.Context(), db.readers, func(r row) (string, error) {
		var kind string
		var nanos, from, seen, to int64
		err := r.Scan(&kind, &nanos, &from, &seen, &to)
		return fmt.Sprint(kind, " ", nanos/1e9, " ", at(fromMillis(from)), " ", at(fromMillis(seen)), " ", to), err
	}, "SELECT type, low_nanos, from_at, seen_to, CASE WHEN to_at IS NULL THEN -1 ELSE (to_at - ?) / 60000 END FROM offers", stamp(t0))
	must(t, err)
	want := []string{
		"8xA100 880 0 2 3", "8xA100 880 3 3 -1", // the stock changed
		"spot 96 0 0 1", "spot 144 1 1 2", "spot 144 3 3 -1",
	}
	if d := cmp.Diff(want, got, cmpopts.SortSlices(strings.Compare)); d != "" {
		t.Errorf("intervals (-want +got):\n%s", d)
	}
}
