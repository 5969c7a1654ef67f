package aws

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	fakeKeyID  = "AKIDFAKE00EXAMPLE7QX"
	fakeSecret = "fakeSecretKey/9zQ+notARealOne0123456789ab"
	fakeToken  = "FwoGfakeSessionToken77//notReal=="
	hidden     = "hunter2-swordfish-9931"
)

// fake is EC2, STS and Cost Explorer as far as we use them, with a state.
type fake struct {
	now     func() time.Time
	looping bool

	mu     sync.Mutex
	things map[string][]*fakeThing // by region
	asked  []url.Values            // every EC2 request, for tests
}

// fakeThing is one thing as a template of its XML; what is in braces is filled in.
type fakeThing struct {
	kind, id, xml string
	tags          map[string]string
	image         string // instances
	snapshot      string // images
	state         string // instances
	since         time.Time
	lockEnd       bool
	lockStop      bool
}

func newFake(now func() time.Time) *fake {
	f := &fake{now: now, things: map[string][]*fakeThing{}}
	begin := now()
	machine := func(region, id, typ, state, more string, tags ...string) *fakeThing {
		t := &fakeThing{kind: "instance", id: id, state: state, since: begin.Add(-100 * time.Hour), tags: pairs(tags), image: "ami-used",
			xml: fmt.Sprintf(`<instanceType>%s</instanceType><imageId>ami-used</imageId><keyName>%s</keyName><launchTime>2026-11-20T08:00:00.000Z</launchTime>`+
				`<placement><availabilityZone>%sa</availabilityZone><tenancy>default</tenancy></placement><platformDetails>Linux/UNIX</platformDetails>`+
				`<rootDeviceType>ebs</rootDeviceType><rootDeviceName>/dev/xvda</rootDeviceName>%s`, typ, hidden, region, more)}
		f.things[region] = append(f.things[region], t)
		return t
	}
	root := `<blockDeviceMapping><item><deviceName>/dev/xvda</deviceName><ebs><volumeId>vol-root</volumeId><attachTime>2026-10-01T07:00:00.000Z</attachTime>` +
		`<deleteOnTermination>true</deleteOnTermination></ebs></item></blockDeviceMapping>`
	machine("us-east-1", "i-train", "p4d.24xlarge", "running", root, "Name", "train", "Owner", "wei")
	machine("us-east-1", "i-idle", "g5.xlarge", "running", "")
	machine("us-east-1", "i-spot", "g5.xlarge", "running", "<instanceLifecycle>spot</instanceLifecycle>")
	machine("us-east-1", "i-asg", "g5.xlarge", "running", "", "aws:autoscaling:groupName", "asg-infer")
	lock := machine("us-east-1", "i-lock", "g5.xlarge", "running", "")
	lock.lockEnd, lock.lockStop = true, true
	machine("us-east-1", "i-block", "p5.48xlarge", "running", "<instanceLifecycle>capacity-block</instanceLifecycle>")
	machine("us-east-1", "i-frac", "g6f.large", "running", "")
	machine("us-east-1", "i-off", "g4dn.xlarge", "stopped", "<reason>User initiated (2026-11-28 21:08:58 GMT)</reason>")
	machine("us-east-1", "i-new", "g9x.48xlarge", "running", "") // a type that the table lacks
	machine("us-east-1", "i-web", "m5.large", "running", "")
	machine("us-east-1", "i-tagged", "m5.large", "running", "", "gpuspend", "yes")
	machine("eu-west-1", "i-eu", "g5.xlarge", "running", "")
	put := func(region, kind, id, xml string, tags ...string) *fakeThing {
		t := &fakeThing{kind: kind, id: id, xml: xml, tags: pairs(tags)}
		f.things[region] = append(f.things[region], t)
		return t
	}
	volume := func(region, id, typ, state string, gib int, more string, on string, tags ...string) {
		at := ""
		if on != "" {
			at = fmt.Sprintf(`<item><instanceId>%s</instanceId><status>attached</status><deleteOnTermination>%v</deleteOnTermination></item>`, on, id == "vol-root")
		}
		put(region, "volume", id, fmt.Sprintf(`<size>%d</size><volumeType>%s</volumeType><status>%s</status><availabilityZone>%sa</availabilityZone>`+
			`<createTime>2026-10-01T07:00:00.000Z</createTime>%s<attachmentSet>%s</attachmentSet>`, gib, typ, state, region, more, at), tags...)
	}
	volume("us-east-1", "vol-root", "gp3", "in-use", 500, "<iops>3000</iops><throughput>125</throughput>", "i-train")
	volume("us-east-1", "vol-left", "gp3", "available", 1000, "<iops>6000</iops><throughput>250</throughput>", "", "Name", "ckpt")
	volume("us-east-1", "vol-data", "gp2", "in-use", 200, "", "i-off")
	volume("us-east-1", "vol-io", "io2", "available", 100, "<iops>64000</iops>", "")
	volume("us-east-1", "vol-k8s", "gp3", "available", 50, "<iops>3000</iops><throughput>125</throughput>", "", "kubernetes.io/cluster/prod", "owned")
	volume("us-east-1", "vol-web", "gp3", "in-use", 80, "<iops>3000</iops><throughput>125</throughput>", "i-web")
	volume("eu-west-1", "vol-eu", "gp3", "available", 100, "<iops>3000</iops><throughput>125</throughput>", "")
	snapshot := func(id, of string) {
		put("us-east-1", "snapshot", id, fmt.Sprintf(`<volumeId>%s</volumeId><status>completed</status><startTime>2026-09-01T07:00:00.000Z</startTime>`+
			`<volumeSize>1000</volumeSize><fullSnapshotSizeInBytes>107374182400</fullSnapshotSizeInBytes><storageTier>standard</storageTier>`+
			`<description>%s</description>`, of, hidden))
	}
	snapshot("snap-1", "vol-left")
	snapshot("snap-ami", "vol-gone")
	snapshot("snap-copy", "vol-ffffffff")
	snapshot("snap-web", "vol-web")
	image := func(id, of, lock string) {
		put("us-east-1", "image", id, fmt.Sprintf(`<name>%s</name><imageState>available</imageState><creationDate>2026-09-02T07:00:00.000Z</creationDate>`+
			`<deregistrationProtection>%s</deregistrationProtection>`+
			`<blockDeviceMapping><item><deviceName>/dev/xvda</deviceName><ebs><snapshotId>%s</snapshotId></ebs></item></blockDeviceMapping>`, id, lock, of)).snapshot = of
	}
	image("ami-base", "snap-ami", "disabled")
	image("ami-used", "snap-copy", "disabled")
	image("ami-kept", "snap-copy", "enabled-without-cooldown")
	image("ami-web", "snap-web", "disabled")
	address := func(id, more string) {
		put("us-east-1", "address", id, `<publicIp>203.0.113.7</publicIp><domain>vpc</domain>`+more)
	}
	const pool = "<publicIpv4Pool>amazon</publicIpv4Pool>"
	address("eip-left", pool)
	address("eip-train", pool+"<associationId>assoc-1</associationId><instanceId>i-train</instanceId>")
	address("eip-nat", pool+"<associationId>assoc-2</associationId><networkInterfaceId>eni-1</networkInterfaceId><serviceManaged>nat</serviceManaged>")
	address("eip-web", pool+"<associationId>assoc-3</associationId><instanceId>i-web</instanceId>")
	address("eip-own", "<publicIpv4Pool>ipv4pool-ec2-0123</publicIpv4Pool>")
	return f
}

