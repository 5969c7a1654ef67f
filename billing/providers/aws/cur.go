package aws

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/focus"
)

// UsageReport reads AWS's Cost and Usage Report: the CSV of the first form (lineItem/UnblendedCost) and the CSV or
// Parquet of CUR 2.0 (line_item_unblended_cost). What is billed is the unblended cost; what a savings plan covers is paid
// by the plan, so that its lines and their negations, which cancel, count as nothing billed. The effective cost is what
// AWS documents for each type of line. Source: docs.aws.amazon.com/cur/latest/userguide/ (line item details, reservation
// and savings plans columns), 2026-12-01.
type UsageReport struct {
	table   *focus.Table
	at      map[string]int
	tags    []tagColumn
	plans   *Coverings
	rounded int64
}

// tagColumn is one of the columns of the first form that hold one tag each.
type tagColumn struct {
	key string
	at  int
}

// Coverings adds up what savings plans cover and AWS takes off again, over all files of a delivery. The two cancel, or a
// file is missing.
type Coverings struct {
	left    map[billing.Currency]billing.Money
	covered int
}

// Check fails where lines and negations do not cancel.
func (c *Coverings) Check() error {
	for currency, left := range c.left {
		if left.Sign() != 0 {
			return fmt.Errorf("import: what savings plans cover and what AWS takes off for it differ by %s %s; a file of the report seems to be missing: name all of its files in one command", left.Amount(), currency)
		}
	}
	return nil
}

func (c *Coverings) add(m billing.Money) (err error) {
	if c.left == nil {
		c.left = map[billing.Currency]billing.Money{}
	}
	c.covered++
	sum, ok := c.left[m.Currency()]
	if !ok {
		sum = billing.ZeroMoney(m.Currency())
	}
	c.left[m.Currency()], err = sum.Add(m)
	return err
}

