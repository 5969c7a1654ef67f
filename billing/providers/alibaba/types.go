package alibaba

import (
	"encoding/json"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// Alibaba's own words stop in this file. The structs are narrow on purpose: user data, passwords and key pairs are never
// decoded. Lists are pointers where an answer without its list must not pass for an empty one.

// envelope is what every answer has. BSS says how it went in Success: Code is "200" in one of its operations and
// "Success" in the others.
type envelope struct {
	RequestID string  `json:"RequestId"`
	Code      rawCode `json:"Code"`
	Success   *bool   `json:"Success"`
}

func (e *envelope) head() *envelope { return e }

// answer is a decoded answer with its envelope.
type answer interface{ head() *envelope }

// rawCode is a code that stands as a string or as a number.
type rawCode string

// UnmarshalJSON takes both.
func (c *rawCode) UnmarshalJSON(b []byte) error {
	*c = rawCode(strings.Trim(string(b), `"`))
	return nil
}

type token struct {
	NextToken string `json:"NextToken"`
}

type total struct {
	TotalCount int `json:"TotalCount"`
}

type ecsTag struct {
	Key   string `json:"TagKey"`
	Value string `json:"TagValue"`
}

type ecsTags struct {
	Tag []ecsTag `json:"Tag"`
}

func (t ecsTags) all() map[string]string {
	if len(t.Tag) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, tag := range t.Tag {
		out[tag.Key] = tag.Value
	}
	return out
}

type regionsAnswer struct {
	envelope
	Regions struct {
		Region *[]struct {
			RegionID string `json:"RegionId"`
		} `json:"Region"`
	} `json:"Regions"`
}

type callerAnswer struct {
	envelope
	AccountID string `json:"AccountId"`
}

type instancesAnswer struct {
	envelope
	token
	Instances struct {
		Instance *[]instance `json:"Instance"`
	} `json:"Instances"`
}

type instance struct {
	ID                 string      `json:"InstanceId"`
	Name               string      `json:"InstanceName"`
	Status             string      `json:"Status"`
	StoppedMode        string      `json:"StoppedMode"`
	Type               string      `json:"InstanceType"`
	GPUAmount          json.Number `json:"GPUAmount"`
	GPUSpec            string      `json:"GPUSpec"`
	ChargeType         string      `json:"InstanceChargeType"`
	SpotStrategy       string      `json:"SpotStrategy"`
	NetworkType        string      `json:"InstanceNetworkType"`
	BandwidthChargedBy string      `json:"InternetChargeType"`
	BandwidthOut       json.Number `json:"InternetMaxBandwidthOut"`
	CreationTime       string      `json:"CreationTime"`
	StartTime          string      `json:"StartTime"`
	ExpiredTime        string      `json:"ExpiredTime"`
	DeletionProtection bool        `json:"DeletionProtection"`
	Zone               string      `json:"ZoneId"`
	EIP                struct {
		AllocationID string `json:"AllocationId"`
	} `json:"EipAddress"`
	Locks struct {
		LockReason []struct {
			LockReason string `json:"LockReason"`
		} `json:"LockReason"`
	} `json:"OperationLocks"`
	Tags ecsTags `json:"Tags"`
}

// What Alibaba says of machines, disks and addresses.
const (
	running       = "Running"
	stopped       = "Stopped"
	keepCharging  = "KeepCharging"
	stopCharging  = "StopCharging"
	notApplicable = "Not-applicable"
	prePaid       = "PrePaid"
	postPaid      = "PostPaid"
	available     = "Available"
	inUse         = "In_use"
)

type disksAnswer struct {
	envelope
	token
	Disks struct {
		Disk *[]disk `json:"Disk"`
	} `json:"Disks"`
}

type disk struct {
	ID                 string      `json:"DiskId"`
	Name               string      `json:"DiskName"`
	Zone               string      `json:"ZoneId"`
	Size               json.Number `json:"Size"` // GiB
	Category           string      `json:"Category"`
	PerformanceLevel   string      `json:"PerformanceLevel"`
	Status             string      `json:"Status"`
	ChargeType         string      `json:"DiskChargeType"`
	DeleteWithInstance bool        `json:"DeleteWithInstance"`
	InstanceID         string      `json:"InstanceId"` // "" for a disk on several machines
	CreationTime       string      `json:"CreationTime"`
	ExpiredTime        string      `json:"ExpiredTime"`
	SourceSnapshotID   string      `json:"SourceSnapshotId"`
	Attachments        struct {
		Attachment []struct {
			InstanceID string `json:"InstanceId"`
		} `json:"Attachment"`
	} `json:"Attachments"`
	Tags ecsTags `json:"Tags"`
}

type snapshotsAnswer struct {
	envelope
	token
	Snapshots struct {
		Snapshot *[]snapshot `json:"Snapshot"`
	} `json:"Snapshots"`
}

// snapshot leaves SourceDiskSize out: it is the disk's capacity and not what is billed.
type snapshot struct {
	ID           string  `json:"SnapshotId"`
	Name         string  `json:"SnapshotName"`
	Status       string  `json:"Status"`
	Category     string  `json:"Category"`
	SourceDiskID string  `json:"SourceDiskId"`
	LinkID       string  `json:"SnapshotLinkId"`
	Usage        string  `json:"Usage"` // image, disk, image_disk or none
	CreationTime string  `json:"CreationTime"`
	Tags         ecsTags `json:"Tags"`
}

type linksAnswer struct {
	envelope
	token
	Links struct {
		Link *[]link `json:"SnapshotLink"`
	} `json:"SnapshotLinks"`
}

// link is a chain of snapshots of one disk, which is what Alibaba bills.
type link struct {
	ID         string      `json:"SnapshotLinkId"`
	TotalSize  json.Number `json:"TotalSize"` // bytes
	TotalCount json.Number `json:"TotalCount"`
}

type imagesAnswer struct {
	envelope
	total
	Images struct {
		Image *[]image `json:"Image"`
	} `json:"Images"`
}

type image struct {
	ID           string      `json:"ImageId"`
	Name         string      `json:"ImageName"`
	Status       string      `json:"Status"`
	Usage        string      `json:"Usage"` // instance or none
	Size         json.Number `json:"Size"`  // GiB
	CreationTime string      `json:"CreationTime"`
	Devices      struct {
		Device []struct {
			SnapshotID string `json:"SnapshotId"`
		} `json:"DiskDeviceMapping"`
	} `json:"DiskDeviceMappings"`
	Tags ecsTags `json:"Tags"`
}

type addressesAnswer struct {
	envelope
	total
	Addresses struct {
		Address *[]address `json:"EipAddress"`
	} `json:"EipAddresses"`
}

// address has tags of its own form: VPC says Key where ECS says TagKey.
type address struct {
	ID                 string `json:"AllocationId"`
	IP                 string `json:"IpAddress"`
	Name               string `json:"Name"`
	Status             string `json:"Status"`
	ChargeType         string `json:"ChargeType"`
	InternetChargeType string `json:"InternetChargeType"`
	Bandwidth          string `json:"Bandwidth"` // Mbps, a string
	PackageID          string `json:"BandwidthPackageId"`
	InstanceID         string `json:"InstanceId"`
	InstanceType       string `json:"InstanceType"`
	AllocationTime     string `json:"AllocationTime"`
	ExpiredTime        string `json:"ExpiredTime"`
	DeletionProtection bool   `json:"DeletionProtection"`
	ServiceManaged     int    `json:"ServiceManaged"`
	Tags               struct {
		Tag []struct {
			Key   string `json:"Key"`
			Value string `json:"Value"`
		} `json:"Tag"`
	} `json:"Tags"`
}

type actAnswer struct{ envelope }

// instant reads a time; Alibaba writes them with and without seconds. What is missing or no time is unknown.
func instant(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// expiry reads the end of something paid ahead. What is paid as it goes "expires" in 2099.
func expiry(s string) time.Time {
	t := instant(s)
	if t.Year() >= 2099 {
		return time.Time{}
	}
	return t
}

func decimal(n json.Number) billing.Decimal {
	d, err := httpx.Decimal(n)
	if err != nil || d.Sign() < 0 {
		return billing.Decimal{}
	}
	return d
}
