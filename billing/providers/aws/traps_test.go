package aws

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/costexplorer/types"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

func testNow() time.Time { return time.Date(2026, 11, 29, 10, 30, 0, 0, time.UTC) }

func configured(fields ...string) billing.Config {
	c := billing.Config{Account: "test", BaseURL: "https://cloud.example", Fields: map[string]billing.Secret{
		"access_key_id": billing.NewSecret(fakeKeyID), "secret_access_key": billing.NewSecret(fakeSecret), "session_token": billing.NewSecret(fakeToken)}}
	for i := 0; i+1 < len(fields); i += 2 {
		c.Fields[fields[i]] = billing.NewSecret(fields[i+1])
	}
	return c
}

func openOver(t *testing.T, h http.Handler, c billing.Config) billing.Provider {
	t.Helper()
	p, err := Driver().Open(c, billing.Env{Transport: fixture.Over(h), Now: testNow, Purse: &cents{left: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// answering gives the same answer to whatever is asked.
func answering(status int, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func list(p billing.Provider, kind billing.Kind, region string) ([]billing.Resource, error) {
	var all []billing.Resource
	for r, err := range p.Resources(context.Background(), billing.Scope{Kind: kind, Region: region}) {
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// An answer that is not whole, or not to the question, is never an empty list: everything would look gone.
func TestEmptyIsNotBelieved(t *testing.T) {
	const head = `<?xml version="1.0" encoding="UTF-8"?>`
	for _, tt := range []struct {
		name, body string
		want       billing.ErrorKind
	}{
		{"an empty list", head + `<DescribeVolumesResponse><volumeSet/></DescribeVolumesResponse>`, ""},
		{"no list", head + `<DescribeVolumesResponse><requestId>r</requestId></DescribeVolumesResponse>`, billing.Invalid},
		{"another list", head + `<DescribeVolumesResponse><x><volumeSet/></x></DescribeVolumesResponse>`, billing.Invalid},
		{"another answer", head + `<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>`, billing.Invalid},
		{"half an answer", head + `<DescribeVolumesResponse><volumeSet>`, billing.Upstream},
		{"a web page in XML's clothes", `<html><body/></html>`, billing.Upstream},
		{"nothing", ``, billing.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := list(openOver(t, answering(200, tt.body), configured("scope", "all")), billing.KindDisk, "us-east-1")
			if billing.KindOf(err) != tt.want {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// AWS's codes stand in bodies whose status says something else.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		status int
		code   string
		want   billing.ErrorKind
	}{
		{400, "AuthFailure", billing.Auth},
		{403, "UnauthorizedOperation", billing.Denied}, // XML begins like a web page: it is none
		{403, "SomethingNew", billing.Denied},
		{503, "RequestLimitExceeded", billing.Limited},
		{400, "Throttling", billing.Limited},
		{400, "InvalidVolume.NotFound", billing.Missing},
		{400, "VolumeInUse", billing.Conflict},
		{400, "InvalidSnapshot.InUse", billing.Conflict},
		{400, "OperationNotPermitted", billing.Conflict},
		{400, "UnsupportedOperation", billing.Conflict}, // a one-time spot machine cannot be stopped
		{500, "InternalError", billing.Upstream},
		{400, "InvalidParameterValue", billing.Invalid},
	} {
		t.Run(tt.code, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { refuse(w, tt.status, tt.code) })
			c := configured()
			p := openOver(t, h, c)
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond) // no room for a second attempt
			defer cancel()
			_, err := p.(billing.Finder).Find(ctx, here(billing.KindDisk, "vol-1"))
			if billing.KindOf(err) != tt.want {
				t.Errorf("%v, want %s", err, tt.want)
			}
			if tt.code == "UnauthorizedOperation" && billing.SayOf(err).Args["permission"] != "ec2:DescribeVolumes" {
				t.Errorf("the permission is not named: %v", billing.SayOf(err))
			}
		})
	}
}

// An address that has another owner by now is refused with the code of a wrong key.
func TestForeignAddressIsNoWrongKey(t *testing.T) {
	err := explain(&billing.Error{Kind: billing.Auth, Op: "x"}, "EC2", "ReleaseAddress", "AuthFailure")
	if billing.KindOf(err) != billing.Missing {
		t.Errorf("%v, want Missing", err)
	}
}

// A passed dry run is an error to AWS; a dry run that is answered like an act is none that passed.
func TestRehearse(t *testing.T) {
	c := configured()
	c.Write = true
	f := newFake(testNow)
	r := openOver(t, f, c).(billing.Rehearser)
	for _, ref := range []billing.ResourceRef{here(billing.KindInstance, "i-idle"), here(billing.KindDisk, "vol-left"),
		here(billing.KindSnapshot, "snap-1"), here(billing.KindImage, "ami-base"), here(billing.KindIP, "eip-left")} {
		if err := r.Rehearse(context.Background(), billing.Act{Verb: billing.VerbDelete, Ref: ref}); err != nil {
			t.Errorf("%s: %v", ref.ID, err)
		}
		if f.find("us-east-1", ref.ID) == nil {
			t.Errorf("the rehearsal deleted %s", ref.ID)
		}
	}
	if err := r.Rehearse(context.Background(), billing.Act{Verb: billing.VerbStop, Ref: here(billing.KindInstance, "i-train")}); err != nil {
		t.Error(err)
	}
	denying := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if form(q).Get("DryRun") == "true" {
			refuse(w, 403, "UnauthorizedOperation")
			return
		}
		f.ServeHTTP(w, q)
	})
	err := openOver(t, denying, c).(billing.Rehearser).Rehearse(context.Background(), billing.Act{Verb: billing.VerbDelete, Ref: here(billing.KindDisk, "vol-left")})
	if billing.KindOf(err) != billing.Denied || billing.SayOf(err).Args["permission"] != "ec2:DeleteVolume" {
		t.Errorf("%v, want Denied of ec2:DeleteVolume", err)
	}
}

// One id a call: one bad id in a list spares them all. Page sizes never go with ids.
func TestRequests(t *testing.T) {
	c := configured()
	c.Write = true
	f := newFake(testNow)
	p := openOver(t, f, c)
	if _, err := p.(billing.Releaser).Release(context.Background(), billing.Act{Verb: billing.VerbDelete, Ref: here(billing.KindInstance, "i-idle")}); err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds() {
		if _, err := list(p, kind, "us-east-1"); err != nil {
			t.Error(err)
		}
	}
	terminated := 0
	for _, v := range f.asked {
		switch action := v.Get("Action"); {
		case action == "TerminateInstances":
			if terminated++; v.Get("InstanceId.1") != "i-idle" || v.Has("InstanceId.2") || v.Get("DryRun") == "true" {
				t.Errorf("terminate: %v", v)
			}
		case action == "DescribeSnapshots" && v.Get("Owner.1") != "self":
			t.Errorf("every public snapshot was asked for: %v", v)
		case action == "DescribeImages" && (v.Get("Owner.1") != "self" || v.Get("IncludeDisabled") != "true"):
			t.Errorf("images of others, or without disabled ones: %v", v)
		case strings.HasPrefix(action, "Modify"), strings.HasPrefix(action, "Disassociate"), strings.HasPrefix(action, "Detach"):
			t.Errorf("%s: protection is never lifted, nothing is detached", action)
		}
	}
	if terminated != 1 {
		t.Errorf("%d terminations, want 1", terminated)
	}
}

func TestGPUs(t *testing.T) {
	for typ, want := range map[string]string{
		"g6f.large":        "L4 0.125", // counted as 0 cards by AWS
		"p5.4xlarge":       "H100 1",   // one card, though p5 is eight
		"p4d.24xlarge":     "A100-40G 8",
		"p4de.24xlarge":    "A100-80G 8",
		"p3.16xlarge":      "V100-16G 8",
		"p3dn.24xlarge":    "V100-32G 8",
		"g7e.2xlarge":      "RTX-PRO-6000 1",
		"g5.xlarge":        "A10G 1",
		"p6-b200.48xlarge": "B200 8",
		"m5.large":         " unknown",
		"":                 " unknown",
	} {
		g := gpuOf(typ)
		n := "unknown"
		if g.Count.Known() {
			n = g.Count.String()
		}
		if got := g.Model + " " + n; got != want {
			t.Errorf("%s has %q, want %q", typ, got, want)
		}
	}
	for typ, want := range map[string]bool{"g6f.large": true, "p9.48xlarge": true, "trn2.48xlarge": true, "inf2.xlarge": true, "gr6.4xlarge": true,
		"m5.large": false, "g": false, "t3.micro": false, "i4g.large": false} {
		if hasGPU(typ) != want {
			t.Errorf("%s: accelerated %v, want %v", typ, !want, want)
		}
	}
}

// TestStates holds the declared table: what a machine costs in each state.
func TestStates(t *testing.T) {
	hibernates := &ec2types.HibernationOptions{Configured: aws.Bool(true)}
	for _, tt := range []struct {
		state     ec2types.InstanceStateName
		lifecycle ec2types.InstanceLifecycleType
		hibernate *ec2types.HibernationOptions
		want      billing.Tri
		is        billing.State
	}{
		{"pending", "", nil, billing.No, billing.StateStarting},
		{"running", "", nil, billing.Yes, billing.StateRunning},
		{"running", "spot", nil, billing.Yes, billing.StateRunning},
		{"stopping", "", nil, billing.No, billing.StateStopping},
		{"stopping", "", hibernates, billing.Unsure, billing.StateStopping},
		{"stopped", "", nil, billing.No, billing.StateStopped},
		{"stopped", "capacity-block", nil, billing.Yes, billing.StateStopped},
		{"shutting-down", "", nil, billing.No, billing.StateDeleting},
		{"terminated", "", nil, billing.No, billing.StateTerminated},
		{"dreaming", "", nil, billing.Unsure, billing.StateUnknown},
		{"", "", nil, billing.Unsure, billing.StateUnknown},
	} {
		i := ec2types.Instance{State: &ec2types.InstanceState{Name: tt.state}, InstanceLifecycle: tt.lifecycle, HibernationOptions: tt.hibernate}
		if got := billedOf(i); got != tt.want || stateOf(i) != tt.is {
			t.Errorf("%s %s: billed %d, %s; want %d, %s", tt.lifecycle, tt.state, got, stateOf(i), tt.want, tt.is)
		}
	}
}

// The launch time is the last start's; when a machine was made, its root volume knows. The time of a stop stands in a text.
func TestTimes(t *testing.T) {
	all, err := list(openOver(t, newFake(testNow), configured()), billing.KindInstance, "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]billing.Resource{}
	for _, r := range all {
		got[r.Ref.ID] = r
	}
	if r := got["i-train"]; !r.CreatedAt.Equal(time.Date(2026, 10, 1, 7, 0, 0, 0, time.UTC)) || !r.StartedAt.Equal(time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)) {
		t.Errorf("made at %v, started at %v", r.CreatedAt, r.StartedAt)
	}
	if r := got["i-idle"]; !r.CreatedAt.IsZero() {
		t.Errorf("made at %v: nothing says so", r.CreatedAt)
	}
	if r := got["i-off"]; r.VendorState != "stopped since 2026-11-28T21:08:58Z" {
		t.Errorf("vendor state %q", r.VendorState)
	}
	if !got["i-lock"].Protected || got["i-train"].Protected || got["i-asg"].Managed != "Auto Scaling group asg-infer" {
		t.Errorf("locks %v %v, managed %q", got["i-lock"].Protected, got["i-train"].Protected, got["i-asg"].Managed)
	}
}

// A snapshot's volume is not its size, and the volume of a copied one is none.
func TestSnapshots(t *testing.T) {
	all, err := list(openOver(t, newFake(testNow), configured()), billing.KindSnapshot, "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.SizeGiB.String() != "100" || r.Rate.Hourly.Known() {
			t.Errorf("%s: %v GiB at %v, want the full size and no price", r.Ref.ID, r.SizeGiB, r.Rate)
		}
		if r.Ref.ID == "snap-copy" && r.Sources != nil {
			t.Errorf("a copy is of %v", r.Sources)
		}
	}
}

func TestManaged(t *testing.T) {
	for _, tt := range []struct {
		tags map[string]string
		op   *ec2types.OperatorResponse
		want string
	}{
		{nil, nil, ""},
		{map[string]string{"aws:autoscaling:groupName": "a", "aws:cloudformation:stack-name": "s"}, nil, "Auto Scaling group a"},
		{map[string]string{"karpenter.sh/nodepool": "gpu"}, nil, "Karpenter node pool gpu"},
		{map[string]string{"kubernetes.io/cluster/prod": "owned"}, nil, "Kubernetes cluster prod"},
		{map[string]string{"aws:cloudformation:stack-name": "s"}, nil, "CloudFormation stack s"},
		{map[string]string{"ManagedBy": "Terraform"}, nil, "Terraform"},
		{nil, &ec2types.OperatorResponse{Managed: aws.Bool(true), Principal: aws.String("eks.amazonaws.com")}, "eks.amazonaws.com"},
		{nil, &ec2types.OperatorResponse{Managed: aws.Bool(false)}, ""},
	} {
		if got := managedBy(tt.tags, tt.op); got != tt.want {
			t.Errorf("%v is managed by %q, want %q", tt.tags, got, tt.want)
		}
	}
}

// A capacity block is over 30 minutes before its end; other reservations and other types are none of ours.
func TestCommitments(t *testing.T) {
	got := map[string]time.Time{}
	p := openOver(t, newFake(testNow), configured("regions", "us-east-1"))
	for c, err := range p.(billing.Committer).Commitments(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		got[c.ID] = c.ExpiresAt
	}
	if len(got) != 4 || !got["sp-1"].Equal(time.Date(2026, 12, 19, 23, 59, 59, 0, time.UTC)) ||
		!got["sp-2"].Equal(time.Date(2029, 12, 19, 23, 59, 59, 0, time.UTC)) || !got["cr-1"].Equal(time.Date(2026, 12, 5, 11, 0, 0, 0, time.UTC)) || !got["ri-1"].Equal(time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("commitments %v", got)
	}
}

// cents is a purse with some pages in it.
type cents struct{ left int }

func (c *cents) Reserve(_ context.Context, price billing.Money) error {
	if c.left == 0 || price != billing.MustMoney("0.01", "USD") {
		return &billing.Error{Kind: billing.Limited, Op: "pay", Say: billing.Say("error.paid_budget")}
	}
	c.left--
	return nil
}

// Cost Explorer costs: off unless asked for, never beyond the budget, and not twice for the same days.
func TestCostExplorerCosts(t *testing.T) {
	asked := 0
	f := newFake(testNow)
	counting := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Amz-Target") != "" {
			asked++
		}
		f.ServeHTTP(w, r)
	})
	if billing.Has(openOver(t, counting, configured()), billing.CanCharges) {
		t.Error("Cost Explorer is on by itself")
	}
	read := func(p billing.Provider, days int) (n int, err error) {
		end := time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)
		for _, err := range p.(billing.Charger).Charges(context.Background(), billing.Period{Start: end.AddDate(0, 0, -days), End: end}) {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	}
	p, err := Driver().Open(configured("cost_explorer", "on"), billing.Env{Transport: fixture.Over(counting), Now: testNow, Purse: &cents{left: 5}})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if n, err := read(p, 4); n != 12 || err != nil { // a line of nothing is none
			t.Errorf("%d lines, %v", n, err)
		}
	}
	if asked != 4 {
		t.Errorf("%d paid pages, want 4 once", asked)
	}
	_, err = read(p, 3)
	if billing.KindOf(err) != billing.Limited || asked != 5 || billing.SayOf(err).Key != "error.paid_budget" {
		t.Errorf("beyond the budget: %v after %d pages", err, asked)
	}
}

