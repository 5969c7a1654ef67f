package lambda

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gpuspend/billing"
)

// Find looks one resource up.
func (a *account) Find(ctx context.Context, ref billing.ResourceRef) (r billing.Resource, err error) {
	op := "lambda: find " + string(ref.Kind)
	switch ref.Kind {
	case billing.KindInstance:
		i, failed := a.api.instance(ctx, op, ref.ID)
		r, err = i.resource(), failed
	case billing.KindFilesystem:
		r, err = a.filesystem(ctx, op, ref.ID)
	default:
		err = absent(op, ref)
	}
	if err != nil {
		return billing.Resource{}, err
	}
	r.Ref.Account = ref.Account
	return r, nil
}

// filesystem looks a file system up in the list: there is no route for one.
func (a *account) filesystem(ctx context.Context, op, id string) (billing.Resource, error) {
	all, err := a.filesystems(ctx)
	if err != nil {
		return billing.Resource{}, err
	}
	for _, r := range all {
		if r.Ref.ID == id {
			return r, nil
		}
	}
	return billing.Resource{}, &billing.Error{Kind: billing.Missing, Op: op, Err: errors.New("no such file system")}
}

// Release terminates an instance or deletes a file system. Lambda's yes proves nothing yet: only later listings do.
func (a *account) Release(ctx context.Context, act billing.Act) (billing.Receipt, error) {
	op := "lambda: delete " + string(act.Ref.Kind)
	switch act.Ref.Kind {
	case billing.KindInstance:
		return billing.Receipt{}, a.terminate(ctx, op, act.Ref.ID)
	case billing.KindFilesystem:
		return billing.Receipt{}, a.deleteFilesystem(ctx, op, act.Ref.ID)
	}
	return billing.Receipt{}, absent(op, act.Ref)
}

// terminate looks first: what is going already needs no second order, and what Lambda says cannot be terminated now
// would only be refused. Lambda answers with those that it took on, which may be fewer than were asked for.
func (a *account) terminate(ctx context.Context, op, id string) error {
	i, err := a.api.instance(ctx, op, id)
	if err != nil {
		return err
	}
	switch t := i.Actions.Terminate; {
	case i.Status == statusTerminating || i.Status == statusTerminated:
		return nil
	case i.Reserved:
		return conflict(op, billing.Say("error.lambda.paid_ahead", "name", i.called()))
	case t != nil && !t.Available:
		return conflict(op, billing.Say("error.lambda.not_now", "name", i.called(), "reason", cmp.Or(t.ReasonCode, i.Status)))
	}
	body := map[string][]string{"instance_ids": {id}}
	done, err := write[terminated](ctx, a.api, op, http.MethodPost, "/api/v1/instance-operations/terminate", body)
	if err != nil {
		return err
	}
	for _, d := range done.Instances {
		if d.ID == id {
			return nil
		}
	}
	return unconfirmed(op, i.called())
}

// deleteFilesystem makes sure that nothing mounts it. Lambda refuses, too, but only while an instance runs.
func (a *account) deleteFilesystem(ctx context.Context, op, id string) error {
	r, err := a.filesystem(ctx, op, id)
	if err != nil {
		return err
	}
	name := cmp.Or(r.Name, id)
	switch r.State {
	case billing.StateAttached:
		return conflict(op, billing.Say("error.in_use", "name", name, "by", cmp.Or(strings.Join(r.AttachedTo, ", "), "?")))
	case billing.StateUnknown:
		return conflict(op, billing.Say("error.use_unknown", "name", name))
	}
	done, err := write[deleted](ctx, a.api, op, http.MethodDelete, "/api/v1/filesystems/"+url.PathEscape(id), nil)
	if err == nil && !slices.Contains(done.IDs, id) {
		err = unconfirmed(op, name)
	}
	return err
}

// unconfirmed is a success that does not name what was asked for: nobody can tell whether it was done.
func unconfirmed(op, name string) error {
	return &billing.Error{Kind: billing.Unknown, Op: op, Say: billing.Say("error.lambda.unconfirmed", "name", name),
		Err: errors.New("the answer does not name what was asked for")}
}

func conflict(op string, say billing.Text) error {
	return &billing.Error{Kind: billing.Conflict, Op: op, Say: say, Err: errors.New("refused before sending: " + say.Key)}
}

func absent(op string, ref billing.ResourceRef) error {
	return &billing.Error{Kind: billing.Absent, Op: op, Err: errors.New("Lambda offers this for no " + string(ref.Kind))}
}
