package estimate

import (
	"slices"
	"strings"
	"time"
)

// awsBands restates the bands of AWS's Spot Instance Advisor (Linux) as its snapshot in github.com/alexei-led/spotinfo
// (Apache-2.0) of 2025-06-28 has them: 0 below 5 %, 1 to 10 %, 2 to 15 %, 3 to 20 %, 4 above 20 % of instances
// interrupted in the trailing month; - where the snapshot has no row. The first line names the regions.
const awsBands = `type us-east-1 us-east-2 us-west-2 ap-northeast-1 ap-southeast-1 eu-west-1 eu-central-1
g4dn.12xlarge 2 3 2 4 4 2 4
g4dn.16xlarge 4 4 3 4 3 3 4
g4dn.2xlarge 4 3 4 4 4 2 4
g4dn.4xlarge 4 4 4 4 4 2 4
g4dn.8xlarge 4 4 4 4 4 4 4
g4dn.metal 4 1 4 4 1 2 2
g4dn.xlarge 3 1 4 2 0 1 2
g5.12xlarge 4 4 4 4 - 4 4
g5.16xlarge 4 4 1 2 - 4 4
g5.24xlarge 4 4 4 0 - 0 4
g5.2xlarge 3 3 4 4 - 0 3
g5.48xlarge 4 4 4 0 - 0 0
g5.4xlarge 2 4 3 4 - 4 4
g5.8xlarge 4 4 4 4 - 3 4
g5.xlarge 4 2 4 2 - 2 4
g5g.16xlarge 1 - 0 0 0 - 0
g5g.2xlarge 1 - 1 0 4 - 0
g5g.4xlarge 0 - 4 4 0 - 1
g5g.8xlarge 2 - 0 0 0 - 0
g5g.metal 0 - 0 0 1 - 0
g5g.xlarge 0 - 0 0 2 - 3
g6.12xlarge 4 4 4 4 - - 0
g6.16xlarge 3 3 1 1 - - 0
g6.24xlarge 4 4 4 2 - - 0
g6.2xlarge 4 4 4 4 - - 1
g6.48xlarge 4 4 4 2 - - 0
g6.4xlarge 4 4 4 4 - - 0
g6.8xlarge 4 3 2 2 - - 3
g6.xlarge 4 4 4 4 - - 2
g6e.12xlarge 4 2 4 0 - - 2
g6e.16xlarge 3 4 2 1 - - 3
g6e.24xlarge 4 4 4 2 - - 1
g6e.2xlarge 2 4 4 0 - - 4
g6e.48xlarge 4 4 2 0 - - 0
g6e.4xlarge 4 4 4 0 - - 4
g6e.8xlarge 4 4 4 0 - - 2
g6e.xlarge 1 4 4 0 - - 4
gr6.4xlarge 4 0 4 1 - - 1
gr6.8xlarge 3 0 3 2 - - 2
p3.16xlarge 4 4 4 4 4 4 4
p3.2xlarge 4 4 4 4 4 4 4
p3.8xlarge 4 4 4 4 4 4 4
p3dn.24xlarge 4 - 4 4 - 4 -
p4d.24xlarge 2 1 4 0 - 4 4
p4de.24xlarge 0 - 3 0 0 - 0
p5.48xlarge 4 1 1 2 - - -
p5en.48xlarge 0 4 0 1 - - -
`

// awsBandsAsOf is the date of the snapshot.
func awsBandsAsOf() time.Time { return time.Date(2025, time.June, 28, 0, 0, 0, 0, time.UTC) }

// awsBandsSource is said where a band is used.
const awsBandsSource = "EC2 Spot Advisor, snapshot of alexei-led/spotinfo"

// Published finds the band that a cloud publishes for a kind of machine; false where this table has none.
func Published(provider, region, instanceType string) (Band, bool) {
	if !strings.EqualFold(provider, "aws") {
		return Band{}, false
	}
	var column int
	for line := range strings.Lines(awsBands) {
		cells := strings.Fields(line)
		if cells[0] == "type" {
			column = slices.Index(cells, region)
		}
		if column > 0 && cells[0] == instanceType && cells[column] != "-" {
			return bandOf(int(cells[column][0] - '0')), true
		}
	}
	return Band{}, false
}

// bandOf is one of the advisor's five bands.
func bandOf(step int) Band {
	b := Band{Low: float64(step) * 0.05, High: float64(step+1) * 0.05, AsOf: awsBandsAsOf(), Source: awsBandsSource}
	if step == 4 {
		b.High = 0
	}
	return b
}
