package focus

import (
	"fmt"
	"strings"
)

type header struct {
	plan    []step
	version string
	ignored []string
}

// readHeader finds the columns by name. Letter case and spaces around a name don't matter.
func readHeader(names []string) (header, error) {
	at := make(map[string]int, len(names))
	for i, name := range names {
		key := fold(name)
		if _, twice := at[key]; twice {
			return header{}, fmt.Errorf("column %s stands in the header twice", strings.TrimSpace(name))
		}
		at[key] = i
	}
	h := header{version: version(at)}
	read := make(map[int]bool, len(names))
	var missing []string
	for _, c := range columns() {
		index, ok := c.find(at)
		switch {
		case ok:
			h.plan = append(h.plan, step{c, index})
			read[index] = true
		case c.needed:
			missing = append(missing, c.name)
		}
	}
	for i, name := range names {
		if !read[i] {
			h.ignored = append(h.ignored, strings.Clone(name))
		}
	}
	if missing != nil {
		return header{}, fmt.Errorf("the file has no column %s, which every FOCUS 1.0 to 1.4 cost and usage file has", strings.Join(missing, ", "))
	}
	return h, nil
}

func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// find looks for the column under its name, else under the names that older exports use.
func (c column) find(at map[string]int) (int, bool) {
	if i, ok := at[fold(c.name)]; ok {
		return i, true
	}
	for _, name := range c.older {
		if i, ok := at[fold(name)]; ok {
			return i, true
		}
	}
	return 0, false
}

// version guesses from the columns that came with each version (FOCUS column libraries 1.0 to 1.4).
func version(at map[string]int) string {
	has := func(names ...string) bool {
		for _, name := range names {
			if _, ok := at[fold(name)]; ok {
				return true
			}
		}
		return false
	}
	switch {
	case has("InvoiceDetailId", "CommitmentProgramEligibilityDetails"), has("ServiceProviderName") && !has("ProviderName"):
		return "1.4"
	case has("ServiceProviderName", "HostProviderName", "ContractApplied", "AllocatedMethodId", "AllocatedResourceId"):
		return "1.3"
	case has("InvoiceId", "BillingAccountType", "SubAccountType", "PricingCurrency"):
		return "1.2"
	case has("ServiceSubcategory", "SkuMeter", "SkuPriceDetails", "CapacityReservationId", "CommitmentDiscountQuantity"):
		return "1.1"
	}
	return "1.0"
}
