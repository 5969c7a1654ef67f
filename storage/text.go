package storage

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"gpuspend/billing"
)

// Sentences outlive a restart, so their arguments keep their types in the store: an amount that came back as a bare
// string would lose its currency, and a time its reader's zone.

// storedText is a billing.Text as JSON.
type storedText struct {
	Key  string               `json:"key"`
	Args map[string]storedArg `json:"args,omitempty"`
}

// storedArg is one argument; exactly one field is set.
type storedArg struct {
	String   *string        `json:"string,omitempty"`
	Int      *int64         `json:"int,omitempty"`
	Money    *storedMoney   `json:"money,omitempty"`
	Decimal  *string        `json:"decimal,omitempty"` // "" is unknown
	Time     *int64         `json:"ms,omitempty"`      // Unix milliseconds
	Duration *time.Duration `json:"ns,omitempty"`
	Text     *storedText    `json:"text,omitempty"`
}

// storedMoney is an amount as JSON; without a currency it is unknown.
type storedMoney struct {
	Amount   string           `json:"amount,omitempty"`
	Currency billing.Currency `json:"currency,omitempty"`
}

func keepMoney(m billing.Money) storedMoney {
	return storedMoney{Amount: m.Amount(), Currency: m.Currency()}
}

func (m storedMoney) money() (billing.Money, error) {
	if m.Currency == "" {
		return billing.Money{}, nil
	}
	got, _, err := billing.ParseMoney(m.Amount, m.Currency)
	return got, err
}

func keepText(t billing.Text) storedText {
	s := storedText{Key: t.Key}
	for name, v := range t.Args {
		if s.Args == nil {
			s.Args = make(map[string]storedArg, len(t.Args))
		}
		s.Args[name] = keepArg(v)
	}
	return s
}

// keepArg never fails: what Text does not promise to carry is kept as its words, since a sentence that can't be stored
// must not stop what it is about.
func keepArg(v any) storedArg {
	switch v := v.(type) {
	case billing.Money:
		m := keepMoney(v)
		return storedArg{Money: &m}
	case billing.Decimal:
		s := v.String()
		return storedArg{Decimal: &s}
	case time.Time:
		ms := v.UnixMilli()
		return storedArg{Time: &ms}
	case time.Duration:
		return storedArg{Duration: &v}
	case billing.Text:
		t := keepText(v)
		return storedArg{Text: &t}
	}
	if r := reflect.ValueOf(v); r.CanInt() {
		n := r.Int()
		return storedArg{Int: &n}
	}
	s := fmt.Sprint(v)
	return storedArg{String: &s}
}

func (s storedText) text() (billing.Text, error) {
	t := billing.Text{Key: s.Key}
	for name, a := range s.Args {
		v, err := a.value()
		if err != nil {
			return billing.Text{}, fmt.Errorf("argument %s of %s: %w", name, s.Key, err)
		}
		if t.Args == nil {
			t.Args = make(map[string]any, len(s.Args))
		}
		t.Args[name] = v
	}
	return t, nil
}

// value gives the argument back; every integer comes back as an int.
func (a storedArg) value() (any, error) {
	switch {
	case a.Int != nil:
		return int(*a.Int), nil
	case a.Money != nil:
		return a.Money.money()
	case a.Decimal != nil:
		return parseDecimal(*a.Decimal)
	case a.Time != nil:
		return fromMillis(*a.Time), nil
	case a.Duration != nil:
		return *a.Duration, nil
	case a.Text != nil:
		return a.Text.text()
	case a.String != nil:
		return *a.String, nil
	}
	return "", nil
}

// textOrNull is a sentence as a column holds it; NULL for none.
func textOrNull(t billing.Text) any {
	if t.IsZero() {
		return nil
	}
	return encode(keepText(t))
}

// sentence scans a billing.Text; NULL is the zero Text.
type sentence struct{ to *billing.Text }

// Scan serves database/sql.
func (s sentence) Scan(v any) error {
	*s.to = billing.Text{}
	if v == nil {
		return nil
	}
	var kept storedText
	if err := decode(v, &kept); err != nil {
		return err
	}
	t, err := kept.text()
	*s.to = t
	return err
}

// encode makes JSON of types of ours that always marshal.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("storage: %T does not marshal: %v", v, err))
	}
	return string(b)
}

func decode(column, to any) error {
	s, err := textOf(column)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(s), to)
}

// asJSON scans a JSON column into any value.
type asJSON struct{ to any }

// Scan serves database/sql.
func (j asJSON) Scan(v any) error { return decode(v, j.to) }
