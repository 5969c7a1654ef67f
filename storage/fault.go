package storage

import (
	"database/sql"
	"errors"

	"github.com/mattn/go-sqlite3"

	"gpuspend/billing"
)

// fail makes a *billing.Error of whatever went wrong; nil stays nil, and an error that has a kind keeps it.
func fail(op string, err error) error {
	var had *billing.Error
	if err == nil || errors.As(err, &had) {
		return err
	}
	return fault(kindOf(err), op, err, billing.Text{})
}

func fault(k billing.ErrorKind, op string, err error, say billing.Text) error {
	return &billing.Error{Kind: k, Op: "store: " + op, Err: err, Say: say}
}

func readOnlyFault(op string) error {
	return fault(billing.Denied, op, errors.New("the store is open for reading only"), billing.Say("error.store_read_only"))
}

func kindOf(err error) billing.ErrorKind {
	var s sqlite3.Error
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return billing.Missing
	case !errors.As(err, &s):
		return billing.KindOf(err)
	case s.ExtendedCode == sqlite3.ErrConstraintForeignKey:
		return billing.Missing
	}
	switch s.Code {
	case sqlite3.ErrConstraint:
		return billing.Conflict
	case sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrFull, sqlite3.ErrIoErr, sqlite3.ErrInterrupt:
		return billing.Upstream
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrCantOpen, sqlite3.ErrAuth:
		return billing.Denied
	case sqlite3.ErrNotADB, sqlite3.ErrCorrupt, sqlite3.ErrTooBig, sqlite3.ErrMismatch:
		return billing.Invalid
	}
	return billing.Unknown
}

func isBusy(err error) bool {
	var s sqlite3.Error
	return errors.As(err, &s) && s.Code == sqlite3.ErrBusy
}

func isNoDatabase(err error) bool {
	var s sqlite3.Error
	return errors.As(err, &s) && s.Code == sqlite3.ErrNotADB
}

func isConstraint(err error) bool {
	var s sqlite3.Error
	return errors.As(err, &s) && s.Code == sqlite3.ErrConstraint
}