func pairs(s []string) map[string]string {
	m := map[string]string{}
	for i := 0; i+1 < len(s); i += 2 {
		m[s[i]] = s[i+1]
	}
	return m
}

func form(r *http.Request) url.Values {
	b, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(b)))
	v, _ := url.ParseQuery(string(b))
	return v
}

func (f *fake) isWrite(r *http.Request) bool {
	if r.Header.Get("X-Amz-Target") != "" || r.URL.Path == "/DescribeSavingsPlans" {
		return false
	}
	action := form(r).Get("Action")
	return !strings.HasPrefix(action, "Describe") && !strings.HasPrefix(action, "Get") && !strings.HasPrefix(action, "List") && action != "AssumeRole"
}

func (f *fake) inside(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Amz-Target") != "" || r.URL.Path == "/DescribeSavingsPlans" {
		_, _ = io.WriteString(w, `{"__type":"com.amazonaws#AccessDeniedException","message":"no"}`)
		return
	}
	_, _ = io.WriteString(w, `<?xml version="1.0"?><Response><Errors><Error><Code>InternalError</Code></Error></Errors></Response>`)
}

var credential = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=([^/]+)/\d{8}/([a-z0-9-]+)/(ec2|sts|ce|billing|savingsplans|organizations|monitoring|budgets)/aws4_request, `)

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m := credential.FindStringSubmatch(r.Header.Get("Authorization"))
	if m == nil || m[1] != fakeKeyID || r.Header.Get("X-Amz-Security-Token") != fakeToken {
		refuse(w, 401, "AuthFailure")
		return
	}
	switch m[3] {
	case "ce":
		f.costs(w, r)
		return
	case "billing":
		f.credits(w, r)
		return
	case "savingsplans":
		f.plans(w, r)
		return
	case "organizations":
		f.organization(w, r)
		return
	case "budgets":
		f.spent(w, r)
		return
	case "monitoring":
		f.metrics(w, form(r))
		return
	}
	v := form(r)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, v)
	f.age()
	f.act(w, v, m[2])
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "text/xml;charset=UTF-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<Response><Errors><Error><Code>%s</Code><Message>no</Message></Error></Errors><RequestID>r-1</RequestID></Response>`, code)
}

