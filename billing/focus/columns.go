package focus

import (
	"errors"
	"strings"
	"time"

	"gpuspend/billing"
)

// A column is one column of FOCUS that we keep, and how its cells are read.
type column struct {
	name   string
	older  []string // names in exports made before FOCUS 1.0, such as Oracle's
	needed bool     // a file without it is refused
	filled bool     // its cells are never null
	// read puts a cell into the charge. It gets "" for null, and only where filled is set. It returns "" or what was
	// expected in place of the cell.
	read func(r *Reader, c *billing.Charge, cell string) (want string)
}

// columns makes the table of columns, in the order in which a row is read: the currency stands before the amounts.
// Every call makes a new one, for the columns of a Reader remember their last cell.
func columns() []column {
	type charge = billing.Charge
	return []column{
		must(column{name: "BillingCurrency", read: currency()}),
		must(column{name: "BilledCost", read: money(func(c *charge) *billing.Money { return &c.BilledCost })}),
		must(column{name: "BillingAccountId", read: needed(func(c *charge) *string { return &c.BillingAccountID })}),
		must(column{name: "BillingPeriodStart", read: instant(func(c *charge) *time.Time { return &c.BillingPeriod.Start })}),
		must(column{name: "ChargePeriodStart", read: instant(func(c *charge) *time.Time { return &c.ChargePeriod.Start })}),
		must(column{name: "ChargePeriodEnd", read: instant(func(c *charge) *time.Time { return &c.ChargePeriod.End })}),
		{name: "BillingPeriodEnd", read: instant(func(c *charge) *time.Time { return &c.BillingPeriod.End })},

		{name: "EffectiveCost", read: money(func(c *charge) *billing.Money { return &c.EffectiveCost })},
		{name: "ListCost", read: money(func(c *charge) *billing.Money { return &c.ListCost })},
		{name: "ContractedCost", read: money(func(c *charge) *billing.Money { return &c.ContractedCost })},
		{name: "ListUnitPrice", read: number(func(c *charge) *billing.Decimal { return &c.ListUnitPrice })},
		{name: "ContractedUnitPrice", read: number(func(c *charge) *billing.Decimal { return &c.ContractedUnitPrice })},
		{name: "PricingQuantity", read: number(func(c *charge) *billing.Decimal { return &c.PricingQuantity })},
		{name: "ConsumedQuantity", older: []string{"UsageQuantity"}, read: number(func(c *charge) *billing.Decimal { return &c.ConsumedQuantity })},
		{name: "CommitmentDiscountQuantity", read: number(func(c *charge) *billing.Decimal { return &c.CommitmentDiscountQuantity })},

		{name: "ServiceProviderName", read: word(func(c *charge) *string { return &c.Provider })},
		{name: "ProviderName", older: []string{"Provider"}, read: providerName()},
		{name: "PublisherName", older: []string{"Publisher"}, read: word(func(c *charge) *string { return &c.Publisher })},
		{name: "InvoiceIssuerName", older: []string{"InvoiceIssuer"}, read: word(func(c *charge) *string { return &c.InvoiceIssuer })},
		{name: "InvoiceId", read: word(func(c *charge) *string { return &c.InvoiceID })},
		{name: "BillingAccountName", read: word(func(c *charge) *string { return &c.BillingAccountName })},
		{name: "SubAccountId", read: word(func(c *charge) *string { return &c.SubAccountID })},
		{name: "SubAccountName", read: word(func(c *charge) *string { return &c.SubAccountName })},

		{name: "ChargeCategory", read: word(func(c *charge) *string { return &c.ChargeCategory })},
		{name: "ChargeClass", read: word(func(c *charge) *string { return &c.ChargeClass })},
		{name: "ChargeDescription", read: text(func(c *charge) *string { return &c.ChargeDescription })},
		{name: "ChargeFrequency", read: frequency()},
		{name: "PricingCategory", read: word(func(c *charge) *string { return &c.PricingCategory })},
		{name: "PricingCurrency", read: word(func(c *charge) *string { return &c.PricingCurrency })},
		{name: "PricingUnit", read: word(func(c *charge) *string { return &c.PricingUnit })},
		{name: "ConsumedUnit", older: []string{"UsageUnit"}, read: word(func(c *charge) *string { return &c.ConsumedUnit })},

		{name: "CommitmentDiscountId", read: word(func(c *charge) *string { return &c.CommitmentDiscountID })},
		{name: "CommitmentDiscountName", read: word(func(c *charge) *string { return &c.CommitmentDiscountName })},
		{name: "CommitmentDiscountType", read: word(func(c *charge) *string { return &c.CommitmentDiscountType })},
		{name: "CommitmentDiscountCategory", read: word(func(c *charge) *string { return &c.CommitmentDiscountCategory })},
		{name: "CommitmentDiscountStatus", read: word(func(c *charge) *string { return &c.CommitmentDiscountStatus })},
		{name: "CommitmentDiscountUnit", read: word(func(c *charge) *string { return &c.CommitmentDiscountUnit })},
		{name: "CapacityReservationId", read: word(func(c *charge) *string { return &c.CapacityReservationID })},
		{name: "CapacityReservationStatus", read: word(func(c *charge) *string { return &c.CapacityReservationStatus })},

		{name: "ResourceId", read: text(func(c *charge) *string { return &c.ResourceID })},
		{name: "ResourceName", read: text(func(c *charge) *string { return &c.ResourceName })},
		{name: "ResourceType", read: word(func(c *charge) *string { return &c.ResourceType })},
		{name: "RegionId", older: []string{"Region"}, read: word(func(c *charge) *string { return &c.RegionID })},
		{name: "RegionName", read: word(func(c *charge) *string { return &c.RegionName })},
		{name: "AvailabilityZone", read: word(func(c *charge) *string { return &c.AvailabilityZone })},
		{name: "ServiceCategory", read: word(func(c *charge) *string { return &c.ServiceCategory })},
		{name: "ServiceSubcategory", read: word(func(c *charge) *string { return &c.ServiceSubcategory })},
		{name: "ServiceName", read: word(func(c *charge) *string { return &c.ServiceName })},
		{name: "SkuId", read: word(func(c *charge) *string { return &c.SkuID })},
		{name: "SkuMeter", read: word(func(c *charge) *string { return &c.SkuMeter })},
		{name: "SkuPriceId", read: word(func(c *charge) *string { return &c.SkuPriceID })},
		{name: "SkuPriceDetails", read: text(func(c *charge) *string { return &c.SkuPriceDetails })},
		{name: "Tags", read: text(func(c *charge) *string { return &c.Tags })},
		{name: "ContractApplied", read: text(func(c *charge) *string { return &c.ContractApplied })},
	}
}

