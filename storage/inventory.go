package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"gpuspend/billing"
)

const (
	// observedAtOnce is how many resources one transaction takes in: 100 to 150 ms on two busy cores.
	observedAtOnce = 500
	// Two listings prove an absence only when the second was begun a moment after the first.
	moment = time.Second
	// A listing that began before the last one stored is dropped in silence when the two were under way together, and
	// refused when it is older still: then the clock was set back.
	together = time.Hour
)

// listing is one complete listing of one scope.
type listing struct {
	account billing.AccountID
	scope   billing.Scope
	at      time.Time
	whose   *attribution
}

// Observe takes one complete listing of one scope, read at the given time: new resources begin a generation, changed
// ones end a span and begin another, absent ones are marked absent and, at the second complete listing that lacks them,
// gone. It also marks the reading good. Only what was last listed in this very scope can be absent from it.
//
// A long listing is taken in over several transactions; absences are judged in the last one. It fails with an Invalid
// error, and changes nothing, where a resource has no id.
func (d *DB) Observe(ctx context.Context, account billing.AccountID, s billing.Scope, at time.Time, listed []billing.Resource) error {
	const op = "observe"
	l := listing{account: account, scope: s, at: at.Truncate(time.Millisecond)}
	byRef, err := l.index(listed)
	if err != nil {
		return fault(billing.Invalid, op, err, billing.Text{})
	}
	if l.whose, err = attributionOf(ctx, d.readers); err != nil {
		return fail(op, err)
	}
	late := false
	for part := range slices.Chunk(listed, observedAtOnce) {
		err := d.write(ctx, op, func(tx *sql.Tx) (err error) {
			if late, err = l.late(ctx, tx); err != nil || late {
				return err
			}
			return l.seen(ctx, tx, part, byRef)
		})
		if err != nil || late {
			return err
		}
	}
	return d.write(ctx, op, func(tx *sql.Tx) error {
		if late, err := l.late(ctx, tx); err != nil || late {
			return err
		}
		if err := l.missed(ctx, tx, byRef); err != nil {
			return err
		}
		if err := l.served(ctx, tx); err != nil {
			return err
		}
		return markGood(ctx, tx, account, billing.ReadInventory, s, l.at)
	})
}

// index finds each resource's reference; a resource that a cloud lists twice counts as it stands last.
func (l listing) index(listed []billing.Resource) (map[billing.ResourceRef]billing.Resource, error) {
	byRef := make(map[billing.ResourceRef]billing.Resource, len(listed))
	for i, r := range listed {
		if r.Ref.ID == "" {
			return nil, fmt.Errorf("resource %d of %s in %q has no id", i+1, l.scope.Kind, l.scope.Region)
		}
		byRef[l.ref(r)] = r
	}
	return byRef, nil
}

func (l listing) ref(r billing.Resource) billing.ResourceRef {
	ref := r.Ref
	ref.Account = l.account
	if ref.Kind == "" {
		ref.Kind = l.scope.Kind
	}
	return ref
}

func (l listing) late(ctx context.Context, tx *sql.Tx) (bool, error) {
	var last time.Time
	err := tx.QueryRowContext(ctx, "SELECT complete_at FROM readings WHERE account_id = ? AND of = ? AND kind = ? AND region = ? AND project = ?",
		l.account, billing.ReadInventory, l.scope.Kind, l.scope.Region, l.scope.Project).Scan(when{&last})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, err
	case last.Sub(l.at) > together:
		return false, fault(billing.Conflict, "observe", fmt.Errorf("a listing of %s is older than the stored one of %s: the clock was set back", l.at, last),
			billing.Say("error.clock_back", "stored", last, "now", l.at))
	}
	return l.at.Before(last), nil
}

// seen takes in a part of what was listed.
func (l listing) seen(ctx context.Context, tx *sql.Tx, part []billing.Resource, byRef map[billing.ResourceRef]billing.Resource) error {
	for _, r := range part {
		ref := l.ref(r)
		r = byRef[ref]
		r.Ref = ref
		if err := l.one(ctx, tx, r); err != nil {
			return fmt.Errorf("%s %s: %w", ref.Kind, ref.ID, err)
		}
	}
	return nil
}

func (l listing) one(ctx context.Context, tx *sql.Tx, r billing.Resource) error {
	h, err := living(ctx, tx, r.Ref)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return l.begin(ctx, tx, r)
	case err != nil:
		return err
	case remade(h, r):
		if err := end(ctx, tx, h, r.CreatedAt, l.at); err != nil {
			return err
		}
		return l.begin(ctx, tx, r)
	}
	return l.again(ctx, tx, h, r)
}

