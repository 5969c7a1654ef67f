package estimate

import (
	"slices"
	"strings"
)

// knownCards are the canonical names of cards that people ask for, beside those the book has prices for.
func knownCards() []string {
	return strings.Fields(`A10 A10G A100-40G A100-80G A16 A30 A40 A800-80G ASCEND-310 ASCEND-910 ASCEND-910B B200 B300 GB200 GB300 GH200
		GTX-1080-TI H100 H100-NVL H20-141G H20-96G H200 H200-NVL H800 L20 L4 L40 L40S M40 MI300X MI308X MI350X P100 P4 P40 RTX-3060
		RTX-3080 RTX-3090 RTX-3090-TI RTX-4080 RTX-4090 RTX-4090-48G RTX-4090-D RTX-5080 RTX-5090 RTX-6000 RTX-6000-ADA RTX-A4000
		RTX-A5000 RTX-A6000 RTX-PRO-4500 RTX-PRO-6000 T4 T4G V100-16G V100-32G`)
}

// bare is a card's name without what people leave out or write in several ways.
func bare(name string) string {
	s := strings.ToUpper(name)
	for _, drop := range []string{"NVIDIA", "TESLA", "GEFORCE", "HUAWEI", "昇腾", "-", "_", " "} {
		s = strings.ReplaceAll(s, drop, "")
	}
	for _, form := range []string{"SXM4", "SXM5", "SXM", "PCIE"} {
		s = strings.ReplaceAll(s, form, "")
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "GIB", "G"), "GB", "G")
}

// CardsNamed finds the cards that a name may mean: one where it is plain, several where it leaves the memory open, none
// where it is not known. More are names beyond the known ones.
func CardsNamed(name string, more []string) []string {
	want := bare(name)
	if want == "" {
		return nil
	}
	all := knownCards()
	for _, m := range more {
		if !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	shapes := []func(string) bool{
		func(b string) bool { return b == want },
		func(b string) bool {
			return b == "RTX"+want || b == "GTX"+want || b == "ASCEND"+want || b == want+"G" || b == "ASCEND"+strings.TrimPrefix(want, "NPU")
		},
		func(b string) bool { return opensMemory(b, want) },
		func(b string) bool { return opensMemory(want, b) },
	}
	for _, fits := range shapes {
		var found []string
		for _, c := range all {
			if b := bare(c); fits(b) && b != "GB200" && b != "GB300" || c == name {
				found = append(found, c)
			}
		}
		if len(found) > 0 {
			slices.Sort(found)
			return found
		}
	}
	return nil
}

// opensMemory says that a full name is a shorter one and its memory: A10080G is A100 and 80G.
func opensMemory(full, short string) bool {
	rest, ok := strings.CutPrefix(full, short)
	digits, g := strings.CutSuffix(rest, "G")
	return ok && g && len(digits) >= 2 && len(digits) <= 3 && strings.Trim(digits, "0123456789") == ""
}
