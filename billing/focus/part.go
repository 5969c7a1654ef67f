package focus

import (
	"strings"

	"gpuspend/billing"
)

// The columns in which a rule looks, as bits and as places in a words.
const (
	inCharge      = iota // ChargeCategory
	inCategory           // ServiceCategory
	inSubcategory        // ServiceSubcategory
	inService            // ServiceName
	inKind               // ResourceType
	inMeter              // SkuMeter
	inDescription        // ChargeDescription
	columnsOfClues

	charge   = 1 << inCharge
	category = 1 << inCategory
	meter    = 1<<inMeter | 1<<inDescription
	kind     = meter | 1<<inKind
	service  = kind | 1<<inService | 1<<inSubcategory
)

// rule says that one of the words in one of the columns makes a part of the bill.
type rule struct {
	part  billing.Part
	where int
	words []string
}

// rules is the table by which a row finds its part of the bill. The first rule that fits counts, so what is sold inside
// of something else (the traffic of a bucket, the address of a machine) stands before it. Words are in lower case; a
// space stands for the edge of a word. They are those of the bills of AWS, Azure, Google, Oracle, Nebius and the Chinese
// clouds.
func rules() []rule {
	return []rule{
		{billing.PartOther, charge, []string{" tax "}},
		{billing.PartOther, kind, []string{"defender for"}},

		{billing.PartBandwidth, service, []string{"data transfer", "datatransfer", "bandwidth", "egress", " ingress", "out-bytes", "in-bytes",
			"internet traffic", "network traffic", "outbound traffic", "inbound traffic", "public traffic", "processed by nat gateway",
			"nat gateway data", "natgateway-bytes", "balancer - standard data processed", "peering", "content delivery", "流量", "带宽"}},

		{billing.PartSnapshot, service, []string{"snapshot", "backup", "recovery services", "machine image", "custom image", "compute image",
			"disk image", "image storage", " image ", " images ", " ami ", "快照", "镜像", "备份"}},

		{billing.PartIP, service, []string{"public ip", "publicip", "elastic ip", "elasticip", "ip address", "ipaddress", "ipv4 address",
			"static ip", "floating ip", "reserved ip", " eip ", "弹性公网", "弹性ip", "公网ip"}},

		{billing.PartDisk, kind, []string{" volume ", " disk ", " bucket ", "managed disk", "provisioned storage", "block volume",
			"block storage", "boot volume", "bootvolume", "persistent disk", "pd capacity", "iops-month", "volumeusage", " ebs:",
			"network volume", "network disk", "network ssd", "shared filesystem", "filesystem", "file storage", "object storage", "data storage",
			"云硬盘", "云盘", "数据盘", "系统盘", "块存储", "文件存储", "对象存储"}},
		{billing.PartDisk, category, []string{" storage "}},
		{billing.PartDisk, service, []string{"storage service", "volume service", "云硬盘", "云盘", "块存储", "文件存储", "对象存储"}},

		{billing.PartOther, kind, []string{"nat gateway", "load balancer", "loadbalancer", "load balancing", "marketplace", "token"}},
		{billing.PartOther, category, []string{"analytics", "business applications", "databases", "developer tools", "identity", "integration",
			"internet of things", "management and governance", "media", "migration", "mobile", "multicloud", "networking", "security", " web "}},

		{billing.PartInstance, category, []string{" compute ", "ai and machine learning"}},
		{billing.PartInstance, service, []string{"instance", "virtual machine", " gpu", "vcpu", "bare metal", "cloud server", "compute",
			"fargate", "kubernetes", "container service", "droplet", "云服务器", "算力"}},
	}
}

// words are a row's columns in lower case, with a space at either end and for separators.
type words [columnsOfClues]string

func (row clues) words() words {
	var w words
	for i, s := range []string{row.charge, row.category, row.subcategory, row.service, row.kind, row.meter, row.description} {
		w[i] = " " + strings.NewReplacer("_", " ", ",", " ", "(", " ", ")", " ", "/", " ").Replace(strings.ToLower(s)) + " "
	}
	return w
}

func partOf(rules []rule, w words) billing.Part {
	for _, r := range rules {
		for i, column := range w {
			if r.where&(1<<i) != 0 && containsAny(column, r.words...) {
				return r.part
			}
		}
	}
	return billing.PartOther
}

func containsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
