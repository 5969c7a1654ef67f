package storage

import (
	"context"
	"database/sql"
	"hash/maphash"
	"slices"
	"sync"

	"gpuspend/billing"
)

// present keeps the last snapshot while nobody has written, in this process or another, and of what was decoded for it
// what is still the same for the next.
type present struct {
	mu      sync.Mutex
	witness *sql.Conn // asked for the version: only a connection that stays can tell
	version int64
	known   bool
	last    Snapshot
	seed    maphash.Seed
	decoded map[billing.ResourceID]decoded
}

// decoded is a resource's description and the hash of its text.
type decoded struct {
	hash uint64
	of   description
}

// Snapshot reads the present in one read transaction, or gives the one that was read before where nothing was written
// since. It is shared: nobody may change what it holds.
func (d *DB) Snapshot(ctx context.Context) (Snapshot, error) {
	p := &d.present
	p.mu.Lock()
	defer p.mu.Unlock()
	version, err := d.dataVersion(ctx)
	if err != nil {
		return Snapshot{}, fail("read snapshot", err)
	}
	if p.known && version == p.version {
		return p.last, nil
	}
	s, err := d.snapshot(ctx) // may hold more than the version tells: then the next asks again
	if err != nil {
		return Snapshot{}, fail("read snapshot", err)
	}
	p.last, p.version, p.known = s, version, true
	return s, nil
}

// dataVersion changes whenever any connection but the one that tells it has committed. That one stays open; should it
// break, its successor's numbers say nothing of what was kept.
func (d *DB) dataVersion(ctx context.Context) (v int64, err error) {
	p := &d.present
	if p.witness == nil {
		p.known = false
		if p.witness, err = d.watcher.Conn(ctx); err != nil {
			return 0, err
		}
	}
	if err = p.witness.QueryRowContext(ctx, "PRAGMA data_version").Scan(&v); err != nil {
		_ = p.witness.Close()
		p.witness = nil
	}
	return v, err
}

// living lists the holdings that are not gone, account by account in the order in which they were first seen.
func (p *present) living(ctx context.Context, tx *sql.Tx) ([]billing.Holding, error) {
	if p.decoded == nil {
		p.seed = maphash.MakeSeed()
	}
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM resources WHERE gone_at IS NULL").Scan(&n); err != nil {
		return nil, err
	}
	now := make(map[billing.ResourceID]decoded, n)
	all, err := listInto(ctx, tx, make([]billing.Holding, 0, n), func(r row) (billing.Holding, error) {
		var text string
		h, err := scanHoldingWith(r, &text, func(id billing.ResourceID) (description, error) {
			hash := maphash.String(p.seed, text)
			known, ok := p.decoded[id]
			if !ok || known.hash != hash {
				known = decoded{hash: hash}
				if err := decode(text, &known.of); err != nil {
					return description{}, err
				}
			}
			now[id] = known
			return known.of, nil
		})
		return h, err
	}, holdingQuery+" WHERE r.gone_at IS NULL ORDER BY r.account_id, r.id")
	if err == nil {
		p.decoded = now
	}
	return all, err
}

// Held are the holdings of one account, in the order in which they were first seen.
func (s Snapshot) Held(id billing.AccountID) []billing.Holding {
	from, found := slices.BinarySearchFunc(s.Holdings, id, func(h billing.Holding, id billing.AccountID) int { return int(h.Account - id) })
	if !found {
		return nil
	}
	to := from
	for to < len(s.Holdings) && s.Holdings[to].Account == id {
		to++
	}
	return s.Holdings[from:to:to]
}
