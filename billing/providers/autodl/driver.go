// Package autodl reads and releases what an account rents at AutoDL, and reads GPUhub, its international branch, through
// the same developer API at another address.
package autodl

import (
	"gpuspend/billing"
)

// The pages that the claims rest on.
const (
	docCommon  = "https://www.autodl.com/docs/common_api/"       // the wallet
	docPro     = "https://www.autodl.com/docs/instance_pro_api/" // Pro instances, private images
	docElastic = "https://www.autodl.com/docs/esd_api_doc/"      // elastic deployments, stock
	docPrice   = "https://www.autodl.com/docs/price/"            // what is billed when
	docData    = "https://www.autodl.com/docs/instance_data/"    // what is kept for how long
	checked    = "2026-11-30"
	production = "https://api.autodl.com"
	console    = "https://www.autodl.com/console/"
)

// What AutoDL and GPUhub bill in.
const (
	cny billing.Currency = "CNY"
	usd billing.Currency = "USD"
)

// Driver describes AutoDL.
func Driver() billing.Driver {
	return billing.Driver{
		Name:       "autodl",
		Title:      "AutoDL",
		Currency:   cny,
		MonthHours: billing.MonthHours,
		Fields: []billing.Field{{
			Name: "token", Label: "developer token", Secret: true, Required: true,
			Help: "Console, account, settings, developer token (控制台 → 账号 → 设置 → 开发者Token). AutoDL offers no narrower one: " +
				"this token can also start, stop and release. For GPUhub set base_url to https://api.gpuhub.com and give its token.",
		}},
		Claims:      claims(),
		Console:     billing.ConsoleLinks{TopUp: console, Billing: console, Resource: page},
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
		billing.CanIdentify: no(docCommon, "no call names the account that a token belongs to"),
		billing.CanBalance: yes(docCommon, "cash, vouchers and the lifetime counter of what was spent, exact to 1/1000 CNY (GPUhub: 1/1000 USD); "+
			"use is settled on the hour; when vouchers expire is not given"),
		billing.CanCharges: no(docCommon, "no billing API; spend is derived from the wallet's lifetime counter"),
		billing.CanResources: yes(docPro, "Pro instances and private images: the token does not see ordinary instances, elastic deployments are not read, "+
			"disks go with their instance. The rate is known for pay-as-you-go with one GPU: whether it is per GPU with more of them is not documented, "+
			"and the daily fee of an expanded disk is not in the API. A machine that is off is released with its data after 15 days. GPUhub: private images only"),
		billing.CanCommitments: no(docPro, "the ends of prepaid machines and of the 15 days are shown with the machines; the API knows nothing else that expires"),
		billing.CanOffers:      no(docElastic, "stock without prices; prices are on the site only, and in the API for one's own instances"),
		billing.CanUtilisation: no(docPro, "CPU, memory and disk only: no GPU utilisation"),
		billing.CanFind:        yes(docPro, "by listing: a single look-up says nothing about the terms of payment"),
		billing.CanRehearse:    no(docPro, "no dry run"),
		billing.CanStop:        yes(docPro, "pay-as-you-go Pro instances; the GPU may be gone when it is to start again, and an expanded disk bills on"),
		billing.CanRelease:     yes(docPro, "pay-as-you-go Pro instances that are off; images are deleted in the console"),
		billing.CanSnapshot:    no(docPro, "images can be saved of a machine that is off; not offered here"),
		billing.CanTag:         no(docPro, "AutoDL has no tags"),
		billing.CanFollow:      no(docPro, "acts have no jobs; the instance's status tells"),
		billing.CanMembers:     no(docCommon, "a token acts for one account"),
		billing.CanExamine:     no(docCommon, "no call tells a token's rights: each token may do everything"),
	}
}

func permissions() []billing.Permission {
	const token = "developer token (all-powerful: AutoDL offers no narrower one)"
	return []billing.Permission{
		{Name: token, For: billing.CanBalance},
		{Name: token, For: billing.CanResources},
		{Name: token, For: billing.CanStop, Write: true},
		{Name: token, For: billing.CanRelease, Write: true},
	}
}

// page is the console's page of a resource; instances have one list, the rest is found from the front page.
func page(r billing.ResourceRef) string {
	if r.Kind == billing.KindInstance {
		return console + "instance/list"
	}
	return console
}
