package huawei

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"sync"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/sieve"
)

// account is one account at Huawei Cloud.
type account struct {
	api      *client
	now      func() time.Time
	site     string
	asked    []project // as configured; an empty id is looked up, none at all means every project
	watched  *sieve.Sieve
	currency billing.Currency // where an answer names none

	enterprise enterprise
	mu         sync.Mutex
	projects   kept[[]project]
	orders     kept[map[string]order]
	machines   map[project]kept[machineSet]
	volumes    map[project]kept[map[string]volume]
	flavors    map[project]kept[map[string]flavor]
	prices     map[product]kept[billing.Money]
	last       map[billing.Scope]string // a thing that each scope held when last listed
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
	_ billing.Stopper    = (*account)(nil)
	_ billing.Releaser   = (*account)(nil)
	_ billing.Follower   = (*account)(nil)
)

// kept is an answer that serves other reads for a while.
type kept[T any] struct {
	at    time.Time
	value T
}

// fresh says whether a kept answer is younger than some time.
func (k kept[T]) fresh(now time.Time, life time.Duration) bool {
	return !k.at.IsZero() && now.Sub(k.at) < life
}

func open(c billing.Config, e billing.Env) (billing.Provider, error) {
	wrong := func(say billing.Text, why string) error {
		return &billing.Error{Kind: billing.Invalid, Op: "huawei: open", Say: say, Err: errors.New(why)}
	}
	for _, f := range fields() {
		if f.Required && c.Fields[f.Name].Empty() {
			return nil, wrong(billing.Say("error.no_credential", "field", f.Name), f.Name+" is empty")
		}
	}
	a := &account{now: e.Now, machines: map[project]kept[machineSet]{}, volumes: map[project]kept[map[string]volume]{},
		flavors: map[project]kept[map[string]flavor]{}, prices: map[product]kept[billing.Money]{}, last: map[billing.Scope]string{}}
	var ok bool
	if a.asked, ok = parseProjects(c.Fields["projects"].Reveal()); !ok {
		return nil, wrong(billing.Say("error.huawei.field", "field", "projects"), "projects are not written as region=project,...")
	}
	if a.site, ok = oneOf(c.Fields["site"], china, international, europe); !ok {
		return nil, wrong(billing.Say("error.huawei.field", "field", "site"), "site is none of china, international, europe")
	}
	scope, ok := oneOf(c.Fields["scope"], sieve.GPU, sieve.All)
	if !ok {
		return nil, wrong(billing.Say("error.huawei.field", "field", "scope"), "scope is neither gpu nor all")
	}
	a.currency = map[string]billing.Currency{china: cny, international: "USD", europe: "EUR"}[a.site]
	a.watched = sieve.New(scope, c.Fields["tag"].Reveal())
	var err error
	if a.api, err = newClient(c, e, a.site); err != nil {
		return nil, wrong(billing.Text{}, "no way to the network")
	}
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

// Regions become part of host names, and projects of paths, that get our signature: nothing else may pass.
var (
	regionID  = regexp.MustCompile(`^[a-z]{2}-[a-z0-9]+(-[a-z0-9]+)*$`)
	projectID = regexp.MustCompile(`^[A-Za-z0-9]{1,64}$`)
)

// parseProjects reads "region=project,region".
func parseProjects(s string) ([]project, bool) {
	var out []project
	for entry := range strings.SplitSeq(s, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		region, id, given := strings.Cut(entry, "=")
		if !regionID.MatchString(region) || given && !projectID.MatchString(id) {
			return nil, false
		}
		out = append(out, project{region, id})
	}
	return out, true
}

// kinds are what is listed of every project.
func kinds() []billing.Kind {
	return []billing.Kind{billing.KindInstance, billing.KindDisk, billing.KindSnapshot, billing.KindImage, billing.KindIP}
}

// Scopes lists every kind in every project.
func (a *account) Scopes(ctx context.Context) ([]billing.Scope, error) {
	projects, err := a.allProjects(ctx, 0)
	if err != nil {
		return nil, err
	}
	var scopes []billing.Scope
	for _, p := range projects {
		for _, kind := range kinds() {
			scopes = append(scopes, billing.Scope{Kind: kind, Region: p.region, Project: p.id})
		}
	}
	return scopes, nil
}

// allProjects are the configured projects; ids that are missing there, or all of them, are looked up at IAM unless that
// was done within some time.
func (a *account) allProjects(ctx context.Context, within time.Duration) ([]project, error) {
	whole := len(a.asked) > 0
	for _, p := range a.asked {
		whole = whole && p.id != ""
	}
	if whole {
		return a.asked, nil
	}
	a.mu.Lock()
	known := a.projects
	a.mu.Unlock()
	if known.fresh(a.now(), within) {
		return known.value, nil
	}
	found, err := a.visibleProjects(ctx)
	if err != nil {
		return nil, err
	}
	list := found
	if len(a.asked) > 0 {
		if list, err = chosen(a.asked, found); err != nil {
			return nil, err
		}
	}
	a.mu.Lock()
	a.projects = kept[[]project]{a.now(), list}
	a.mu.Unlock()
	return list, nil
}

const listProjects = "huawei: list projects"

// visibleProjects asks IAM for the projects that the key may use.
func (a *account) visibleProjects(ctx context.Context) ([]project, error) {
	var answer projectsAnswer
	if err := a.api.read(ctx, call{op: listProjects, service: iam, path: "/v3/auth/projects"}, &answer); err != nil {
		return nil, err
	}
	if answer.Projects == nil {
		return nil, garbled(listProjects, "the answer lacks its list")
	}
	var out []project
	for _, p := range *answer.Projects {
		region, _, _ := strings.Cut(p.Name, "_")
		if p.Enabled != nil && !*p.Enabled || !regionID.MatchString(region) || !projectID.MatchString(p.ID) {
			continue // "MOS" and the like are no regions
		}
		out = append(out, project{region, p.ID})
	}
	if len(out) == 0 {
		return nil, garbled(listProjects, "no project is of a region")
	}
	return out, nil
}

// chosen fills in the ids of regions that were configured without one.
func chosen(asked, found []project) ([]project, error) {
	var out []project
	for _, p := range asked {
		if p.id != "" {
			out = append(out, p)
			continue
		}
		n := len(out)
		for _, f := range found {
			if f.region == p.region {
				out = append(out, f)
			}
		}
		if len(out) == n {
			return nil, &billing.Error{Kind: billing.Invalid, Op: listProjects, Say: billing.Say("error.huawei.no_project", "region", p.region),
				Err: fmt.Errorf("the key may use no project of %s", p.region)}
		}
	}
	return out, nil
}

// inRegion gives the projects of a region.
func (a *account) inRegion(ctx context.Context, region string) ([]project, error) {
	all, err := a.allProjects(ctx, time.Hour)
	if err != nil {
		return nil, err
	}
	var out []project
	for _, p := range all {
		if p.region == region {
			out = append(out, p)
		}
	}
	return out, nil
}

// Resources lists a scope completely, or yields an error last.
func (a *account) Resources(ctx context.Context, s billing.Scope) iter.Seq2[billing.Resource, error] {
	return func(yield func(billing.Resource, error) bool) {
		all, err := a.list(ctx, s)
		if err != nil {
			yield(billing.Resource{}, err)
			return
		}
		for _, r := range all {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (a *account) list(ctx context.Context, s billing.Scope) ([]billing.Resource, error) {
	list := map[billing.Kind]func(context.Context, project) ([]billing.Resource, error){
		billing.KindInstance: a.listMachines,
		billing.KindDisk:     a.listDisks,
		billing.KindSnapshot: a.listSnapshots,
		billing.KindImage:    a.listImages,
		billing.KindIP:       a.listAddresses,
	}[s.Kind]
	if list == nil || !regionID.MatchString(s.Region) || !projectID.MatchString(s.Project) {
		return nil, &billing.Error{Kind: billing.Invalid, Op: "huawei: list " + string(s.Kind), Err: errNoScope}
	}
	a.watched.Note(s, 0, 0) // an empty list leaves nothing out
	all, err := list(ctx, project{s.Region, s.Project})
	if err != nil {
		return nil, err
	}
	a.enterprise.fill(all)
	return all, a.believe(ctx, s, all)
}

// believe doubts an empty list where there was something before: one thing of it is looked up, and where it is there
// after all, or may not be seen any more, the list is no list.
func (a *account) believe(ctx context.Context, s billing.Scope, list []billing.Resource) error {
	a.mu.Lock()
	before := a.last[s]
	a.mu.Unlock()
	if len(list) == 0 && before != "" {
		r, err := a.findIn(ctx, project{s.Region, s.Project}, billing.ResourceRef{Kind: s.Kind, Region: s.Region, ID: before})
		switch {
		case err != nil && billing.KindOf(err) != billing.Missing:
			return err
		case err == nil && r.State != billing.StateTerminated && r.State != billing.StateRecoverable && r.State != billing.StateDeleting && a.sees(r):
			return &billing.Error{Kind: billing.Upstream, Op: "huawei: list " + string(s.Kind), Say: billing.Say("error.huawei.empty"),
				Err: errors.New("the list is empty, but something of it is still there")}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.last, s)
	if len(list) > 0 {
		a.last[s] = list[0].Ref.ID
	}
	return nil
}

// Identify tells which account the key belongs to.
func (a *account) Identify(ctx context.Context) (string, error) {
	const op = "huawei: identify"
	var answer domainsAnswer
	if err := a.api.read(ctx, call{op: op, service: iam, path: "/v3/auth/domains"}, &answer); err != nil {
		return "", err
	}
	if len(answer.Domains) == 0 || answer.Domains[0].ID == "" {
		return "", garbled(op, "the answer names no account")
	}
	return answer.Domains[0].ID, nil
}
