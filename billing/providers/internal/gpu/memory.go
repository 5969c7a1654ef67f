package gpu

import (
	"math"
	"strconv"
	"strings"
)

// Sized is Canonical for a cloud that tells a card's memory beside a name that may fit several cards. mib is the memory
// of one card in MiB, 0 where it is not told. Drivers report a little less than what is sold.
func Sized(name string, mib float64) string {
	c := Canonical(name)
	if !strings.HasSuffix(c, "-ANY") && c != "RTX-4090" {
		return c
	}
	for _, gib := range []int{16, 24, 32, 40, 48, 80, 96, 141} {
		if math.Abs(mib/1024-float64(gib)) < 0.04*float64(gib) {
			return Canonical(name + " " + strconv.Itoa(gib) + "GB")
		}
	}
	return c
}
