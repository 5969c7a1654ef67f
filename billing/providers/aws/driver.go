// Package aws reads and releases what an account rents at AWS: GPU machines at EC2 and what hangs on them.
package aws

import (
	"net/url"

	"gpuspend/billing"
)

// The pages that the claims rest on.
const (
	docEC2     = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_"
	docCE      = "https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_GetCostAndUsage.html"
	docSTS     = "https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html"
	docCredits = "https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_billing_GetCredits.html"
	docGPU     = "https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Agent-NVIDIA-GPU.html"
	docOrg     = "https://docs.aws.amazon.com/organizations/latest/APIReference/API_ListAccounts.html"
	docIAM     = "https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html"
	checked    = "2026-12-01"
	billPage   = "https://console.aws.amazon.com/billing/home#/bills"
	payPage    = "https://console.aws.amazon.com/billing/home#/paymentsoverview"
	home       = "us-east-1"
	monthHours = 730
)

// usd is what AWS bills in, and what its list prices are in.
const usd billing.Currency = "USD"

// Driver describes AWS.
func Driver() billing.Driver {
	return billing.Driver{
		Name:        "aws",
		Title:       "AWS",
		Currency:    usd,
		MonthHours:  monthHours,
		Fields:      fields(),
		Claims:      claims(),
		Console:     billing.ConsoleLinks{TopUp: payPage, Billing: billPage, Resource: page},
		Permissions: permissions(),
		ReadKeys:    billing.Yes,
		Open:        open,
	}
}

func fields() []billing.Field {
	return []billing.Field{
		{Name: "access_key_id", Label: "Access key ID", Secret: true,
			Help: "Without one AWS's own chain is used: environment, shared configuration, the machine's role."},
		{Name: "secret_access_key", Label: "Secret access key", Secret: true, Help: "Belongs to the access key ID."},
		{Name: "session_token", Label: "Session token", Secret: true, Help: "For temporary keys only."},
		{Name: "profile", Label: "Profile", Help: "Of the shared configuration (~/.aws/config), in place of keys."},
		{Name: "role_arn", Label: "Role to assume", Help: "Such as arn:aws:iam::123456789012:role/gpuspend-read; taken on with the keys above. A role to release with has to allow sts:SetSourceIdentity: its session names who clicked."},
		{Name: "external_id", Label: "External ID", Help: "What the role's trust policy asks for, where it asks."},
		{Name: "region", Label: "Home region", Help: "Where regions are asked for and the role is taken on; us-east-1 without one."},
		{Name: "regions", Label: "Regions", Help: "Such as us-east-1,eu-west-1. Without it every enabled region is looked at."},
		{Name: "scope", Label: "What to watch",
			Help: "gpu (the default): GPU machines, what is or was on them or is on nothing, and what carries the tag; all: everything."},
		{Name: "tag", Label: "Tag to watch", Help: "A tag, key or key=value, that makes something without a GPU watched as well."},
		{Name: "focus_bucket", Label: "Bucket of the FOCUS export", Help: "S3 bucket into which AWS Data Exports delivers FOCUS as CSV (gzip); the bill is then read from there, for nothing but S3."},
		{Name: "focus_prefix", Label: "Prefix of the FOCUS export", Help: "The S3 path prefix that the export was made with, where it has one."},
		{Name: "focus_export", Label: "Name of the FOCUS export", Help: "As in Billing and Cost Management, Data Exports."},
		{Name: "focus_region", Label: "Region of the bucket", Help: "The home region without one."},
		{Name: "cost_explorer", Label: "Cost Explorer",
			Help: "on or off (the default). AWS charges 0.01 USD for each page of it, within paid_calls.daily; a FOCUS export costs nothing."},
	}
}

