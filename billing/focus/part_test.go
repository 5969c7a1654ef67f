package focus

import (
	"testing"
	"time"

	"gpuspend/billing"
)

func TestParts(t *testing.T) {
	tests := []struct {
		want billing.Part
		row  billing.Charge
	}{
		{"instance", billing.Charge{ServiceCategory: "Compute", ServiceName: "Amazon EC2", ResourceType: "Instance", SkuMeter: "BoxUsage"}},
		{"instance", billing.Charge{ServiceCategory: "AI and Machine Learning", ServiceName: "Amazon SageMaker", ChargeDescription: "$1.515 per ml.g5.2xlarge hour"}},
		{"instance", billing.Charge{ServiceName: "云服务器CVM"}},
		{"instance", billing.Charge{ServiceName: "Elastic Cloud Server"}},
		{"instance", billing.Charge{ServiceName: "COMPUTE", ResourceType: "instance"}},
		{"instance", billing.Charge{ServiceCategory: "Compute", ChargeDescription: "$0.624 per On Demand Linux i3.2xlarge Instance Hour"}},
		{"bandwidth", billing.Charge{ServiceCategory: "Compute", ChargeDescription: "$0.010 per GB - regional data transfer - in/out/between EC2 AZs or using elastic IPs or ELB"}},
		{"bandwidth", billing.Charge{ServiceName: "Elastic IP Address", SkuMeter: "Internet traffic"}},
		{"bandwidth", billing.Charge{ServiceName: "弹性公网IP", SkuMeter: "流量"}},
		{"bandwidth", billing.Charge{ServiceCategory: "Networking", ServiceName: "Bandwidth"}},
		{"bandwidth", billing.Charge{ServiceName: "Cloud Storage", ChargeDescription: "Network Internet Egress from Americas to China"}},
		{"disk", billing.Charge{ServiceCategory: "Compute", ResourceType: "Disk", ChargeDescription: "Premium SSD Managed Disks - P4 LRS - US East"}},
		{"disk", billing.Charge{ServiceCategory: "Compute", SkuMeter: "EBS:VolumeUsage.gp3"}},
		{"disk", billing.Charge{ServiceCategory: "Compute", ChargeDescription: "Storage PD Capacity"}},
		{"disk", billing.Charge{ServiceName: "Elastic Volume Service"}},
		{"disk", billing.Charge{ServiceName: "云硬盘CBS"}},
		{"disk", billing.Charge{ServiceCategory: "Storage", ServiceName: "Amazon S3", ChargeDescription: "$0.004 per 10,000 GET"}},
		{"snapshot", billing.Charge{ServiceCategory: "Storage", ServiceName: "Amazon EC2", SkuMeter: "EBS:SnapshotUsage"}},
		{"snapshot", billing.Charge{ServiceName: "AWS Backup", ServiceCategory: "Storage"}},
		{"snapshot", billing.Charge{ServiceCategory: "Compute", ResourceType: "Image", ChargeDescription: "Storage Image"}},
		{"snapshot", billing.Charge{ServiceName: "快照服务"}},
		{"ip", billing.Charge{ServiceCategory: "Networking", ChargeDescription: "$0.005 per Idle public IPv4 address per hour"}},
		{"ip", billing.Charge{ServiceCategory: "Compute", SkuMeter: "ElasticIP:IdleAddress"}},
		{"ip", billing.Charge{ServiceName: "弹性公网IP", SkuMeter: "IP保有费"}},
		{"other", billing.Charge{ServiceCategory: "Compute", ServiceName: "Amazon EC2", ChargeCategory: "Tax"}},
		{"other", billing.Charge{ServiceCategory: "Compute", ChargeDescription: "$0.045 per NAT Gateway Hour"}},
		{"other", billing.Charge{ServiceCategory: "Databases", ServiceName: "Amazon RDS", ResourceType: "Instance"}},
		{"other", billing.Charge{ServiceCategory: "AI and Machine Learning", SkuMeter: "input tokens"}},
		{"other", billing.Charge{}},
	}
	var k Classifier
	for _, tt := range tests {
		c := tt.row
		if k.Classify(&c); c.Part != tt.want {
			t.Errorf("%s, want %s: %+v", c.Part, tt.want, tt.row)
		}
	}
}