// Without groups the day's total is all there is; an amount that is none is an error and no zero.
func TestCostWithoutGroups(t *testing.T) {
	var r types.ResultByTime
	total := func(amount string) types.ResultByTime {
		r.TimePeriod = &types.DateInterval{Start: aws.String("2026-11-25"), End: aws.String("2026-11-26")}
		r.Total = map[string]types.MetricValue{metric: {Amount: aws.String(amount), Unit: aws.String("USD")}}
		return r
	}
	lines, err := day("x", total("6.123E-7"))
	if err != nil || len(lines) != 1 || lines[0].BilledCost.Amount() != "0.0000006123" {
		t.Errorf("%v, %v", lines, err)
	}
	if _, err := day("x", total("")); err == nil {
		t.Error("no amount is no error")
	}
}

func TestUsageTypes(t *testing.T) {
	for usage, want := range map[string]usageType{
		"BoxUsage:p4d.24xlarge":       {billing.PartInstance, billing.ModeOnDemand, "p4d.24xlarge"},
		"EUW1-SpotUsage:g5.xlarge":    {billing.PartInstance, billing.ModeSpot, "g5.xlarge"},
		"USE1-HeavyUsage:p5.48xlarge": {billing.PartInstance, billing.ModeReserved, "p5.48xlarge"},
		"EBS:VolumeUsage.gp3":         {part: billing.PartDisk},
		"EBS:SnapshotUsage":           {part: billing.PartSnapshot},
		"USE1-PublicIPv4:IdleAddress": {part: billing.PartIP},
		"USE1-DataTransfer-Out-Bytes": {part: billing.PartBandwidth},
		"USE1-APIRequest":             {part: billing.PartOther},
	} {
		if got := readUsage("x", usage); got != want {
			t.Errorf("%s is %+v, want %+v", usage, got, want)
		}
	}
}

