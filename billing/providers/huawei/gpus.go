package huawei

import (
	"strconv"
	"strings"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/gpu"
)

// family is the part of a flavor that tells its cards: "p2s" of "p2s.2xlarge.8".
func family(flavor string) string {
	f, _, _ := strings.Cut(flavor, ".")
	return f
}

// modelOf is the card of a family; "" where no page of Huawei names it.
func modelOf(flavor string) string {
	switch family(flavor) {
	case "g7", "g7v":
		return "A40"
	case "g6", "g6v", "pi2":
		return "T4"
	case "p5e":
		return "H100-NVL"
	case "p5s":
		return "H100"
	case "p3":
		return "A100-80G"
	case "p2s", "p2vs":
		return "V100-32G"
	case "p2v", "g5":
		return "V100-16G"
	case "pi5e":
		return "L4"
	case "p1":
		return "P100"
	case "pi1":
		return "P4"
	case "g3", "g1":
		return "M60"
	case "ai1", "ai1s", "kai1s":
		return "ASCEND-310"
	}
	return ""
}

// size is the number of a flavor's size: 2 of "p2s.2xlarge.8".
func size(flavor string) int64 {
	parts := strings.Split(flavor, ".")
	if len(parts) < 2 {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSuffix(parts[1], "xlarge"), 10, 64)
	return n
}

// cardsOf is how many cards a flavor has, part of one for virtual GPUs; unknown where no page of Huawei says.
func cardsOf(flavor string) billing.Decimal {
	n := size(flavor)
	per := map[string]int64{"p1": 2, "p2s": 2, "p2v": 2, "p2vs": 2, "p3": 2, "pi1": 2, "pi2": 2, "p5e": 5, "p5s": 5, "g7": 12}[family(flavor)]
	switch {
	case n == 0:
		return billing.Decimal{}
	case per > 0:
		return billing.DecimalFromInt(n / per)
	}
	switch flavor {
	case "g6.4xlarge.4", "g6.10xlarge.7", "g5.8xlarge.4", "pi5e.2xlarge.4", "pi5e.4xlarge.4":
		return billing.DecimalFromInt(1)
	case "g6.20xlarge.7", "pi5e.8xlarge.4":
		return billing.DecimalFromInt(2)
	case "pi5e.12xlarge.4", "pi5e.16xlarge.4":
		return billing.DecimalFromInt(4)
	case "pi5e.24xlarge.4":
		return billing.DecimalFromInt(6)
	case "g7v.2xlarge.8", "g7v.4xlarge.8", "g7v.6xlarge.8":
		part, err := billing.DecimalFromInt(n).Div(billing.DecimalFromInt(12), 6)
		if err == nil {
			return part
		}
	}
	return billing.Decimal{}
}

// sliced says that a family's cards are parts of one: what the API counts is not cards.
func sliced(flavor string) bool {
	switch family(flavor) {
	case "g7v", "g6v", "g1":
		return true
	}
	return false
}

// accelerated says that a machine has GPUs or NPUs, or is of a family that has.
func (s server) accelerated() bool {
	return len(s.Flavor.GPUs) > 0 || len(s.Flavor.NPUs) > 0 || modelOf(s.Flavor.ID) != "" || npu(s.Flavor.ID)
}

// npu says that a family has Ascend cards.
func npu(flavor string) bool {
	f := family(flavor)
	return strings.HasPrefix(f, "ai") || strings.HasPrefix(f, "kai")
}

// gpu says which cards a machine has: as the list tells, and from its flavor's name where the list does not.
func (s server) gpu() billing.GPU {
	cards := append(append([]accelerator{}, s.Flavor.GPUs...), s.Flavor.NPUs...)
	g := billing.GPU{Model: modelOf(s.Flavor.ID), Count: cardsOf(s.Flavor.ID)}
	if len(cards) == 0 || sliced(s.Flavor.ID) {
		return g
	}
	g.Model, g.Count = "", billing.DecimalFromInt(0)
	for _, c := range cards {
		model := gpu.Sized(c.Name, decimal(c.MemoryMiB).Float64())
		if g.Model != "" && g.Model != model {
			continue // no machine is known to have two sorts
		}
		g.Model = model
		if n := decimal(c.Count); n.Sign() > 0 {
			g.Count = g.Count.Add(n)
		}
	}
	if g.Count.Sign() == 0 {
		g.Count = billing.Decimal{}
	}
	return g
}

// gpu says which cards a flavor has; the alias, such as "nvidia-v100-32g:1", helps where the name is not known.
func (f flavor) gpu() billing.GPU {
	g := billing.GPU{Model: modelOf(f.ID), Count: cardsOf(f.ID)}
	if g.Model != "" && g.Count.Known() || sliced(f.ID) {
		return g
	}
	name, count, ok := strings.Cut(f.Extra.Alias, ":")
	if n, err := strconv.ParseInt(count, 10, 64); ok && err == nil && n > 0 {
		g.Count = billing.DecimalFromInt(n)
		if g.Model == "" {
			g.Model = gpu.Canonical(name)
		}
	}
	return g
}

// localDisks says that a family has disks of its own hosts, for which a stopped machine is billed on.
func localDisks(flavor string) bool {
	switch f := family(flavor); f {
	case "p1", "p2", "h2", "d1", "d2", "d3", "d6", "d7", "i3", "i7", "ir3", "ir7", "fp1", "fp1c", "physical":
		return true
	}
	return false
}
