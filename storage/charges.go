package storage

import (
	"gpuspend/billing"
)

const insertCharge = `INSERT INTO charges (part_id, item_id, start_at, end_at, day, whole,
	billed_nanos, billed_rest, effective_nanos, effective_rest, list_nanos, list_rest, contracted_nanos, contracted_rest,
	pricing_quantity, consumed_quantity, commitment_quantity)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// write puts down what is the line's own; what it has in common with others stands in its item.
func (l *loader) write(c *billing.Charge, part, item int64, at place) error {
	billed, rest := c.BilledCost.Parts()
	en, er := nanosAndRest(c.EffectiveCost)
	ln, lr := nanosAndRest(c.ListCost)
	cn, cr := nanosAndRest(c.ContractedCost)
	_, err := l.insert.Exec(part, item, stamp(c.ChargePeriod.Start), stamp(c.ChargePeriod.End), at.day, at.whole,
		billed, rest, en, er, ln, lr, cn, cr,
		digitsOrNull(c.PricingQuantity), digitsOrNull(c.ConsumedQuantity), digitsOrNull(c.CommitmentDiscountQuantity))
	return err
}

// orNull gives NULL for "".
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func digitsOrNull(d billing.Decimal) any {
	if !d.Known() {
		return nil
	}
	return d.String()
}
