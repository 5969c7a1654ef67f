package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gpuspend/billing"
)

// holdingQuery reads generations with their newest span and the word of whoever keeps them.
const holdingQuery = `
	SELECT r.id, r.handle, r.account_id, r.kind, r.region, r.vendor_id, r.name, r.owner, r.project, r.gpu, r.gpu_count,
		r.described, r.first_seen, r.last_seen, r.state_since, r.absent_at, r.gone_at,
		k.until_at, coalesce(k.reason, ''), coalesce(k.user_id, ''), k.at, ` + spanColumns + `
	FROM resources r
	JOIN spans s ON s.id = (SELECT id FROM spans WHERE resource_id = r.id ORDER BY from_at DESC, id DESC LIMIT 1)
	LEFT JOIN keeps k ON k.id = (SELECT id FROM keeps WHERE resource_id = r.id AND ended_at IS NULL ORDER BY id DESC LIMIT 1)`

func scanHolding(r row) (billing.Holding, error) {
	var rest description
	return scanHoldingWith(r, asJSON{&rest}, func(billing.ResourceID) (description, error) { return rest, nil })
}

// scanHoldingWith scans a generation, its description into what is given; told says what that is.
func scanHoldingWith(r row, described any, told func(billing.ResourceID) (description, error)) (billing.Holding, error) {
	var h billing.Holding
	var s spanRow
	err := r.Scan(append([]any{&h.ID, &h.Handle, &h.Account, &h.Ref.Kind, &h.Ref.Region, &h.Ref.ID, &h.Name, &h.Owner, &h.Project,
		&h.GPU.Model, decimal{&h.GPU.Count}, described, when{&h.FirstSeen}, when{&h.LastSeen}, when{&h.StateSince},
		when{&h.AbsentAt}, when{&h.GoneAt}, when{&h.Keep.Until}, &h.Keep.Reason, &h.Keep.By, when{&h.Keep.At}}, s.columns()...)...)
	if err != nil {
		return h, err
	}
	span, err := s.span()
	if err != nil {
		return h, err
	}
	h.Ref.Account = h.Account
	h.State, h.VendorState, h.Billed, h.Rate, h.Mode = span.State, span.VendorState, span.Billed, span.Rate, span.Mode
	rest, err := told(h.ID)
	if err != nil {
		return h, err
	}
	return h, rest.into(&h.Resource)
}

// living finds the generation of a reference that is not gone.
func living(ctx context.Context, q querier, ref billing.ResourceRef) (billing.Holding, error) {
	return scanHolding(q.QueryRowContext(ctx, holdingQuery+
		" WHERE r.account_id = ? AND r.kind = ? AND r.region = ? AND r.vendor_id = ? AND r.gone_at IS NULL",
		ref.Account, ref.Kind, ref.Region, ref.ID))
}

// Holdings lists the generations of every account in the order in which they were first seen; gone ones only when asked.
func (d *DB) Holdings(ctx context.Context, includeGone bool) ([]billing.Holding, error) {
	all, err := holdings(ctx, d.readers, includeGone)
	return all, fail("list holdings", err)
}

func holdings(ctx context.Context, q querier, includeGone bool) ([]billing.Holding, error) {
	return list(ctx, q, scanHolding, holdingQuery+" WHERE r.gone_at IS NULL OR ? ORDER BY r.id", includeGone)
}

// Around lists the holdings of one account that are not gone.
func (d *DB) Around(ctx context.Context, account billing.AccountID) ([]billing.Holding, error) {
	all, err := list(ctx, d.readers, scanHolding, holdingQuery+" WHERE r.account_id = ? AND r.gone_at IS NULL ORDER BY r.id", account)
	return all, fail("list holdings", err)
}

// Holding finds a generation, gone or not, or fails with a Missing error.
func (d *DB) Holding(ctx context.Context, id billing.ResourceID) (billing.Holding, error) {
	h, err := scanHolding(d.readers.QueryRowContext(ctx, holdingQuery+" WHERE r.id = ?", id))
	return h, fail("find holding", err)
}

// HoldingByHandle finds a generation, gone or not, by what people type: in any case, with or without "r-". It fails with
// a Missing error where there is none.
func (d *DB) HoldingByHandle(ctx context.Context, typed string) (billing.Holding, error) {
	const op = "find holding"
	h, err := scanHolding(d.readers.QueryRowContext(ctx, holdingQuery+" WHERE r.handle = ?", tidyHandle(typed)))
	if errors.Is(err, sql.ErrNoRows) {
		err = fault(billing.Missing, op, fmt.Errorf("there is no resource %q", typed), billing.Say("error.handle_missing", "handle", tidyHandle(typed)))
	}
	return h, fail(op, err)
}
