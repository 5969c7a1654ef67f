package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
)

// Plan says what may be done with a resource, and what each choice saves and leaves, from what is stored: it calls no
// cloud. Where nothing may be done, Refused says why. It fails with a Missing error for a resource nobody knows.
func (e *Engine) Plan(ctx context.Context, id billing.ResourceID) (Plan, error) {
	h, err := e.o.Store.Holding(ctx, id)
	if err != nil {
		return Plan{}, err
	}
	around, err := e.o.Store.Around(ctx, h.Account)
	if err != nil {
		return Plan{}, err
	}
	readings, err := e.o.Store.Readings(ctx, h.Account)
	if err != nil {
		return Plan{}, err
	}
	about := e.o.About(h.Account)
	p := Plan{Holding: h, Account: about.Name, Provider: about.Provider, ReadAt: readAt(h, readings)}
	g := gather(h, around)
	p.Fingerprint = fingerprint(h, g)
	sums := prices{about}
	p.Today = sums.total(g.all())
	p.Second = e.o.Second(h, p.Today)
	p.Refused = e.refusal(h, around, p.ReadAt)
	if p.Refused.IsZero() {
		p.Options, p.Refused = e.options(ctx, h, g, sums)
	}
	return p, nil
}

// options lists the choices that the account's cloud can do, safest first, or why there is none.
func (e *Engine) options(ctx context.Context, h billing.Holding, g group, sums prices) ([]Option, billing.Text) {
	cloud, err := e.o.Opener.OpenForRelease(ctx, h.Account)
	if err != nil {
		return nil, e.readOnly(h, err)
	}
	var options []Option
	if h.Ref.Kind == billing.KindInstance && h.State == billing.StateRunning && billing.Has(cloud, billing.CanStop) {
		options = append(options, sums.stop(h, g))
	}
	if billing.Has(cloud, billing.CanRelease) {
		o := sums.delete(g)
		o.Export = e.checklist(h, g.goes)
		options = append(options, o)
	}
	if len(options) == 0 {
		return nil, billing.Say("release.refused.cloud", "name", called(h), "provider", e.o.About(h.Account).Provider)
	}
	return options, billing.Text{}
}

// readOnly says why an account can't be opened for release.
func (e *Engine) readOnly(h billing.Holding, err error) billing.Text {
	if say := billing.SayOf(err); !strings.HasPrefix(say.Key, "error.") {
		return say
	}
	return billing.Say("release.refused.read_only", "account", e.o.About(h.Account).Name)
}

// refusal says why a resource must be left alone; zero where nothing speaks against it.
func (e *Engine) refusal(h billing.Holding, around []billing.Holding, read time.Time) billing.Text {
	name := called(h)
	switch {
	case h.Gone(), !h.AbsentAt.IsZero(), h.State == billing.StateTerminated:
		return billing.Say("release.refused.gone", "name", name)
	case h.State == billing.StateDeleting:
		return billing.Say("release.refused.deleting", "name", name)
	case !releasable(h.Ref.Kind):
		return billing.Say("release.refused.kind", "name", name, "kind", billing.Say("kind."+string(h.Ref.Kind)))
	case h.Protected:
		return billing.Say("release.refused.protected", "name", name)
	case h.Managed != "":
		return billing.Say("release.refused.managed", "name", name, "by", h.Managed)
	case !h.NotReleasable.IsZero():
		return h.NotReleasable
	case !works(h.Ref.Kind) && (len(h.AttachedTo) > 0 || h.State == billing.StateAttached):
		if by := users(h, around); len(by) > 0 {
			return billing.Say("release.refused.in_use", "name", name, "by", strings.Join(by, ", "))
		}
		return billing.Say("release.refused.attached", "name", name)
	case e.o.Now().Sub(read) > e.o.Stale:
		return billing.Say("release.refused.stale", "name", name, "read_at", read)
	}
	for _, o := range around {
		if h.Ref.Kind == billing.KindSnapshot && o.Ref.Kind == billing.KindImage && slices.Contains(o.Sources, h.Ref.ID) {
			return billing.Say("release.refused.image", "name", name, "image", called(o))
		}
	}
	return billing.Text{}
}

func releasable(k billing.Kind) bool {
	switch k {
	case billing.KindInstance, billing.KindCluster, billing.KindEndpoint, billing.KindDisk, billing.KindFilesystem, billing.KindSnapshot, billing.KindImage, billing.KindIP:
		return true
	}
	return false
}

// works says that a kind is what disks and addresses hang on: a machine, several of them, or what keeps some ready.
func works(k billing.Kind) bool {
	return k == billing.KindInstance || k == billing.KindCluster || k == billing.KindEndpoint
}

// users are the names of the machines that a disk or address is on.
func users(h billing.Holding, around []billing.Holding) []string {
	names := slices.Clone(h.AttachedTo)
	for i, id := range names {
		for _, o := range around {
			if works(o.Ref.Kind) && o.Ref.ID == id {
				names[i] = called(o)
			}
		}
	}
	return names
}

// choice finds an option of a plan as it was shown, or says why it can't be had.
func (p Plan) choice(v billing.Verb, fingerprint string) (Option, billing.Text) {
	if !p.Refused.IsZero() {
		return Option{}, p.Refused
	}
	if p.Fingerprint != fingerprint {
		return Option{}, billing.Say("release.failed.changed", "name", called(p.Holding))
	}
	for _, o := range p.Options {
		if o.Verb == v {
			return o, billing.Text{}
		}
	}
	return Option{}, billing.Say("release.failed.no_choice", "name", called(p.Holding))
}

// readAt is when a resource's scope was last read whole.
func readAt(h billing.Holding, readings []billing.Reading) time.Time {
	at := h.LastSeen
	for _, r := range readings {
		if inScope(h, r) && r.CompleteAt.After(at) {
			at = r.CompleteAt
		}
	}
	return at
}

// inScope says whether a reading is of a scope that can list the holding.
func inScope(h billing.Holding, r billing.Reading) bool {
	return r.Of == billing.ReadInventory && r.Scope.Kind == h.Ref.Kind && (r.Scope.Region == h.Ref.Region || r.Scope.Region == "")
}

// fingerprint is what must not have changed between the plan and the act: the generation, its owner, what it is attached
// to, whether it runs, what protects it, and what is deleted with it.
func fingerprint(h billing.Holding, g group) string {
	sorted := slices.Sorted(slices.Values(h.AttachedTo))
	goes := []string{}
	for _, o := range g.goes {
		goes = append(goes, fmt.Sprint(o.ID))
	}
	slices.Sort(goes)
	facts := []string{fmt.Sprint(h.ID), fmt.Sprint(h.Account), string(h.Ref.Kind), h.Ref.Region, h.Ref.ID, h.Owner, class(h.State),
		strings.Join(sorted, ","), strings.Join(goes, ","), fmt.Sprint(h.Protected), h.Managed, h.NotReleasable.Key}
	sum := sha256.Sum256([]byte(strings.Join(facts, "\x00")))
	return hex.EncodeToString(sum[:12])
}

// class says whether something runs, is down or is on its way out; smaller steps change nobody's mind.
func class(s billing.State) string {
	switch s {
	case billing.StateStarting, billing.StateRunning:
		return "up"
	case billing.StateStopping, billing.StateStopped:
		return "down"
	case billing.StateDeleting, billing.StateRecoverable, billing.StateTerminated:
		return "out"
	}
	return string(s)
}
