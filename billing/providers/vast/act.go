package vast

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"gpuspend/billing"
)

// Find looks one resource up.
func (a *account) Find(ctx context.Context, ref billing.ResourceRef) (r billing.Resource, err error) {
	op := "vast: find " + string(ref.Kind)
	switch ref.Kind {
	case billing.KindInstance:
		i, failed := a.api.instance(ctx, op, ref.ID)
		r, err = i.resource(), failed
	case billing.KindDisk:
		v, failed := a.api.volume(ctx, op, ref.ID)
		r, err = v.resource(), failed
	default:
		err = absent(op, ref)
	}
	if err != nil {
		return billing.Resource{}, err
	}
	r.Ref.Account = ref.Account
	return r, nil
}

// Stop gives an instance's GPU back and keeps its disk, which goes on costing. It looks first: an instance that is
// stopped needs no request, and stopping a reserved one would save nothing.
func (a *account) Stop(ctx context.Context, act billing.Act) (billing.Receipt, error) {
	const op = "vast: stop instance"
	if act.Ref.Kind != billing.KindInstance {
		return billing.Receipt{}, absent(op, act.Ref)
	}
	i, err := a.api.instance(ctx, op, act.Ref.ID)
	if err != nil {
		return billing.Receipt{}, err
	}
	if state, _, _ := i.standing(); state == billing.StateStopped && i.Intended == statusStopped {
		return billing.Receipt{Done: true}, nil
	}
	if i.reserved() {
		return billing.Receipt{}, conflict(op, i.paidAhead())
	}
	body := map[string]string{"state": "stopped"}
	return billing.Receipt{}, a.api.write(ctx, op, http.MethodPut, "/api/v0/instances/"+act.Ref.ID+"/", body)
}

// Release destroys an instance with its disk, or deletes a volume. Vast.ai's yes proves nothing yet, and neither does
// its "no such instance": only later listings do.
func (a *account) Release(ctx context.Context, act billing.Act) (billing.Receipt, error) {
	op := "vast: delete " + string(act.Ref.Kind)
	switch act.Ref.Kind {
	case billing.KindInstance:
		return billing.Receipt{}, a.destroy(ctx, op, act.Ref.ID)
	case billing.KindDisk:
		return billing.Receipt{}, a.deleteVolume(ctx, op, act.Ref.ID)
	}
	return billing.Receipt{}, absent(op, act.Ref)
}

func (a *account) destroy(ctx context.Context, op, id string) error {
	i, err := a.api.instance(ctx, op, id)
	if err != nil {
		return err
	}
	if i.reserved() {
		return conflict(op, i.paidAhead())
	}
	// Vast.ai's own client sends an empty object, too
	return a.api.write(ctx, op, http.MethodDelete, "/api/v0/instances/"+id+"/", struct{}{})
}

// deleteVolume makes sure that no instance uses the volume, a stopped one included. The id goes into the address, as
// Vast.ai's own client sends it, and into the body, as the API's document has it.
func (a *account) deleteVolume(ctx context.Context, op, id string) error {
	n, err := number(op, id)
	if err != nil {
		return err
	}
	v, err := a.api.volume(ctx, op, id)
	switch {
	case err != nil:
		return err
	case !v.Users.told:
		return conflict(op, billing.Say("error.use_unknown", "name", v.name()))
	case v.Users.n > 0:
		by := cmp.Or(strings.Join(v.Users.ids, ", "), "?")
		return conflict(op, billing.Say("error.in_use", "name", v.name(), "by", by))
	}
	return a.api.write(ctx, op, http.MethodDelete, "/api/v0/volumes/?id="+id, map[string]int64{"id": n})
}

func conflict(op string, say billing.Text) error {
	return &billing.Error{Kind: billing.Conflict, Op: op, Say: say, Err: errors.New("refused before sending: " + say.Key)}
}

func absent(op string, ref billing.ResourceRef) error {
	return &billing.Error{Kind: billing.Absent, Op: op, Err: errors.New("Vast.ai offers this for no " + string(ref.Kind))}
}
