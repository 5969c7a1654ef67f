package storage

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

// SetOwners makes a mapping the one by which owners are resolved from now on. Where it differs from the last it becomes a
// new version, and Reattribute applies it to what was written before.
func (d *DB) SetOwners(ctx context.Context, o ledger.Owners) error {
	const op = "set owners"
	if err := o.Check(); err != nil {
		return fault(billing.Invalid, op, err, billing.Text{})
	}
	return d.write(ctx, op, func(tx *sql.Tx) error {
		var rules string
		err := tx.QueryRowContext(ctx, "SELECT rules FROM mappings ORDER BY version DESC LIMIT 1").Scan(&rules)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			rules = encode(ledger.Owners{})
		case err != nil:
			return err
		}
		if rules == encode(o) {
			return nil
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO mappings (rules, made_at) VALUES (?, ?)", encode(o), stamp(d.now()))
		return err
	})
}

// Owners is the mapping of now.
func (d *DB) Owners(ctx context.Context) (o ledger.Owners, err error) {
	err = d.readers.QueryRowContext(ctx, "SELECT rules FROM mappings ORDER BY version DESC LIMIT 1").Scan(asJSON{&o})
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return o, fail("read owners", err)
}

// Claim notes that a resource is somebody's: this one, and the next one of that name in the account.
func (d *DB) Claim(ctx context.Context, id billing.ResourceID, owner, user, team string, at time.Time) error {
	const op = "claim"
	if owner == "" {
		return fault(billing.Invalid, op, errors.New("a claim needs an owner"), billing.Text{})
	}
	return d.write(ctx, op, func(tx *sql.Tx) error {
		var account billing.AccountID
		var vendor, name string
		if err := tx.QueryRowContext(ctx, "SELECT account_id, vendor_id, name FROM resources WHERE id = ?", id).Scan(&account, &vendor, &name); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE claims SET ended_at = ? WHERE account_id = ? AND ended_at IS NULL AND (vendor_id = ? OR name <> '' AND name = ?)",
			stamp(at), account, vendor, name)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO claims (account_id, vendor_id, name, owner, user_id, team_id, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
			account, vendor, name, owner, user, team, stamp(at))
		if err != nil {
			return err
		}
		a, err := attributionOf(ctx, tx)
		if err != nil {
			return err
		}
		return a.resource(ctx, tx, id) // the rest follows in the background
	})
}

type claim struct {
	id            int64
	account       billing.AccountID
	vendor, name  string
	owner, userID string
}

// attribution finds owners by the mapping and the claims of one instant.
type attribution struct {
	version   int64
	lastClaim int64
	finder    *ledger.Finder
	accounts  map[billing.AccountID]string
	byVendor  map[claimKey]claim
	byName    map[claimKey]claim
}

type claimKey struct {
	account billing.AccountID
	word    string
}

func attributionOf(ctx context.Context, q querier) (*attribution, error) {
	a := &attribution{accounts: map[billing.AccountID]string{}, byVendor: map[claimKey]claim{}, byName: map[claimKey]claim{}}
	var rules ledger.Owners
	err := q.QueryRowContext(ctx, "SELECT version, rules FROM mappings ORDER BY version DESC LIMIT 1").Scan(&a.version, asJSON{&rules})
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	away, err := list(ctx, q, func(r row) (s string, err error) { return s, r.Scan(&s) }, "SELECT user_id FROM people WHERE standing = 'deactivated'")
	if err != nil {
		return nil, err
	}
	if a.finder, err = rules.Finder(away); err != nil {
		return nil, err
	}
	claims, err := list(ctx, q, scanClaim, "SELECT "+claimColumns+" FROM claims WHERE ended_at IS NULL ORDER BY id")
	if err != nil {
		return nil, err
	}
	for _, c := range claims {
		a.lastClaim = c.id
		a.byVendor[claimKey{c.account, c.vendor}] = c
		if c.name != "" {
			a.byName[claimKey{c.account, c.name}] = c
		}
	}
	_, err = list(ctx, q, func(r row) (none struct{}, err error) {
		var id billing.AccountID
		var name string
		err = r.Scan(&id, &name)
		a.accounts[id] = name
		return none, err
	}, "SELECT id, name FROM accounts")
	return a, err
}

const claimColumns = "id, account_id, vendor_id, name, owner, user_id"

func scanClaim(r row) (c claim, err error) {
	return c, r.Scan(&c.id, &c.account, &c.vendor, &c.name, &c.owner, &c.userID)
}

func (a *attribution) thing(account billing.AccountID, vendor, name, tag string) ledger.Thing {
	c := cmp.Or(a.byVendor[claimKey{account, vendor}], a.byName[claimKey{account, name}])
	return ledger.Thing{Account: a.accounts[account], Name: name, Tag: tag, Claim: c.owner, ClaimedBy: c.userID}
}

func (a *attribution) owner(account billing.AccountID, vendor, name, tag string) string {
	return a.finder.Of(a.thing(account, vendor, name, tag))
}

// moved says who owns what was written for somebody; it stays with somebody who has left since.
func (a *attribution) moved(account billing.AccountID, vendor, name, tag, was string) string {
	t := a.thing(account, vendor, name, tag)
	if was != "" && a.finder.Was(t) == was {
		return was
	}
	return a.finder.Of(t)
}

// resource resolves one resource anew.
func (a *attribution) resource(ctx context.Context, tx *sql.Tx, id billing.ResourceID) error {
	var account billing.AccountID
	var vendor, name, tag, was string
	if err := tx.QueryRowContext(ctx, "SELECT account_id, vendor_id, name, owner_tag, owner FROM resources WHERE id = ?", id).
		Scan(&account, &vendor, &name, &tag, &was); err != nil {
		return err
	}
	now := a.moved(account, vendor, name, tag, was)
	if now == was {
		return nil
	}
	_, err := tx.ExecContext(ctx, "UPDATE resources SET owner = ? WHERE id = ?", now, id)
	return err
}
