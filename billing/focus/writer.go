package focus

import (
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
)

// Writer writes charges as FOCUS 1.2 CSV. A null is an empty cell: nothing is made up, and what a row lacks although the
// standard wants it is counted.
type Writer struct {
	csv     *csv.Writer
	columns []written
	cells   []string
	lacking map[string]int
}

// written is a column of FOCUS 1.2 and what stands in it.
type written struct {
	name   string
	needed bool // never null in the standard
	text   func(c *billing.Charge) string
}

// unknownColumns are those of FOCUS 1.2 that no bill here is kept with.
func unknownColumns() []string {
	return []string{"BillingAccountType", "SubAccountType", "PricingCurrencyContractedUnitPrice", "PricingCurrencyEffectiveCost", "PricingCurrencyListUnitPrice"}
}

// written12 lists the columns in the order of the standard's library. x_Owner, x_Project and x_GPU are ours: what a mapping
// and the words of the row say.
func written12() []written {
	type charge = billing.Charge
	at := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format("2006-01-02T15:04:05Z")
	}
	money := func(m billing.Money) string { return m.Amount() }
	must := func(name string, text func(c *charge) string) written { return written{name, true, text} }
	may := func(name string, text func(c *charge) string) written { return written{name, false, text} }
	return []written{
		may("AvailabilityZone", func(c *charge) string { return c.AvailabilityZone }),
		must("BilledCost", func(c *charge) string { return money(c.BilledCost) }),
		must("BillingAccountId", func(c *charge) string { return c.BillingAccountID }),
		may("BillingAccountName", func(c *charge) string { return c.BillingAccountName }),
		must("BillingCurrency", func(c *charge) string { return string(c.BilledCost.Currency()) }),
		must("BillingPeriodEnd", func(c *charge) string { return at(c.BillingPeriod.End) }),
		must("BillingPeriodStart", func(c *charge) string { return at(c.BillingPeriod.Start) }),
		may("CapacityReservationId", func(c *charge) string { return c.CapacityReservationID }),
		may("CapacityReservationStatus", func(c *charge) string { return c.CapacityReservationStatus }),
		must("ChargeCategory", func(c *charge) string { return c.ChargeCategory }),
		may("ChargeClass", func(c *charge) string { return c.ChargeClass }),
		may("ChargeDescription", func(c *charge) string { return c.ChargeDescription }),
		must("ChargeFrequency", func(c *charge) string { return c.ChargeFrequency }),
		must("ChargePeriodEnd", func(c *charge) string { return at(c.ChargePeriod.End) }),
		must("ChargePeriodStart", func(c *charge) string { return at(c.ChargePeriod.Start) }),
		may("CommitmentDiscountCategory", func(c *charge) string { return c.CommitmentDiscountCategory }),
		may("CommitmentDiscountId", func(c *charge) string { return c.CommitmentDiscountID }),
		may("CommitmentDiscountName", func(c *charge) string { return c.CommitmentDiscountName }),
		may("CommitmentDiscountQuantity", func(c *charge) string { return c.CommitmentDiscountQuantity.String() }),
		may("CommitmentDiscountStatus", func(c *charge) string { return c.CommitmentDiscountStatus }),
		may("CommitmentDiscountType", func(c *charge) string { return c.CommitmentDiscountType }),
		may("CommitmentDiscountUnit", func(c *charge) string { return c.CommitmentDiscountUnit }),
		may("ConsumedQuantity", func(c *charge) string { return c.ConsumedQuantity.String() }),
		may("ConsumedUnit", func(c *charge) string { return c.ConsumedUnit }),
		must("ContractedCost", func(c *charge) string { return money(c.ContractedCost) }),
		may("ContractedUnitPrice", func(c *charge) string { return c.ContractedUnitPrice.String() }),
		must("EffectiveCost", func(c *charge) string { return money(c.EffectiveCost) }),
		may("InvoiceId", func(c *charge) string { return c.InvoiceID }),
		must("InvoiceIssuerName", func(c *charge) string { return c.InvoiceIssuer }),
		must("ListCost", func(c *charge) string { return money(c.ListCost) }),
		may("ListUnitPrice", func(c *charge) string { return c.ListUnitPrice.String() }),
		may("PricingCategory", func(c *charge) string { return c.PricingCategory }),
		may("PricingCurrency", func(c *charge) string { return c.PricingCurrency }),
		may("PricingQuantity", func(c *charge) string { return c.PricingQuantity.String() }),
		may("PricingUnit", func(c *charge) string { return c.PricingUnit }),
		must("ProviderName", func(c *charge) string { return c.Provider }),
		must("PublisherName", func(c *charge) string { return c.Publisher }),
		may("RegionId", func(c *charge) string { return c.RegionID }),
		may("RegionName", func(c *charge) string { return c.RegionName }),
		may("ResourceId", func(c *charge) string { return c.ResourceID }),
		may("ResourceName", func(c *charge) string { return c.ResourceName }),
		may("ResourceType", func(c *charge) string { return c.ResourceType }),
		must("ServiceCategory", func(c *charge) string { return c.ServiceCategory }),
		must("ServiceName", func(c *charge) string { return c.ServiceName }),
		must("ServiceSubcategory", func(c *charge) string { return c.ServiceSubcategory }),
		may("SkuId", func(c *charge) string { return c.SkuID }),
		may("SkuMeter", func(c *charge) string { return c.SkuMeter }),
		may("SkuPriceDetails", func(c *charge) string { return c.SkuPriceDetails }),
		may("SkuPriceId", func(c *charge) string { return c.SkuPriceID }),
		may("SubAccountId", func(c *charge) string { return c.SubAccountID }),
		may("SubAccountName", func(c *charge) string { return c.SubAccountName }),
		may("Tags", func(c *charge) string { return c.Tags }),
		may("x_Owner", func(c *charge) string { return c.Owner }),
		may("x_Project", func(c *charge) string { return c.Project }),
		may("x_GPU", func(c *charge) string { return c.GPU }),
	}
}

// NewWriter writes the line of column names at the first charge, or at Close.
func NewWriter(out io.Writer) *Writer {
	w := &Writer{csv: csv.NewWriter(out), columns: written12(), lacking: map[string]int{}}
	for _, c := range w.columns {
		w.cells = append(w.cells, c.name)
	}
	_ = w.csv.Write(w.cells) // kept for Error
	return w
}

// Write writes a charge.
func (w *Writer) Write(c *billing.Charge) error {
	for i, column := range w.columns {
		w.cells[i] = column.text(c)
		if column.needed && w.cells[i] == "" {
			w.lacking[column.name]++
		}
	}
	return w.csv.Write(w.cells)
}

// Close writes what is left.
func (w *Writer) Close() error {
	w.csv.Flush()
	return w.csv.Error()
}

// Lacking names the columns that FOCUS 1.2 wants in every row and that some rows have nothing for, with how many.
func (w *Writer) Lacking() (names []string, rows map[string]int) {
	return slices.Sorted(maps.Keys(w.lacking)), w.lacking
}

// NeverWritten names the columns of FOCUS 1.2 that are left out altogether.
func (w *Writer) NeverWritten() string { return strings.Join(unknownColumns(), ", ") }
