package storage

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuspend/billing"
)

func TestTextKeepsTheTypesOfItsArguments(t *testing.T) {
	value := rapid.OneOf(
		rapid.String().AsAny(),
		rapid.Int().AsAny(),
		rapid.Custom(func(t *rapid.T) billing.Money {
			m, err := billing.MoneyFromParts(rapid.Int64().Draw(t, "nanos"), rapid.Int64Range(0, 1e9-1).Draw(t, "rest"), "CNY")
			if err != nil {
				t.Fatal(err)
			}
			return m
		}).AsAny(),
		rapid.Just(any(billing.Money{})),
		rapid.Just(any(billing.Decimal{})),
		rapid.Map(rapid.Int64(), func(n int64) any { return billing.DecimalFromInt(n).Mul(billing.MustDecimal("0.001")) }),
		rapid.Map(rapid.Int64Range(-1e13, 1e15), func(ms int64) any { return time.UnixMilli(ms).UTC() }),
		rapid.Map(rapid.Int64(), func(n int64) any { return time.Duration(n) }),
		rapid.Just(any(billing.Say("inner", "amount", billing.MustMoney("-3", "USD")))),
	)
	rapid.Check(t, func(rt *rapid.T) {
		text := billing.Text{Key: rapid.StringN(1, 20, -1).Draw(rt, "key"), Args: rapid.MapOfN(rapid.StringN(1, 8, -1), value, 1, 4).Draw(rt, "args")}
		var got billing.Text
		if err := (sentence{&got}).Scan(textOrNull(text)); err != nil {
			rt.Fatal(err)
		}
		diff(t, "text", text, got)
		if t.Failed() {
			rt.FailNow()
		}
	})
}

func TestTextKeepsWhatItDoesNotKnowAsWords(t *testing.T) {
	type region string
	text := billing.Say("k", "region", region("eu-1"), "secret", billing.NewSecret("hunter2"), "small", int8(3),
		"local", time.Date(2026, 1, 2, 8, 0, 0, 0, time.FixedZone("", 8*3600)))
	column := textOrNull(text).(string)
	if strings.Contains(column, "hunter2") {
		t.Errorf("a secret is in %s", column)
	}
	var got billing.Text
	must(t, sentence{&got}.Scan(column))
	diff(t, "text", billing.Say("k", "region", "eu-1", "secret", "[secret]", "small", 3, "local", time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)), got)
}

func TestNoTextIsNull(t *testing.T) {
	if got := textOrNull(billing.Text{}); got != nil {
		t.Errorf("stored as %v", got)
	}
	got := billing.Say("left over")
	must(t, sentence{&got}.Scan(nil))
	diff(t, "text", billing.Text{}, got)
	var syntax *json.SyntaxError
	if err := (sentence{&got}).Scan("{"); err == nil || errors.As(err, &syntax) == false {
		t.Errorf("a broken column gives %v", err)
	}
}
