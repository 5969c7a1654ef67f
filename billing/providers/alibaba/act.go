package alibaba

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// mayGo refuses what Alibaba would refuse, or worse, would do: with the reason.
func (t thing) mayGo(op string) error {
	r := t.resource
	name := orID(r.Name, r.Ref.ID)
	switch {
	case r.Protected:
		return conflict(op, billing.Say("error.protected", "name", name))
	case r.Managed != "":
		return conflict(op, billing.Say("error.managed", "name", name, "by", r.Managed))
	case !r.NotReleasable.IsZero():
		return conflict(op, r.NotReleasable)
	case r.Ref.Kind != billing.KindInstance && len(r.AttachedTo) > 0:
		return conflict(op, billing.Say("error.in_use", "name", name, "by", r.AttachedTo[0]))
	case !t.against.IsZero():
		return conflict(op, t.against)
	}
	return nil
}

// Release gives a resource back. Everything is looked at right before, because a missing id is a success to Alibaba, and
// nothing is forced but the end of a running machine. The yes proves nothing: only later listings do.
func (a *account) Release(ctx context.Context, act billing.Act) (billing.Receipt, error) {
	k, _, err := a.deletion(ctx, act)
	if err != nil {
		return billing.Receipt{}, err
	}
	id, err := a.api.write(ctx, k)
	return billing.Receipt{RequestID: id}, err
}

// deletion is what would be sent to delete something, after a look at it; dry says whether it can be rehearsed.
func (a *account) deletion(ctx context.Context, act billing.Act) (k call, dry bool, err error) {
	t, err := a.look(ctx, act.Ref)
	if err != nil {
		return call{}, false, err
	}
	if err := a.mayBeOurs(ctx, t); err != nil {
		return call{}, false, err
	}
	if err := t.mayGo(t.delete.op); err != nil {
		return call{}, false, err
	}
	if act.Ref.Kind == billing.KindInstance && act.Token != "" {
		t.delete.query.Set("ClientToken", clientToken(act.Token))
	}
	return t.delete, t.dry, nil
}

// mayBeOurs refuses what hangs on a machine that is not watched.
func (a *account) mayBeOurs(ctx context.Context, t thing) error {
	r := t.resource
	if a.watched.Tagged(r.Tags) {
		return nil
	}
	foreign := false
	switch r.Ref.Kind {
	case billing.KindSnapshot:
		keep, err := a.sourcesOf(ctx, r.Ref.Region)
		if err != nil {
			return err
		}
		foreign = len(r.Sources) > 0 && !keep.watches(r.Tags, r.Sources[0])
	case billing.KindImage:
		snapshots, err := a.foreignSnapshots(ctx, r.Ref.Region)
		if err != nil {
			return err
		}
		for _, id := range r.Sources {
			foreign = foreign || snapshots[id]
		}
	}
	if foreign {
		return conflict(t.delete.op, billing.Say("error.alibaba.unwatched", "name", orID(r.Name, r.Ref.ID)))
	}
	return nil
}

// clientToken fits a token into the 64 ASCII characters that Alibaba takes.
func clientToken(s string) string {
	if len(s) <= 64 && url.QueryEscape(s) == s {
		return s
	}
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// Stop ends a machine's compute charges and keeps its disks. Alibaba takes StopCharging without a word where it does not
// offer it, stops the machine and goes on charging: such a machine is refused here, and of the others the mode is read
// back. Only a machine that says StopCharging is done.
func (a *account) Stop(ctx context.Context, act billing.Act) (billing.Receipt, error) {
	k, done, err := a.stopping(ctx, act)
	if err != nil || done {
		return billing.Receipt{Done: done}, err
	}
	id, err := a.api.write(ctx, k)
	if err != nil {
		return billing.Receipt{RequestID: id}, err
	}
	r := billing.Receipt{RequestID: id}
	if i, err := a.findInstance(ctx, act.Ref); err == nil {
		r.Done = i.billed() == billing.No
	}
	return r, nil
}

// stopping is what would be sent to stop a machine, after a look at it; done says that nothing has to be.
func (a *account) stopping(ctx context.Context, act billing.Act) (k call, done bool, err error) {
	const op = "alibaba: stop instance"
	if act.Ref.Kind != billing.KindInstance {
		return k, false, absent(op, act.Ref)
	}
	t, err := a.lookInstance(ctx, act.Ref)
	if err != nil {
		return k, false, err
	}
	i := *t.machine
	switch {
	case i.billed() == billing.No:
		return k, true, nil
	case !t.against.IsZero():
		err = conflict(op, t.against)
	case !t.resource.NotReleasable.IsZero():
		err = conflict(op, t.resource.NotReleasable)
	case t.resource.Managed != "":
		err = conflict(op, billing.Say("error.managed", "name", i.called(), "by", t.resource.Managed))
	case i.keepsBilling():
		err = conflict(op, billing.Say("error.alibaba.keeps_billing", "name", i.called()))
	case i.Status == stopped:
		err = conflict(op, billing.Say("error.alibaba.stopped_billed", "name", i.called()))
	case i.Status != running:
		err = conflict(op, billing.Say("error.no_stop", "name", i.called(), "state", i.Status))
	}
	return order(op, ecs(), act.Ref, "StopInstance", "InstanceId", act.Ref.ID, "StoppedMode", stopCharging), false, err
}

// Rehearse asks Alibaba whether it would take an act. A dry run is marked as a write: should Alibaba ever overlook the
// flag, nothing that may only read has sent it.
func (a *account) Rehearse(ctx context.Context, act billing.Act) error {
	var k call
	var done bool
	dry, err := true, error(nil)
	if act.Verb == billing.VerbStop {
		k, done, err = a.stopping(ctx, act)
	} else {
		k, dry, err = a.deletion(ctx, act)
	}
	switch {
	case err != nil || done:
		return err
	case !dry:
		return absent(k.op+" (dry run)", act.Ref)
	}
	return a.api.rehearse(ctx, k, httpx.Write)
}

func conflict(op string, say billing.Text) error {
	return &billing.Error{Kind: billing.Conflict, Op: op, Say: say, Err: errors.New("refused before sending: " + say.Key)}
}

func absent(op string, ref billing.ResourceRef) error {
	return &billing.Error{Kind: billing.Absent, Op: op, Err: errors.New("Alibaba Cloud offers this for no " + string(ref.Kind))}
}
