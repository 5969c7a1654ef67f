package alibaba

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

func (f *fake) regions(w http.ResponseWriter, _ url.Values) {
	f.raw(w, 200, `{"RequestId":"r-1","Regions":{"Region":[{"RegionId":"cn-hangzhou","LocalName":"x"},{"RegionId":"cn-shanghai"}]}}`)
}

func (f *fake) caller(w http.ResponseWriter, _ url.Values) {
	f.raw(w, 200, `{"RequestId":"r-1","AccountId":"1234567890123456","Arn":"acs:ram::1234567890123456:user/watch","IdentityType":"RAMUser"}`)
}

// price gives a machine with its system disk, as Alibaba does, and refuses the new disk to an old family.
func (f *fake) price(w http.ResponseWriter, q url.Values) {
	if q.Get("ResourceType") == "disk" {
		prices := map[string]string{"500": "1.05", "200": "0.42", "40": "0.084"}
		f.raw(w, 200, `{"PriceInfo":{"Price":{"OriginalPrice":1.5,"DiscountPrice":0.45,"TradePrice":`+prices[q.Get("DataDisk.1.Size")]+`,"Currency":"CNY",
			"DetailInfos":{"DetailInfo":[]}}}}`)
		return
	}
	if strings.HasPrefix(q.Get("InstanceType"), "ecs.gn5-") && q.Get("SystemDisk.Category") == "cloud_essd" {
		f.refuse(w, 403, "InvalidSystemDiskCategory.ValueNotSupported")
		return
	}
	prices := map[string]string{"ecs.gn7i-c8g1.2xlarge Hour": "9.98", "ecs.gn6i-c4g1.xlarge Month": "3655.0", "ecs.gn5-c4g1.xlarge Hour": "12.78",
		"ecs.gn7e-c16g1.4xlarge Hour": "34.93", "ecs.g7.large Hour": "0.8"}
	p := prices[q.Get("InstanceType")+" "+q.Get("PriceUnit")]
	if q.Get("SpotStrategy") != "" && q.Get("ZoneId") != "" {
		p = "2.43"
	}
	if p == "" {
		f.raw(w, 200, `{"PriceInfo":{"Price":{"TradePrice":57.8,"Currency":"CNY","DetailInfos":{"DetailInfo":[{"Resource":"systemDisk","TradePrice":57.8}]}}}}`)
		return
	}
	f.raw(w, 200, `{"PriceInfo":{"Price":{"OriginalPrice":4368.0,"DiscountPrice":655.2,"TradePrice":9999.0,"Currency":"CNY","DetailInfos":{"DetailInfo":[
		{"Resource":"instanceType","OriginalPrice":4300.0,"DiscountPrice":645.0,"TradePrice":`+p+`},
		{"Resource":"bandwidth","TradePrice":0.5},{"Resource":"systemDisk","TradePrice":57.8}]}}}}`)
}

func (f *fake) types(w http.ResponseWriter, q url.Values) {
	if q.Get("NextToken") == "" {
		f.raw(w, 200, `{"NextToken":"two","InstanceTypes":{"InstanceType":[{"InstanceTypeId":"ecs.gn7i-c8g1.2xlarge","GPUAmount":1,"GPUSpec":"NVIDIA A10"}]}}`)
		return
	}
	f.raw(w, 200, `{"NextToken":"","InstanceTypes":{"InstanceType":[{"InstanceTypeId":"ecs.gn6v-c8g1.2xlarge","GPUAmount":1,"GPUSpec":"NVIDIA V100"}]}}`)
}

// spot gives an old price, a newer one, and a zone that has no spot.
func (f *fake) spot(w http.ResponseWriter, q url.Values) {
	if q.Get("Offset") != "" {
		f.raw(w, 200, `{"Currency":"CNY","NextOffset":1000,"SpotPrices":{"SpotPriceType":[]}}`)
		return
	}
	f.raw(w, 200, `{"Currency":"CNY","NextOffset":1000,"SpotPrices":{"SpotPriceType":[
		{"ZoneId":"cn-hangzhou-g","SpotPrice":3.11,"OriginPrice":9.98,"Timestamp":"2026-11-19T06:00:00Z"},
		{"ZoneId":"cn-hangzhou-g","SpotPrice":2.43,"OriginPrice":9.98,"Timestamp":"2026-11-19T08:00:00Z"},
		{"ZoneId":"cn-hangzhou-h","SpotPrice":0,"OriginPrice":9.98,"Timestamp":"2026-11-19T06:00:00Z"}]}}`)
}