// OpenUsageReport reads the column names of a file. name is what errors call it; closing is the caller's.
func OpenUsageReport(name string, r io.Reader, plans *Coverings) (*UsageReport, error) {
	t, err := focus.OpenTable(name, r)
	if err != nil {
		return nil, err
	}
	u := &UsageReport{table: t, at: map[string]int{}, plans: plans}
	for i, column := range t.Columns() {
		if key, ok := strings.CutPrefix(column, "resourceTags/"); ok {
			u.tags = append(u.tags, tagColumn{strings.TrimPrefix(key, "user:"), i})
			continue
		}
		u.at[snake(column)] = i
	}
	var missing []string
	for _, c := range []string{"bill_payer_account_id", "bill_billing_period_start_date", "line_item_line_item_type", "line_item_usage_start_date",
		"line_item_unblended_cost", "line_item_currency_code"} {
		if _, ok := u.at[c]; !ok {
			missing = append(missing, c)
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("read %s: the file has no column %s, which every Cost and Usage Report has; a FOCUS export is read by `gpuspend import focus`", name, strings.Join(missing, ", "))
	}
	return u, nil
}

// snake turns lineItem/UnblendedCost into line_item_unblended_cost; names of that form stay.
func snake(name string) string {
	var b strings.Builder
	var before rune
	for i, r := range strings.TrimSpace(name) {
		switch {
		case r == '/' || r == ':' || r == '-' || r == ' ':
			r = '_'
		case r >= 'A' && r <= 'Z':
			if i > 0 && before != '_' {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// Rounded is how many amounts had more than 18 decimals.
func (u *UsageReport) Rounded() int64 { return u.rounded }

// reportLine is a row being read.
type reportLine struct {
	*UsageReport
	cells    []string
	kind     string
	currency billing.Currency
	bad      error // the first cell that cannot be read
}

func (l *reportLine) text(column string) string {
	i, ok := l.at[column]
	if !ok || l.cells[i] == "NULL" {
		return ""
	}
	return l.cells[i]
}

// first is the first of some columns that says something.
func (l *reportLine) first(columns ...string) string {
	for _, c := range columns {
		if s := l.text(c); s != "" {
			return s
		}
	}
	return ""
}

func (l *reportLine) fail(column, want string) {
	if l.bad == nil {
		l.bad = l.table.Fault(l.at[column], l.text(column), want)
	}
}

// amount is the amount of a column; unknown where the cell is empty or the file lacks the column.
func (l *reportLine) amount(column string) billing.Money {
	if l.text(column) == "" {
		return billing.Money{}
	}
	m, rounded, err := billing.ParseMoney(l.text(column), l.currency)
	if err != nil {
		l.fail(column, "a number; write it like 1234.56")
	}
	if rounded {
		l.rounded++
	}
	return m
}

func (l *reportLine) time(column string) time.Time {
	s := l.text(column)
	for _, form := range []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02 15:04:05.000", time.DateOnly} {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC()
		}
	}
	l.fail(column, "a time; write it like 2026-05-01T00:00:00Z")
	return time.Time{}
}

// Read fills c with the next charge, and returns io.EOF after the last. A row that cannot be read is a *focus.RowError.
func (u *UsageReport) Read(c *billing.Charge) error {
	for {
		cells, err := u.table.Read()
		if err != nil {
			return err
		}
		l := &reportLine{UsageReport: u, cells: cells}
		l.kind = l.text("line_item_line_item_type")
		if l.currency, err = billing.ParseCurrency(l.text("line_item_currency_code")); err != nil {
			l.fail("line_item_currency_code", "a currency; write the ISO 4217 code, like USD")
			return l.bad
		}
		cost := l.amount("line_item_unblended_cost")
		if l.bad == nil && !cost.Known() {
			l.fail("line_item_unblended_cost", "an amount; every line has one")
		}
		if l.bad != nil {
			return l.bad
		}
		switch l.kind {
		case "SavingsPlanCoveredUsage":
			if err := u.plans.add(cost); err != nil {
				return err
			}
			cost = billing.ZeroMoney(l.currency)
		case "SavingsPlanNegation":
			if err := u.plans.add(cost); err != nil {
				return err
			}
			continue
		}
		l.charge(c, cost)
		if l.bad != nil {
			return l.bad
		}
		return nil
	}
}

// charge puts a row into our words.
func (l *reportLine) charge(c *billing.Charge, cost billing.Money) {
	*c = billing.Charge{
		Provider: "AWS", Publisher: "AWS", InvoiceIssuer: l.first("line_item_legal_entity", "bill_billing_entity"), InvoiceID: l.text("bill_invoice_id"),
		BillingAccountID: l.text("bill_payer_account_id"), BillingAccountName: l.text("bill_payer_account_name"),
		SubAccountID: l.text("line_item_usage_account_id"), SubAccountName: l.text("line_item_usage_account_name"),
		BilledCost: cost, EffectiveCost: l.effective(cost), ListCost: l.amount("pricing_public_on_demand_cost"),
		ChargeDescription: l.text("line_item_line_item_description"), PricingCurrency: l.text("pricing_currency"), PricingUnit: l.text("pricing_unit"),
		ResourceID: l.text("line_item_resource_id"), ResourceType: l.first("product_instance_type", "product_product_family"),
		RegionID: l.first("product_region_code", "product_region"), AvailabilityZone: l.text("line_item_availability_zone"),
		ServiceName: l.first("product_product_name", "product_servicename", "line_item_product_code"), SkuID: l.text("product_sku"),
		SkuMeter: l.text("line_item_usage_type"), ConsumedUnit: l.text("pricing_unit"),
		CommitmentDiscountID: l.first("reservation_reservation_a_r_n", "reservation_reservation_arn", "savings_plan_savings_plan_a_r_n", "savings_plan_savings_plan_arn"),
		Tags:                 l.tagged(),
	}
	if d, err := billing.ParseDecimal(l.text("line_item_usage_amount")); err == nil && l.text("line_item_usage_amount") != "" {
		c.ConsumedQuantity, c.PricingQuantity = d, d
	}
	c.BillingPeriod.Start = l.time("bill_billing_period_start_date")
	if l.text("bill_billing_period_end_date") != "" {
		c.BillingPeriod.End = l.time("bill_billing_period_end_date")
	}
	c.ChargePeriod.Start = l.time("line_item_usage_start_date")
	c.ChargePeriod.End = c.ChargePeriod.Start
	if l.text("line_item_usage_end_date") != "" {
		c.ChargePeriod.End = l.time("line_item_usage_end_date")
	}
	if l.bad == nil && c.ChargePeriod.End.Before(c.ChargePeriod.Start) {
		l.fail("line_item_usage_end_date", "a time after the start of the line")
	}
	l.categorise(c)
}

// categorise says what sort of line it is.
func (l *reportLine) categorise(c *billing.Charge) {
	c.ChargeFrequency = "Usage-Based"
	switch l.kind {
	case "Tax":
		c.ChargeCategory = "Tax"
	case "Credit":
		c.ChargeCategory, c.ChargeFrequency = "Credit", "One-Time"
	case "Refund":
		c.ChargeCategory, c.ChargeFrequency = "Adjustment", "One-Time"
	case "Fee", "SavingsPlanUpfrontFee":
		c.ChargeCategory, c.ChargeFrequency = "Purchase", "One-Time"
	case "RIFee", "SavingsPlanRecurringFee":
		c.ChargeCategory, c.ChargeFrequency = "Purchase", "Recurring"
	case "Usage", "DiscountedUsage", "SavingsPlanCoveredUsage":
		c.ChargeCategory = "Usage"
	default:
		c.ChargeCategory = "Usage"
		if strings.HasSuffix(l.kind, "Discount") { // EdpDiscount, PrivateRateDiscount, BundledDiscount, RiVolumeDiscount
			c.ChargeCategory = "Credit"
		}
	}
	switch {
	case l.kind == "DiscountedUsage" || l.kind == "SavingsPlanCoveredUsage":
		c.PricingCategory = "Committed"
	case strings.Contains(c.SkuMeter, "SpotUsage"):
		c.PricingCategory = "Dynamic"
	case c.ChargeCategory == "Usage":
		c.PricingCategory = "Standard"
	}
	what := readUsage(c.ServiceName, c.SkuMeter)
	if l.kind == "Tax" {
		what = usageType{part: billing.PartOther}
	}
	c.Part, c.Mode = what.part, what.mode
	if c.PricingCategory == "Committed" {
		c.Mode = billing.ModeReserved
	}
	if c.Part == billing.PartInstance {
		c.GPU = gpuOf(cmp.Or(l.text("product_instance_type"), what.typ)).Model
	}
}

// effective is the amortised cost of a line, as AWS documents it for each type. A line of a type that has a column of its
// own for it, in a file without that column, has none: unknown, not zero.
func (l *reportLine) effective(cost billing.Money) billing.Money {
	switch l.kind {
	case "DiscountedUsage":
		return l.amount("reservation_effective_cost")
	case "SavingsPlanCoveredUsage":
		return l.amount("savings_plan_savings_plan_effective_cost")
	case "RIFee":
		return l.sum(l.amount("reservation_unused_amortized_upfront_fee_for_billing_period"), l.amount("reservation_unused_recurring_fee"))
	case "SavingsPlanRecurringFee":
		total, used := l.amount("savings_plan_total_commitment_to_date"), l.amount("savings_plan_used_commitment")
		if unused, err := total.Sub(used); err == nil {
			return unused
		}
		return billing.Money{}
	case "SavingsPlanUpfrontFee":
		return billing.ZeroMoney(l.currency)
	case "Fee":
		if l.first("reservation_reservation_a_r_n", "reservation_reservation_arn") != "" {
			return billing.ZeroMoney(l.currency) // it comes back hour by hour
		}
	}
	return cost
}

func (l *reportLine) sum(a, b billing.Money) billing.Money {
	switch sum, err := a.Add(b); {
	case err == nil:
		return sum
	case a.Known():
		return a
	}
	return b
}

// tagged are the tags of a line: a map of CUR 2.0, or the columns of the first form.
func (l *reportLine) tagged() string {
	if s := l.text("resource_tags"); s != "" && s != "{}" {
		return strings.ReplaceAll(s, `"user_`, `"`)
	}
	tags := map[string]string{}
	for _, t := range l.tags {
		if v := l.cells[t.at]; v != "" {
			tags[t.key] = v
		}
	}
	for column, at := range l.at {
		if key, ok := strings.CutPrefix(column, "resource_tags_user_"); ok && l.cells[at] != "" {
			tags[key] = l.cells[at]
		}
	}
	if len(tags) == 0 {
		return ""
	}
	text, err := json.Marshal(tags)
	if err != nil {
		return ""
	}
	return string(text)
}
