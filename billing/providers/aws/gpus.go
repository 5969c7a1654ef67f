package aws

import (
	"regexp"
	"strconv"
	"strings"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/gpu"
)

// accelerated matches the families that have accelerators, those too that the table does not have yet: what is new is
// dear and must not go unseen.
var accelerated = regexp.MustCompile(`^(p|g|gr|trn|inf|dl|vt)[0-9]`)

// hasGPU says that a type has accelerators.
func hasGPU(typ string) bool { return accelerated.MatchString(typ) }

// gpuOf tells the cards of a type; of one that the table lacks they are unknown.
func gpuOf(typ string) billing.GPU {
	f := typeLine(typ)
	if f == nil {
		return billing.GPU{}
	}
	mib, err := strconv.ParseFloat(f[3], 64)
	if err != nil {
		mib = 0
	}
	return billing.GPU{Model: gpu.Sized(cardName(f[1]), mib), Count: billing.MustDecimal(f[2])}
}

// cardName mends what EC2 calls a card otherwise than everybody.
func cardName(s string) string {
	if s == "RTX PRO Server 6000" {
		return "RTX PRO 6000"
	}
	return s
}

// typeLine finds a type's line in the table.
func typeLine(typ string) []string {
	_, line, ok := strings.Cut(gpuTable, "\n"+typ+"|")
	if !ok || typ == "" {
		return nil
	}
	line, _, _ = strings.Cut(line, "\n")
	return append([]string{typ}, strings.Split(line, "|")...)
}

// typesOf lists the types with a card; "" for all.
func typesOf(model string) []string {
	var types []string
	for line := range strings.SplitSeq(strings.TrimSpace(gpuTable), "\n") {
		typ, _, _ := strings.Cut(line, "|")
		if model == "" || gpuOf(typ).Model == model {
			types = append(types, typ)
		}
	}
	return types
}
