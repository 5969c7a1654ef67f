package huawei

import (
	"encoding/json"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// Huawei's own words stop in this file. The structs are narrow on purpose: user data, passwords and the free entries of
// metadata are secrets of users and are never decoded.

type projectsAnswer struct {
	envelope
	Projects *[]struct {
		ID      string `json:"id"`
		Name    string `json:"name"` // the region, for a sub-project with "_" and its own name
		Enabled *bool  `json:"enabled"`
	} `json:"projects"`
}

type domainsAnswer struct {
	envelope
	Domains []struct {
		ID string `json:"id"`
	} `json:"domains"`
}

type serversAnswer struct {
	envelope
	Count   int       `json:"count"`
	Servers *[]server `json:"servers"`
}

type serverAnswer struct {
	envelope
	Server *server `json:"server"`
}

type server struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Status         string `json:"status"`
	TaskState      string `json:"OS-EXT-STS:task_state"`
	Zone           string `json:"OS-EXT-AZ:availability_zone"`
	Created        string `json:"created"`
	LaunchedAt     string `json:"OS-SRV-USG:launched_at"` // UTC without a zone
	AutoTerminate  string `json:"auto_terminate_time"`
	Locked         bool   `json:"locked"`
	EnterpriseProj string `json:"enterprise_project_id"`
	Flavor         struct {
		ID   string        `json:"id"`
		GPUs []accelerator `json:"gpus"`
		NPUs []accelerator `json:"asic_accelerators"`
	} `json:"flavor"`
	Metadata struct {
		Charging string `json:"charging_mode"`
		Spec     string `json:"metering.resourcespeccode"`
		OS       string `json:"os_type"`
	} `json:"metadata"`
	Volumes []struct {
		ID                string `json:"id"`
		Device            string `json:"device"`
		BootIndex         string `json:"bootIndex"`
		DeleteOnTerminate string `json:"delete_on_termination"` // "true" or "false", as text
	} `json:"os-extended-volumes:volumes_attached"`
	Addresses map[string][]struct {
		Port string `json:"OS-EXT-IPS:port_id"`
	} `json:"addresses"`
	Tags []string `json:"tags"` // "key=value"
}

type accelerator struct {
	Name      string      `json:"name"`
	Count     json.Number `json:"count"`
	MemoryMiB json.Number `json:"memory_mb"`
}

// How a server is paid for.
const (
	chargedOnDemand = "0"
	chargedAhead    = "1"
	chargedSpot     = "2"
)

type flavorsAnswer struct {
	envelope
	Flavors *[]flavor `json:"flavors"`
}

type flavor struct {
	ID    string `json:"id"`
	Extra struct {
		Performance string `json:"ecs:performancetype"` // "gpu", "ascend"
		Alias       string `json:"pci_passthrough:alias"`
		Status      string `json:"cond:operation:status"`
		Charge      string `json:"cond:operation:charge"`      // "demand,period"; "" for both
		ChargeStop  string `json:"cond:operation:charge:stop"` // "charge" or "free"; "" is free
	} `json:"os_extra_specs"`
}

type volumesAnswer struct {
	envelope
	Volumes *[]volume `json:"volumes"`
}

type volumeAnswer struct {
	envelope
	Volume *volume `json:"volume"`
}

type volume struct {
	ID          string      `json:"id"`
	Enterprise  string      `json:"enterprise_project_id"`
	Name        string      `json:"name"`
	Status      string      `json:"status"`
	Size        json.Number `json:"size"` // GB
	Type        string      `json:"volume_type"`
	Bootable    string      `json:"bootable"` // "true" or "false", as text
	Zone        string      `json:"availability_zone"`
	CreatedAt   string      `json:"created_at"` // UTC without a zone
	Attachments []struct {
		ServerID string `json:"server_id"`
		Device   string `json:"device"`
	} `json:"attachments"`
	Metadata struct {
		OrderID string `json:"orderID"` // of what was paid ahead
	} `json:"metadata"`
	Tags map[string]string `json:"tags"`
}

type snapshotsAnswer struct {
	envelope
	Snapshots *[]snapshot `json:"snapshots"`
}

type snapshotAnswer struct {
	envelope
	Snapshot *snapshot `json:"snapshot"`
}

