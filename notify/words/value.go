package words

import (
	"fmt"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
)

// value is what fills a gap. A sentence writes {{.name}} for the usual form and {{.name.PerHour}} and the like for
// another one.
type value struct {
	p Printer
	v any
}

// String is the usual form.
func (v value) String() string { return v.gap(v.rich()) }

// gap fences a form, so that settle finds where it begins and ends.
func (v value) gap(r notify.Rich) string { return string(gapStart) + string(r) + string(gapEnd) }

func (v value) rich() notify.Rich {
	p := v.p
	switch x := v.v.(type) {
	case nil:
		return notify.Plain(p.unknown())
	case notify.Rich:
		return x
	case billing.Text:
		return p.Sentence(x)
	case []string:
		return plain(p.List(x))
	case []billing.Text:
		said := make([]string, len(x))
		for i, t := range x {
			said[i] = p.Say(t)
		}
		return plain(p.List(said))
	case []notify.Rich:
		return notify.Join(p.comma(), x...)
	}
	return plain(v.text())
}

// plain strips the marks of notify.Rich and our own fences from text from outside.
func plain(s string) notify.Rich {
	return notify.Plain(strings.NewReplacer(string(gapStart), "", string(gapEnd), "").Replace(s))
}

func (v value) text() string {
	p := v.p
	switch x := v.v.(type) {
	case string:
		return x
	case billing.Money:
		return p.Money(x)
	case billing.Decimal:
		return p.Number(x)
	case time.Time:
		return p.Clock(x)
	case time.Duration:
		return p.Duration(x)
	case billing.Kind:
		return p.Kind(x)
	case billing.State:
		return p.State(x)
	case billing.Part:
		return p.Part(x)
	case billing.Mode:
		return p.Mode(x)
	case float64:
		return p.Number(decimal(x))
	}
	if n, ok := whole(v.v); ok {
		return p.Number(billing.DecimalFromInt(int64(n)))
	}
	return fmt.Sprint(v.v)
}

// decimal reads a number that went through JSON.
func decimal(f float64) billing.Decimal {
	d, err := billing.ParseDecimal(fmt.Sprint(f))
	if err != nil {
		return billing.Decimal{}
	}
	return d
}

// PerHour, PerDay and PerMonth write an amount as a rate.
func (v value) PerHour() string { return v.per(PerHour) }

// PerDay writes an amount as a rate.
func (v value) PerDay() string { return v.per(PerDay) }

// PerMonth writes an amount as a rate.
func (v value) PerMonth() string { return v.per(PerMonth) }

func (v value) per(unit string) string {
	m, _ := v.v.(billing.Money)
	return v.gap(plain(v.p.MoneyPer(m, unit)))
}

// Date writes an instant as a day.
func (v value) Date() string {
	t, _ := v.v.(time.Time)
	return v.gap(plain(v.p.Date(t)))
}

// Kind, State, Part and Mode name what a string stands for, after a way through JSON.
func (v value) Kind() string { return v.gap(plain(v.p.Kind(billing.Kind(fmt.Sprint(v.v))))) }

// State names a state.
func (v value) State() string { return v.gap(plain(v.p.State(billing.State(fmt.Sprint(v.v))))) }

// Part names a part of a bill.
func (v value) Part() string { return v.gap(plain(v.p.Part(billing.Part(fmt.Sprint(v.v))))) }

// Mode names a way to pay.
func (v value) Mode() string { return v.gap(plain(v.p.Mode(billing.Mode(fmt.Sprint(v.v))))) }
