// Package gpu gives every card one name, whatever the clouds call it, so that their prices can be compared.
package gpu

import (
	"regexp"
	"strings"
)

// Canonical gives a card's one name, such as "A100-80G" for "NVIDIA A100-SXM4-80GB". A name that fits several cards
// stays open ("A100-ANY"): which one it is must be asked, not guessed. A card that the table lacks keeps its own name
// without the maker's; "" stays "".
func Canonical(name string) string {
	words, memory := split(name)
	if len(words) == 0 {
		return ""
	}
	if known := lookUp(strings.Join(words, ""), memory); known != "" {
		return known
	}
	if memory != "" {
		words = append(words, memory+"G")
	}
	return strings.Join(words, "-")
}

// noise holds the words that do not tell cards of different prices apart: makers, sockets, kinds of memory.
const noise = " NVIDIA GEFORCE TESLA QUADRO AMD INSTINCT HUAWEI GENERATION EDITION BLACKWELL SERVER WORKSTATION HGX " +
	"SXM SXM2 SXM3 SXM4 SXM5 SXM6 PCIE NVLINK HBM2 HBM2E HBM3 HBM3E OAM FHHL AC ANY MEGA PLUS "

// memorySize matches a word that is a memory size; without a unit only where it can be no model.
var memorySize = regexp.MustCompile(`^(\d{2,3})(G|GB|GIB)$|^(16|32|40|80)$`)

// cardCount matches how many cards there are, which people write with the card: "8卡A100", "L20.x2".
var cardCount = regexp.MustCompile(`^\d+\s*[卡×X]\s*|\.X\d+$`)

// spacedUnit matches a memory size whose unit stands apart, as in "H100 (80 GB SXM5)".
var spacedUnit = regexp.MustCompile(`(\d) (GB|GIB)\b`)

// split takes a name apart into the words of its model and its memory in GB, "" where it names none.
func split(name string) (words []string, memory string) {
	name = cardCount.ReplaceAllString(strings.ToUpper(name), "")
	name = strings.ReplaceAll(name, "昇腾", "ASCEND ")
	name = spacedUnit.ReplaceAllString(name, "$1$2")
	for _, w := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(" _-/()", r) }) {
		m := memorySize.FindStringSubmatch(w)
		switch {
		case strings.Contains(noise, " "+w+" "):
		case m != nil && len(words) > 0:
			memory = m[1] + m[3]
		default:
			words = append(words, w)
		}
	}
	return words, memory
}

// lookUp knows the cards whose names vary by more than case, spaces and makers.
func lookUp(model, memory string) string {
	switch model {
	case "A100", "A800", "V100", "H20":
		return sized(model, memory)
	case "A100X":
		return sized("A100", memory)
	case "H100NVL", "H200NVL":
		return model[:4] + "-NVL"
	case "GB200NVL", "GB200NVL72":
		return "GB200"
	case "RTX4090", "4090":
		if memory == "48" {
			return "RTX-4090-48G"
		}
		return "RTX-4090"
	case "RTX4090D", "4090D":
		return "RTX-4090-D"
	case "RTX5090", "5090":
		return "RTX-5090"
	case "RTX3090", "3090":
		return "RTX-3090"
	case "RTX3090TI", "3090TI":
		return "RTX-3090-TI"
	case "A6000", "RTXA6000":
		return "RTX-A6000"
	case "RTX6000", "QRTX6000":
		return "RTX-6000"
	case "RTX6000ADA", "6000ADA":
		return "RTX-6000-ADA"
	case "RTXPRO6000", "RTXPRO6000S", "RTXPRO6000WS", "RTXPRO6000MAXQ":
		return "RTX-PRO-6000"
	case "ASCEND910B", "910B", "NPU910B":
		return "ASCEND-910B"
	case "H100", "H200", "H800", "B200", "B300", "GB200", "GH200", "L4", "L20", "L40", "L40S", "A10", "A10G", "A30", "A40",
		"T4", "T4G", "P4", "P40", "P100", "M40", "MI300X", "MI308X":
		return model // one memory size each: naming it adds nothing
	}
	return ""
}

// sized names a card that is made in several sizes.
func sized(model, memory string) string {
	if memory == "" {
		return model + "-ANY"
	}
	return model + "-" + memory + "G"
}
