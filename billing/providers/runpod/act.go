package runpod

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gpuspend/billing"
)

// Find looks one resource up.
func (a *account) Find(ctx context.Context, ref billing.ResourceRef) (billing.Resource, error) {
	r, err := a.find(ctx, ref)
	if err == nil {
		var tags tagged
		tags, err = a.tags(ctx)
		r = tags.on(r)
	}
	r.Ref.Account = ref.Account
	return r, err
}

func (a *account) find(ctx context.Context, ref billing.ResourceRef) (billing.Resource, error) {
	switch ref.Kind {
	case billing.KindInstance:
		p, err := a.api.pod(ctx, ref.ID)
		if err != nil {
			return billing.Resource{}, err
		}
		names, err := a.volumeNames(ctx, []pod{p})
		return p.resource(names), err
	case billing.KindCluster:
		return a.cluster(ctx, ref.ID)
	case billing.KindDisk:
		v, err := a.api.volume(ctx, ref.ID)
		if err != nil {
			return billing.Resource{}, err
		}
		u, err := a.uses(ctx)
		return v.resource(u), err
	case billing.KindEndpoint:
		e, err := a.api.endpoint(ctx, ref.ID)
		return e.resource(), err
	}
	return billing.Resource{}, absent("runpod: find "+string(ref.Kind), ref)
}

// Stop ends a pod's compute. It looks first: a pod that is stopped needs no request, and one that is locked, of a
// cluster, or of a sort that RunPod cannot stop would only be refused.
func (a *account) Stop(ctx context.Context, act billing.Act) (billing.Receipt, error) {
	const op = "runpod: stop pod"
	if act.Ref.Kind != billing.KindInstance {
		return billing.Receipt{}, absent(op, act.Ref)
	}
	p, err := a.api.pod(ctx, act.Ref.ID)
	if err != nil {
		return billing.Receipt{}, err
	}
	if p.Status == podExited {
		return billing.Receipt{Done: true}, nil
	}
	if err := p.mayChange(op); err != nil {
		return billing.Receipt{}, err
	}
	if !slices.Contains(p.Actions, "stop") {
		return billing.Receipt{}, conflict(op, billing.Say("error.no_stop", "name", p.Name, "state", p.Status))
	}
	var after pod
	body := map[string]string{"action": "stop"}
	err = a.api.write(ctx, op, http.MethodPost, "/v2/pods/"+url.PathEscape(act.Ref.ID)+"/action", body, &after)
	return billing.Receipt{Done: err == nil && after.Status == podExited}, err
}

// mayChange refuses what RunPod would refuse, with the reason.
func (p pod) mayChange(op string) error {
	switch {
	case p.Cluster != nil:
		return conflict(op, billing.Say("error.managed", "name", p.Name, "by", "cluster "+p.Cluster.ID))
	case p.Locked:
		return conflict(op, billing.Say("error.protected", "name", p.Name))
	}
	return nil
}

// Release deletes a pod, a cluster with all its pods, a network volume or an endpoint. RunPod's yes proves nothing yet: only later listings do.
func (a *account) Release(ctx context.Context, act billing.Act) (billing.Receipt, error) {
	op := "runpod: delete " + string(act.Ref.Kind)
	var path string
	var err error
	switch act.Ref.Kind {
	case billing.KindInstance:
		path, err = "/v2/pods/", a.podMayGo(ctx, op, act.Ref.ID)
	case billing.KindDisk:
		path, err = "/v2/network-volumes/", a.volumeMayGo(ctx, op, act.Ref.ID)
	case billing.KindCluster:
		path, err = "/v2/clusters/", a.clusterMayGo(ctx, op, act.Ref.ID)
	case billing.KindEndpoint:
		path = "/v2/serverless/"
	default:
		err = absent(op, act.Ref)
	}
	if err != nil {
		return billing.Receipt{}, err
	}
	return billing.Receipt{}, a.api.write(ctx, op, http.MethodDelete, path+url.PathEscape(act.Ref.ID), nil, nil)
}

func (a *account) podMayGo(ctx context.Context, op, id string) error {
	p, err := a.api.pod(ctx, id)
	if err != nil {
		return err
	}
	return p.mayChange(op)
}

// clusterMayGo refuses a cluster with a locked pod, as such a pod alone is refused.
func (a *account) clusterMayGo(ctx context.Context, op, id string) error {
	c, err := a.cluster(ctx, id)
	if err == nil && c.Protected {
		return conflict(op, billing.Say("error.protected", "name", c.Name))
	}
	return err
}

// volumeMayGo makes sure that nothing uses a volume: RunPod's API promises no refusal of its own.
func (a *account) volumeMayGo(ctx context.Context, op, id string) error {
	v, err := a.find(ctx, billing.ResourceRef{Kind: billing.KindDisk, ID: id})
	switch {
	case err != nil:
		return err
	case v.State == billing.StateAttached:
		return conflict(op, billing.Say("error.in_use", "name", v.Name, "by", strings.Join(v.AttachedTo, ", ")))
	case v.State != billing.StateUnattached:
		return conflict(op, billing.Say("error.use_unknown", "name", v.Name))
	}
	return nil
}

func conflict(op string, say billing.Text) error {
	return &billing.Error{Kind: billing.Conflict, Op: op, Say: say, Err: errors.New("refused before sending: " + say.Key)}
}

func absent(op string, ref billing.ResourceRef) error {
	return &billing.Error{Kind: billing.Absent, Op: op, Err: errors.New("RunPod offers this for no " + string(ref.Kind))}
}