// remade says that another thing stands under the id: its cloud made it after we last saw the old one. Both times must
// be the cloud's and differ, so that a clock of ours that is behind proves nothing.
func remade(h billing.Holding, r billing.Resource) bool {
	return !h.CreatedAt.IsZero() && r.CreatedAt.After(h.CreatedAt) && r.CreatedAt.After(h.LastSeen)
}

// begin writes a new generation with its first span.
func (l listing) begin(ctx context.Context, tx *sql.Tx, r billing.Resource) error {
	var id billing.ResourceID
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) + 1 FROM resources").Scan(&id); err != nil {
		return err
	}
	at := stamp(l.at)
	_, err := tx.ExecContext(ctx, `
		INSERT INTO resources (id, handle, account_id, kind, region, vendor_id, scope_kind, scope_region, scope_project,
			name, owner, owner_tag, project, gpu, gpu_count, described, first_seen, last_seen, state_since)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, handle(id), l.account, r.Ref.Kind, r.Ref.Region, r.Ref.ID, l.scope.Kind, l.scope.Region, l.scope.Project,
		r.Name, l.ownerOf(r), r.Owner, r.Project, r.GPU.Model, r.GPU.Count.String(), encode(describe(r)), at, at, at)
	if err != nil {
		return err
	}
	return l.beginSpan(ctx, tx, id, r)
}

// again notes that a generation is still there, as it is now.
func (l listing) again(ctx context.Context, tx *sql.Tx, h billing.Holding, r billing.Resource) error {
	since := h.StateSince
	if r.State != h.State {
		since = l.at
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE resources SET scope_kind = ?, scope_region = ?, scope_project = ?, name = ?, owner = ?, owner_tag = ?, project = ?, gpu = ?,
			gpu_count = ?, described = ?, last_seen = ?, state_since = ?, absent_at = NULL
		WHERE id = ?`,
		l.scope.Kind, l.scope.Region, l.scope.Project, r.Name, l.ownerOf(r), r.Owner, r.Project, r.GPU.Model,
		r.GPU.Count.String(), encode(describe(r)), stamp(l.at), stamp(since), h.ID)
	if err != nil {
		return err
	}
	if sameSpan(h.Resource, r) {
		_, err := tx.ExecContext(ctx, "UPDATE spans SET seen_to = ? WHERE resource_id = ? AND to_at IS NULL", stamp(l.at), h.ID)
		return err
	}
	if err := endSpan(ctx, tx, h.ID, l.at); err != nil {
		return err
	}
	return l.beginSpan(ctx, tx, h.ID, r)
}

func (l listing) ownerOf(r billing.Resource) string {
	return l.whose.owner(l.account, r.Ref.ID, r.Name, r.Owner)
}

// missed judges what was last listed in this scope and is not in the listing.
func (l listing) missed(ctx context.Context, tx *sql.Tx, byRef map[billing.ResourceRef]billing.Resource) error {
	scope, err := list(ctx, tx, func(r row) (h billing.Holding, err error) {
		err = r.Scan(&h.ID, &h.Ref.Account, &h.Ref.Kind, &h.Ref.Region, &h.Ref.ID, when{&h.AbsentAt})
		return h, err
	}, `SELECT id, account_id, kind, region, vendor_id, absent_at FROM resources
		WHERE account_id = ? AND gone_at IS NULL AND scope_kind = ? AND scope_region = ? AND scope_project = ?`,
		l.account, l.scope.Kind, l.scope.Region, l.scope.Project)
	if err != nil {
		return err
	}
	for _, h := range scope {
		if _, listed := byRef[h.Ref]; listed {
			continue
		}
		switch {
		case h.AbsentAt.IsZero():
			_, err = tx.ExecContext(ctx, "UPDATE resources SET absent_at = ? WHERE id = ?", stamp(l.at), h.ID)
		case l.at.Sub(h.AbsentAt) >= moment:
			err = end(ctx, tx, h, h.AbsentAt, l.at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// end closes a generation: it has been away since one time, and is known to be gone at a later one.
func end(ctx context.Context, tx *sql.Tx, h billing.Holding, away, gone time.Time) error {
	if !h.AbsentAt.IsZero() {
		away = h.AbsentAt
	}
	if away.After(gone) {
		away = gone
	}
	_, err := tx.ExecContext(ctx, "UPDATE resources SET absent_at = ?, gone_at = ? WHERE id = ?", stamp(away), stamp(gone), h.ID)
	if err != nil {
		return err
	}
	return endSpan(ctx, tx, h.ID, away)
}
