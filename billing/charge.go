package billing

import "time"

// Period is a span of time, start inclusive, end exclusive, in UTC.
type Period struct{ Start, End time.Time }

// Duration is the length of the period.
func (p Period) Duration() time.Duration { return p.End.Sub(p.Start) }

// Contains says whether an instant lies in the period.
func (p Period) Contains(t time.Time) bool { return !t.Before(p.Start) && t.Before(p.End) }

// ChargeSource says by which way a charge came. Per account and UTC day one source counts; the others are kept for
// comparison and never added.
type ChargeSource string

// The sources of charges, in the default order in which they count.
const (
	SourceFOCUS   ChargeSource = "focus"   // a FOCUS file
	SourceNative  ChargeSource = "native"  // a cloud's own bill file
	SourceAPI     ChargeSource = "api"     // a billing API
	SourceCounter ChargeSource = "counter" // derived from a wallet's lifetime counter
)

// Sources lists every source, in the default order.
func Sources() []ChargeSource {
	return []ChargeSource{SourceFOCUS, SourceNative, SourceAPI, SourceCounter}
}

// Charge is the vendor's figure for something over a period. Names are FOCUS column names. An unknown Money or Decimal
// is a null of the file; BilledCost is always known.
type Charge struct {
	Provider           string // ServiceProviderName, else ProviderName
	Publisher          string // PublisherName
	InvoiceIssuer      string // InvoiceIssuerName
	InvoiceID          string // "" while not invoiced
	BillingAccountID   string
	BillingAccountName string
	SubAccountID       string
	SubAccountName     string

	BillingPeriod Period
	ChargePeriod  Period

	BilledCost          Money
	EffectiveCost       Money
	ListCost            Money
	ContractedCost      Money
	ListUnitPrice       Decimal
	ContractedUnitPrice Decimal

	ChargeCategory    string // Usage, Purchase, Tax, Credit, Adjustment
	ChargeClass       string // "Correction" or ""
	ChargeDescription string
	ChargeFrequency   string
	PricingCategory   string
	PricingCurrency   string
	PricingQuantity   Decimal
	PricingUnit       string
	ConsumedQuantity  Decimal
	ConsumedUnit      string

	CommitmentDiscountID       string
	CommitmentDiscountName     string
	CommitmentDiscountType     string
	CommitmentDiscountCategory string
	CommitmentDiscountStatus   string
	CommitmentDiscountQuantity Decimal
	CommitmentDiscountUnit     string
	CapacityReservationID      string
	CapacityReservationStatus  string
	ResourceID                 string
	ResourceName               string
	ResourceType               string
	RegionID                   string
	RegionName                 string
	AvailabilityZone           string
	ServiceCategory            string
	ServiceSubcategory         string
	ServiceName                string
	SkuID                      string
	SkuMeter                   string
	SkuPriceID                 string
	SkuPriceDetails            string // JSON text
	Tags                       string // JSON text, "" for null
	ContractApplied            string // JSON text

	// What we read out of the row, for cuts.
	Part    Part
	GPU     string // canonical model, "" where the row does not say
	Mode    Mode
	Owner   string
	Project string
}

// Whole says that a charge covers a day or longer, so that it keeps the vendor's own date in every zone. 23 h 59 min is
// enough: some clouds end their days at :59.
func (c *Charge) Whole() bool { return c.ChargePeriod.Duration() >= 23*time.Hour+59*time.Minute }

// Coverage says how far a cloud has delivered its bill. No line is not the same as not delivered.
type Coverage struct {
	From        time.Time // nothing that started before it was ever delivered: no line there is not nothing; zero where the bill has no such beginning
	Through     time.Time // every charge that started before it has been delivered; zero is unknown
	Provisional time.Time // from here on figures may still change; zero for none
}