// age moves what is on its way: a stop takes half a minute, a terminated machine is listed for an hour.
func (f *fake) age() {
	for region, list := range f.things {
		f.things[region] = slices.DeleteFunc(list, func(t *fakeThing) bool {
			past := f.now().Sub(t.since)
			switch {
			case t.state == "stopping" && past >= 30*time.Second:
				t.state = "stopped"
			case t.state == "shutting-down" && past >= time.Minute:
				t.state = "terminated"
			}
			return t.state == "terminated" && past >= time.Hour
		})
	}
}

func (f *fake) act(w http.ResponseWriter, v url.Values, region string) {
	switch action := v.Get("Action"); action {
	case "GetCallerIdentity":
		answer(w, action, `<GetCallerIdentityResult><Account>123456789012</Account><Arn>arn:aws:iam::123456789012:user/x</Arn></GetCallerIdentityResult>`)
	case "DescribeRegions":
		answer(w, action, `<regionInfo><item><regionName>us-east-1</regionName><optInStatus>opt-in-not-required</optInStatus></item>`+
			`<item><regionName>eu-west-1</regionName><optInStatus>opted-in</optInStatus></item>`+
			`<item><regionName>me-south-1</regionName><optInStatus>not-opted-in</optInStatus></item></regionInfo>`)
	case "DescribeInstances":
		f.list(w, v, region, "instance", "reservationSet", "InstanceId")
	case "DescribeVolumes":
		f.list(w, v, region, "volume", "volumeSet", "VolumeId")
	case "DescribeSnapshots":
		f.list(w, v, region, "snapshot", "snapshotSet", "SnapshotId")
	case "DescribeImages":
		f.list(w, v, region, "image", "imagesSet", "ImageId")
	case "DescribeAddresses":
		f.list(w, v, region, "address", "addressesSet", "AllocationId")
	case "DescribeInstanceAttribute":
		t := f.find(region, v.Get("InstanceId"))
		if t == nil {
			refuse(w, 400, "InvalidInstanceID.NotFound")
			return
		}
		name, on := v.Get("Attribute"), t.lockEnd
		if name == "disableApiStop" {
			on = t.lockStop
		}
		answer(w, action, fmt.Sprintf(`<instanceId>%s</instanceId><%s><value>%v</value></%s>`, t.id, name, on, name))
	case "DescribeReservedInstances":
		answer(w, action, `<reservedInstancesSet><item><reservedInstancesId>ri-1</reservedInstancesId><instanceType>p4d.24xlarge</instanceType>`+
			`<instanceCount>2</instanceCount><state>active</state><end>2027-01-31T00:00:00.000Z</end></item>`+
			`<item><reservedInstancesId>ri-old</reservedInstancesId><instanceType>p4d.24xlarge</instanceType><state>retired</state></item>`+
			`<item><reservedInstancesId>ri-web</reservedInstancesId><instanceType>m5.large</instanceType><state>active</state></item></reservedInstancesSet>`)
	case "DescribeCapacityReservations":
		answer(w, action, `<capacityReservationSet><item><capacityReservationId>cr-1</capacityReservationId><instanceType>p5.48xlarge</instanceType>`+
			`<totalInstanceCount>1</totalInstanceCount><state>active</state><reservationType>capacity-block</reservationType><endDate>2026-12-05T11:30:00.000Z</endDate></item>`+
			`<item><capacityReservationId>cr-odcr</capacityReservationId><instanceType>p5.48xlarge</instanceType><state>active</state><reservationType>default</reservationType></item></capacityReservationSet>`)
	case "DescribeSpotPriceHistory":
		answer(w, action, `<spotPriceHistorySet><item><instanceType>g5.xlarge</instanceType><productDescription>Linux/UNIX</productDescription>`+
			`<spotPrice>0.412300</spotPrice><timestamp>2026-11-29T01:00:00.000Z</timestamp><availabilityZone>`+region+`a</availabilityZone></item></spotPriceHistorySet>`)
	default:
		f.change(w, v, region)
	}
}

