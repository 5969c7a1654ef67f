package ledger

import (
	"fmt"
	"strings"
	"time"

	"gpuspend/billing"
)

// View is a way to reckon money. FOCUS keeps two figures of every charge: BilledCost, what the invoice says, and
// EffectiveCost, with what was paid ahead spread over its term. They are never added.
type View string

// The views.
const (
	Billed    View = "billed"    // the sum of BilledCost
	Gross     View = "gross"     // usage and purchases before credits, refunds, taxes and corrections
	Amortised View = "amortised" // the sum of EffectiveCost
	Cash      View = "cash"      // what was paid: top-ups of prepaid wallets, the bill of everything else
)

// Views lists them, the default first.
func Views() []View { return []View{Billed, Gross, Amortised, Cash} }

// Sort is what a charge is to a bill. Every charge is of exactly one, so that the sorts add up to the bill.
type Sort int

// The sorts.
const (
	Usage      Sort = iota // usage and purchases
	Credit                 // ChargeCategory Credit
	Refund                 // a usage, purchase or adjustment below zero: clouds write refunds as these
	Tax                    // ChargeCategory Tax
	Correction             // of a period that was invoiced before, and adjustments above zero
	sorts
)

// Sorts are the sums of BilledCost by sort; unknown where there was no such charge.
type Sorts [sorts]billing.Money

// SortOf says what a charge is.
func SortOf(category, class string, billedSign int) Sort {
	switch {
	case class == "Correction":
		return Correction
	case category == "Tax":
		return Tax
	case category == "Credit":
		return Credit
	case billedSign < 0:
		return Refund
	case category == "Adjustment":
		return Correction
	}
	return Usage
}

// String is the key of a row cut by charge.
func (s Sort) String() string {
	switch s {
	case Credit:
		return "credit"
	case Refund:
		return "refund"
	case Tax:
		return "tax"
	case Correction:
		return "correction"
	}
	return "usage"
}

// Calendar says that a cut is one of time.
func (c Cut) Calendar() bool { return c == ByDay || c == ByWeek || c == ByMonth }

// Label says that a cut is by what a charge is labelled with, which is shared by many.
func (c Cut) Label() bool {
	switch c {
	case ByProvider, ByService, ByPart, ByRegion, ByOwner, ByProject, ByGPU, ByMode:
		return true
	}
	return false
}

// Date is the key of an instant under a cut of time, as the clock of its zone shows it.
func (c Cut) Date(local time.Time) string {
	switch c {
	case ByWeek:
		y, w := local.ISOWeek()
		return isoWeek(y, w)
	case ByMonth:
		return local.Format("2006-01")
	}
	return local.Format(time.DateOnly)
}

// Filter leaves what has one of some values under a cut: of any case, and up to a "-" or a space, so that gpu=h100 finds
// H100-80G and provider=alibaba Alibaba Cloud. The value "" stands for what the bill does not say.
type Filter struct {
	By     Cut
	Values []string
	Not    bool // leaves what has none of them
	Exact  bool // no more than the value itself, in its own case
}

// Lets says whether a value passes.
func (f Filter) Lets(value string) bool {
	for _, v := range f.Values {
		if f.Exact {
			if v == value {
				return !f.Not
			}
			continue
		}
		if strings.EqualFold(v, value) || v != "" && (hasPrefixFold(value, v+"-") || hasPrefixFold(value, v+" ")) {
			return !f.Not
		}
	}
	return f.Not
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func isoWeek(y, w int) string { return fmt.Sprintf("%04d-W%02d", y, w) }
