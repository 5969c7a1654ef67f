package aws

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"gpuspend/billing"
)

// watches decides for a machine.
func (a *account) watches(i types.Instance) bool {
	return a.watched.Machine(aws.ToString(i.InstanceId), tagsOf(i.Tags), hasGPU(string(i.InstanceType)))
}

// Remember and LeftOut are those of the sieve.
func (a *account) Remember(refs []billing.ResourceRef) { a.watched.Remember(refs) }
func (a *account) LeftOut(s billing.Scope) int         { return a.watched.LeftOut(s) }

// region is what one region holds, so that what hangs on other things can be told apart. The sets are of what belongs
// to machines that are not watched; what hangs on nothing is watched, because forgotten things are the very thing to
// find.
type region struct {
	machines, disks, snapshots kept
}

// kept is a set of ids and when it was read; the zero kept was never read.
type kept struct {
	at  time.Time
	ids map[string]bool
}

// fresh is how long a set serves the other kinds of its region.
const fresh = time.Minute

// foreign gives one of a region's sets, read anew where it is old. Where everything is watched nobody has to know.
func (a *account) foreign(ctx context.Context, name string, of func(*region) *kept, read func() (map[string]bool, error)) (map[string]bool, error) {
	if a.watched.Everything() {
		return nil, nil
	}
	a.mu.Lock()
	r := a.known[name]
	a.mu.Unlock()
	if k := of(&r); k.ids != nil && a.now().Sub(k.at) < fresh {
		return k.ids, nil
	}
	ids, err := read()
	if err != nil {
		return nil, err
	}
	a.note(name, of, ids)
	return ids, nil
}

func (a *account) note(name string, of func(*region) *kept, ids map[string]bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.known[name]
	*of(&r) = kept{at: a.now(), ids: ids}
	a.known[name] = r
}

func machinesSet(r *region) *kept  { return &r.machines }
func disksSet(r *region) *kept     { return &r.disks }
func snapshotsSet(r *region) *kept { return &r.snapshots }

// foreignMachines are the machines that are not watched.
func (a *account) foreignMachines(ctx context.Context, name string) (map[string]bool, error) {
	return a.foreign(ctx, name, machinesSet, func() (map[string]bool, error) {
		list, err := a.instances(ctx, "aws: list instances", name, nil)
		return a.unwatchedMachines(list), err
	})
}

func (a *account) unwatchedMachines(list []types.Instance) map[string]bool {
	ids := map[string]bool{}
	for _, i := range list {
		if !a.watches(i) {
			ids[aws.ToString(i.InstanceId)] = true
		}
	}
	return ids
}

// foreignDisks are the volumes on machines that are not watched.
func (a *account) foreignDisks(ctx context.Context, name string) (map[string]bool, error) {
	return a.foreign(ctx, name, disksSet, func() (map[string]bool, error) {
		machines, err := a.foreignMachines(ctx, name)
		if err != nil {
			return nil, err
		}
		list, err := a.volumes(ctx, "aws: list volumes", name, nil)
		return a.unwatchedDisks(list, machines), err
	})
}

func (a *account) unwatchedDisks(list []types.Volume, machines map[string]bool) map[string]bool {
	ids := map[string]bool{}
	for _, v := range list {
		if !a.watched.Attached(billing.KindDisk, aws.ToString(v.VolumeId), tagsOf(v.Tags), machinesOf(v), machines) {
			ids[aws.ToString(v.VolumeId)] = true
		}
	}
	return ids
}

// foreignSnapshots are those of volumes on machines that are not watched. A copy of a volume that is gone is watched:
// nobody can tell whose it was.
func (a *account) foreignSnapshots(ctx context.Context, name string) (map[string]bool, error) {
	return a.foreign(ctx, name, snapshotsSet, func() (map[string]bool, error) {
		disks, err := a.foreignDisks(ctx, name)
		if err != nil {
			return nil, err
		}
		list, err := a.snapshots(ctx, "aws: list snapshots", name, nil)
		return a.unwatchedSnapshots(list, disks), err
	})
}

func (a *account) unwatchedSnapshots(list []types.Snapshot, disks map[string]bool) map[string]bool {
	ids := map[string]bool{}
	for _, s := range list {
		if !a.watched.Tagged(tagsOf(s.Tags)) && disks[aws.ToString(s.VolumeId)] {
			ids[aws.ToString(s.SnapshotId)] = true
		}
	}
	return ids
}

func tagsOf(list []types.Tag) map[string]string {
	if len(list) == 0 {
		return nil
	}
	tags := map[string]string{}
	for _, t := range list {
		tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return tags
}

// managedBy reads the marks of what would make a thing again, or break without it; "" for none.
func managedBy(tags map[string]string, operator *types.OperatorResponse) string {
	if operator != nil && aws.ToBool(operator.Managed) {
		return orID(aws.ToString(operator.Principal), "a service of AWS")
	}
	for _, mark := range marks() {
		if id := tags[mark[0]]; id != "" {
			return mark[1] + " " + id
		}
	}
	for key := range tags {
		if cluster, ok := strings.CutPrefix(key, "kubernetes.io/cluster/"); ok {
			return "Kubernetes cluster " + cluster
		}
	}
	if strings.EqualFold(named(tags, "ManagedBy"), "terraform") || strings.EqualFold(tags["managed-by"], "terraform") || strings.EqualFold(tags["terraform"], "true") {
		return "Terraform"
	}
	return ""
}

// marks are the tags of what makes things, the nearest maker first.
func marks() [][2]string {
	return [][2]string{
		{"aws:autoscaling:groupName", "Auto Scaling group"},
		{"karpenter.sh/nodepool", "Karpenter node pool"},
		{"karpenter.sh/provisioner-name", "Karpenter provisioner"},
		{"eks:nodegroup-name", "EKS node group"},
		{"aws:eks:cluster-name", "EKS cluster"},
		{"eks:cluster-name", "EKS cluster"},
		{"parallelcluster:cluster-name", "ParallelCluster"},
		{"sagemaker:domain-arn", "SageMaker domain"},
		{"aws:sagemaker:cluster-name", "SageMaker HyperPod cluster"},
		{"aws:batch:compute-environment", "Batch compute environment"},
		{"aws:elasticmapreduce:job-flow-id", "EMR cluster"},
		{"aws:ec2:fleet-id", "EC2 fleet"},
		{"aws:ec2spot:fleet-request-id", "spot fleet"},
		{"aws:cloudformation:stack-name", "CloudFormation stack"},
		{"aws:dlm:lifecycle-policy-id", "Data Lifecycle Manager policy"},
		{"aws:backup:source-resource", "AWS Backup of"},
		{"ray-cluster-name", "Ray cluster"},
		{"slurm:cluster", "Slurm cluster"},
	}
}

func orID(name, id string) string {
	if name == "" {
		return id
	}
	return name
}