type snapshot struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Status    string      `json:"status"`
	VolumeID  string      `json:"volume_id"`
	Size      json.Number `json:"size"` // GB, that of its disk
	CreatedAt string      `json:"created_at"`
}

type imagesAnswer struct {
	envelope
	Images *[]image `json:"images"`
}

type image struct {
	ID         string   `json:"id"`
	Enterprise string   `json:"enterprise_project_id"`
	Name       string   `json:"name"`
	Status     string   `json:"status"`
	Protected  bool     `json:"protected"`
	Bytes      string   `json:"__image_size"` // the plain "size" is always 0
	Origin     string   `json:"__data_origin"`
	BackupID   string   `json:"__backup_id"` // of a whole machine
	CreatedAt  string   `json:"created_at"`
	Tags       []string `json:"tags"` // "key.value"
}

type addressesAnswer struct {
	envelope
	Addresses *[]address `json:"publicips"` // the number beside it is not that of the list
}

type addressAnswer struct {
	envelope
	Address *address `json:"publicip"`
}

type address struct {
	ID         string `json:"id"`
	Enterprise string `json:"enterprise_project_id"`
	Alias      string `json:"alias"`
	IP         string `json:"public_ip_address"`
	Status     string `json:"status"`
	CreatedAt  string `json:"created_at"`
	Billing    string `json:"billing_info"` // filled for what was paid ahead
	Lock       string `json:"lock_status"`
	Pool       string `json:"publicip_pool_name"`
	BoundType  string `json:"associate_instance_type"`
	BoundTo    string `json:"associate_instance_id"`
	GoesAlong  bool   `json:"cascade_delete_by_instance"`
	Interfaces struct {
		Device string `json:"device_id"`
		Port   string `json:"port_id"`
		Owner  string `json:"instance_id"`
	} `json:"vnic"`
	Bandwidth struct {
		Share  string `json:"share_type"` // PER or WHOLE
		Charge string `json:"charge_mode"`
	} `json:"bandwidth"`
	Tags []string `json:"tags"`
}

type groupsAnswer struct {
	envelope
	Total  int      `json:"total_number"`
	Groups *[]group `json:"scaling_groups"`
}

type group struct {
	ID   string `json:"scaling_group_id"`
	Name string `json:"scaling_group_name"`
}

type membersAnswer struct {
	envelope
	Total   int       `json:"total_number"`
	Members *[]member `json:"scaling_group_instances"`
}

type member struct {
	ID string `json:"instance_id"`
}

type balancesAnswer struct {
	envelope
	Accounts *[]struct {
		Type     json.Number `json:"account_type"`
		Amount   json.Number `json:"amount"`
		Measure  json.Number `json:"measure_id"`
		Currency string      `json:"currency"`
	} `json:"account_balances"`
	Debt     json.Number `json:"debt_amount"`
	Measure  json.Number `json:"measure_id"`
	Currency string      `json:"currency"`
}

// The types of account.
const (
	accountCash   = "1"
	accountCredit = "2"
)

type couponsAnswer struct {
	envelope
	Count   *int      `json:"count"`
	Coupons *[]coupon `json:"user_coupons"`
}

type coupon struct {
	ID       string      `json:"coupon_id"`
	Type     json.Number `json:"coupon_type"` // 2 is a discount and no money
	Balance  json.Number `json:"balance"`
	Expires  string      `json:"expire_time"`
	Status   json.Number `json:"status"`
	Frozen   string      `json:"is_frozen"`
	Measure  json.Number `json:"measure_id"`
	Currency string      `json:"currency"`
}

type billAnswer struct {
	envelope
	Total    *int      `json:"total_count"`
	Currency string    `json:"currency"`
	Records  *[]record `json:"monthly_records"`
}

