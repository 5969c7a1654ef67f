package huawei

import (
	"context"
	"math/big"
	"strings"

	"gpuspend/billing"
)

const listPrivate = "huawei: list images"

// images lists the private images of a project, or the one with an id.
func (a *account) images(ctx context.Context, p project, id string) ([]image, error) {
	return walk(listPrivate, false, func(i image) string { return i.ID }, func(at place) (*[]image, int, error) {
		var page imagesAnswer
		q := with(with(params("__imagetype", "private", "limit", "500"), "marker", at.last), "id", id)
		err := a.api.read(ctx, call{op: listPrivate, service: ims, in: p, path: "/v2/cloudimages", query: q}, &page)
		return page.Images, -1, err
	})
}

func (a *account) image(ctx context.Context, p project, id string) (image, error) {
	all, err := a.images(ctx, p, id)
	if err != nil {
		return image{}, err
	}
	for _, i := range all {
		if i.ID == id {
			return i, nil
		}
	}
	return image{}, missing("huawei: get image")
}

func (a *account) listImages(ctx context.Context, p project) ([]billing.Resource, error) {
	all, err := a.images(ctx, p, "")
	if err != nil {
		return nil, err
	}
	var out []billing.Resource
	for _, i := range all {
		a.enterprise.note(i.ID, i.Enterprise)
		if ours, err := a.watchesImage(ctx, p, i); err != nil {
			return nil, err
		} else if ours {
			out = append(out, i.resource(p))
		}
	}
	a.watched.Note(p.scope(billing.KindImage), len(all), len(out))
	return out, nil
}

// watchesImage decides by the machine or disk that an image was made of, where that is still there.
func (a *account) watchesImage(ctx context.Context, p project, i image) (bool, error) {
	if a.watched.Tagged(pairs(i.Tags, ".")) {
		return true, nil
	}
	switch kind, id := i.madeOf(); {
	case strings.Contains(kind, "volume"):
		return a.ofOurs(ctx, p, id)
	case id != "":
		m, err := a.machinesOf(ctx, p)
		if billing.KindOf(err) == billing.Denied {
			return true, nil
		}
		return err == nil && !m.foreign[id], err
	}
	return true, nil
}

// madeOf takes "instance,<id>" apart.
func (i image) madeOf() (kind, id string) {
	kind, id, _ = strings.Cut(i.Origin, ",")
	id, _, _ = strings.Cut(id, ",")
	return kind, strings.TrimSpace(id)
}

// resource puts an image into our words. What it costs is not in the API: system images are kept free by rules of their
// own, those of whole machines cost as backups.
func (i image) resource(p project) billing.Resource {
	tags := pairs(i.Tags, ".")
	r := billing.Resource{
		Ref:         billing.ResourceRef{Kind: billing.KindImage, Region: p.region, ID: i.ID},
		Name:        i.Name,
		State:       billing.StateUnknown,
		VendorState: i.Status,
		Mode:        billing.ModeOnDemand,
		SizeGiB:     gib(i.Bytes),
		CreatedAt:   instant(i.CreatedAt),
		HoldsData:   billing.Yes,
		Protected:   i.Protected,
		Owner:       named(tags, "owner"),
		Project:     named(tags, "project"),
		Tags:        tags,
	}
	switch i.Status {
	case "active":
		r.State = billing.StateAvailable
	case "deleted", "pending_delete":
		r.State = billing.StateDeleting
	case "queued", "saving":
		r.State = billing.StateStarting
	}
	if _, id := i.madeOf(); id != "" {
		r.Sources = append(r.Sources, id)
	}
	if i.BackupID != "" {
		r.Sources = append(r.Sources, i.BackupID)
	}
	return r
}

// gib turns a number of bytes that is written as text into GiB; unknown where it is none.
func gib(bytes string) billing.Decimal {
	n, ok := new(big.Int).SetString(bytes, 10)
	if !ok || n.Sign() <= 0 {
		return billing.Decimal{}
	}
	d, err := billing.MustDecimal(n.String()).Div(billing.DecimalFromInt(1<<30), 6)
	if err != nil {
		return billing.Decimal{}
	}
	return d
}
