package storage

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
)

// t0 is the instant at which the tests' worlds begin.
var t0 = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

func fixedClock() time.Time { return t0 }

// openStore opens a fresh store that lasts as long as the test.
func openStore(t testing.TB) *DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "store.db"))
}

func openAt(t testing.TB, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), path, Options{Now: fixedClock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

// account makes an account of a name.
func account(t testing.TB, db *DB, name string) billing.AccountID {
	t.Helper()
	a, err := db.EnsureAccount(context.Background(), billing.Account{Name: name, Driver: "sim"})
	must(t, err)
	return a.ID
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantKind checks that an error is one of ours, of a kind, and says something to people when it has to.
func wantKind(t testing.TB, err error, kind billing.ErrorKind, key string) {
	t.Helper()
	if got := billing.KindOf(err); got != kind {
		t.Fatalf("error %v is of kind %q, want %q", err, got, kind)
	}
	if got := billing.SayOf(err).Key; key != "" && got != key {
		t.Fatalf("error %v says %q, want %q", err, got, key)
	}
}

// money lets cmp compare amounts, and everything made of them.
var money = cmp.Comparer(func(a, b billing.Money) bool { return a == b })

func diff(t testing.TB, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got, money); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// populate sets everything below v to values that differ from zero and, where the type has room, from one another.
func populate(t testing.TB, v reflect.Value, n *int) {
	t.Helper()
	*n++
	switch v.Interface().(type) {
	case billing.Money:
		m, err := billing.MoneyFromParts(int64(*n), 7, "CNY")
		must(t, err)
		v.Set(reflect.ValueOf(m))
		return
	case billing.Decimal:
		v.Set(reflect.ValueOf(billing.MustDecimal("0.25").Add(billing.DecimalFromInt(int64(*n)))))
		return
	case time.Time:
		v.Set(reflect.ValueOf(t0.Add(time.Duration(*n) * time.Millisecond)))
		return
	case billing.Text:
		v.Set(reflect.ValueOf(billing.Say("some.key", "amount", billing.MustMoney("1.5", "USD"), "n", *n, "at", t0, "why", billing.Say("other"))))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("s" + string(rune('A'+*n%26)) + "é 漢")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int8:
		v.SetInt(-1)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		populate(t, v.Index(0), n)
		populate(t, v.Index(1), n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		populate(t, key, n)
		populate(t, value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		populate(t, v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			populate(t, v.Field(i), n)
		}
	default:
		t.Fatalf("populate can't make a %s: teach it, and see that the store keeps it", v.Type())
	}
}
