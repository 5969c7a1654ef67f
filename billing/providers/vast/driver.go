// Package vast reads and releases what an account rents at Vast.ai, through its REST API.
package vast

import (
	"gpuspend/billing"
)

// The pages that the claims rest on.
const (
	docAPI         = "https://docs.vast.ai/api-reference/"
	docIntro       = docAPI + "introduction"
	docUser        = docAPI + "accounts/show-user"
	docCharges     = docAPI + "billing/show-charges"
	docInstances   = docAPI + "instances/show-instances"
	docInstance    = docAPI + "instances/show-instance"
	docManage      = docAPI + "instances/manage-instance"
	docDestroy     = docAPI + "instances/destroy-instance"
	docOffers      = docAPI + "search/search-offers"
	docPermissions = docAPI + "permissions"
	docBilling     = "https://docs.vast.ai/billing-help" // what is billed in which state, what happens at zero
	checked        = "2026-11-30"
	production     = "https://console.vast.ai"
	billingURL     = "https://cloud.vast.ai/billing/"   // inferred from the console, not documented
	instancesURL   = "https://cloud.vast.ai/instances/" // inferred too
	storageURL     = "https://cloud.vast.ai/storage/"   // inferred too
)

// usd is what Vast.ai bills in.
const usd billing.Currency = "USD"

// monthHours is what Vast.ai's prices per GB and month are divided by: its documented sample has 10.08 GB at 0.15 cost
// 0.0021 an hour.
const monthHours = 720

// Driver describes Vast.ai.
func Driver() billing.Driver {
	return billing.Driver{
		Name:       "vast",
		Title:      "Vast.ai",
		Currency:   usd,
		MonthHours: monthHours,
		Fields: []billing.Field{{
			Name: "api_key", Label: "API key", Secret: true, Required: true,
			Help: "Console, Keys. A key with user_read, instance_read, billing_read and misc is enough for watching; instance_write releases.",
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
		billing.CanIdentify:    yes(docUser, ""),
		billing.CanBalance:     yes(docUser, "the prepaid credit; where a card is on file Vast.ai charges it instead of stopping, which the API does not tell reliably"),
		billing.CanCharges:     yes(docCharges, "day by day and contract by contract, GPU, disk and bandwidth apart; the running day is not read, yesterday may still change"),
		billing.CanResources:   yes(docInstances, "instances and volumes; bandwidth has no rate by the hour, the rate of a reserved instance is not given, serverless workers are not told apart"),
		billing.CanCommitments: no(docIntro, "a contract's end stands at its instance; there are no savings plans"),
		billing.CanOffers:      yes(docOffers, "verified machines, on demand and interruptible, as a range a card and count; at most 3,000 rows of each are read, the cheapest first"),
		billing.CanUtilisation: yes(docInstances, "the present value, one figure for all cards of an instance, where the host reports one"),
		billing.CanFind:        yes(docInstance, "a volume is looked up in the list"),
		billing.CanRehearse:    no(docIntro, "no dry run"),
		billing.CanStop:        yes(docManage, "storage goes on costing, at some hosts more than before, and the GPU may be rented to somebody else meanwhile"),
		billing.CanRelease:     yes(docDestroy, "instances and volumes that no instance uses; reserved instances are refused: their refund is shown in the console"),
		billing.CanSnapshot:    no(docIntro, "Vast.ai has no snapshots of disks"),
		billing.CanTag:         no(docManage, "an instance has one label and no tags"),
		billing.CanFollow:      no(docIntro, "acts answer at once and have no jobs"),
		billing.CanMembers:     no(docIntro, "a key acts for one account or team; subaccounts belong to hosts"),
		billing.CanExamine:     no(docPermissions, "the list of keys names no permissions; a missing one shows as 401 or 403"),
	}
}

func permissions() []billing.Permission {
	return []billing.Permission{
		{Name: "user_read", For: billing.CanIdentify},
		{Name: "user_read", For: billing.CanBalance},
		{Name: "billing_read", For: billing.CanCharges},
		{Name: "instance_read", For: billing.CanResources},
		{Name: "instance_read", For: billing.CanUtilisation},
		{Name: "misc", For: billing.CanOffers},
		{Name: "instance_write", For: billing.CanStop, Write: true},
		{Name: "instance_write", For: billing.CanRelease, Write: true},
	}
}

// page is the console's page of a resource; Vast.ai has one per kind only.
func page(r billing.ResourceRef) string {
	if r.Kind == billing.KindDisk {
		return storageURL
	}
	return instancesURL
}