// record is a line of the daily bill. Numbers that are text elsewhere are numbers here, and one key has a capital.
type record struct {
	BillDate     string      `json:"bill_date"` // a day in UTC+8
	BillType     json.Number `json:"bill_type"`
	CustomerID   string      `json:"customer_id"`
	Account      string      `json:"account_name"`
	Payer        string      `json:"payer_account_id"`
	Enterprise   string      `json:"enterprise_project_id"`
	EnterpriseOf string      `json:"enterprise_project_name"`
	Region       string      `json:"region"`
	RegionName   string      `json:"region_name"`
	Service      string      `json:"cloud_service_type"`
	ServiceName  string      `json:"cloud_service_type_name"`
	ResourceType string      `json:"resource_Type_code"`
	ResourceID   string      `json:"res_instance_id"`
	ResourceName string      `json:"resource_name"`
	Tag          string      `json:"resource_tag"`
	SKU          string      `json:"sku_code"`
	Spec         string      `json:"product_spec_desc"`
	ChargeMode   json.Number `json:"charge_mode"`
	Consumed     json.Number `json:"consume_amount"` // to be paid, whether with cash, credit or coupons
	Official     json.Number `json:"official_amount"`
	Measure      json.Number `json:"measure_id"`
	TradeID      string      `json:"trade_id"`
}

type ordersAnswer struct {
	envelope
	Total     *int     `json:"total_count"`
	Resources *[]order `json:"data"`
}

// order is a resource that was paid ahead.
type order struct {
	ID        string      `json:"id"`
	Resource  string      `json:"resource_id"`
	Name      string      `json:"resource_name"`
	Type      string      `json:"resource_type_code"`
	Effective string      `json:"effective_time"`
	Expires   string      `json:"expire_time"`
	Policy    json.Number `json:"expire_policy"` // what happens then; 3 renews
	Main      json.Number `json:"is_main_resource"`
	SpecDesc  string      `json:"product_spec_desc"`
}

const policyRenews = "3"

// The types of resource, as orders, bills and ratings have them.
const (
	typeVM        = "hws.resource.type.vm"
	typeVolume    = "hws.resource.type.volume"
	typeIP        = "hws.resource.type.ip"
	typeBandwidth = "hws.resource.type.bandwidth"
	serviceVM     = "hws.service.type.ec2"
	serviceVolume = "hws.service.type.ebs"
)

type ratingAnswer struct {
	envelope
	Currency string        `json:"currency"`
	Measure  json.Number   `json:"measure_id"`
	Results  *[]ratingLine `json:"product_rating_results"`
}

type periodAnswer struct {
	envelope
	Currency string `json:"currency"`
	Official *struct {
		Measure json.Number   `json:"measure_id"`
		Results *[]ratingLine `json:"product_rating_results"`
	} `json:"official_website_rating_result"`
}

type ratingLine struct {
	ID       string      `json:"id"`
	Amount   json.Number `json:"amount"` // after discounts
	Official json.Number `json:"official_website_amount"`
	Measure  json.Number `json:"measure_id"`
}

type dimensionsAnswer struct {
	envelope
	Dimensions *[]dimension `json:"dimensions"`
	Count      int          `json:"count"`
}

type dimension struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type metric struct {
	Namespace  string      `json:"namespace"`
	Name       string      `json:"metric_name"`
	Dimensions []dimension `json:"dimensions"`
}

type metricsAnswer struct {
	envelope
	Metrics *[]struct {
		metric
		Points []struct {
			Average json.Number `json:"average"`
			At      int64       `json:"timestamp"` // ms
		} `json:"datapoints"`
	} `json:"metrics"`
}

type jobStarted struct {
	envelope
	JobID string `json:"job_id"`
}

type jobAnswer struct {
	envelope
	Status   string `json:"status"`
	JobID    string `json:"job_id"`
	Entities struct {
		Jobs []subJob `json:"sub_jobs"`
	} `json:"entities"`
	Failure string `json:"error_code"`
}

type subJob struct {
	Status  string `json:"status"`
	Failure string `json:"error_code"`
}

// instant reads a time. Huawei writes UTC, with its mark or without; what is missing or no time is unknown.
func instant(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

func decimal(n json.Number) billing.Decimal {
	d, err := httpx.Decimal(n)
	if err != nil || d.Sign() < 0 {
		return billing.Decimal{}
	}
	return d
}

// pairs takes tags apart that are texts: ECS writes "key=value", IMS "key.value".
func pairs(tags []string, between string) map[string]string {
	if len(tags) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, t := range tags {
		k, v, _ := strings.Cut(t, between)
		out[k] = v
	}
	return out
}
