// Package runpod reads and releases what an account rents at RunPod, through its REST API v2.
package runpod

import (
	"gpuspend/billing"
)

// The pages that the claims rest on.
const (
	docV2      = "https://docs.runpod.io/api-reference-v2/"
	docSpec    = docV2 + "overview"
	docBilling = "https://docs.runpod.io/accounts-billing/billing" // storage prices, what happens at zero
	docKeys    = "https://docs.runpod.io/get-started/api-keys"
	docGraphQL = "https://docs.runpod.io/sdks/graphql/configurations"
	docBalance = docV2 + "billing/get-the-account-balance"
	checked    = "2026-11-30"
	production = "https://api.runpod.io"
	billingURL = "https://console.runpod.io/user/billing"
)

// usd is what RunPod bills in.
const usd billing.Currency = "USD"

// monthHours is what RunPod's prices per month are divided by.
const monthHours = 730

// Driver describes RunPod.
func Driver() billing.Driver {
	return billing.Driver{
		Name:       "runpod",
		Title:      "RunPod",
		Currency:   usd,
		MonthHours: monthHours,
		Fields: []billing.Field{{
			Name: "api_key", Label: "API key", Secret: true, Required: true,
			Help: "Console, Settings, API keys. A restricted key with read rights on API v2 is enough for watching.",
		}},
		Claims:      claims(),
		Console:     billing.ConsoleLinks{TopUp: billingURL, Billing: billingURL, Resource: page},
		Permissions: permissions(),
		ReadKeys:    billing.Yes,
		Open:        open,
	}
}

func claims() map[billing.Capability]billing.Claim {
	yes := func(source, note string) billing.Claim {
		return billing.Claim{Can: billing.Yes, Note: note, Source: source, Checked: checked}
	}
	no := func(source, note string) billing.Claim {
		return billing.Claim{Can: billing.No, Note: note, Source: source, Checked: checked}
	}
	return map[billing.Capability]billing.Claim{
		billing.CanIdentify:    yes(docGraphQL, "through GraphQL, which RunPod retires in early 2027; API v2 names no account"),
		billing.CanBalance:     yes(docBalance, "API v2, else GraphQL; the path of the v2 route is inferred from its page"),
		billing.CanCharges:     yes(docV2+"billing/get-pod-billing-history", "by the hour for pods, network volumes, serverless, clusters and public endpoints; the last two hours may still change"),
		billing.CanResources:   yes(docV2+"pods/list-pods", "pods, Instant Clusters at the sum of their pods, network volumes with what uses them, serverless; the price of high-performance volumes, workers and cluster networking is not given"),
		billing.CanCommitments: no(docSpec, "savings plans are shown in the console only"),
		billing.CanOffers:      yes(docV2+"catalog/list-gpu-types", "GPU catalogue with stock per data centre, secure and community apart; no spot prices"),
		billing.CanUtilisation: yes(docV2+"pods/list-pods", "the present value of running pods, where RunPod gives one"),
		billing.CanFind:        yes(docV2+"pods/get-a-pod", ""),
		billing.CanRehearse:    no(docSpec, "no dry run"),
		billing.CanStop:        yes(docV2+"pods/trigger-a-pod-state-transition", "pods that offer it; a stopped pod's volume disk costs double"),
		billing.CanRelease:     yes(docV2+"pods/terminate-a-pod", "pods, clusters with all their pods, network volumes that nothing uses, serverless endpoints"),
		billing.CanSnapshot:    no(docSpec, "RunPod has no snapshots"),
		billing.CanTag:         no(docV2+"tags/list-tags", "tags are read where the key has tags:read; gpuspend writes none"),
		billing.CanFollow:      no(docSpec, "acts answer at once and have no jobs"),
		billing.CanMembers:     no(docSpec, "a key acts for one account or team"),
		billing.CanExamine:     no(docKeys, "no call tells a key's rights; a missing one shows as 403"),
	}
}

func permissions() []billing.Permission {
	return []billing.Permission{
		{Name: "api.runpod.io/v2: read (billing:read)", For: billing.CanBalance},
		{Name: "api.runpod.io/v2: read (billing:read)", For: billing.CanCharges},
		{Name: "api.runpod.io/v2: read pods, clusters, network volumes, serverless", For: billing.CanResources},
		{Name: "api.runpod.io/v2: tags:read (where tags are used)", For: billing.CanResources},
		{Name: "api.runpod.io/v2: read catalog", For: billing.CanOffers},
		{Name: "api.runpod.io/v2: read pods", For: billing.CanUtilisation},
		{Name: "api.runpod.io/graphql: read", For: billing.CanIdentify},
		{Name: "api.runpod.io/v2: write pods", For: billing.CanStop, Write: true},
		{Name: "api.runpod.io/v2: write pods, clusters, network volumes, serverless", For: billing.CanRelease, Write: true},
	}
}

// page is the console's page of a resource; RunPod has one per kind only.
func page(r billing.ResourceRef) string {
	switch r.Kind {
	case billing.KindDisk:
		return "https://console.runpod.io/user/storage"
	case billing.KindEndpoint:
		return "https://console.runpod.io/serverless"
	}
	return "https://console.runpod.io/pods"
}
