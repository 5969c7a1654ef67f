package storage

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/release"
)

var _ release.Store = (*DB)(nil)

const actionQuery = `
	SELECT a.id, a.account_id, a.resource_id, r.kind, r.region, r.vendor_id, r.handle, r.name, a.verb, a.state, a.fingerprint, a.token,
		a.by_user, a.by_team, a.by_name, a.approver_user, a.approver_team, a.approver_name, a.reason, a.exported, a.place, a.lang,
		a.saves_nanos, a.saves_rest, a.still_nanos, a.still_rest, coalesce(a.currency, ''), a.request_id, a.job, a.why,
		a.proposed_at, a.moved_at, a.seen_at
	FROM actions a JOIN resources r ON r.id = a.resource_id`

// openStates are the states of actions that hold their resource; the index actions_open names them too.
const openStates = "('proposed', 'approved', 'running', 'verifying')"

func scanAction(r row) (a release.Action, err error) {
	var saves, still parts
	var currency string
	err = r.Scan(&a.ID, &a.Account, &a.Resource, &a.Ref.Kind, &a.Ref.Region, &a.Ref.ID, &a.Handle, &a.Name, &a.Verb, &a.State,
		&a.Fingerprint, &a.Token, &a.By.ID, &a.By.Team, &a.By.Name, &a.Approver.ID, &a.Approver.Team, &a.Approver.Name, &a.Reason,
		asJSON{&a.Exported}, asJSON{&a.Place}, &a.Lang, &saves.nanos, &saves.rest, &still.nanos, &still.rest, &currency, &a.RequestID, &a.Job,
		sentence{&a.Why}, when{&a.ProposedAt}, when{&a.MovedAt}, when{&a.SeenAt})
	if err != nil {
		return a, err
	}
	a.Ref.Account = a.Account
	if a.Saves, err = saves.money(currency); err != nil {
		return a, err
	}
	a.StillBills, err = still.money(currency)
	return a, err
}

// Propose writes a new action in state proposed and gives it its number and token; account, reference, handle and name
// are those of the resource. A resource that has an action that is not final fails with a Conflict error that names it,
// one that is not stored with a Missing error, and two sums of two currencies with an Invalid one.
func (d *DB) Propose(ctx context.Context, a release.Action) (release.Action, error) {
	const op = "propose action"
	currency, err := oneCurrency(a.Saves, a.StillBills)
	if err != nil {
		return release.Action{}, fault(billing.Invalid, op, err, billing.Text{})
	}
	if a.ProposedAt.IsZero() {
		a.ProposedAt = d.now()
	}
	saves, savesRest := nanosAndRest(a.Saves)
	still, stillRest := nanosAndRest(a.StillBills)
	err = d.write(ctx, op, func(tx *sql.Tx) error {
		if err := heldBy(ctx, tx, a.Resource); err != nil {
			return err
		}
		n, err := tx.ExecContext(ctx, `
			INSERT INTO actions (account_id, resource_id, verb, state, fingerprint, token, by_user, by_team, by_name, reason, exported, place, lang,
				saves_nanos, saves_rest, still_nanos, still_rest, currency, proposed_at, moved_at)
			VALUES ((SELECT account_id FROM resources WHERE id = ?1), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?18)`,
			a.Resource, a.Verb, release.Proposed, a.Fingerprint, rand.Text(), a.By.ID, a.By.Team, a.By.Name, a.Reason, encode(a.Exported), encode(a.Place), a.Lang,
			saves, savesRest, still, stillRest, currency, stamp(a.ProposedAt))
		if err != nil {
			return err
		}
		id, err := n.LastInsertId()
		if err != nil {
			return err
		}
		a, err = action(ctx, tx, release.ActionID(id))
		return err
	})
	if err != nil {
		return release.Action{}, err
	}
	return a, nil
}

// heldBy fails with a Conflict error that names the action that holds a resource.
func heldBy(ctx context.Context, tx *sql.Tx, id billing.ResourceID) error {
	if err := tx.QueryRowContext(ctx, "SELECT 1 FROM resources WHERE id = ?", id).Scan(new(int)); err != nil {
		return err
	}
	held, err := scanAction(tx.QueryRowContext(ctx, actionQuery+" WHERE a.resource_id = ? AND a.state IN "+openStates, id))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fault(billing.Conflict, "propose action", fmt.Errorf("action %d on %s is %s", held.ID, held.Handle, held.State),
		billing.Say("error.action_open", "handle", held.Handle, "action", int(held.ID), "state", string(held.State), "by", cmp.Or(held.By.Name, held.By.ID)))
}

