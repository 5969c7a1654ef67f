// Package huawei reads and releases what an account rents at Huawei Cloud: GPU and Ascend machines at ECS and what hangs
// on them.
package huawei

import (
	"net/url"

	"gpuspend/billing"
)

// The pages that the claims rest on.
const (
	docs        = "https://support.huaweicloud.com/intl/en-us/"
	docOCE      = "https://support.huaweicloud.com/api-oce/" // customer operation capabilities: balance, bill, orders, ratings
	docECS      = docs + "api-ecs/"
	docEVS      = docs + "api-evs/"
	docCES      = docs + "api-ces/"
	docIAM      = docs + "api-iam/"
	docRights   = docs + "usermanual-billing/authority_topic_0000007.html"
	checked     = "2026-11-30"
	accountPage = "https://account.huaweicloud.com/usercenter/"
	consoleRoot = "https://console.huaweicloud.com/"
	monthHours  = 720
)

// The sites. An account belongs to one of them.
const (
	china         = "china"
	international = "international"
	europe        = "europe"
)

// cny is what accounts of the China site are billed in; amounts keep the currency that an answer names.
const cny billing.Currency = "CNY"

// Driver describes Huawei Cloud.
func Driver() billing.Driver {
	return billing.Driver{
		Name:        "huawei",
		Title:       "Huawei Cloud",
		Currency:    cny,
		MonthHours:  monthHours,
		Fields:      fields(),
		Claims:      claims(),
		Console:     billing.ConsoleLinks{TopUp: accountPage, Billing: accountPage, Resource: page},
		Permissions: permissions(),
		ReadKeys:    billing.Yes,
		Open:        open,
	}
}

func fields() []billing.Field {
	return []billing.Field{
		{Name: "access_key", Label: "access key ID (AK)", Secret: true, Required: true,
			Help: "Of an IAM user with the rights that `gpuspend permissions huawei` prints; never of the account itself."},
		{Name: "secret_key", Label: "secret access key (SK)", Secret: true, Required: true,
			Help: "Console, My Credentials, Access Keys."},
		{Name: "security_token", Label: "security token", Secret: true,
			Help: "For temporary keys only."},
		{Name: "projects", Label: "regions and projects",
			Help: "Such as cn-north-4=0123456789abcdef0123456789abcdef,cn-east-3; a region without an id is looked up at IAM. " +
				"Without this field every project that the key may use is looked at."},
		{Name: "site", Label: "site",
			Help: "china (the default), international or europe: an account belongs to one of them."},
		{Name: "scope", Label: "what to watch",
			Help: "gpu (the default): GPU and NPU machines, what is or was on them or is on nothing, and what carries the tag; all: everything."},
		{Name: "tag", Label: "tag to watch",
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
		billing.CanIdentify: yes(docIAM+"iam_07_0001.html", ""),
		billing.CanBalance: yes(docOCE+"mac_00001.html", "cash less debt, and credit apart; coupons with their expiry, left out where the key may not read them; "+
			"not for customers of resellers"),
		billing.CanCharges: yes(docOCE+"mbc_00003.html", "by the day (UTC+8) and resource, of this account without its members, with 8 decimals (the balance is charged in cents); "+
			"details up to 24 hours late; final on the 4th of the next month"),
		billing.CanResources: yes(docECS+"ecs_02_0104.html", "machines, disks, legacy snapshots, private images, EIPs per region and project; machines and disks at Huawei's rating; "+
			"no rate for what is paid ahead, spot machines, snapshots, images and EIPs (an EIP's cost sits in its bandwidth; a shared bandwidth outlives it); "+
			"recycle bins and standard snapshots (v5) are not read; with scope gpu (the default) what hangs on a machine without GPU is not watched"),
		billing.CanCommitments: yes(docOCE+"api_order_00021.html", "yearly and monthly resources of other services; the ends of machines, disks and EIPs stand in the inventory"),
		billing.CanOffers:      yes(docOCE+"bcloud_01001.html", "on demand and by the month, per region, at the account's price; no spot prices; stock only where a flavor is sold out"),
		billing.CanUtilisation: yes(docCES+"ces_03_0034.html", "GPU and Ascend NPU; needs Cloud Eye's agent and the driver on the machine: no points is unknown, not idle"),
		billing.CanFind:        yes(docECS+"ecs_02_0104.html", ""),
		billing.CanRehearse:    no(docECS+"ecs_02_0103.html", "no dry run"),
		billing.CanStop: yes(docECS+"ecs_02_0303.html", "machines with local disks (p1, p2 and others) bill on while stopped, and disks and EIPs of all; "+
			"refused for what is paid ahead"),
		billing.CanRelease: yes(docECS+"ecs_02_0103.html", "pay-per-use only; data disks and EIPs of a machine stay, its system disk goes; disks with snapshots, "+
			"bound EIPs and members of Auto Scaling groups or CCE clusters are refused"),
		billing.CanSnapshot: no(docEVS+"evs_04_2066.html", "Huawei has them; not made by this program yet"),
		billing.CanTag:      no(docECS+"ecs_06_0000.html", "Huawei has tags; not written by this program yet"),
		billing.CanFollow:   yes(docECS+"ecs_02_0303.html", "jobs of machines and disks"),
		billing.CanMembers:  no(docOCE+"ep_00021.html", "member accounts are not read; enterprise projects are: each thing and each line of the bill carries its own"),
		billing.CanExamine:  no(docRights, "no call tells a key's rights; a missing one shows as 403"),
	}
}

func permissions() []billing.Permission {
	var all []billing.Permission
	add := func(write bool, of billing.Capability, names ...string) {
		for _, name := range names {
			all = append(all, billing.Permission{Name: name, For: of, Write: write})
		}
	}
	// billing: is the prefix of identity policies, bss: that of the older role policies
	add(false, billing.CanBalance, "billing:balance:view", "bss:balance:view", "bss:coupon:view")
	add(false, billing.CanCharges, "billing:billDetail:view", "bss:bill:view")
	add(false, billing.CanCommitments, "bss:renewal:view")
	add(false, billing.CanResources, "ecs:cloudServers:list", "ecs:cloudServers:showServer", "ecs:cloudServerFlavors:get", "evs:volumes:list", "evs:volumes:get",
		"evs:snapshots:list", "evs:snapshots:get", "ims:images:list", "vpc:publicIps:list", "vpc:publicIps:get", "as:groups:list", "as:instances:list")
	add(false, billing.CanOffers, "ecs:cloudServerFlavors:get", "billing:contract:viewDiscount", "bss:discount:view")
	add(false, billing.CanUtilisation, "ces:metricData:list", "ces:agent:list")
	add(true, billing.CanStop, "ecs:cloudServers:stop")
	add(true, billing.CanRelease, "ecs:cloudServers:deleteServers", "evs:volumes:delete", "evs:snapshots:delete", "ims:images:delete", "vpc:publicIps:delete")
	return all
}

// page is the console's page of a kind of resource.
func page(r billing.ResourceRef) string {
	region := url.QueryEscape(r.Region)
	switch r.Kind {
	case billing.KindInstance:
		return consoleRoot + "ecm/?region=" + region + "#/ecs/manager/vmList"
	case billing.KindDisk, billing.KindSnapshot:
		return consoleRoot + "evs/?region=" + region
	case billing.KindImage:
		return consoleRoot + "ecm/?region=" + region + "#/ims/manager/imageList/privateImage"
	case billing.KindIP:
		return consoleRoot + "vpc/?region=" + region + "#/eip/eips/list"
	}
	return accountPage
}