func (f *fake) metrics(w http.ResponseWriter, q url.Values) {
	if f.denied["metric "+q.Get("MetricName")] != "" {
		f.refuse(w, 403, "NoPermission")
		return
	}
	if !strings.Contains(q.Get("Dimensions"), `"instanceId":"i-train"`) {
		f.raw(w, 200, `{"Code":"200","Success":true,"Datapoints":"[]"}`)
		return
	}
	at := f.now().Add(-5 * time.Minute).UnixMilli()
	point := func(gpu string, v float64) string {
		return fmt.Sprintf(`{\"timestamp\":%d,\"instanceId\":\"i-train\",\"gpuId\":\"%s\",\"Average\":%g}`, at, gpu, v)
	}
	if q.Get("NextToken") == "" {
		f.raw(w, 200, `{"Code":"200","Success":true,"NextToken":"two","Datapoints":"[`+point("10", 3)+`,`+point("0", 99.52)+`]"}`)
		return
	}
	f.raw(w, 200, `{"Code":"200","Success":true,"Datapoints":"[`+point("2", 42.5)+`]"}`)
}

// bill gives three lines a day in two pages, from the 16th on; days that are not over have lines too.
func (f *fake) bill(w http.ResponseWriter, q url.Values) {
	day := q.Get("BillingDate")
	if q.Get("Granularity") != "DAILY" || !strings.HasPrefix(day, q.Get("BillingCycle")) {
		f.refuse(w, 400, "InvalidParameter")
		return
	}
	line := func(id, commodity, item, amount string) string {
		return `{"BillingDate":"` + day + `","ProductName":"Elastic Compute Service","ProductCode":"ecs","CommodityCode":"` + commodity + `",
			"SubscriptionType":"PayAsYouGo","Item":"PayAsYouGoBill","InstanceID":"` + id + `","InstanceSpec":"ecs.gn7i-c8g1.2xlarge",
			"Region":"China (Hangzhou)","Tag":"key:owner value:alice; key:project value:llm","BillingItem":"` + item + `",
			"Currency":"CNY","PretaxGrossAmount":240.0,"PretaxAmount":` + amount + `,"PaymentAmount":1.0,"OwnerID":"122"}`
	}
	items, next := "", ""
	switch {
	case day < "2026-11-16" || day > f.now().Format("2006-01-02"):
	case q.Get("NextToken") == "":
		items, next = line("i-train", "ecs", "Instance", "216.123456789012345")+","+line("d-left", "yundisk", "Data Disk", "9.12"), "two"
	default:
		items = line("i-train", "ecs", "Outbound Bandwidth", "1E-8")
	}
	f.raw(w, 200, `{"Code":"Success","Success":true,"Data":{"AccountID":"122","AccountName":"a@b","NextToken":"`+next+`","Items":[`+items+`]}}`)
}

func (f *fake) balance(w http.ResponseWriter, _ url.Values) {
	f.raw(w, 200, `{"Code":"200","Message":"success","Success":true,"Data":{"AvailableAmount":"6,828.72","CreditAmount":"5,000.00",
		"MybankCreditAmount":"0.00","Currency":"CNY","AvailableCashAmount":"1,828.72","QuotaLimit":""}}`)
}

func (f *fake) coupons(w http.ResponseWriter, _ url.Values) {
	f.raw(w, 200, `{"Code":"Success","Success":true,"Data":{"CashCoupon":[
		{"CashCouponNo":"c-1","Balance":"1,100.00","ExpiryTime":"2026-12-29T15:15:50Z","Status":"Available"},
		{"CashCouponNo":"c-2","Balance":"50.00","ExpiryTime":"2026-01-29T15:15:50Z","Status":"Expired"}]}}`)
}

func (f *fake) cards(w http.ResponseWriter, _ url.Values) {
	f.raw(w, 200, `{"Code":"Success","Success":true,"Data":{"PrepaidCard":[]}}`)
}

func (f *fake) subscriptions(w http.ResponseWriter, q url.Values) {
	pages := map[string]string{
		"1": `{"InstanceID":"i-sub","ProductCode":"ecs","EndTime":"2026-12-10T16:00:00Z","RenewStatus":"AutoRenewal","Status":"Normal"}`,
		"2": `{"InstanceID":"spn-1","ProductCode":"savingplan","EndTime":"2027-01-10T16:00:00Z","RenewStatus":"NotRenewal","Status":"Normal"}`}
	f.raw(w, 200, `{"Code":"Success","Success":true,"Data":{"TotalCount":2,"InstanceList":[`+pages[q.Get("PageNum")]+`]}}`)
}

func index(list []map[string]any, key, id string) int {
	return slices.IndexFunc(list, func(t map[string]any) bool { return t[key] == id })
}

