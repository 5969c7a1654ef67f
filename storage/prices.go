package storage

import (
	"context"
	"database/sql"
	"time"

	"gpuspend/billing/estimate"
)

// PriceList is one list of prices that somebody imported.
type PriceList struct {
	Kind             estimate.ListKind
	Name             string
	ImportedAt       time.Time
	Taken            int
	Rejected, Unused int
}

// ImportPrices keeps a list, in place of one of the same kind and name.
func (d *DB) ImportPrices(ctx context.Context, name string, l estimate.List, at time.Time) error {
	return d.write(ctx, "import prices", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM price_lists WHERE kind = ? AND name = ?", l.Kind, name); err != nil {
			return err
		}
		made, err := tx.ExecContext(ctx, "INSERT INTO price_lists (kind, name, imported_at, rejected, unused) VALUES (?, ?, ?, ?, ?)",
			l.Kind, name, stamp(at), len(l.Rejected), l.Unused)
		if err != nil {
			return err
		}
		id, err := made.LastInsertId()
		if err != nil {
			return err
		}
		insert, err := tx.PrepareContext(ctx, "INSERT INTO prices (list_id, line, cells) VALUES (?, ?, ?)")
		if err != nil {
			return err
		}
		defer func() { _ = insert.Close() }() // with the transaction
		for i, record := range l.Records {
			if _, err := insert.ExecContext(ctx, id, i, encode(record)); err != nil {
				return err
			}
		}
		return nil
	})
}

// PriceLists tells which lists are there.
func (d *DB) PriceLists(ctx context.Context) ([]PriceList, error) {
	all, err := list(ctx, d.readers, func(r row) (l PriceList, err error) {
		err = r.Scan(&l.Kind, &l.Name, when{&l.ImportedAt}, &l.Rejected, &l.Unused, &l.Taken)
		return l, err
	}, `SELECT kind, name, imported_at, rejected, unused, (SELECT count(*) FROM prices WHERE list_id = price_lists.id)
		FROM price_lists ORDER BY kind, name`)
	return all, fail("list price lists", err)
}

// Prices gives all imported prices, the youngest list first, so that where two have the same price the younger stands.
func (d *DB) Prices(ctx context.Context) ([]estimate.List, error) {
	var lists []estimate.List
	last := int64(-1)
	_, err := list(ctx, d.readers, func(r row) (struct{}, error) {
		var id int64
		var kind estimate.ListKind
		var cells string
		if err := r.Scan(&id, &kind, &cells); err != nil {
			return struct{}{}, err
		}
		var record []string
		if err := decode(cells, &record); err != nil {
			return struct{}{}, err
		}
		if id != last {
			last, lists = id, append(lists, estimate.List{Kind: kind})
		}
		l := &lists[len(lists)-1]
		l.Records = append(l.Records, record)
		return struct{}{}, nil
	}, `SELECT list_id, kind, cells FROM prices JOIN price_lists ON price_lists.id = list_id ORDER BY imported_at DESC, list_id DESC, line`)
	return lists, fail("read prices", err)
}
