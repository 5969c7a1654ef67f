package billing

// BillKind is what has to be known of a source of bills before its figures are shown. The zero value is a bill whose
// columns are what FOCUS says.
type BillKind struct {
	// NoEffective says that EffectiveCost is null or unusable, so that the amortised view takes BilledCost.
	NoEffective bool
	// NoInvoice says that BilledCost is no invoice amount: Huawei Cloud gives the original cost there.
	NoInvoice bool
}

// Plain says that nothing has to be declared.
func (k BillKind) Plain() bool { return k == BillKind{} }