// must marks a column that a file has to have, with a value in every row.
func must(c column) column {
	c.needed, c.filled = true, true
	return c
}

// reading is the shape of column.read.
type reading = func(r *Reader, c *billing.Charge, cell string) string

// text reads a string that rarely repeats.
func text(at func(*billing.Charge) *string) reading {
	return func(_ *Reader, c *billing.Charge, cell string) string {
		*at(c) = cell
		return ""
	}
}

// word reads a string that repeats. Neighbours tend to be equal, so the last one is tried before the map.
func word(at func(*billing.Charge) *string) reading {
	var last string
	return func(r *Reader, c *billing.Charge, cell string) string {
		if cell != last {
			last = r.words.intern(cell)
		}
		*at(c) = last
		return ""
	}
}

// needed reads a word that must be there.
func needed(at func(*billing.Charge) *string) reading {
	read := word(at)
	return func(r *Reader, c *billing.Charge, cell string) string {
		if cell == "" {
			return "an id; every row has one"
		}
		return read(r, c, cell)
	}
}

// providerName gives way to ServiceProviderName, which replaced it in FOCUS 1.3.
func providerName() reading {
	read := word(func(c *billing.Charge) *string { return &c.Provider })
	return func(r *Reader, c *billing.Charge, cell string) string {
		if c.Provider != "" {
			return ""
		}
		return read(r, c, cell)
	}
}

// frequency mends the letter case of Oracle's "Usage-based".
func frequency() reading {
	read := word(func(c *billing.Charge) *string { return &c.ChargeFrequency })
	return func(r *Reader, c *billing.Charge, cell string) string {
		if cell == "Usage-based" {
			cell = "Usage-Based"
		}
		return read(r, c, cell)
	}
}

func currency() reading {
	var last string
	var code billing.Currency
	return func(r *Reader, _ *billing.Charge, cell string) string {
		if cell != last || cell == "" {
			c, err := billing.ParseCurrency(strings.TrimSpace(cell))
			if err != nil {
				return "a currency; write the ISO 4217 code, like USD or CNY"
			}
			last, code = r.words.intern(cell), billing.Currency(r.words.intern(string(c)))
		}
		r.currency = code
		return ""
	}
}

func money(at func(*billing.Charge) *billing.Money) reading {
	return func(r *Reader, c *billing.Charge, cell string) string {
		m, rounded, err := billing.ParseMoney(strings.TrimSpace(cell), r.currency)
		if err != nil {
			return numberWanted(err)
		}
		if rounded {
			r.stats.Rounded++
		}
		*at(c) = m
		return ""
	}
}

func number(at func(*billing.Charge) *billing.Decimal) reading {
	return func(_ *Reader, c *billing.Charge, cell string) string {
		d, err := billing.ParseDecimal(strings.TrimSpace(cell))
		if err != nil {
			return numberWanted(err)
		}
		*at(c) = d
		return ""
	}
}

func numberWanted(err error) string {
	if errors.Is(err, billing.ErrOverflow) {
		return "a number that fits; an amount reaches to 9223372036"
	}
	return "a number; write it like 1234.56"
}

func instant(at func(*billing.Charge) *time.Time) reading {
	var last string
	var t time.Time
	return func(_ *Reader, c *billing.Charge, cell string) string {
		if cell != last || cell == "" {
			parsed, ok := parseTime(strings.TrimSpace(cell))
			if !ok {
				return "a time; write it like 2026-05-01T00:00:00Z"
			}
			last, t = cell, parsed
		}
		*at(c) = t
		return ""
	}
}

// interner keeps one copy of strings that repeat. It starts afresh when full, so that a column full of ids costs
// nothing but time.
type interner map[string]string

const internerRoom = 1 << 14

func (i *interner) intern(s string) string {
	if kept, ok := (*i)[s]; ok {
		return kept
	}
	if *i == nil {
		*i = make(interner)
	}
	if len(*i) >= internerRoom {
		clear(*i)
	}
	s = strings.Clone(s)
	(*i)[s] = s
	return s
}
