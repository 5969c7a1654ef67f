package aws

import (
	"context"
	"errors"
	"iter"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/sieve"
)

// account is one account at AWS.
type account struct {
	cfg     aws.Config
	now     func() time.Time
	regions []string // empty for all that are enabled
	watched *sieve.Sieve
	members billing.MemberDetail

	mu    sync.Mutex
	known map[string]region // by name
}

// payer is an account whose bill is read with Cost Explorer, which costs.
type payer struct {
	*account
	kept keptBill
}

var (
	_ billing.Identifier = (*account)(nil)
	_ billing.Balancer   = (*account)(nil)
	_ billing.Committer  = (*account)(nil)
	_ billing.Merchant   = (*account)(nil)
	_ billing.Sifter     = (*account)(nil)
	_ billing.Finder     = (*account)(nil)
	_ billing.Rehearser  = (*account)(nil)
	_ billing.Stopper    = (*account)(nil)
	_ billing.Releaser   = (*account)(nil)
	_ billing.Charger    = (*payer)(nil)
)

// regionForm matches what AWS's regions are called. Regions become part of host names that get our signature.
var regionForm = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]$`)

func regionName(s string) bool { return regionForm.MatchString(s) }

func open(c billing.Config, e billing.Env) (billing.Provider, error) {
	s, err := readSettings(c)
	if err != nil {
		return nil, err
	}
	cfg, err := configure(c, e, s)
	if err != nil {
		return nil, &billing.Error{Kind: billing.Invalid, Op: "aws: open", Say: billing.Say("error.aws.chain"), Err: err}
	}
	a := &account{cfg: cfg, now: e.Now, regions: s.regions, watched: s.watched, members: s.members, known: map[string]region{}}
	if s.export.bucket != "" {
		return &exported{account: a, in: bucket{a: a, name: s.export.bucket, region: s.export.region}, prefix: s.export.prefix, read: map[time.Time]month{}}, nil
	}
	if s.charges {
		return &payer{account: a}, nil
	}
	return a, nil
}

// kinds are what is listed of every region.
func kinds() []billing.Kind {
	return []billing.Kind{billing.KindInstance, billing.KindDisk, billing.KindSnapshot, billing.KindImage, billing.KindIP}
}

// Scopes lists every kind in every region.
func (a *account) Scopes(ctx context.Context) ([]billing.Scope, error) {
	regions, err := a.allRegions(ctx)
	if err != nil {
		return nil, err
	}
	var scopes []billing.Scope
	for _, region := range regions {
		for _, kind := range kinds() {
			scopes = append(scopes, billing.Scope{Kind: kind, Region: region})
		}
	}
	return scopes, nil
}

// allRegions are the configured regions, else those that are enabled for the account: AWS refuses the others.
func (a *account) allRegions(ctx context.Context) ([]string, error) {
	if len(a.regions) > 0 {
		return a.regions, nil
	}
	const op = "aws: list regions"
	out, err := a.ec2(a.cfg.Region).DescribeRegions(ctx, &ec2.DescribeRegionsInput{})
	if err != nil {
		return nil, failed(ctx, op, err)
	}
	var regions []string
	for _, r := range out.Regions {
		name := aws.ToString(r.RegionName)
		switch {
		case !regionName(name):
			return nil, garbled(op, "a region is not one of AWS's form")
		case aws.ToString(r.OptInStatus) != "not-opted-in":
			regions = append(regions, name)
		}
	}
	if len(regions) == 0 {
		return nil, garbled(op, "the answer lists no region")
	}
	return regions, nil
}

// ec2 speaks to EC2 of one region.
func (a *account) ec2(region string) *ec2.Client {
	return ec2.NewFromConfig(a.cfg, func(o *ec2.Options) { o.Region = region })
}

// Resources lists a scope completely, or yields an error last.
func (a *account) Resources(ctx context.Context, s billing.Scope) iter.Seq2[billing.Resource, error] {
	list := map[billing.Kind]func(context.Context, string) ([]billing.Resource, error){
		billing.KindInstance: a.listInstances,
		billing.KindDisk:     a.listVolumes,
		billing.KindSnapshot: a.listSnapshots,
		billing.KindImage:    a.listImages,
		billing.KindIP:       a.listAddresses,
	}[s.Kind]
	return func(yield func(billing.Resource, error) bool) {
		if list == nil || !regionName(s.Region) {
			yield(billing.Resource{}, &billing.Error{Kind: billing.Invalid, Op: "aws: list " + string(s.Kind), Err: errors.New("no such scope")})
			return
		}
		a.watched.Note(s, 0, 0) // an empty list leaves nothing out
		all, err := list(ctx, s.Region)
		if err != nil {
			yield(billing.Resource{}, err)
			return
		}
		seen := map[string]bool{}
		for _, r := range all {
			if seen[r.Ref.ID] { // a page repeats what moved while the list was walked
				continue
			}
			seen[r.Ref.ID] = true
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Identify tells which account the credentials belong to.
func (a *account) Identify(ctx context.Context) (string, error) {
	const op = "aws: identify"
	out, err := sts.NewFromConfig(a.cfg).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	switch {
	case err != nil:
		return "", failed(ctx, op, err)
	case aws.ToString(out.Account) == "":
		return "", garbled(op, "the answer lacks the account")
	}
	return *out.Account, nil
}

// maxPages ends a walk that no account can need.
const maxPages = 2000

// walk reads every page of a list. The SDK's own paginators either never end with a token that comes back or end with
// half a list: both would be wrong here.
func walk[T any](ctx context.Context, op string, page func(token *string) ([]T, *string, error)) ([]T, error) {
	var out []T
	var token *string
	seen := map[string]bool{}
	for range maxPages {
		items, next, err := page(token)
		if err != nil {
			return nil, failed(ctx, op, err)
		}
		out = append(out, items...)
		if aws.ToString(next) == "" {
			return out, nil
		}
		if seen[*next] {
			return nil, garbled(op, "the pages do not come to an end")
		}
		seen[*next], token = true, next
	}
	return nil, garbled(op, "more pages than any account has")
}

// named finds a tag whatever its case.
func named(tags map[string]string, key string) string {
	if v, ok := tags[key]; ok {
		return v
	}
	for k, v := range tags {
		if strings.EqualFold(k, key) {
			return v
		}
	}
	return ""
}