func action(ctx context.Context, q querier, id release.ActionID) (release.Action, error) {
	return scanAction(q.QueryRowContext(ctx, actionQuery+" WHERE a.id = ?", id))
}

// Move is compare-and-swap: it fails with a Conflict error unless the action is in from and release.May(from, to) holds.
// The history gains a line in the same transaction. It gives the action as it is then.
func (d *DB) Move(ctx context.Context, id release.ActionID, from, to release.State, at time.Time, c release.Change) (release.Action, error) {
	const op = "move action"
	if !release.May(from, to) {
		return release.Action{}, fault(billing.Conflict, op, fmt.Errorf("no action goes from %s to %s", from, to), billing.Text{})
	}
	var moved release.Action
	err := d.write(ctx, op, func(tx *sql.Tx) error {
		n, err := changed(ctx, tx, `
			UPDATE actions SET state = ?1, moved_at = ?2, why = coalesce(?3, why),
				approver_user = CASE ?4 WHEN '' THEN approver_user ELSE ?4 END,
				approver_team = CASE ?4 WHEN '' THEN approver_team ELSE ?5 END,
				approver_name = CASE ?4 WHEN '' THEN approver_name ELSE ?6 END,
				request_id = CASE ?7 WHEN '' THEN request_id ELSE ?7 END, job = CASE ?8 WHEN '' THEN job ELSE ?8 END
			WHERE id = ?9 AND state = ?10`,
			to, stamp(at), textOrNull(c.Why), c.Approver.ID, c.Approver.Team, c.Approver.Name, c.RequestID, c.Job, id, from)
		if err != nil {
			return err
		}
		if n == 0 {
			return elsewhere(ctx, tx, id, from)
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO action_moves (action_id, at, from_state, to_state, user_id, team_id, user_name, why) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			id, stamp(at), from, to, c.Who.ID, c.Who.Team, c.Who.Name, textOrNull(c.Why))
		if err != nil {
			return err
		}
		moved, err = action(ctx, tx, id)
		return err
	})
	return moved, err
}

// elsewhere says why a move did not meet its action.
func elsewhere(ctx context.Context, tx *sql.Tx, id release.ActionID, from release.State) error {
	a, err := action(ctx, tx, id)
	if err != nil {
		return err
	}
	return fault(billing.Conflict, "move action", fmt.Errorf("action %d is %s, not %s", id, a.State, from),
		billing.Say("error.action_moved", "handle", a.Handle, "state", string(a.State)))
}

// Note keeps where the action's message is, and the first sight that bears it out, without a move. A zero place or time
// leaves what is noted as it is.
func (d *DB) Note(ctx context.Context, id release.ActionID, p release.Place, seenAt time.Time) error {
	var place any
	if p != (release.Place{}) {
		place = encode(p)
	}
	return d.write(ctx, "note action", func(tx *sql.Tx) error {
		n, err := changed(ctx, tx, "UPDATE actions SET place = coalesce(?, place), seen_at = coalesce(?, seen_at) WHERE id = ?",
			place, stampOrNull(seenAt), id)
		if err == nil && n == 0 {
			return sql.ErrNoRows
		}
		return err
	})
}

// Action finds an action, or fails with a Missing error.
func (d *DB) Action(ctx context.Context, id release.ActionID) (release.Action, error) {
	a, err := action(ctx, d.readers, id)
	return a, fail("find action", err)
}

// Open lists the actions that are not final, oldest first.
func (d *DB) Open(ctx context.Context) ([]release.Action, error) {
	all, err := list(ctx, d.readers, scanAction, actionQuery+" WHERE a.state IN "+openStates+" ORDER BY a.id")
	return all, fail("list actions", err)
}

// Ended lists the actions that have become final since a time, oldest first.
func (d *DB) Ended(ctx context.Context, since time.Time) ([]release.Action, error) {
	all, err := list(ctx, d.readers, scanAction, actionQuery+" WHERE a.state NOT IN "+openStates+" AND a.moved_at >= ? ORDER BY a.moved_at, a.id", stamp(since))
	return all, fail("list ended actions", err)
}

// History lists the moves of an action, oldest first.
func (d *DB) History(ctx context.Context, id release.ActionID) ([]release.Move, error) {
	all, err := list(ctx, d.readers, func(r row) (m release.Move, err error) {
		err = r.Scan(&m.Action, when{&m.At}, &m.From, &m.To, &m.Who.ID, &m.Who.Team, &m.Who.Name, sentence{&m.Why})
		return m, err
	}, "SELECT action_id, at, from_state, to_state, user_id, team_id, user_name, why FROM action_moves WHERE action_id = ? ORDER BY id", id)
	return all, fail("list moves", err)
}