func claims() map[billing.Capability]billing.Claim {
	yes := func(source, note string) billing.Claim {
		return billing.Claim{Can: billing.Yes, Note: note, Source: source, Checked: checked}
	}
	no := func(source, note string) billing.Claim {
		return billing.Claim{Can: billing.No, Note: note, Source: source, Checked: checked}
	}
	ec2 := func(action string) string { return docEC2 + action + ".html" }
	return map[billing.Capability]billing.Claim{
		billing.CanIdentify: yes(docSTS, ""),
		billing.CanBalance:  yes(docCredits, "AWS is paid by invoice and has no money paid ahead: the credits that can pay for EC2 and their ends, not the cash; and what the account's own budgets say of the month"),
		billing.CanCharges:  yes(docCE, "only with cost_explorer: on, at 0.01 USD a page within paid_calls.daily; by the day, service and usage type, two days late, without credits and refunds; or, with focus_bucket, from a FOCUS export (CSV) in S3 by the hour and resource, without that price, as its manifests have it; one of the two"),
		billing.CanResources: yes(ec2("DescribeInstances"), "instances, volumes, own snapshots and AMIs, Elastic IPs of each enabled region; prices on demand (Linux) and of volumes in us-east-1 "+
			"only, from AWS's list of July 2026; snapshots have no price, and their size is the full one, an upper bound"),
		billing.CanCommitments: yes(ec2("DescribeReservedInstances"), "savings plans, reserved instances and capacity blocks (30 minutes before their end, when AWS starts to terminate)"),
		billing.CanOffers:      yes(ec2("DescribeSpotPriceHistory"), "spot per zone of each region looked at; on demand us-east-1 only; no stock"),
		billing.CanUtilisation: yes(docGPU, "of machines whose CloudWatch agent reports nvidia_smi utilization_gpu with InstanceId, each card; of others nothing is known; the first million requests a month cost nothing"),
		billing.CanFind:        yes(ec2("DescribeInstances"), ""),
		billing.CanRehearse:    yes(ec2("TerminateInstances"), "DryRun says whether the key may, not whether the state allows it"),
		billing.CanStop:        yes(ec2("StopInstances"), "volumes and addresses of a stopped instance cost on"),
		billing.CanRelease:     yes(ec2("TerminateInstances"), "one id a call; protection is never lifted, nothing is detached or forced; a deregistered AMI leaves its snapshots"),
		billing.CanSnapshot:    no(ec2("CreateSnapshot"), "AWS has them; not made by this program yet"),
		billing.CanTag:         no(ec2("CreateTags"), "AWS has tags; not written by this program yet"),
		billing.CanFollow:      no(ec2("DescribeInstances"), "acts have no jobs; listings show what became of them"),
		billing.CanMembers:     yes(docOrg, "for the key of a payer or a delegated administrator, with organization: in the configuration; each member is read by a role there, its costs once at the payer"),
		billing.CanExamine:     no(docIAM, "no call tells a key's rights without IAM rights; a missing one is named in the refusal"),
	}
}

func permissions() []billing.Permission {
	var all []billing.Permission
	add := func(write bool, of billing.Capability, names ...string) {
		for _, name := range names {
			all = append(all, billing.Permission{Name: name, For: of, Write: write})
		}
	}
	add(false, billing.CanIdentify, "sts:GetCallerIdentity")
	add(false, billing.CanResources, "ec2:DescribeRegions", "ec2:DescribeInstances", "ec2:DescribeInstanceAttribute",
		"ec2:DescribeVolumes", "ec2:DescribeSnapshots", "ec2:DescribeImages", "ec2:DescribeAddresses")
	add(false, billing.CanBalance, "billing:GetCredits", "budgets:ViewBudget")
	add(false, billing.CanCommitments, "savingsplans:DescribeSavingsPlans", "ec2:DescribeReservedInstances", "ec2:DescribeCapacityReservations")
	add(false, billing.CanOffers, "ec2:DescribeSpotPriceHistory")
	add(false, billing.CanUtilisation, "cloudwatch:ListMetrics", "cloudwatch:GetMetricStatistics")
	add(false, billing.CanCharges, "ce:GetCostAndUsage", "s3:ListBucket", "s3:GetObject")
	add(false, billing.CanMembers, "organizations:ListAccounts", "organizations:ListParents", "organizations:ListTagsForResource", "sts:AssumeRole")
	add(true, billing.CanStop, "ec2:StopInstances")
	add(true, billing.CanRelease, "sts:SetSourceIdentity", "ec2:TerminateInstances", "ec2:DeleteVolume", "ec2:DeleteSnapshot", "ec2:DeregisterImage", "ec2:ReleaseAddress")
	return all
}

// page is the console's page of a resource.
func page(r billing.ResourceRef) string {
	if !regionName(r.Region) {
		return billPage
	}
	console := "https://" + r.Region + ".console.aws.amazon.com/ec2/home?region=" + r.Region
	id := url.PathEscape(r.ID)
	switch r.Kind {
	case billing.KindInstance:
		return console + "#InstanceDetails:instanceId=" + id
	case billing.KindDisk:
		return console + "#VolumeDetails:volumeId=" + id
	case billing.KindSnapshot:
		return console + "#SnapshotDetails:snapshotId=" + id
	case billing.KindImage:
		return console + "#ImageDetails:imageId=" + id
	case billing.KindIP:
		return console + "#ElasticIpDetails:AllocationId=" + id
	}
	return billPage
}
