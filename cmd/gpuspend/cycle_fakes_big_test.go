package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The two clouds of the cycle whose answers are the longest: Huawei Cloud's and AWS's.

const (
	huaweiThings  = 270 // machines; as many disks
	huaweiBilled  = 100 // lines a day: one page
	huaweiProject = "0123456789abcdef0123456789abcdef"
	awsThings     = 270
	awsBilled     = 90 // groups a day
)

func huaweiSays(n, path string, q url.Values, body []byte, now time.Time) (string, bool) {
	var asked struct {
		Offset   int
		Begin    string `json:"bill_cycle_begin"`
		End      string `json:"bill_cycle_end"`
		Products []struct {
			ID string `json:"id"`
		} `json:"product_infos"`
	}
	_ = json.Unmarshal(body, &asked)
	ours := "/v1/" + huaweiProject + "/"
	switch path {
	case "/v3/auth/domains":
		return `{"domains":[{"id":"52300efbd1844e4d8c5f3a0a4b1f00` + n + `","name":"demo","enabled":true}]}`, true
	case "/v2/accounts/customer-accounts/balances":
		return `{"account_balances":[{"account_id":"AT1","account_type":1,"amount":208100.92000000,"currency":"CNY","measure_id":1}],"debt_amount":0E-8,"measure_id":1,"currency":"CNY"}`, true
	case "/v2/promotions/benefits/coupons":
		return `{"count":0,"user_coupons":[]}`, true
	case "/v2/orders/suscriptions/resources/query":
		return `{"total_count":0,"data":[]}`, true
	case "/v2/cloudimages":
		return `{"images":[]}`, true
	case "/v2/bills/customer-bills/res-records/query":
		return huaweiBill(n, asked.Begin, asked.Offset, now), true
	case "/v2/bills/ratings/on-demand-resources":
		var results []string
		for _, p := range asked.Products {
			results = append(results, fmt.Sprintf(`{"id":%q,"amount":22.00,"official_website_amount":22,"measure_id":1}`, p.ID))
		}
		return `{"amount":1,"currency":"CNY","measure_id":1,"product_rating_results":[` + strings.Join(results, ",") + `]}`, true
	case "/v2/bills/ratings/period-resources/subscribe-rate":
		var results []string
		for _, p := range asked.Products {
			results = append(results, fmt.Sprintf(`{"id":%q,"official_website_amount":7200,"measure_id":1}`, p.ID))
		}
		return `{"currency":"CNY","official_website_rating_result":{"measure_id":1,"product_rating_results":[` + strings.Join(results, ",") + `]}}`, true
	case ours + "cloudservers/detail":
		from, to := 0, huaweiThings
		if page := q.Get("offset"); page != "" && page != "0" && page != "1" {
			from, to = 0, 0
		}
		return fmt.Sprintf(`{"count":%d,"servers":[%s]}`, huaweiThings, many(from, to, func(i int) string { return huaweiServer(n, i) })), true
	case ours + "cloudservers/flavors":
		if q.Get("marker") != "" {
			return `{"flavors":[]}`, true
		}
		return `{"flavors":[{"id":"p2s.2xlarge.8","name":"p2s.2xlarge.8","vcpus":"8","ram":65536,"os_extra_specs":{"ecs:performancetype":"gpu","cond:operation:status":"normal","cond:operation:charge:stop":"free"}}]}`, true
	case "/v2/" + huaweiProject + "/cloudvolumes/detail":
		if q.Get("marker") != "" {
			return fmt.Sprintf(`{"count":%d,"volumes":[]}`, huaweiThings), true
		}
		return fmt.Sprintf(`{"count":%d,"volumes":[%s]}`, huaweiThings, many(0, huaweiThings, func(i int) string { return huaweiVolume(n, i) })), true
	case "/v2/" + huaweiProject + "/cloudsnapshots/detail":
		return `{"snapshots":[]}`, true
	case "/v3/" + huaweiProject + "/eip/publicips":
		return `{"total_count":0,"publicips":[]}`, true
	case "/autoscaling-api/v1/" + huaweiProject + "/scaling_group":
		return `{"total_number":0,"scaling_groups":[]}`, true
	}
	return `{"error_code":"APIGW.0101","error_msg":"The API does not exist"}`, false
}

