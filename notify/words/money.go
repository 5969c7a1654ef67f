package words

import (
	"strings"

	"gpuspend/billing"
)

// The units of a rate.
const (
	PerHour  = "h"
	PerDay   = "day"
	PerMonth = "month"
)

// Money writes an amount with its currency, rounded half away from zero at the currency's minor unit: "CN¥1,234.50",
// "$38.40", "EUR 12.00"; in Chinese "¥1,234.50". An unknown amount is "unknown", never 0.
func (p Printer) Money(m billing.Money) string {
	if !m.Known() {
		return p.unknown()
	}
	return p.sign(m.Rounded(m.Currency().MinorUnits()), m.Currency())
}

// MoneyTo writes an amount with a fixed number of decimals, for unit costs that are compared with one another.
func (p Printer) MoneyTo(m billing.Money, digits int) string {
	if !m.Known() {
		return p.unknown()
	}
	return p.sign(m.Rounded(digits), m.Currency())
}

// MoneyPer writes a rate, such as "CN¥7.92/h" or "¥7.92/小时". A small rate keeps digits enough to be compared:
// 0.0137/h. The unit is PerHour, PerDay or PerMonth.
func (p Printer) MoneyPer(m billing.Money, unit string) string {
	if !m.Known() {
		return p.unknown()
	}
	return p.sign(m.Rounded(rateDigits(m)), m.Currency()) + p.Text("words.per."+unit)
}

// rateDigits is how many decimals show three digits that count, but no more than the amount has.
func rateDigits(m billing.Money) int {
	least := m.Currency().MinorUnits()
	for d := least; d < 6; d++ {
		shown := m.Rounded(d)
		counting := strings.TrimLeft(strings.ReplaceAll(shown, ".", ""), "-0")
		if len(counting) >= 3 || trimmed(shown) == m.Amount() {
			return d
		}
	}
	if m.Sign() == 0 {
		return least
	}
	return 6
}

// trimmed takes the zeros off the end of a fraction.
func trimmed(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// sign puts the currency to a rounded amount.
func (p Printer) sign(amount string, c billing.Currency) string {
	minus := ""
	if strings.HasPrefix(amount, "-") {
		minus, amount = "-", amount[1:]
	}
	amount = group(amount)
	switch {
	case c == "CNY" && p.Lang == Chinese:
		return minus + "¥" + amount
	case c == "CNY":
		return minus + "CN¥" + amount
	case c == "USD":
		return minus + "$" + amount
	}
	return minus + string(c) + " " + amount
}

// Monies writes the sums of several currencies: "CN¥547.80 + $14.00".
func (p Printer) Monies(sums []billing.Money) string {
	all := make([]string, 0, len(sums))
	for _, m := range sums {
		all = append(all, p.Money(m))
	}
	if len(all) == 0 {
		return p.unknown()
	}
	return strings.Join(all, " + ")
}

// Sum writes a tally: "CN¥12.40", and "at least CN¥12.40 (1 item without price)" where an amount is unknown.
func (p Printer) Sum(t billing.Tally) string {
	switch sums := t.Totals(); {
	case t.Unknown() == 0 && len(sums) > 0:
		return p.Monies(sums)
	case len(sums) == 0:
		return p.unknown()
	default:
		return p.Text("words.at_least", "sum", p.Monies(sums), "count", t.Unknown())
	}
}

// Number writes a quantity with separators of thousands and all its digits.
func (p Printer) Number(d billing.Decimal) string {
	if !d.Known() {
		return p.unknown()
	}
	s := d.String()
	if strings.HasPrefix(s, "-") {
		return "-" + group(s[1:])
	}
	return group(s)
}

// Count writes a whole number.
func (p Printer) Count(n int) string { return p.Number(billing.DecimalFromInt(int64(n))) }

// Figure writes an amount without its currency, rounded half away from zero, where a column's heading has it.
func (p Printer) Figure(m billing.Money, digits int) string {
	if !m.Known() {
		return p.unknown()
	}
	return group(m.Rounded(digits))
}

// group puts commas between thousands.
func group(s string) string {
	whole, fraction, point := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		return whole + "." + fraction
	}
	return whole
}
