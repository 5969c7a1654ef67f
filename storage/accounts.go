package storage

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"gpuspend/billing"
)

const accountColumns = "id, name, driver, vendor_id, provider, currency, stopped"

func scanAccount(r row) (a billing.Account, err error) {
	err = r.Scan(&a.ID, &a.Name, &a.Driver, &a.VendorID, &a.Provider, &a.Currency, sentence{&a.Stopped})
	return a, err
}

// EnsureAccount finds the account of a name, or makes it, and gives it as stored. Driver, provider and currency follow
// what is given; what is given as "" leaves the stored as it is, so that an import never unties an account from its
// cloud. It fails with a Conflict error where the name belongs to an account that is bound to another cloud.
func (d *DB) EnsureAccount(ctx context.Context, a billing.Account) (billing.Account, error) {
	const op = "ensure account"
	if strings.TrimSpace(a.Name) == "" {
		return billing.Account{}, fault(billing.Invalid, op, errors.New("an account needs a name"), billing.Text{})
	}
	var got billing.Account
	err := d.write(ctx, op, func(tx *sql.Tx) (err error) {
		had, err := accountNamed(ctx, tx, a.Name)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			_, err = tx.ExecContext(ctx, "INSERT INTO accounts (name, driver, vendor_id, provider, currency, created_at) VALUES (?, ?, ?, ?, ?, ?)",
				a.Name, a.Driver, a.VendorID, a.Provider, a.Currency, stamp(d.now()))
		case err != nil:
		case a.Driver != "" && a.Driver != had.Driver && had.VendorID != "":
			return fault(billing.Conflict, op, fmt.Errorf("%s is an account at %s, not at %s", a.Name, had.Driver, a.Driver),
				billing.Say("error.account_elsewhere", "account", a.Name, "was", had.Driver, "now", a.Driver))
		default:
			_, err = tx.ExecContext(ctx, "UPDATE accounts SET driver = ?, provider = ?, currency = ? WHERE id = ?",
				cmp.Or(a.Driver, had.Driver), cmp.Or(a.Provider, had.Provider), cmp.Or(a.Currency, had.Currency), had.ID)
		}
		if err != nil {
			return err
		}
		got, err = accountNamed(ctx, tx, a.Name)
		return err
	})
	return got, err
}

func accountNamed(ctx context.Context, q querier, name string) (billing.Account, error) {
	return scanAccount(q.QueryRowContext(ctx, "SELECT "+accountColumns+" FROM accounts WHERE name = ?", name))
}

// Accounts lists every account, in the order in which they were first seen.
func (d *DB) Accounts(ctx context.Context) ([]billing.Account, error) {
	all, err := accounts(ctx, d.readers)
	return all, fail("list accounts", err)
}

func accounts(ctx context.Context, q querier) ([]billing.Account, error) {
	return list(ctx, q, scanAccount, "SELECT "+accountColumns+" FROM accounts ORDER BY id")
}

// AccountByName finds an account, or fails with a Missing error.
func (d *DB) AccountByName(ctx context.Context, name string) (billing.Account, error) {
	a, err := accountNamed(ctx, d.readers, name)
	if errors.Is(err, sql.ErrNoRows) {
		err = fault(billing.Missing, "find account", fmt.Errorf("there is no account %q", name),
			billing.Say("error.account_missing", "account", name))
	}
	return a, fail("find account", err)
}

// boundElsewhere is why Bind stops an account.
const boundElsewhere = "account.stopped_other_vendor"

// Bind records the cloud's own id of the account at the first good read, and marks that reading good. Where another id
// is bound already it stops the account with a sentence and fails with a Conflict error that says it; a later read under
// the right id lifts that stop.
func (d *DB) Bind(ctx context.Context, account billing.AccountID, vendorID string) error {
	const op = "bind account"
	var conflict error
	err := d.write(ctx, op, func(tx *sql.Tx) error {
		var name, bound string
		err := tx.QueryRowContext(ctx, "SELECT name, vendor_id FROM accounts WHERE id = ?", account).Scan(&name, &bound)
		if err != nil {
			return err
		}
		if bound != "" && bound != vendorID {
			why := billing.Say(boundElsewhere, "account", name, "bound", bound, "found", vendorID)
			conflict = fault(billing.Conflict, op, fmt.Errorf("%s belongs to %s, the credential to %s", name, bound, vendorID), why)
			return stop(ctx, tx, account, why)
		}
		_, err = tx.ExecContext(ctx, "UPDATE accounts SET vendor_id = ?, stopped = CASE stopped ->> '$.key' WHEN ? THEN NULL ELSE stopped END WHERE id = ?",
			vendorID, boundElsewhere, account)
		if err != nil {
			return err
		}
		return markGood(ctx, tx, account, billing.ReadIdentity, billing.Scope{}, d.now())
	})
	return cmp.Or(err, conflict)
}

// StopAccount notes why an account is no longer to be polled.
func (d *DB) StopAccount(ctx context.Context, account billing.AccountID, why billing.Text) error {
	return d.write(ctx, "stop account", func(tx *sql.Tx) error { return stop(ctx, tx, account, why) })
}

// ResumeAccount lifts a stop.
func (d *DB) ResumeAccount(ctx context.Context, account billing.AccountID) error {
	return d.write(ctx, "resume account", func(tx *sql.Tx) error { return stop(ctx, tx, account, billing.Text{}) })
}

func stop(ctx context.Context, tx *sql.Tx, account billing.AccountID, why billing.Text) error {
	n, err := changed(ctx, tx, "UPDATE accounts SET stopped = ? WHERE id = ?", textOrNull(why), account)
	if err == nil && n == 0 {
		return sql.ErrNoRows
	}
	return err
}

// SetSources keeps the order in which an account's sources of charges count; what is not named comes after, in the
// default order.
func (d *DB) SetSources(ctx context.Context, account billing.AccountID, order []billing.ChargeSource) error {
	text := ""
	for _, s := range order {
		text += " " + string(s)
	}
	if text != "" {
		text += " "
	}
	return d.write(ctx, "set sources", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE accounts SET sources = ? WHERE id = ?", text, account)
		return err
	})
}

// DeclareBill keeps what has to be known of an account's bill. What lacks amortised amounts is amended when it is
// imported, so a change counts from the next import on.
func (d *DB) DeclareBill(ctx context.Context, account billing.AccountID, k billing.BillKind) error {
	return d.write(ctx, "declare the bill", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE accounts SET no_effective = ?, no_invoice = ? WHERE id = ?", k.NoEffective, k.NoInvoice, account)
		return err
	})
}