// A role is taken on with the keys, and its own keys sign what follows. Its refusal names the permission.
func TestAssumeRole(t *testing.T) {
	var used []string
	var role url.Values
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := form(r)
		used = append(used, v.Get("Action")+" "+credential.FindStringSubmatch(r.Header.Get("Authorization"))[1])
		if v.Get("Action") == "AssumeRole" {
			role = v
			if v.Get("ExternalId") != "ext-7" {
				refuse(w, 403, "AccessDenied")
				return
			}
			answer(w, "AssumeRole", `<AssumeRoleResult><Credentials><AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey>`+
				`<SessionToken>t</SessionToken><Expiration>2126-11-29T12:00:00Z</Expiration></Credentials></AssumeRoleResult>`)
			return
		}
		answer(w, v.Get("Action"), `<GetCallerIdentityResult><Account>210987654321</Account></GetCallerIdentityResult>`)
	})
	const arn = "arn:aws:iam::210987654321:role/gpuspend-read"
	id, err := openOver(t, h, configured("role_arn", arn, "external_id", "ext-7")).(billing.Identifier).Identify(context.Background())
	if err != nil || id != "210987654321" || role.Get("RoleArn") != arn {
		t.Errorf("%s, %v, role %s", id, err, role.Get("RoleArn"))
	}
	if got := strings.Join(used, ", "); got != "AssumeRole "+fakeKeyID+", GetCallerIdentity ASIAROLE" {
		t.Errorf("requests: %s", got)
	}
	if role.Has("SourceIdentity") {
		t.Error("a reading session names somebody")
	}
	acting := configured("role_arn", arn, "external_id", "ext-7")
	acting.Write, acting.Actor = true, "U0ANA"
	if _, err = openOver(t, h, acting).(billing.Identifier).Identify(context.Background()); err != nil || role.Get("SourceIdentity") != "U0ANA" {
		t.Errorf("%v, SourceIdentity %q; want who clicked", err, role.Get("SourceIdentity"))
	}
	_, err = openOver(t, h, configured("role_arn", arn)).(billing.Identifier).Identify(context.Background())
	if billing.KindOf(err) != billing.Denied || billing.SayOf(err).Args["permission"] != "sts:AssumeRole" {
		t.Errorf("%v, want Denied of sts:AssumeRole", err)
	}
}

