package alibaba

import (
	"context"
	"strings"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/sieve"
)

func snapshotsCall(region string) call {
	return call{op: "alibaba: list snapshots", of: ecs(), region: region, action: "DescribeSnapshots",
		query: params("RegionId", region, "MaxResults", "100")}
}

func openSnapshots(p *snapshotsAnswer) (*[]snapshot, string) {
	return p.Snapshots.Snapshot, p.NextToken
}

// listSnapshots lists snapshots with their share of what their chain is billed for.
func (a *account) listSnapshots(ctx context.Context, region string) ([]billing.Resource, error) {
	k := snapshotsCall(region)
	list, err := whole(ctx, a, billing.Scope{Kind: billing.KindSnapshot, Region: region}, k, walk(ctx, a.api, k, openSnapshots))
	if err != nil || len(list) == 0 {
		return nil, err
	}
	chains, err := a.chains(ctx, region)
	if err != nil {
		return nil, err
	}
	keep, err := a.sourcesOf(ctx, region)
	if err != nil {
		return nil, err
	}
	var out []billing.Resource
	for _, s := range list {
		if keep.watches(s.Tags.all(), s.SourceDiskID) {
			out = append(out, a.snapshotResource(region, s, chains))
		}
	}
	a.watched.Note(billing.Scope{Kind: billing.KindSnapshot, Region: region}, len(list), len(out))
	return out, nil
}

func (a *account) findSnapshot(ctx context.Context, ref billing.ResourceRef) (snapshot, error) {
	k := snapshotsCall(ref.Region)
	k.op, k.query = "alibaba: find snapshot", with(k.query, "SnapshotIds", idList(ref.ID))
	list, err := all(walk(ctx, a.api, k, openSnapshots))
	return single(k.op, list, err, func(s snapshot) bool { return s.ID == ref.ID })
}

// chains reads what each chain of snapshots is billed for. A key that may not read them leaves sizes unknown.
func (a *account) chains(ctx context.Context, region string, ids ...string) (map[string]link, error) {
	k := call{op: "alibaba: list snapshot links", of: ecs(), region: region, action: "DescribeSnapshotLinks",
		query: params("RegionId", region, "MaxResults", "100")}
	if len(ids) > 0 {
		k.query.Set("SnapshotLinkIds", idList(ids...))
	}
	list, err := all(walk(ctx, a.api, k, func(p *linksAnswer) (*[]link, string) { return p.Links.Link, p.NextToken }))
	if err != nil && billing.KindOf(err) != billing.Denied {
		return nil, err
	}
	chains := map[string]link{}
	for _, l := range list {
		chains[l.ID] = l
	}
	return chains, nil
}

// share is a snapshot's even share of its chain in GiB: Alibaba bills the chain, whose snapshots hold differences only.
func (l link) share() billing.Decimal {
	bytes, n := decimal(l.TotalSize), decimal(l.TotalCount)
	if !bytes.Known() || n.Sign() <= 0 {
		return billing.Decimal{}
	}
	d, err := bytes.Div(n.Mul(billing.DecimalFromInt(1<<30)), 9)
	if err != nil {
		return billing.Decimal{}
	}
	return d
}

// snapshotResource puts a snapshot into our words. DescribePrice knows no snapshots: the rate stays unknown, and only the
// bill says what a chain came to.
func (a *account) snapshotResource(region string, s snapshot, chains map[string]link) billing.Resource {
	tags := s.Tags.all()
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindSnapshot, Region: region, ID: s.ID},
		Name:        s.Name,
		Type:        s.Category,
		State:       billing.StateAvailable,
		VendorState: s.Status,
		Billed:      billing.Yes,
		Mode:        billing.ModeOnDemand,
		SizeGiB:     chains[s.LinkID].share(),
		CreatedAt:   instant(s.CreationTime),
		HoldsData:   billing.Yes,
		AtZero:      billing.FateKeeps,
		Managed:     managedBy(tags),
		Owner:       named(tags, "owner"),
		Project:     named(tags, "project"),
		Tags:        tags,
	}
	if s.SourceDiskID != "" {
		r.Sources = []string{s.SourceDiskID}
	}
	switch s.Status {
	case "progressing":
		r.State = billing.StateStarting
	case "failed":
		r.State, r.Billed = billing.StateUnknown, billing.Unsure
	}
	return r
}

// sources says which disks belong to machines that are not watched.
type sources struct {
	w       *sieve.Sieve
	foreign map[string]bool
}

func (a *account) sourcesOf(ctx context.Context, region string) (sources, error) {
	s := sources{w: a.watched, foreign: map[string]bool{}}
	if a.watched.Everything() {
		return s, nil
	}
	list, err := a.disks(ctx, region)
	if err != nil {
		return s, err
	}
	machines, err := a.machinesOf(ctx, region)
	if err != nil {
		return s, err
	}
	for _, d := range list {
		s.foreign[d.ID] = !a.watchesDisk(d, machines)
	}
	return s, nil
}

// watches decides for a copy of a disk. A copy of a disk that is gone is watched: nobody can tell whose it was.
func (s sources) watches(tags map[string]string, disk string) bool {
	return s.w.Tagged(tags) || !s.foreign[disk]
}

// inImage says that images were made of a snapshot; they have to go first.
func (s snapshot) inImage() bool { return strings.HasPrefix(s.Usage, "image") }

// inDisk says that disks were made of it, which could not be made anew without it.
func (s snapshot) inDisk() bool { return strings.HasSuffix(s.Usage, "disk") }

func (s snapshot) called() string { return orID(s.Name, s.ID) }
