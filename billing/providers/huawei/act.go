package huawei

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"gpuspend/billing"
)

// plainID says that an id can be part of a path as it stands.
func plainID(id string) bool { return idForm.MatchString(id) }

var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Find looks one resource up in the projects of its region.
func (a *account) Find(ctx context.Context, ref billing.ResourceRef) (billing.Resource, error) {
	r, _, err := a.locate(ctx, ref)
	r.Ref.Account = ref.Account
	return r, err
}

// locate finds a resource and the project that it is in.
func (a *account) locate(ctx context.Context, ref billing.ResourceRef) (billing.Resource, project, error) {
	op := "huawei: find " + string(ref.Kind)
	if !plainID(ref.ID) {
		return billing.Resource{}, project{}, missing(op)
	}
	projects, err := a.inRegion(ctx, ref.Region)
	if err != nil {
		return billing.Resource{}, project{}, err
	}
	for _, p := range projects {
		r, err := a.findIn(ctx, p, ref)
		if err == nil || billing.KindOf(err) != billing.Missing {
			return r, p, err
		}
	}
	return billing.Resource{}, project{}, missing(op)
}

func (a *account) findIn(ctx context.Context, p project, ref billing.ResourceRef) (billing.Resource, error) {
	var list []billing.Resource
	var err error
	switch ref.Kind {
	case billing.KindInstance:
		var s server
		if s, err = a.server(ctx, p, ref.ID); err == nil {
			list, err = a.describeMachines(ctx, p, []server{s})
		}
	case billing.KindDisk:
		var v volume
		if v, err = a.disk(ctx, p, ref.ID); err == nil {
			list, err = withMachines(ctx, a, p, func(m machineSet) ([]billing.Resource, error) { return a.describeDisks(ctx, p, []volume{v}, m) })
		}
	case billing.KindSnapshot:
		var s snapshot
		s, err = a.snapshot(ctx, p, ref.ID)
		list = []billing.Resource{s.resource(p)}
	case billing.KindImage:
		var i image
		i, err = a.image(ctx, p, ref.ID)
		list = []billing.Resource{i.resource(p)}
	case billing.KindIP:
		var i address
		if i, err = a.address(ctx, p, ref.ID); err == nil {
			list, err = withMachines(ctx, a, p, func(m machineSet) ([]billing.Resource, error) { return a.describeAddresses(ctx, p, []address{i}, m) })
		}
	default:
		err = absent("huawei: find "+string(ref.Kind), ref.Kind)
	}
	if err != nil {
		return billing.Resource{}, err
	}
	return list[0], nil
}

func withMachines(ctx context.Context, a *account, p project, f func(machineSet) ([]billing.Resource, error)) ([]billing.Resource, error) {
	m, err := a.machinesOf(ctx, p)
	if err != nil {
		return nil, err
	}
	return f(m)
}

// Stop switches a machine off. It looks first: one that is off needs no request, and one that was paid ahead would cost
// the same. A machine with local disks is stopped although it bills on: its rate says so beforehand.
func (a *account) Stop(ctx context.Context, act billing.Act) (billing.Receipt, error) {
	const op = "huawei: stop machine"
	if act.Ref.Kind != billing.KindInstance {
		return billing.Receipt{}, absent(op, act.Ref.Kind)
	}
	r, p, err := a.locate(ctx, act.Ref)
	if err != nil {
		return billing.Receipt{}, err
	}
	if r.State == billing.StateStopped {
		return billing.Receipt{Done: true}, nil
	}
	if err := a.mayChange(ctx, op, r, p); err != nil {
		return billing.Receipt{}, err
	}
	switch r.State {
	case billing.StateStopping:
		return billing.Receipt{}, nil
	case billing.StateRunning:
		body := map[string]any{"os-stop": map[string]any{"type": "SOFT", "servers": only(act.Ref.ID)}}
		return a.api.write(ctx, call{op: op, service: ecs, in: p, method: http.MethodPost, path: "/v1/" + p.id + "/cloudservers/action", body: body})
	}
	return billing.Receipt{}, conflict(op, billing.Say("error.no_stop", "name", called(r), "state", r.VendorState))
}

func only(id string) []map[string]string { return []map[string]string{{"id": id}} }

// mayChange refuses what is not watched, paid ahead, locked, or made again by something else.
func (a *account) mayChange(ctx context.Context, op string, r billing.Resource, p project) error {
	ours, err := a.isOurs(ctx, r, p)
	switch {
	case err != nil:
		return err
	case !ours:
		return conflict(op, billing.Say("error.huawei.unwatched", "name", called(r)))
	case r.Managed != "":
		return conflict(op, billing.Say("error.managed", "name", called(r), "by", r.Managed))
	case !r.NotReleasable.IsZero():
		return conflict(op, r.NotReleasable)
	case r.Protected:
		return conflict(op, billing.Say("error.protected", "name", called(r)))
	}
	return nil
}

// Release gives a resource back for good. It reads it right before; Huawei's yes proves nothing yet: only later listings
// do.
func (a *account) Release(ctx context.Context, act billing.Act) (billing.Receipt, error) {
	op := "huawei: delete " + string(act.Ref.Kind)
	r, p, err := a.locate(ctx, act.Ref)
	if err != nil {
		return billing.Receipt{}, err
	}
	switch r.State {
	case billing.StateDeleting, billing.StateTerminated, billing.StateRecoverable:
		return billing.Receipt{}, nil // it was ordered before
	}
	if err := a.mayChange(ctx, op, r, p); err != nil {
		return billing.Receipt{}, err
	}
	if err := a.mayGo(ctx, op, r, p); err != nil {
		return billing.Receipt{}, err
	}
	return a.api.write(ctx, deletion(op, p, act.Ref))
}

