package focus

import (
	"strings"
	"time"

	"gpuspend/billing"
)

// clues are the words of a row by which it is classified. They repeat from row to row.
type clues struct {
	charge, category, subcategory, service, kind, meter, description, details string
}

// class is what clues say.
type class struct {
	part billing.Part
	gpu  string
	spot bool // a word says so, in files that lack PricingCategory
}

// Classifier reads out of a charge's words what part of a bill it is, which card and which mode. It remembers what it
// made of them: rules cost more than all the rest of a row.
type Classifier struct {
	rules []rule
	known map[clues]class
}

const classifierRoom = 1 << 13

// Classify fills in the part of the bill, the GPU and the mode of payment.
func (k *Classifier) Classify(c *billing.Charge) {
	found := k.class(clues{
		charge:      c.ChargeCategory,
		category:    c.ServiceCategory,
		subcategory: c.ServiceSubcategory,
		service:     c.ServiceName,
		kind:        c.ResourceType,
		meter:       c.SkuMeter,
		description: c.ChargeDescription,
		details:     machine(c.SkuPriceDetails),
	})
	c.Part, c.GPU = found.part, found.gpu
	c.Mode = mode(c, found.spot)
}

func (k *Classifier) class(row clues) class {
	if found, ok := k.known[row]; ok {
		return found
	}
	if k.known == nil {
		k.rules, k.known = rules(), make(map[clues]class)
	}
	if len(k.known) >= classifierRoom {
		clear(k.known)
	}
	made := k.judge(row)
	k.known[row.clone()] = made
	return made
}

func (k *Classifier) judge(row clues) class {
	words := row.words()
	made := class{part: partOf(k.rules, words)}
	if made.part == billing.PartInstance {
		all := strings.Join([]string{row.details, row.kind, row.meter, row.description}, " ")
		made.gpu = gpuOf(all)
		made.spot = containsAny(words[inMeter]+words[inDescription], " spot ", "preemptible", "抢占", "竞价")
	}
	return made
}

// clone cuts the words loose from their row.
func (row clues) clone() clues {
	return clues{
		charge:      strings.Clone(row.charge),
		category:    strings.Clone(row.category),
		subcategory: strings.Clone(row.subcategory),
		service:     strings.Clone(row.service),
		kind:        strings.Clone(row.kind),
		meter:       strings.Clone(row.meter),
		description: strings.Clone(row.description),
		details:     strings.Clone(row.details),
	}
}

// machine picks the type of machine, or the model of the card, out of the JSON of SkuPriceDetails. FOCUS names the keys
// InstanceType and GpuModel; it is not worth parsing the JSON of every row for them.
func machine(details string) string {
	for _, key := range []string{`"GpuModel"`, `"InstanceType"`} {
		i := strings.Index(details, key)
		if i < 0 {
			continue
		}
		rest := strings.TrimLeft(details[i+len(key):], " :")
		if value, ok := strings.CutPrefix(rest, `"`); ok {
			if end := strings.IndexByte(value, '"'); end > 0 {
				return value[:end]
			}
		}
	}
	return ""
}

// mode reads the mode of payment: PricingCategory where the file has it (FOCUS: Dynamic is spot), else the words. A
// purchase without a commitment is a subscription, named by the length of its period.
func mode(c *billing.Charge, spot bool) billing.Mode {
	switch {
	case c.PricingCategory == "Dynamic" || spot:
		return billing.ModeSpot
	case c.PricingCategory == "Committed" || c.CommitmentDiscountID != "" || c.CommitmentDiscountType != "":
		return billing.ModeReserved
	case c.ChargeCategory == "Purchase" && c.ChargePeriod.Duration() >= 360*24*time.Hour:
		return billing.ModeYearly
	case c.ChargeCategory == "Purchase" && c.ChargePeriod.Duration() >= 27*24*time.Hour:
		return billing.ModeMonthly
	case c.ChargeCategory == "Usage" && c.PricingCategory == "Standard":
		return billing.ModeOnDemand
	}
	return billing.ModeUnknown
}
