package aws

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"gpuspend/billing"
)

// EC2 tells no prices. These are list prices of us-east-1 in USD (AWS's price list by way of Infracost and Karpenter,
// July 2024 and 2026); other regions cost otherwise and are left unknown, never guessed.
const (
	gp3Month        = "0.08" // per GiB
	gp2Month        = "0.10"
	st1Month        = "0.045"
	sc1Month        = "0.015"
	magneticMonth   = "0.05"
	gp3IOPSMonth    = "0.005" // beyond 3,000
	gp3MiBpsMonth   = "0.04"  // beyond 125
	addressHour     = "0.005" // every public IPv4 address, attached or not, in each region, since February 2024
	linux           = "Linux/UNIX"
	gp3IOPSFree     = 3000
	gp3MiBpsFree    = 125
	amazonAddresses = "amazon"
)

func listed(amount string) billing.Rate {
	return billing.Rate{Hourly: billing.MustMoney(amount, usd), Source: billing.RateList}
}

// nothing is the rate of what does not cost.
func nothing() billing.Rate {
	return billing.Rate{Hourly: billing.ZeroMoney(usd), Source: billing.RateDerived}
}

// onDemand is a running machine's list price where that is known: of Linux on shared hardware in us-east-1.
func onDemand(region string, i types.Instance) billing.Rate {
	shared := i.Placement == nil || i.Placement.Tenancy == "" || i.Placement.Tenancy == types.TenancyDefault
	if modeOf(i) != billing.ModeOnDemand || !shared || aws.ToString(i.PlatformDetails) != linux {
		return billing.Rate{}
	}
	return typeRate(region, string(i.InstanceType))
}

func typeRate(region, typ string) billing.Rate {
	f := typeLine(typ)
	if region != home || f == nil || f[4] == "" {
		return billing.Rate{}
	}
	return listed(f[4])
}

// volumeRate is what a volume costs by the hour, from its size and what was provisioned beyond what is free.
func volumeRate(region string, v types.Volume) billing.Rate {
	if region != home || v.Size == nil || aws.ToString(v.OutpostArn) != "" {
		return billing.Rate{}
	}
	gib := int64(*v.Size)
	month := func(unit string, n int64) billing.Decimal {
		return billing.MustDecimal(unit).Mul(billing.DecimalFromInt(n))
	}
	var sum billing.Decimal
	switch v.VolumeType {
	case types.VolumeTypeGp3:
		if v.Iops == nil || v.Throughput == nil {
			return billing.Rate{}
		}
		sum = month(gp3Month, gib).Add(month(gp3IOPSMonth, max(0, int64(*v.Iops)-gp3IOPSFree))).
			Add(month(gp3MiBpsMonth, max(0, int64(*v.Throughput)-gp3MiBpsFree)))
	case types.VolumeTypeGp2:
		sum = month(gp2Month, gib)
	case types.VolumeTypeSt1:
		sum = month(st1Month, gib)
	case types.VolumeTypeSc1:
		sum = month(sc1Month, gib)
	case types.VolumeTypeStandard:
		sum = month(magneticMonth, gib)
	default: // io1 and io2 cost by IOPS in steps that are not known here
		return billing.Rate{}
	}
	m, err := billing.MustMoney("1", usd).Mul(sum)
	if err != nil {
		return billing.Rate{}
	}
	if m, err = m.Div(billing.DecimalFromInt(monthHours)); err != nil || m.Sign() <= 0 {
		return billing.Rate{}
	}
	return billing.Rate{Hourly: m, Source: billing.RateDerived}
}
