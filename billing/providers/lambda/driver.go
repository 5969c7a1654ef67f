// Package lambda reads and releases what an account rents at Lambda's public cloud, through its REST API.
package lambda

import (
	"gpuspend/billing"
)

// The pages that the claims rest on.
const (
	docAPI     = "https://docs.lambda.ai/api/cloud"              // the API's document, edition 1.10.0
	docBilling = "https://docs.lambda.ai/public-cloud/billing"   // what is billed from when to when
	docKeys    = "https://docs.lambda.ai/public-cloud/cloud-api" // keys
	checked    = "2026-11-30"
	production = "https://cloud.lambda.ai"

	// The console's pages; inferred from its addresses, not documented.
	billingURL     = "https://cloud.lambda.ai/settings/billing"
	instancesURL   = "https://cloud.lambda.ai/instances"
	filesystemsURL = "https://cloud.lambda.ai/file-systems"
)

// usd is what Lambda bills in.
const usd billing.Currency = "USD"

// monthHours is the month that Lambda's billing page reckons with.
const monthHours = 720

// Driver describes Lambda.
func Driver() billing.Driver {
	return billing.Driver{
		Name:       "lambda",
		Title:      "Lambda",
		Currency:   usd,
		MonthHours: monthHours,
		Fields: []billing.Field{
			{
				Name: "api_key", Label: "API key", Secret: true, Required: true,
				Help: "Console, API keys. Lambda has no read-only keys: any key may terminate.",
			},
			{
				Name: "filesystem_price", Label: "Price of file systems",
				Help: "USD per GiB used and month, such as 0.20, as the console shows it when a file system is made. The API gives no price; without this the cost of file systems stays unknown.",
			},
		},
		Claims:      claims(),
		Console:     billing.ConsoleLinks{TopUp: billingURL, Billing: billingURL, Resource: page},
		Permissions: permissions(),
		ReadKeys:    billing.No,
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
		billing.CanIdentify:    no(docAPI, "no route names the account that a key belongs to"),
		billing.CanBalance:     no(docBilling, "there is no balance: Lambda charges a card after the week"),
		billing.CanCharges:     no(docBilling, "no billing route, invoices come weekly: all costs shown are accrued from watching, by price and time, before tax"),
		billing.CanResources:   yes(docAPI, "on-demand instances and file systems; the price of file systems is not given and can be configured; 1-Click Clusters are not in the API"),
		billing.CanCommitments: no(docAPI, "reservations of 1-Click Clusters are shown in the console only"),
		billing.CanOffers:      yes(docAPI, "instance types with the regions that have some now"),
		billing.CanUtilisation: no(docAPI, "the API measures nothing"),
		billing.CanFind:        yes(docAPI, "a file system is looked up in the list"),
		billing.CanRehearse:    no(docAPI, "no dry run"),
		billing.CanStop:        no(docBilling, "there is no stop: a machine that is shut down from within goes on costing until it is terminated"),
		billing.CanRelease:     yes(docAPI, "instances, and file systems that no instance mounts"),
		billing.CanSnapshot:    no(docAPI, "Lambda has no snapshots"),
		billing.CanTag:         no(docAPI, "tags are set at launch and cannot be changed"),
		billing.CanFollow:      no(docAPI, "acts have no jobs; the listing shows how far they are"),
		billing.CanMembers:     no(docAPI, "a key acts for one account or team"),
		billing.CanExamine:     no(docKeys, "keys have no permissions of their own: any key may read and write"),
	}
}

func permissions() []billing.Permission {
	const key = "an API key (Lambda has no narrower ones)"
	return []billing.Permission{
		{Name: key, For: billing.CanResources},
		{Name: key, For: billing.CanOffers},
		{Name: key, For: billing.CanRelease, Write: true},
	}
}

// page is the console's page of a resource; Lambda has one per kind only.
func page(r billing.ResourceRef) string {
	if r.Kind == billing.KindFilesystem {
		return filesystemsURL
	}
	return instancesURL
}