func huaweiServer(n string, i int) string {
	return fmt.Sprintf(`{"id":"srv-%s-%d","name":"train-%d","status":"ACTIVE","locked":false,"tags":["owner=alice"],"created":"2026-11-18T12:00:00Z",
		"OS-SRV-USG:launched_at":"2026-11-18T12:00:46.000000","auto_terminate_time":"","OS-EXT-AZ:availability_zone":"cn-north-4a","OS-EXT-STS:task_state":null,
		"flavor":{"id":"p2s.2xlarge.8","name":"p2s.2xlarge.8","vcpus":"8","ram":"65536","gpus":[{"name":"NVIDIA V100","count":1,"memory_mb":32768}],"asic_accelerators":[]},
		"metadata":{"charging_mode":"0","metering.resourcespeccode":"p2s.2xlarge.8.linux","os_type":"Linux"},"addresses":{"net":[{"addr":"192.168.0.2","OS-EXT-IPS:port_id":"port-%s-%d"}]},
		"os-extended-volumes:volumes_attached":[{"id":"vol-%s-%d","device":"/dev/vda","bootIndex":"0","delete_on_termination":"true"}],"enterprise_project_id":"0"}`, n, i, i, n, i, n, i)
}

func huaweiVolume(n string, i int) string {
	return fmt.Sprintf(`{"id":"vol-%s-%d","name":"data","status":"in-use","size":500,"volume_type":"SSD","bootable":"false","created_at":"2026-11-18T12:00:00.100000",
		"updated_at":"2026-11-18T12:00:30.100000","metadata":{},"tags":{"owner":"alice"},"attachments":[{"server_id":"srv-%s-%d","device":"/dev/vda","attached_at":"2026-11-18T12:00:20.000000"}]}`, n, i, n, i)
}

// huaweiBill has a hundred lines of each day that is delivered.
func huaweiBill(n, begin string, offset int, now time.Time) string {
	day, err := time.Parse(time.DateOnly, begin)
	if err != nil || offset >= huaweiBilled || day.After(now) {
		return fmt.Sprintf(`{"monthly_records":[],"total_count":%d,"currency":"CNY"}`, huaweiBilled)
	}
	return fmt.Sprintf(`{"monthly_records":[%s],"total_count":%d,"currency":"CNY"}`, many(0, huaweiBilled, func(i int) string {
		return fmt.Sprintf(`{"bill_date":%q,"region":"cn-north-4","customer_id":"c1","payer_account_id":"c1","measure_id":1,"bill_type":5,"cloud_service_type":"hws.service.type.ec2",
			"resource_Type_code":"hws.resource.type.vm","cloud_service_type_name":"Elastic Cloud Server","res_instance_id":"srv-%s-%d","resource_tag":"owner=alice",
			"sku_code":"P2S.2XLARGE.8.LINUX","charge_mode":3,"consume_amount":528.12,"cash_amount":528.12,"official_amount":586.80}`, begin, n, i)
	}), huaweiBilled)
}