// isOurs says whether a thing that was looked up is watched. Disks and addresses in use are refused anyway.
func (a *account) isOurs(ctx context.Context, r billing.Resource, p project) (bool, error) {
	switch r.Ref.Kind {
	case billing.KindInstance:
		return a.sees(r), nil
	case billing.KindSnapshot:
		s, err := a.snapshot(ctx, p, r.Ref.ID)
		if err != nil {
			return false, err
		}
		return a.ofOurs(ctx, p, s.VolumeID)
	case billing.KindImage:
		i, err := a.image(ctx, p, r.Ref.ID)
		if err != nil {
			return false, err
		}
		return a.watchesImage(ctx, p, i)
	}
	return true, nil
}

// mayGo refuses what is in use, and what Huawei would refuse in this state.
func (a *account) mayGo(ctx context.Context, op string, r billing.Resource, p project) error {
	switch r.Ref.Kind {
	case billing.KindInstance:
		return nil
	case billing.KindSnapshot, billing.KindImage:
		if r.State != billing.StateAvailable {
			return conflict(op, billing.Say("error.huawei.state", "name", called(r), "state", r.VendorState))
		}
		return nil
	}
	switch {
	case r.State == billing.StateAttached && len(r.AttachedTo) > 0:
		return conflict(op, billing.Say("error.in_use", "name", called(r), "by", strings.Join(r.AttachedTo, ", ")))
	case r.State != billing.StateUnattached:
		return conflict(op, billing.Say("error.huawei.state", "name", called(r), "state", r.VendorState))
	case r.Ref.Kind == billing.KindDisk:
		return a.withoutSnapshots(ctx, op, r, p)
	}
	return nil
}

// withoutSnapshots makes sure that a disk has none: they hold it back, or would go with it.
func (a *account) withoutSnapshots(ctx context.Context, op string, r billing.Resource, p project) error {
	all, err := a.snapshots(ctx, p, r.Ref.ID)
	if err != nil {
		return err
	}
	n := 0
	for _, s := range all {
		if s.VolumeID == r.Ref.ID {
			n++
		}
	}
	if n > 0 {
		return conflict(op, billing.Say("error.huawei.has_snapshots", "name", called(r), "count", n))
	}
	return nil
}

// deletion is the order to delete a thing. What else would go is always said: the documentation names two defaults.
func deletion(op string, p project, ref billing.ResourceRef) call {
	k := call{op: op, in: p, method: http.MethodDelete}
	switch ref.Kind {
	case billing.KindInstance:
		k.service, k.method, k.path = ecs, http.MethodPost, "/v1/"+p.id+"/cloudservers/delete"
		k.body = map[string]any{"servers": only(ref.ID), "delete_publicip": false, "delete_volume": false}
	case billing.KindDisk:
		k.service, k.path = evs, "/v2/"+p.id+"/cloudvolumes/"+escape(ref.ID)
	case billing.KindSnapshot:
		k.service, k.path = evs, "/v2/"+p.id+"/cloudsnapshots/"+escape(ref.ID)
	case billing.KindImage:
		k.service, k.path, k.body = ims, "/v2/images/"+escape(ref.ID), map[string]any{"delete_backup": false}
	case billing.KindIP:
		k.service, k.path = vpc, "/v1/"+p.id+"/publicips/"+escape(ref.ID)
	}
	return k
}

// job names a job with where to ask for it.
type job struct {
	service string
	in      project
	id      string
}

func (j job) String() string {
	return strings.Join([]string{j.service, j.in.region, j.in.id, j.id}, "/")
}

func parseJob(s string) (job, bool) {
	f := strings.Split(s, "/")
	if len(f) != 4 || f[0] != ecs && f[0] != evs || !regionID.MatchString(f[1]) || !projectID.MatchString(f[2]) || !plainID(f[3]) {
		return job{}, false
	}
	return job{f[0], project{f[1], f[2]}, f[3]}, true
}

// Follow asks what became of a job. A job that has ended well proves nothing about listings: a deleted machine may be
// listed for a while, or lie in a recycle bin.
func (a *account) Follow(ctx context.Context, r billing.Receipt) (billing.Receipt, error) {
	const op = "huawei: follow job"
	j, ok := parseJob(r.Job)
	if !ok {
		return r, &billing.Error{Kind: billing.Invalid, Op: op, Err: errors.New("the receipt names no job")}
	}
	var answer jobAnswer
	if err := a.api.read(ctx, call{op: op, service: j.service, in: j.in, path: "/v1/" + j.in.id + "/jobs/" + j.id}, &answer); err != nil {
		return r, err
	}
	if err := about(op, j.id, answer.JobID); err != nil {
		return r, err
	}
	switch answer.Status {
	case "INIT", "RUNNING":
		return r, nil
	case "SUCCESS", "FAIL":
		r.Done = answer.Status == "SUCCESS"
	default:
		return r, garbled(op, "the job has no status that is known")
	}
	failure := answer.Failure
	for _, sub := range answer.Entities.Jobs { // one that failed fails all, whatever the whole says
		if sub.Status == "FAIL" {
			r.Done = false
			if sub.Failure != "" {
				failure = sub.Failure
			}
		}
	}
	if r.Done {
		return r, nil
	}
	r.Failed = billing.Say("error.huawei.job", "code", refused(failure, http.StatusConflict).Err.(refusal).code)
	return r, nil
}
