package estimate

import (
	"time"

	"gpuspend/billing"
)

// Builtin is a short list of list prices for who has imported none, each dated and with its source. Like any other it
// loses its say in verdicts as it ages: import a list to have a young one.
func Builtin() Sheet {
	var s Sheet
	for _, x := range builtins() {
		m := billing.MustMoney(x.price, "USD")
		asOf, _ := time.Parse("2006-01-02", x.asOf) // zero, undated, where a date of ours is mistyped
		s.Rows = append(s.Rows, Row{Provider: x.provider, Region: x.region, Type: x.typ, GPU: billing.GPU{Model: x.gpu, Count: billing.DecimalFromInt(x.cards)},
			Mode: x.mode, Low: m, High: m, MonthHours: hoursOfMonth(x.provider), AsOf: asOf, Source: x.source, From: TrustBuiltin})
	}
	return s
}

type builtin struct {
	provider, region, typ, gpu string
	cards                      int64
	mode                       billing.Mode
	price, asOf, source        string
}

func builtins() []builtin {
	const hour = billing.ModeOnDemand
	return []builtin{
		{"runpod", "any", "1x H100 SXM secure", "H100", 1, hour, "3.99", "2026-11-09", "runpod.io/pricing"},
		{"runpod", "any", "1x A100 SXM secure", "A100-80G", 1, hour, "1.79", "2026-11-09", "runpod.io/pricing"},
		{"azure", "eastus", "Standard_NC24ads_A100_v4", "A100-80G", 1, hour, "3.673", "2026-11-09", "azure.microsoft.com/pricing"},
		{"azure", "eastus", "Standard_NC96ads_A100_v4", "A100-80G", 4, hour, "19.108", "2026-11-09", "azure.microsoft.com/pricing"},
		{"azure", "eastus", "Standard_NC40ads_H100_v5", "H100-NVL", 1, hour, "6.98", "2026-11-09", "azure.microsoft.com/pricing"},
		{"lambda", "any", "1x H100 SXM", "H100", 1, hour, "4.29", "2026-09-25", "lambda.ai/pricing"},
		{"lambda", "any", "8x H100 SXM", "H100", 8, hour, "31.92", "2026-09-25", "lambda.ai/pricing"},
		{"nebius", "any", "HGX H100", "H100", 1, hour, "3.85", "2026-09-25", "nebius.com/prices"},
		{"coreweave", "na", "HGX H100", "H100", 8, hour, "49.24", "2026-09-20", "coreweave.com/pricing"},
		{"coreweave", "na", "HGX H100", "H100", 8, billing.ModeSpot, "19.71", "2026-09-20", "coreweave.com/pricing"},
		{"coreweave", "na", "HGX B200", "B200", 8, hour, "68.8", "2026-09-20", "coreweave.com/pricing"},
		{"aws", "us-east-1", "p5.48xlarge", "H100", 8, hour, "55.04", "2026-07-20", "aws.amazon.com/ec2/pricing"},
	}
}