func (f *fake) done(w http.ResponseWriter) { f.raw(w, 200, `{"RequestId":"473469C7-AA6F"}`) }

// stop takes StopCharging for every machine and heeds it where it can.
func (f *fake) stop(w http.ResponseWriter, q url.Values) {
	i := index(f.instances, "InstanceId", q.Get("InstanceId"))
	switch {
	case i < 0:
		f.refuse(w, 404, "InvalidInstanceId.NotFound")
	case f.instances[i]["Status"] != "Running":
		f.refuse(w, 403, "IncorrectInstanceStatus")
	case q.Get("DryRun") == "true":
		f.refuse(w, 400, "DryRunOperation")
	default:
		m := f.instances[i]
		m["Status"], m["StoppedMode"] = "Stopped", "KeepCharging"
		if q.Get("StoppedMode") == "StopCharging" && !f.deafStop && m["InstanceChargeType"] == "PostPaid" && !strings.HasPrefix(m["InstanceType"].(string), "ecs.gn5-") {
			m["StoppedMode"] = "StopCharging"
		}
		f.done(w)
	}
}

func (f *fake) deleteInstances(w http.ResponseWriter, q url.Values) {
	id := q.Get("InstanceId.1")
	i := index(f.instances, "InstanceId", id)
	switch {
	case len(q.Get("ClientToken")) > 64 || q.Get("RegionId") == "":
		f.refuse(w, 400, "InvalidParameter")
	case i < 0:
		f.refuse(w, 404, "InvalidInstanceId.NotFound")
	case f.instances[i]["DeletionProtection"] == true:
		f.refuse(w, 403, "InvalidOperation.DeletionProtection")
	case f.instances[i]["InstanceChargeType"] == "PrePaid":
		f.refuse(w, 403, "ChargeTypeViolation")
	case f.instances[i]["Status"] != "Stopped" && q.Get("Force") != "true":
		f.refuse(w, 403, "IncorrectInstanceStatus")
	case q.Get("DryRun") == "true":
		f.refuse(w, 400, "DRYRUN.SUCCESS")
	default:
		f.instances = slices.Delete(f.instances, i, i+1)
		for _, d := range f.disks {
			if d["InstanceId"] == id {
				d["InstanceId"], d["Status"], d["Attachments"] = "", "Available", map[string]any{"Attachment": []any{}}
			}
		}
		for _, a := range f.addresses {
			if a["InstanceId"] == id {
				a["InstanceId"], a["InstanceType"], a["Status"] = "", "", "Available"
			}
		}
		f.done(w)
	}
}

// deleteDisk, deleteSnapshot and deleteImage say yes to what does not exist, as Alibaba does.
func (f *fake) deleteDisk(w http.ResponseWriter, q url.Values) {
	i := index(f.disks, "DiskId", q.Get("DiskId"))
	switch {
	case i < 0:
		f.done(w)
	case f.disks[i]["Status"] != "Available":
		f.refuse(w, 403, "IncorrectDiskStatus")
	default:
		f.disks = slices.Delete(f.disks, i, i+1)
		f.done(w)
	}
}

func (f *fake) deleteSnapshot(w http.ResponseWriter, q url.Values) {
	i := index(f.snapshots, "SnapshotId", q.Get("SnapshotId"))
	switch {
	case i < 0:
		f.done(w)
	case f.snapshots[i]["Usage"] == "image":
		f.refuse(w, 403, "SnapshotCreatedImage")
	default:
		f.snapshots = slices.Delete(f.snapshots, i, i+1)
		f.done(w)
	}
}

func (f *fake) deleteImage(w http.ResponseWriter, q url.Values) {
	i := index(f.images, "ImageId", q.Get("ImageId"))
	switch {
	case i < 0:
		f.done(w)
	case q.Get("DryRun") == "true":
		f.refuse(w, 400, "DryRunOperation")
	default:
		f.images = slices.Delete(f.images, i, i+1)
		if s := index(f.snapshots, "SnapshotId", "s-image"); s >= 0 {
			f.snapshots[s]["Usage"] = "none"
		}
		f.done(w)
	}
}

func (f *fake) release(w http.ResponseWriter, q url.Values) {
	i := index(f.addresses, "AllocationId", q.Get("AllocationId"))
	switch {
	case i < 0:
		f.refuse(w, 404, "InvalidAllocationId.NotFound")
	case f.addresses[i]["ChargeType"] == "PrePaid":
		f.refuse(w, 400, "Forbidden.ChargeTypeIsPrepaid")
	case f.addresses[i]["Status"] != "Available":
		f.refuse(w, 400, "IncorrectEipStatus")
	default:
		f.addresses = slices.Delete(f.addresses, i, i+1)
		f.done(w)
	}
}
