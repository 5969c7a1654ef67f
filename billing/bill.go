package billing

import "strings"

// BillKind is what has to be known of a source of bills before its figures are shown. The zero value is a bill whose
// columns are what FOCUS says.
type BillKind struct {
	// NoEffective says that EffectiveCost is null or unusable, so that the amortised view takes BilledCost.
	NoEffective bool
	// NoInvoice says that BilledCost is no invoice amount: Huawei Cloud gives the original cost there.
	NoInvoice bool
}

// BillOf recognises, by its provider's name in the file, a bill whose columns are not what FOCUS says: Tencent Cloud
// leaves EffectiveCost null, Huawei Cloud gives the original cost as BilledCost (their documentation of the export).
func BillOf(provider string) BillKind {
	p := strings.ToLower(provider)
	return BillKind{NoEffective: strings.Contains(p, "tencent") || strings.Contains(p, "腾讯"),
		NoInvoice: strings.Contains(p, "huawei") || strings.Contains(p, "华为")}
}

// Plain says that nothing has to be declared.
func (k BillKind) Plain() bool { return k == BillKind{} }
