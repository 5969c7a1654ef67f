package alibaba

import (
	"context"
	"errors"
	"iter"
	"regexp"
	"strings"
	"sync"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
	"gpuspend/billing/providers/internal/sieve"
)

// account is one account at Alibaba Cloud.
type account struct {
	api     *client
	now     func() time.Time
	site    string
	regions []string // empty for all
	watched *sieve.Sieve

	mu       sync.Mutex
	empty    map[billing.Scope]bool // scopes whose emptiness was confirmed when last listed
	machines map[string]machineSet  // by region
	prices   map[priceKey]knownPrice
	renewals renewals
}

var (
	_ billing.Identifier = (*account)(nil)
	_ billing.Balancer   = (*account)(nil)
	_ billing.Charger    = (*account)(nil)
	_ billing.Committer  = (*account)(nil)
	_ billing.Merchant   = (*account)(nil)
	_ billing.Meter      = (*account)(nil)
	_ billing.Sifter     = (*account)(nil)
	_ billing.Finder     = (*account)(nil)
	_ billing.Rehearser  = (*account)(nil)
	_ billing.Stopper    = (*account)(nil)
	_ billing.Releaser   = (*account)(nil)
)

// regionID matches what Alibaba's regions are called. Regions become part of host names that get our signature, so that
// nothing else may pass.
var regionID = regexp.MustCompile(`^[a-z]{2}-[a-z0-9]+(-[a-z0-9]+)*$`)

func open(c billing.Config, e billing.Env) (billing.Provider, error) {
	wrong := func(say billing.Text, why string) error {
		return &billing.Error{Kind: billing.Invalid, Op: "alibaba: open", Say: say, Err: errors.New(why)}
	}
	for _, f := range fields() {
		if f.Required && c.Fields[f.Name].Empty() {
			return nil, wrong(billing.Say("error.no_credential", "field", f.Name), f.Name+" is empty")
		}
	}
	a := &account{now: e.Now, empty: map[billing.Scope]bool{}, machines: map[string]machineSet{}, prices: map[priceKey]knownPrice{}}
	for region := range strings.SplitSeq(c.Fields["regions"].Reveal(), ",") {
		region = strings.TrimSpace(region)
		if region == "" {
			continue
		}
		if !regionID.MatchString(region) {
			return nil, wrong(billing.Say("error.alibaba.field", "field", "regions"), "a region is not one of Alibaba's form")
		}
		a.regions = append(a.regions, region)
	}
	var ok bool
	if a.site, ok = oneOf(c.Fields["site"], china, international); !ok {
		return nil, wrong(billing.Say("error.alibaba.field", "field", "site"), "site is neither china nor international")
	}
	scope, ok := oneOf(c.Fields["scope"], sieve.GPU, sieve.All)
	if !ok {
		return nil, wrong(billing.Say("error.alibaba.field", "field", "scope"), "scope is neither gpu nor all")
	}
	a.watched = sieve.New(scope, c.Fields["tag"].Reveal())
	a.api = newClient(c, e, a.site)
	return a, nil
}

// oneOf reads a setting; the first value is the default.
func oneOf(s billing.Secret, values ...string) (string, bool) {
	if s.Empty() {
		return values[0], true
	}
	for _, v := range values {
		if strings.EqualFold(strings.TrimSpace(s.Reveal()), v) {
			return v, true
		}
	}
	return "", false
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

// allRegions are the configured regions, else those that Alibaba lists.
func (a *account) allRegions(ctx context.Context) ([]string, error) {
	if len(a.regions) > 0 {
		return a.regions, nil
	}
	home := "cn-hangzhou"
	if a.site == international {
		home = "ap-southeast-1"
	}
	k := call{op: "alibaba: list regions", of: ecs(), region: home, action: "DescribeRegions"}
	var answer regionsAnswer
	if err := a.api.read(ctx, k, &answer); err != nil {
		return nil, err
	}
	if answer.Regions.Region == nil || len(*answer.Regions.Region) == 0 {
		return nil, garbled(k.op, "the answer lacks its list")
	}
	var regions []string
	for _, r := range *answer.Regions.Region {
		if !regionID.MatchString(r.RegionID) {
			return nil, garbled(k.op, "a region is not one of Alibaba's form")
		}
		regions = append(regions, r.RegionID)
	}
	return regions, nil
}

// Resources lists a scope completely, or yields an error last.
func (a *account) Resources(ctx context.Context, s billing.Scope) iter.Seq2[billing.Resource, error] {
	list := map[billing.Kind]func(context.Context, string) ([]billing.Resource, error){
		billing.KindInstance: a.listInstances,
		billing.KindDisk:     a.listDisks,
		billing.KindSnapshot: a.listSnapshots,
		billing.KindImage:    a.listImages,
		billing.KindIP:       a.listAddresses,
	}[s.Kind]
	return func(yield func(billing.Resource, error) bool) {
		if list == nil || !regionID.MatchString(s.Region) {
			yield(billing.Resource{}, &billing.Error{Kind: billing.Invalid, Op: "alibaba: list " + string(s.Kind),
				Err: errors.New("no such scope")})
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
			if seen[r.Ref.ID] { // a page repeats what moved down while the list was walked
				continue
			}
			seen[r.Ref.ID] = true
			if !yield(r, nil) {
				return
			}
		}
	}
}

// whole reads a list to its end. An empty one is believed only where a dry run of the same request says that the key may
// read it: without the permission Alibaba used to answer with an empty list, and some actions may still. One that was
// empty when last read takes nothing away and needs no second look.
func whole[T any](ctx context.Context, a *account, s billing.Scope, k call, seq iter.Seq2[T, error]) ([]T, error) {
	list, err := all(seq)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	known := a.empty[s]
	a.mu.Unlock()
	if len(list) == 0 && !known {
		if err := a.api.rehearse(ctx, k, httpx.Read); err != nil {
			if billing.KindOf(err) == billing.Unknown {
				err = &billing.Error{Kind: billing.Denied, Op: k.op, Say: billing.Say("error.alibaba.empty"),
					Err: errors.New("an empty list, and no word on whether the key may read it")}
			}
			return nil, err
		}
	}
	a.mu.Lock()
	a.empty[s] = len(list) == 0
	a.mu.Unlock()
	return list, nil
}

// all reads a list to its end.
func all[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var out []T
	for v, err := range seq {
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// Identify tells which account the key belongs to.
func (a *account) Identify(ctx context.Context) (string, error) {
	k := call{op: "alibaba: identify", of: sts(), action: "GetCallerIdentity"}
	var answer callerAnswer
	if err := a.api.read(ctx, k, &answer); err != nil {
		return "", err
	}
	if answer.AccountID == "" {
		return "", garbled(k.op, "the account has no id")
	}
	return answer.AccountID, nil
}