func awsSays(n, target string, v url.Values, body []byte) (string, bool) {
	answer := func(inside string) (string, bool) {
		a := v.Get("Action")
		return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><%sResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId>%s</%sResponse>`, a, inside, a), true
	}
	switch target {
	case "AWSBilling.GetCredits":
		return `{"credits":[]}`, true
	case "AWSInsightsIndexService.GetCostAndUsage":
		return awsCosts(body), true
	}
	switch v.Get("Action") {
	case "GetCallerIdentity":
		return answer(`<GetCallerIdentityResult><Account>1234567890` + n + `</Account><Arn>arn:aws:iam::1234567890` + n + `:user/x</Arn></GetCallerIdentityResult>`)
	case "DescribeInstances":
		if v.Get("InstanceId.1") != "" {
			return answer(`<reservationSet/>`)
		}
		var b strings.Builder
		for i := range awsThings {
			fmt.Fprintf(&b, `<item><reservationId>r-%d</reservationId><instancesSet><item><instanceId>i-%s-%d</instanceId><instanceState><code>16</code><name>running</name></instanceState>
				<instanceType>g5.xlarge</instanceType><imageId>ami-1</imageId><launchTime>2026-11-20T08:00:00.000Z</launchTime><placement><availabilityZone>us-east-1a</availabilityZone>
				<tenancy>default</tenancy></placement><platformDetails>Linux/UNIX</platformDetails><tagSet><item><key>owner</key><value>alice</value></item></tagSet></item></instancesSet></item>`, i, n, i)
		}
		return answer(`<reservationSet>` + b.String() + `</reservationSet>`)
	case "DescribeInstanceAttribute":
		return answer(`<instanceId>` + v.Get("InstanceId") + `</instanceId><disableApiTermination><value>false</value></disableApiTermination>`)
	case "DescribeVolumes":
		var b strings.Builder
		for i := range awsThings {
			fmt.Fprintf(&b, `<item><volumeId>vol-%s-%d</volumeId><size>500</size><volumeType>gp3</volumeType><status>in-use</status><availabilityZone>us-east-1a</availabilityZone>
				<createTime>2026-10-01T07:00:00.000Z</createTime><iops>3000</iops><throughput>125</throughput><attachmentSet><item><instanceId>i-%s-%d</instanceId><status>attached</status>
				<deleteOnTermination>true</deleteOnTermination></item></attachmentSet></item>`, n, i, n, i)
		}
		return answer(`<volumeSet>` + b.String() + `</volumeSet>`)
	case "DescribeSnapshots":
		return awsNone(v, "snapshotSet")
	case "DescribeImages":
		return awsNone(v, "imagesSet")
	case "DescribeAddresses":
		return awsNone(v, "addressesSet")
	case "DescribeSpotPriceHistory":
		return answer(`<spotPriceHistorySet><item><instanceType>g5.xlarge</instanceType><productDescription>Linux/UNIX</productDescription><spotPrice>0.412300</spotPrice>
			<timestamp>2026-11-29T01:00:00.000Z</timestamp><availabilityZone>us-east-1a</availabilityZone></item></spotPriceHistorySet>`)
	}
	return `<Response><Errors><Error><Code>InvalidAction</Code></Error></Errors></Response>`, false
}

// awsNone is an empty list, and the rehearsal by which a client believes it.
func awsNone(v url.Values, set string) (string, bool) {
	if v.Get("DryRun") == "true" {
		return `<Response><Errors><Error><Code>DryRunOperation</Code></Error></Errors></Response>`, false
	}
	a := v.Get("Action")
	return fmt.Sprintf(`<%sResponse><requestId>r</requestId><%s/></%sResponse>`, a, set, a), true
}

// awsCosts has a page a day.
func awsCosts(body []byte) string {
	var q struct {
		TimePeriod    struct{ Start, End string }
		NextPageToken string
	}
	_ = json.Unmarshal(body, &q)
	start := q.TimePeriod.Start
	if q.NextPageToken != "" {
		start = q.NextPageToken
	}
	day, _ := time.Parse(time.DateOnly, start)
	next := day.AddDate(0, 0, 1).Format(time.DateOnly)
	token := fmt.Sprintf(`,"NextPageToken":%q`, next)
	if next >= q.TimePeriod.End {
		token = ""
	}
	return fmt.Sprintf(`{"ResultsByTime":[{"TimePeriod":{"Start":%q,"End":%q},"Estimated":true,"Total":{},"Groups":[%s]}]%s}`, start, next, many(0, awsBilled, func(i int) string {
		return fmt.Sprintf(`{"Keys":["Amazon Elastic Compute Cloud - Compute","BoxUsage:g5.%dxlarge"],"Metrics":{"UnblendedCost":{"Amount":"24.1234567890123","Unit":"USD"},
			"UsageQuantity":{"Amount":"24","Unit":"N/A"}}}`, i)
	}), token)
}

// headed gives a refusal of AWS's the status that it has.
func headed(cloud string, ok bool, answer string, w http.ResponseWriter) {
	switch {
	case ok:
	case cloud == "aws" && strings.Contains(answer, "DryRunOperation"):
		w.WriteHeader(http.StatusPreconditionFailed)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}