func TestSettings(t *testing.T) {
	for _, tt := range [][]string{
		{"region", "us-east-1.evil.example"}, {"regions", "us-east-1,nowhere"}, {"scope", "some"}, {"cost_explorer", "maybe"},
		{"external_id", "x"}, {"secret_access_key", ""},
	} {
		if _, err := Driver().Open(configured(tt...), billing.Env{Now: testNow}); billing.KindOf(err) != billing.Invalid {
			t.Errorf("%v: %v, want Invalid", tt, err)
		}
	}
}

// Only enabled regions are looked at: the others refuse every key.
func TestRegions(t *testing.T) {
	scopes, err := openOver(t, newFake(testNow), configured()).Scopes(context.Background())
	if err != nil || len(scopes) != 2*len(kinds()) {
		t.Errorf("%v, %v", scopes, err)
	}
	scopes, err = openOver(t, answering(500, ""), configured("regions", "eu-west-1")).Scopes(context.Background())
	if err != nil || len(scopes) != len(kinds()) || scopes[0].Region != "eu-west-1" {
		t.Errorf("%v, %v", scopes, err)
	}
}

// Nothing of a request to Cost Explorer changes without our noticing: every page costs.
func TestCostRequest(t *testing.T) {
	var q map[string]any
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Amz-Target") != "AWSInsightsIndexService.GetCostAndUsage" {
			t.Errorf("target %q", r.Header.Get("X-Amz-Target"))
		}
		_ = json.NewDecoder(r.Body).Decode(&q)
		_, _ = io.WriteString(w, `{"ResultsByTime":[]}`)
	})
	p := openOver(t, h, configured("cost_explorer", "on", "region", "eu-west-1"))
	for _, err := range p.(billing.Charger).Charges(context.Background(), billing.Period{Start: testNow().AddDate(0, 0, -4), End: testNow()}) {
		t.Error(err)
	}
	period := q["TimePeriod"].(map[string]any)
	if q["Granularity"] != "DAILY" || period["Start"] != "2026-11-26" || period["End"] != "2026-11-28" || len(q["GroupBy"].([]any)) != 2 {
		t.Errorf("request %v", q)
	}
}

