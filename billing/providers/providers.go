// Package providers is the list of clouds that gpuspend knows.
package providers

import (
	"gpuspend/billing"
	"gpuspend/billing/providers/alibaba"
	"gpuspend/billing/providers/autodl"
	"gpuspend/billing/providers/aws"
	"gpuspend/billing/providers/huawei"
	"gpuspend/billing/providers/lambda"
	"gpuspend/billing/providers/runpod"
	"gpuspend/billing/providers/vast"
)

// All lists the real clouds, one line each, in the order of the README's table.
func All() []billing.Driver {
	return []billing.Driver{
		alibaba.Driver(),
		autodl.Driver(),
		aws.Driver(),
		huawei.Driver(),
		lambda.Driver(),
		runpod.Driver(),
		vast.Driver(),
	}
}
