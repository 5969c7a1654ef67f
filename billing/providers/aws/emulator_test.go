package aws

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"gpuspend/billing"
)

// TestEmulator walks the account through an emulator that somebody else wrote, where AWS_ENDPOINT_URL names one, such as
// moto's server (which lacks reserved instances and Cost Explorer). It makes what it releases.
func TestEmulator(t *testing.T) {
	endpoint := os.Getenv("AWS_ENDPOINT_URL")
	if endpoint == "" {
		t.Skip("AWS_ENDPOINT_URL names no emulator")
	}
	c := billing.Config{Account: "emulator", BaseURL: endpoint, Write: true, Fields: map[string]billing.Secret{
		"access_key_id": billing.NewSecret("testing"), "secret_access_key": billing.NewSecret("testing"),
		"regions": billing.NewSecret("us-east-1")}}
	p, err := Driver().Open(c, billing.Env{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	a, ctx := p.(*account), context.Background()
	made := launch(t, a)
	if id, err := a.Identify(ctx); err != nil || len(id) != 12 {
		t.Errorf("identify: %q, %v", id, err)
	}
	for _, ref := range made {
		all, err := list(p, ref.Kind, ref.Region)
		if err != nil || !slices.ContainsFunc(all, func(r billing.Resource) bool { return r.Ref == ref }) {
			t.Errorf("%+v is not listed: %v", ref, err)
		}
		if r, err := a.Find(ctx, ref); err != nil || r.Ref != ref {
			t.Errorf("find %+v: %v", ref, err)
		}
		act := billing.Act{Verb: billing.VerbDelete, Ref: ref}
		if err := a.Rehearse(ctx, act); err != nil {
			t.Errorf("rehearse %+v: %v", ref, err)
		}
		if ref.Kind == billing.KindInstance {
			if _, err := a.Stop(ctx, billing.Act{Verb: billing.VerbStop, Ref: ref}); err != nil {
				t.Errorf("stop: %v", err)
			}
			if r, err := a.Find(ctx, ref); err != nil || r.State != billing.StateStopped || r.Billed != billing.No {
				t.Errorf("after the stop: %s, %v", r.State, err)
			}
		}
		if _, err := a.Release(ctx, act); err != nil {
			t.Errorf("release %+v: %v", ref, err)
		}
		if r, err := a.Find(ctx, ref); err == nil && r.State != billing.StateTerminated || err != nil && billing.KindOf(err) != billing.Missing {
			t.Errorf("after the release of %+v: %s, %v", ref, r.State, err)
		}
	}
	for _, kind := range kinds() {
		ref := billing.ResourceRef{Kind: kind, Region: "us-east-1", ID: idOf(kind) + "-0123456789abcdef0"}
		if _, err := a.Find(ctx, ref); billing.KindOf(err) != billing.Missing {
			t.Errorf("find a %s that does not exist: %v, want Missing", kind, err)
		}
	}
}

func idOf(k billing.Kind) string {
	return map[billing.Kind]string{billing.KindInstance: "i", billing.KindDisk: "vol", billing.KindSnapshot: "snap",
		billing.KindImage: "ami", billing.KindIP: "eipalloc"}[k]
}

// launch makes one thing of each kind, in an order in which they can be released.
func launch(t *testing.T, a *account) []billing.ResourceRef {
	t.Helper()
	ctx, client := context.Background(), a.ec2("us-east-1")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	run, err := client.RunInstances(ctx, &ec2.RunInstancesInput{ImageId: aws.String("ami-12c6146b"), InstanceType: "g5.xlarge", MinCount: aws.Int32(1), MaxCount: aws.Int32(1)})
	must(err)
	image, err := client.CreateImage(ctx, &ec2.CreateImageInput{InstanceId: run.Instances[0].InstanceId, Name: aws.String("weights")})
	must(err)
	disk, err := client.CreateVolume(ctx, &ec2.CreateVolumeInput{AvailabilityZone: aws.String("us-east-1a"), Size: aws.Int32(100), VolumeType: types.VolumeTypeGp3})
	must(err)
	snapshot, err := client.CreateSnapshot(ctx, &ec2.CreateSnapshotInput{VolumeId: disk.VolumeId})
	must(err)
	ip, err := client.AllocateAddress(ctx, &ec2.AllocateAddressInput{Domain: types.DomainTypeVpc})
	must(err)
	return []billing.ResourceRef{
		here(billing.KindInstance, *run.Instances[0].InstanceId), here(billing.KindImage, *image.ImageId),
		here(billing.KindSnapshot, *snapshot.SnapshotId), here(billing.KindDisk, *disk.VolumeId), here(billing.KindIP, *ip.AllocationId),
	}
}
