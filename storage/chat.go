package storage

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// eventsKept is how long a chat event is remembered: far longer than any chat sends one again.
const eventsKept = 24 * time.Hour

// SeenEvent notes that a chat event is being handled, and says whether this is the first time. Events older than a day
// are forgotten.
func (d *DB) SeenEvent(ctx context.Context, id string, at time.Time) (first bool, err error) {
	err = d.write(ctx, "note event", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM chat_events WHERE at < ?", stamp(at.Add(-eventsKept))); err != nil {
			return err
		}
		n, err := changed(ctx, tx, "INSERT OR IGNORE INTO chat_events (id, at) VALUES (?, ?)", id, stamp(at))
		first = n == 1
		return err
	})
	return first && err == nil, err
}

// Person is somebody of the chat as last read. The id counts only together with its team or enterprise.
type Person struct {
	Team, ID string
	Name     string
	Locale   string // as the chat has it, such as "zh-CN"; "" where it does not say
	Zone     string // IANA name; "" where it does not say
	Standing string // member, guest, stranger, bot, deactivated; "" where it could not be read
	ReadAt   time.Time
}

// RememberPerson keeps what was read of somebody, in place of what was known.
func (d *DB) RememberPerson(ctx context.Context, p Person) error {
	return d.write(ctx, "remember person", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO people (team_id, user_id, name, locale, zone, standing, read_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
			p.Team, p.ID, p.Name, p.Locale, p.Zone, p.Standing, stamp(p.ReadAt))
		return err
	})
}

// Person finds somebody; ok is false for nobody known.
func (d *DB) Person(ctx context.Context, team, id string) (p Person, ok bool, err error) {
	err = d.readers.QueryRowContext(ctx, "SELECT team_id, user_id, name, locale, zone, standing, read_at FROM people WHERE team_id = ? AND user_id = ?", team, id).
		Scan(&p.Team, &p.ID, &p.Name, &p.Locale, &p.Zone, &p.Standing, when{&p.ReadAt})
	if errors.Is(err, sql.ErrNoRows) {
		return Person{}, false, nil
	}
	return p, err == nil, fail("find person", err)
}
