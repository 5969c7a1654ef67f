package storage

import (
	"context"
	"fmt"
	"iter"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

// Lines gives the charges that a question is about, one by one as they were delivered: of the counting source, placed as
// Billed places them. The cuts are not looked at. What a polled bill does not say is filled in where it is known
// otherwise: the billing account from the account itself, the billing period as the calendar month of the charge.
func (d *DB) Lines(ctx context.Context, q ledger.Question) iter.Seq2[billing.Charge, error] {
	return func(yield func(billing.Charge, error) bool) {
		err := d.lines(ctx, q, yield)
		if err != nil {
			yield(billing.Charge{}, fail("read charges", err))
		}
	}
}

func (d *DB) lines(ctx context.Context, q ledger.Question, yield func(billing.Charge, error) bool) error {
	tx, err := d.readers.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	b := &billed{q: q, tx: tx}
	if b.rival, err = rivals(ctx, tx); err != nil {
		return err
	}
	where, args := b.where("c", sortOfLine, "c.day")
	first, end := localDay(q.From, q.Zone), localDay(q.To, q.Zone)
	rows, err := tx.QueryContext(ctx, fmt.Sprintf(`SELECT c.start_at, c.end_at, c.day, c.whole, c.billed_nanos, c.billed_rest, c.effective_nanos, c.effective_rest, c.list_nanos, c.list_rest,
		c.contracted_nanos, c.contracted_rest, coalesce(c.pricing_quantity, ''), coalesce(c.consumed_quantity, ''), coalesce(c.commitment_quantity, ''),
		i.currency, i.category, coalesce(i.class, ''), coalesce(i.resource, ''), coalesce(i.resource_name, ''), i.details,
		l.provider, l.service, l.part, l.region, l.owner, l.project, l.gpu, l.mode,
		p.source, p.billing_account, p.period_start, p.period_end, a.vendor_id, a.provider
		FROM parts p CROSS JOIN charges c ON c.part_id = p.id JOIN items i ON i.id = c.item_id JOIN labels l ON l.id = i.label_id JOIN accounts a ON a.id = p.account_id
		WHERE p.state = 'live' %s AND c.start_at >= ? AND c.start_at < ? AND (c.whole = 0 AND c.start_at >= ? AND c.start_at < ? OR c.whole = 1 AND c.day >= ? AND c.day < ?)
		ORDER BY p.period_start, p.id, c.start_at, c.id`, where),
		append(args, (first-1)*dayMillis, (end+1)*dayMillis, stamp(q.From), stamp(q.To), first, end)...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		c, err := scanLine(rows)
		if err != nil {
			return err
		}
		if !yield(c, nil) {
			return nil
		}
	}
	return rows.Err()
}

func scanLine(r row) (c billing.Charge, err error) {
	var amounts [4]parts
	var currency, vendorID, provider string
	var source billing.ChargeSource
	var day int64
	var whole bool
	var rest details
	var billed, effective, list, contracted = &amounts[0], &amounts[1], &amounts[2], &amounts[3]
	err = r.Scan(when{&c.ChargePeriod.Start}, when{&c.ChargePeriod.End}, &day, &whole, &billed.nanos, &billed.rest, &effective.nanos, &effective.rest, &list.nanos, &list.rest,
		&contracted.nanos, &contracted.rest, decimal{&c.PricingQuantity}, decimal{&c.ConsumedQuantity}, decimal{&c.CommitmentDiscountQuantity},
		&currency, &c.ChargeCategory, &c.ChargeClass, &c.ResourceID, &c.ResourceName, asJSON{&rest},
		&c.Provider, &c.ServiceName, &c.Part, &c.RegionID, &c.Owner, &c.Project, &c.GPU, &c.Mode,
		&source, &c.BillingAccountID, when{&c.BillingPeriod.Start}, when{&c.BillingPeriod.End}, &vendorID, &provider)
	if err != nil {
		return c, err
	}
	for i, to := range []*billing.Money{&c.BilledCost, &c.EffectiveCost, &c.ListCost, &c.ContractedCost} {
		if *to, err = amounts[i].money(currency); err != nil {
			return c, err
		}
	}
	if source == billing.SourceAPI || source == billing.SourceCounter {
		at := time.Unix(0, 0).UTC().AddDate(0, 0, int(day))
		month := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
		c.BillingPeriod = billing.Period{Start: month, End: month.AddDate(0, 1, 0)}
		c.BillingAccountID = vendorID
	}
	return c, rest.into(&c)
}

// into fills the columns that no question cuts by into a charge.
func (d details) into(c *billing.Charge) (err error) {
	c.Publisher, c.InvoiceIssuer, c.InvoiceID, c.BillingAccountName = d.PublisherName, d.InvoiceIssuerName, d.InvoiceId, d.BillingAccountName
	c.SubAccountID, c.SubAccountName = d.SubAccountId, d.SubAccountName
	c.ChargeDescription, c.ChargeFrequency = d.ChargeDescription, d.ChargeFrequency
	c.PricingCategory, c.PricingCurrency, c.PricingUnit, c.ConsumedUnit = d.PricingCategory, d.PricingCurrency, d.PricingUnit, d.ConsumedUnit
	c.CommitmentDiscountID, c.CommitmentDiscountName, c.CommitmentDiscountType = d.CommitmentDiscountId, d.CommitmentDiscountName, d.CommitmentDiscountType
	c.CommitmentDiscountCategory, c.CommitmentDiscountStatus, c.CommitmentDiscountUnit = d.CommitmentDiscountCategory, d.CommitmentDiscountStatus, d.CommitmentDiscountUnit
	c.CapacityReservationID, c.CapacityReservationStatus = d.CapacityReservationId, d.CapacityReservationStatus
	c.ResourceType, c.RegionName, c.AvailabilityZone = d.ResourceType, d.RegionName, d.AvailabilityZone
	c.ServiceCategory, c.ServiceSubcategory = d.ServiceCategory, d.ServiceSubcategory
	c.SkuID, c.SkuMeter, c.SkuPriceID, c.SkuPriceDetails = d.SkuId, d.SkuMeter, d.SkuPriceId, d.SkuPriceDetails
	c.Tags, c.ContractApplied = d.Tags, d.ContractApplied
	if c.ListUnitPrice, err = parseDecimal(d.ListUnitPrice); err != nil {
		return err
	}
	c.ContractedUnitPrice, err = parseDecimal(d.ContractedUnitPrice)
	return err
}