// A refusal under a success is none: an act that AWS did not take must not look taken.
func TestRefusedUnderSuccess(t *testing.T) {
	f := newFake(testNow)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.isWrite(r) {
			f.inside(w, r)
			return
		}
		f.ServeHTTP(w, r)
	})
	c := configured()
	c.Write = true
	_, err := openOver(t, h, c).(billing.Releaser).Release(context.Background(), billing.Act{Verb: billing.VerbDelete, Ref: here(billing.KindDisk, "vol-left")})
	if billing.KindOf(err) != billing.Invalid {
		t.Errorf("%v, want Invalid", err)
	}
}

// A machine without a root volume cannot be stopped, only ended with all that is on it.
func TestStoreBacked(t *testing.T) {
	f := newFake(testNow)
	i := f.find("us-east-1", "i-idle")
	i.xml = strings.Replace(i.xml, "<rootDeviceType>ebs<", "<rootDeviceType>instance-store<", 1)
	c := configured()
	c.Write = true
	_, err := openOver(t, f, c).(billing.Stopper).Stop(context.Background(), billing.Act{Verb: billing.VerbStop, Ref: here(billing.KindInstance, "i-idle")})
	if billing.KindOf(err) != billing.Conflict || billing.SayOf(err).Key != "error.no_stop" {
		t.Errorf("%v, want a refusal", err)
	}
}