func TestModes(t *testing.T) {
	month := billing.Period{Start: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	year := billing.Period{Start: month.Start, End: month.Start.AddDate(1, 0, 0)}
	tests := []struct {
		want billing.Mode
		row  billing.Charge
	}{
		{billing.ModeOnDemand, billing.Charge{ChargeCategory: "Usage", PricingCategory: "Standard"}},
		{billing.ModeSpot, billing.Charge{ChargeCategory: "Usage", PricingCategory: "Dynamic"}},
		{billing.ModeSpot, billing.Charge{ServiceCategory: "Compute", ChargeDescription: "Spot Instance-hour in US East"}},
		{billing.ModeReserved, billing.Charge{ChargeCategory: "Usage", PricingCategory: "Committed"}},
		{billing.ModeReserved, billing.Charge{ChargeCategory: "Purchase", PricingCategory: "Standard", CommitmentDiscountID: "ri-1", ChargePeriod: month}},
		{billing.ModeMonthly, billing.Charge{ChargeCategory: "Purchase", ChargePeriod: month}},
		{billing.ModeYearly, billing.Charge{ChargeCategory: "Purchase", ChargePeriod: year}},
		{billing.ModeUnknown, billing.Charge{ChargeCategory: "Tax"}},
		{billing.ModeUnknown, billing.Charge{ChargeCategory: "Credit", PricingCategory: "Other"}},
	}
	var k Classifier
	for _, tt := range tests {
		c := tt.row
		if k.Classify(&c); c.Mode != tt.want {
			t.Errorf("%q, want %q: %+v", c.Mode, tt.want, tt.row)
		}
	}
}

func TestGPUs(t *testing.T) {
	tests := []struct{ want, details, description string }{
		{"A10G", "", "$1.624 per On Demand Linux g5.4xlarge Instance Hour"},
		{"H100", `{"InstanceType":"p5.48xlarge","CoreCount":192}`, ""},
		{"H100", `{"CoreCount":8,"GpuModel": "NVIDIA H100 80GB HBM3"}`, ""},
		{"A100-80G", `{"InstanceType": "Standard_ND96amsr_A100_v4"}`, ""},
		{"H100-NVL", `{"InstanceType":"Standard_NC40ads_H100_v5"}`, ""},
		{"H200", `{"InstanceType":"Standard_ND96isr_H200_v5"}`, ""},
		{"A10", `{"InstanceType":"ecs.gn7i-c8g1.2xlarge"}`, ""},
		{"A100-80G", `{"InstanceType":"ecs.gn7e-c16g1.4xlarge"}`, ""},
		{"H100", `{"InstanceType":"a3-highgpu-8g"}`, ""},
		{"T4", "", "USE1-BoxUsage:g4dn.xlarge"},
		{"H200", "", "NVIDIA H200 NVLink with Intel Sapphire Rapids. GPU"},
		{"A100-80G", "", "A100 SXM4 80GB"},
		{"A100-ANY", "", "Nvidia Tesla A100 GPU running in Americas"},
		{"RTX-4090", "", "GPU RTX 4090 pod"},
		{"L40S", "", "L40S GPU"},
		{"", "", "$0.0168 per On Demand Linux t4g.small Instance Hour"},
		{"", `{"InstanceType":"g5.8xlarge.4"}`, ""}, // Huawei's, which is another machine
		{"", `{"InstanceType":"m6i.large"}`, "Linux on-demand m6i.large"},
		{"", `{"InstanceType":12}`, ""},
		{"", `{"InstanceType":"p5.48xlarge`, ""},
	}
	var k Classifier
	for _, tt := range tests {
		c := billing.Charge{ServiceCategory: "Compute", SkuPriceDetails: tt.details, ChargeDescription: tt.description}
		if k.Classify(&c); c.GPU != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.details, tt.description, c.GPU, tt.want)
		}
	}
	disk := billing.Charge{ServiceCategory: "Storage", ChargeDescription: "Disk of an H100 machine"}
	if k.Classify(&disk); disk.GPU != "" {
		t.Errorf("a disk is a %s", disk.GPU)
	}
}
