package alibaba

import (
	"regexp"
	"strings"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/gpu"
)

// family is the part of an instance type that tells its cards: "gn7i" of "ecs.gn7i-c8g1.2xlarge".
func family(typ string) string {
	f := strings.TrimPrefix(typ, "ecs.")
	f, _, _ = strings.Cut(f, ".")
	f, _, _ = strings.Cut(f, "-")
	return f
}

// modelOf is the card of a family: Alibaba's GPUSpec leaves the memory out, so that a V100 could be either. Families
// whose card Alibaba does not print are left to GPUSpec.
func modelOf(family string) string {
	if model := gpu.At("alibaba", family); model != gpu.Canonical(family) {
		return model
	}
	return ""
}

// slice matches the memory in GB of the part of a card that a virtual GPU is: "-m4" of "ecs.vgn6i-m4-vws.xlarge".
var slice = regexp.MustCompile(`-m([0-9]+)s?(?:-vws)?\.`)

// cardMemory is the memory in GB of the card that a family of virtual GPUs shares; 0 for families of whole cards.
func cardMemory(family string) int64 {
	switch family {
	case "vgn7i", "sgn7i":
		return 24
	case "vgn6i":
		return 16
	case "sgn8ia":
		return 48
	}
	return 0
}

// gpuOf says which cards a type has, from its family and what the API says of it. Of virtual GPUs the API counts one or
// none; the type's name has the part of the card.
func gpuOf(typ, spec string, amount billing.Decimal) billing.GPU {
	f := family(typ)
	g := billing.GPU{Model: modelOf(f), Count: amount}
	if g.Model == "" && spec != "" {
		g.Model = gpu.Canonical(spec)
	}
	if whole := cardMemory(f); whole > 0 {
		if m := slice.FindStringSubmatch(typ); m != nil {
			part := billing.MustDecimal(m[1])
			if d, err := part.Div(billing.DecimalFromInt(whole), 6); err == nil {
				g.Count = d
			}
		}
	}
	if g.Model == "" && amount.Sign() > 0 {
		g.Model = strings.ToUpper(f) // a card that nobody names
	}
	if g.Model == "" {
		return billing.GPU{}
	}
	return g
}

// hasGPU says that a machine is one with cards, of which it may have a part only.
func (i instance) hasGPU() bool {
	f := strings.TrimPrefix(family(i.Type), "ebm")
	return decimal(i.GPUAmount).Sign() > 0 || i.GPUSpec != "" || strings.HasPrefix(f, "gn") ||
		strings.HasPrefix(f, "vgn") || strings.HasPrefix(f, "sgn")
}
