// Package alibaba reads and releases what an account rents at Alibaba Cloud: GPU machines at ECS and what hangs on them.
package alibaba

import (
	"net/url"

	"gpuspend/billing"
)

// The pages that the claims rest on.
const (
	docs           = "https://www.alibabacloud.com/help/en/"
	docECS         = docs + "ecs/developer-reference/api-ecs-2014-05-26-"
	docBSS         = docs + "user-center/developer-reference/api-bssopenapi-2017-12-14-"
	docEIP         = docs + "eip/developer-reference/api-vpc-2016-04-28-"
	docCMS         = docs + "cms/cloudmonitor-1-0/developer-reference/api-cms-2019-01-01-"
	docECSList     = docs + "ecs/developer-reference/api-ecs-2014-05-26-overview"
	docCaller      = docs + "ram/developer-reference/api-sts-2015-04-01-getcalleridentity"
	docPolicy      = docs + "ram/user-guide/policy-overview"
	checked        = "2026-11-30"
	topUpPage      = "https://usercenter2.aliyun.com/finance/fund-management/recharge"
	billingPage    = "https://usercenter2.aliyun.com/finance/expense-report/overview"
	china          = "china"
	international  = "international"
	monthHours     = 720
	vouchersDenied = "coupons are left out where the key may not read them"
)

// cny is what accounts of the China site are billed in; amounts keep the currency that an answer names.
const cny billing.Currency = "CNY"

// Driver describes Alibaba Cloud.
func Driver() billing.Driver {
	return billing.Driver{
		Name:        "alibaba",
		Title:       "Alibaba Cloud",
		Currency:    cny,
		MonthHours:  monthHours,
		Fields:      fields(),
		Claims:      claims(),
		Console:     billing.ConsoleLinks{TopUp: topUpPage, Billing: billingPage, Resource: page},
		Permissions: permissions(),
		ReadKeys:    billing.Yes,
		Open:        open,
	}
}

func fields() []billing.Field {
	return []billing.Field{
		{Name: "access_key_id", Label: "AccessKey ID", Secret: true, Required: true,
			Help: "Of a RAM user with the policy that `gpuspend permissions alibaba` prints; never of the account itself."},
		{Name: "access_key_secret", Label: "AccessKey secret", Secret: true, Required: true,
			Help: "RAM console, the user's AccessKey."},
		{Name: "security_token", Label: "STS token", Secret: true,
			Help: "For temporary keys only."},
		{Name: "site", Label: "Site",
			Help: "china (aliyun.com, the default) or international (alibabacloud.com): an account belongs to one of them."},
		{Name: "regions", Label: "Regions",
			Help: "Such as cn-hangzhou,cn-shanghai. Without it every region is looked at, at 5 requests each."},
		{Name: "scope", Label: "What to watch",
			Help: "gpu (the default): GPU machines, what is or was on them or is on nothing, and what carries the tag; all: everything."},
		{Name: "tag", Label: "Tag to watch",
			Help: "A tag, key or key=value, that makes something without a GPU watched as well."},
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
		billing.CanIdentify:    yes(docCaller, ""),
		billing.CanBalance:     yes(docBSS+"queryaccountbalance", "cash and credit apart, coupons and prepaid cards with their expiry; "+vouchersDenied),
		billing.CanCharges:     yes(docBSS+"describeinstancebill", "by the day (UTC+8), 24 hours late, details 48; final on the 3rd of the next month at noon"),
		billing.CanResources:   yes(docECS+"describeinstances", "machines, disks, snapshots, images, EIPs; disks and machines at DescribePrice; no price for snapshots and EIPs; size of snapshots is an even share of their chain; with scope gpu (the default) what hangs on a machine without GPU is not watched"),
		billing.CanCommitments: yes(docBSS+"queryavailableinstances", "subscriptions of other products; those of machines and disks stand in the inventory"),
		billing.CanOffers:      yes(docECS+"describespotpricehistory", "on demand and spot per zone, in the configured regions or where GPU machines are; no stock"),
		billing.CanUtilisation: yes(docCMS+"describemetriclist", "GPU only; needs CloudMonitor's agent and the driver on the machine: no points is unknown, not idle"),
		billing.CanFind:        yes(docECS+"describeinstances", ""),
		billing.CanRehearse:    yes(docECS+"deleteinstances", "machines and images; no dry run for disks, snapshots and EIPs"),
		billing.CanStop:        yes(docECS+"stopinstance", "with StopCharging, read back; refused where Alibaba would ignore it: local disks, classic network, subscriptions"),
		billing.CanRelease:     yes(docECS+"deleteinstances", "pay-as-you-go only; nothing is forced but a running machine's end"),
		billing.CanSnapshot:    no(docECS+"createsnapshot", "Alibaba has them; not made by this program yet"),
		billing.CanTag:         no(docECS+"tagresources", "Alibaba has tags; not written by this program yet"),
		billing.CanFollow:      no(docECSList, "acts have no jobs; listings show what became of them"),
		billing.CanMembers:     no(docs+"resource-management/resource-directory/developer-reference/api-resourcedirectorymaster-2022-04-19-listaccounts", "resource directories are not read yet"),
		billing.CanExamine:     no(docPolicy, "no call tells a key's rights without RAM rights; a missing one is named in the refusal"),
	}
}

func permissions() []billing.Permission {
	var all []billing.Permission
	add := func(write bool, of billing.Capability, names ...string) {
		for _, name := range names {
			all = append(all, billing.Permission{Name: name, For: of, Write: write})
		}
	}
	// the documentation names the first of these two ways in two places
	add(false, billing.CanBalance, "bssapi:QueryAccountBalance", "bss:DescribeAcccount", "bssapi:QueryCashCoupons", "bssapi:QueryPrepaidCards")
	add(false, billing.CanCharges, "bssapi:DescribeInstanceBill")
	add(false, billing.CanCommitments, "bssapi:QueryAvailableInstances")
	add(false, billing.CanResources, "ecs:DescribeRegions", "ecs:DescribeInstances", "ecs:DescribeDisks", "ecs:DescribeSnapshots",
		"ecs:DescribeSnapshotLinks", "ecs:DescribeImages", "vpc:DescribeEipAddresses", "ecs:DescribePrice")
	add(false, billing.CanOffers, "ecs:DescribeInstanceTypes", "ecs:DescribeSpotPriceHistory")
	add(false, billing.CanUtilisation, "cms:QueryMetricList")
	add(true, billing.CanStop, "ecs:StopInstance")
	add(true, billing.CanRelease, "ecs:DeleteInstance", "ecs:DeleteInstances", "ecs:DeleteDisk", "ecs:DeleteSnapshot", "ecs:DeleteImage", "vpc:ReleaseEipAddress")
	return all
}

// page is the console's page of a resource.
func page(r billing.ResourceRef) string {
	region, id := url.PathEscape(r.Region), url.PathEscape(r.ID)
	const console = "https://ecs.console.aliyun.com/"
	switch r.Kind {
	case billing.KindInstance:
		return console + "server/" + id + "/detail?regionId=" + region
	case billing.KindDisk:
		return console + "disk/region/" + region + "?diskIds=" + id
	case billing.KindSnapshot:
		return console + "snapshot/region/" + region
	case billing.KindImage:
		return console + "image/region/" + region
	case billing.KindIP:
		return "https://vpc.console.aliyun.com/eip/" + region + "/eips"
	}
	return billingPage
}