func answer(w http.ResponseWriter, action, body string) {
	w.Header().Set("Content-Type", "text/xml;charset=UTF-8")
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<%sResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r-1</requestId>%s</%sResponse>`, action, body, action)
}

func (f *fake) find(region, id string) *fakeThing {
	for _, t := range f.things[region] {
		if t.id == id {
			return t
		}
	}
	return nil
}

// list answers a Describe, four things a page.
func (f *fake) list(w http.ResponseWriter, v url.Values, region, kind, set, ids string) {
	var all []*fakeThing
	if want := v.Get(ids + ".1"); want != "" {
		t := f.find(region, want)
		if t == nil || t.kind != kind {
			refuse(w, 400, "Invalid"+ids+".NotFound")
			return
		}
		if v.Has("MaxResults") {
			refuse(w, 400, "InvalidParameterCombination")
			return
		}
		all = []*fakeThing{t}
	} else {
		for _, t := range f.things[region] {
			filter, value := v.Get("Filter.1.Name"), v.Get("Filter.1.Value.1")
			if t.kind == kind && (filter == "" || filter == "image-id" && t.image == value || filter == "block-device-mapping.snapshot-id" && t.snapshot == value) {
				all = append(all, t)
			}
		}
		if kind == "snapshot" && v.Get("Owner.1") != "self" || kind == "image" && v.Get("Owner.1") != "self" {
			all = append(all, &fakeThing{kind: kind, id: kind + "-of-somebody-else"})
		}
	}
	next := ""
	if kind != "address" {
		from, _ := strconv.Atoi(v.Get("NextToken"))
		all = all[min(from, len(all)):]
		if len(all) > 4 {
			all, next = all[:4], strconv.Itoa(from+4)
		}
	}
	if f.looping {
		next = "0"
	}
	var b strings.Builder
	for _, t := range all {
		b.WriteString(t.write())
	}
	if next != "" {
		next = "<nextToken>" + next + "</nextToken>"
	}
	answer(w, v.Get("Action"), "<"+set+">"+b.String()+"</"+set+">"+next)
}

func (t *fakeThing) write() string {
	tags := ""
	for k, v := range t.tags {
		tags += "<item><key>" + k + "</key><value>" + v + "</value></item>"
	}
	body := t.xml + "<tagSet>" + tags + "</tagSet>"
	if t.kind == "instance" {
		return fmt.Sprintf(`<item><reservationId>r-%s</reservationId><instancesSet><item><instanceId>%s</instanceId>`+
			`<instanceState><code>1</code><name>%s</name></instanceState>%s</item></instancesSet></item>`, t.id, t.id, t.state, body)
	}
	name := map[string]string{"volume": "volumeId", "snapshot": "snapshotId", "image": "imageId", "address": "allocationId"}[t.kind]
	return fmt.Sprintf("<item><%s>%s</%s>%s</item>", name, t.id, name, body)
}

// change carries out a write.
func (f *fake) change(w http.ResponseWriter, v url.Values, region string) {
	action := v.Get("Action")
	id := v.Get("InstanceId.1") + v.Get("VolumeId") + v.Get("SnapshotId") + v.Get("ImageId") + v.Get("AllocationId")
	t := f.find(region, id)
	switch {
	case t == nil:
		refuse(w, 400, "InvalidID.NotFound")
	case v.Has("InstanceId.2"):
		refuse(w, 400, "InvalidParameterCombination")
	case v.Get("DryRun") == "true":
		refuse(w, 412, "DryRunOperation")
	case action == "TerminateInstances" && t.lockEnd, action == "StopInstances" && t.lockStop:
		refuse(w, 400, "OperationNotPermitted")
	case action == "StopInstances":
		t.state, t.since = "stopping", f.now()
		answer(w, action, "<instancesSet/>")
	case action == "TerminateInstances":
		t.state, t.since = "shutting-down", f.now()
		answer(w, action, "<instancesSet/>")
	case action == "DeleteVolume" && strings.Contains(t.xml, "in-use"):
		refuse(w, 400, "VolumeInUse")
	case action == "DeleteVolume", action == "DeleteSnapshot", action == "DeregisterImage", action == "ReleaseAddress":
		f.things[region] = slices.DeleteFunc(f.things[region], func(x *fakeThing) bool { return x == t })
		answer(w, action, "<return>true</return>")
	default:
		refuse(w, 400, "InvalidAction")
	}
}

// costs answers Cost Explorer, one day a page.
func (f *fake) costs(w http.ResponseWriter, r *http.Request) {
	var q struct {
		TimePeriod    struct{ Start, End string }
		NextPageToken string
		Filter        json.RawMessage
	}
	_ = json.NewDecoder(r.Body).Decode(&q)
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	if !strings.Contains(string(q.Filter), "Credit") {
		w.WriteHeader(400)
		_, _ = io.WriteString(w, `{"__type":"ValidationException"}`)
		return
	}
	day, _ := time.Parse(time.DateOnly, q.TimePeriod.Start)
	if q.NextPageToken != "" {
		day, _ = time.Parse(time.DateOnly, q.NextPageToken)
	}
	next := day.AddDate(0, 0, 1).Format(time.DateOnly)
	group := func(service, usage, amount string) string {
		return fmt.Sprintf(`{"Keys":[%q,%q],"Metrics":{"UnblendedCost":{"Amount":%q,"Unit":"USD"},"UsageQuantity":{"Amount":"24","Unit":"N/A"}}}`, service, usage, amount)
	}
	token := fmt.Sprintf(`,"NextPageToken":%q`, next)
	if next == q.TimePeriod.End {
		token = ""
	}
	fmt.Fprintf(w, `{"ResultsByTime":[{"TimePeriod":{"Start":%q,"End":%q},"Estimated":true,"Total":{},"Groups":[%s,%s,%s,%s]}]%s}`,
		day.Format(time.DateOnly), next,
		group("Amazon Elastic Compute Cloud - Compute", "BoxUsage:p4d.24xlarge", "526.1234567890123"),
		group("EC2 - Other", "EBS:VolumeUsage.gp3", "2.74"),
		group("EC2 - Other", "USE1-DataTransfer-Out-Bytes", "1.5E-7"),
		group("EC2 - Other", "EBS:VolumeP-IOPS.gp3", "0"), token)
}

// credits answers GetCredits as its model has it.
func (f *fake) credits(w http.ResponseWriter, r *http.Request) {
	var q struct {
		AccountID string `json:"accountId"`
		StartDate int64  `json:"startDate"`
	}
	body, _ := io.ReadAll(r.Body)
	if json.Unmarshal(body, &q) != nil || q.AccountID != "123456789012" || r.Header.Get("X-Amz-Target") != "AWSBilling.GetCredits" ||
		r.Header.Get("Content-Type") != "application/x-amz-json-1.0" || q.StartDate < f.now().AddDate(-1, 0, 0).Unix() || q.StartDate >= f.now().Unix() {
		w.WriteHeader(400)
		_, _ = io.WriteString(w, `{"__type":"com.amazonaws.billing#ValidationException"}`)
		return
	}
	credit := func(id, more string) string {
		return `{"creditId":"` + id + `","accountId":"123456789012","creditType":"Promotion","description":"` + hidden + `","startDate":1.7672256E9,` + more + `}`
	}
	amount := func(name, of string) string {
		return `"` + name + `":{"currencyCode":"USD","currencyAmount":"` + of + `"}`
	}
	fmt.Fprintf(w, `{"credits":[%s,%s,%s,%s]}`,
		credit("c-gpu", amount("remainingAmount", "5000.00")+","+amount("estimatedAmount", "4321.123456789012345")+
			`,"endDate":1798761599.5,"applicableProductNames":["Amazon Elastic Compute Cloud","Amazon S3"],"creditStatus":"ENABLED"`),
		credit("c-any", amount("remainingAmount", "25")+`,"applicableProductNames":[],"creditStatus":"ENABLED"`),
		credit("c-other", amount("remainingAmount", "900")+`,"applicableProductNames":["AWS Elemental MediaLive"],"creditStatus":"ENABLED"`),
		credit("c-off", amount("remainingAmount", "700")+`,"creditStatus":"DISABLED"`))
}

// organization answers ListAccounts in three pages, of which one is empty, ListParents and ListTagsForResource.
func (f *fake) organization(w http.ResponseWriter, r *http.Request) {
	var q struct{ NextToken, ChildId, ResourceId string }
	if json.NewDecoder(r.Body).Decode(&q) != nil || r.Header.Get("Content-Type") != "application/x-amz-json-1.1" {
		w.WriteHeader(400)
		_, _ = io.WriteString(w, `{"__type":"com.amazonaws.organizations#InvalidInputException"}`)
		return
	}
	account := func(id, name, status string) string {
		return `{"Id":"` + id + `","Arn":"arn:aws:organizations::123456789012:account/o-1/` + id + `","Email":"` + hidden + `@example.com","Name":"` + name + `","Status":"` + status + `"}`
	}
	switch r.Header.Get("X-Amz-Target") {
	case "AWSOrganizationsV20161128.ListAccounts":
		_, _ = io.WriteString(w, map[string]string{
			"":      `{"Accounts":[` + account("123456789012", "Payer", "ACTIVE") + "," + account("111122223333", "ML Research", "ACTIVE") + `],"NextToken":"page2"}`,
			"page2": `{"Accounts":[],"NextToken":"page3"}`,
			"page3": `{"Accounts":[` + account("222233334444", "prod", "ACTIVE") + "," + account("333344445555", "old", "SUSPENDED") + `]}`,
		}[q.NextToken])
	case "AWSOrganizationsV20161128.ListParents":
		parent := map[string]string{"111122223333": "ou-root-ml", "ou-root-ml": "ou-root-eng", "ou-root-eng": "r-root"}[q.ChildId]
		_, _ = io.WriteString(w, `{"Parents":[{"Id":"`+cmp.Or(parent, "r-root")+`","Type":"ORGANIZATIONAL_UNIT"}]}`)
	case "AWSOrganizationsV20161128.ListTagsForResource":
		tags := map[string]string{"111122223333": `{"Key":"team","Value":"ml"}`}[q.ResourceId]
		_, _ = io.WriteString(w, `{"Tags":[`+tags+`]}`)
	default:
		w.WriteHeader(400)
	}
}

// plans answers DescribeSavingsPlans, one a page.
func (f *fake) plans(w http.ResponseWriter, r *http.Request) {
	var q struct {
		NextToken string   `json:"nextToken"`
		States    []string `json:"states"`
	}
	if json.NewDecoder(r.Body).Decode(&q) != nil || r.Method != http.MethodPost || r.URL.Path != "/DescribeSavingsPlans" {
		w.WriteHeader(400)
		_, _ = io.WriteString(w, `{"__type":"ValidationException"}`)
		return
	}
	next := `,"nextToken":"2"`
	plan := `{"savingsPlanId":"sp-1","savingsPlanArn":"arn:aws:savingsplans::123456789012:savingsplan/sp-1","start":"2025-12-20T00:00:00.000Z",` +
		`"end":"2026-12-19T23:59:59.000Z","state":"active","region":"us-east-1","ec2InstanceFamily":"p4d","savingsPlanType":"EC2Instance","currency":"USD","commitment":"12.5"}`
	if q.NextToken == "2" {
		plan, next = `{"savingsPlanId":"sp-2","start":"2026-12-20T00:00:00Z","end":"2029-12-19T23:59:59Z","state":"queued","savingsPlanType":"Compute",`+
			`"currency":"USD","commitment":"3.0"},{"savingsPlanId":"sp-old","end":"2025-01-01T00:00:00Z","state":"retired"}`, ""
	}
	if f.looping {
		next = `,"nextToken":"2"`
	}
	_, _ = io.WriteString(w, `{"savingsPlans":[`+plan+`]`+next+`}`)
}
