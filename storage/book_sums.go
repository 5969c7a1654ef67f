package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuspend/billing/ledger"
)

// readSums answers from the roll-ups. The question is cut into pieces at the boundaries of its calendar. A piece is the
// whole UTC days nearest to it, corrected at either end by the hours between the boundary and the UTC midnight next to
// it: at most twelve hours a boundary are read, whatever the zone. Charges of a day or longer have the vendor's date.
func (b *billed) readSums(ctx context.Context) error {
	b.pieces = pieces(b.q)
	n := len(b.pieces)
	dates, midnights := make([]int64, n), make([]int64, n)
	for i, t := range b.pieces {
		dates[i] = localDay(t, b.q.Zone) * dayMillis
		midnights[i] = floorDiv(stamp(t)+dayMillis/2, dayMillis) * dayMillis
	}
	if err := b.readDays(ctx, 1, dates); err != nil {
		return err
	}
	if err := b.readDays(ctx, 0, midnights); err != nil {
		return err
	}
	for i, t := range b.pieces {
		if err := b.readEdge(ctx, i, stamp(t), midnights[i]); err != nil {
			return err
		}
	}
	return nil
}

// pieces lists the boundaries of a question, its beginning and its end among them.
func pieces(q ledger.Question) []time.Time {
	list := []time.Time{q.From}
	if slices.ContainsFunc(q.By, ledger.Cut.Calendar) {
		for t := nextPiece(q.By, q.From.In(q.Zone)); t.Before(q.To); t = nextPiece(q.By, t.In(q.Zone)) {
			list = append(list, t)
		}
	}
	return append(list, q.To)
}

// nextPiece is where the day, the week or the month that is cut by ends.
func nextPiece(by []ledger.Cut, local time.Time) time.Time {
	y, m, d := local.Date()
	day := time.Date(y, m, d+1, 0, 0, 0, 0, local.Location())
	week := time.Date(y, m, d+7-int(local.Weekday()+6)%7, 0, 0, 0, 0, local.Location())
	month := time.Date(y, m+1, 1, 0, 0, 0, 0, local.Location())
	switch {
	case slices.Contains(by, ledger.ByDay):
		return day
	case !slices.Contains(by, ledger.ByWeek), slices.Contains(by, ledger.ByMonth) && month.Before(week):
		return month
	}
	return week
}

// readDays adds the days between boundaries, which are UTC midnights, to the pieces that they lie in.
func (b *billed) readDays(ctx context.Context, whole int, bounds []int64) error {
	first, end := bounds[0], bounds[len(bounds)-1]
	if first >= end {
		return nil
	}
	piece := 0
	return b.read(ctx, "spend_days", whole, first, end, func(at int64, g group) error {
		if len(bounds) > 2 {
			var found bool
			if piece, found = slices.BinarySearch(bounds, at); !found {
				piece--
			}
			for bounds[piece+1] == at { // a piece without a midnight of its own
				piece++
			}
		}
		return b.addTo(piece, whole == 1, g)
	})
}

// readEdge corrects the pieces on either side of a boundary by the hours between it and the UTC midnight that the days
// were cut at.
func (b *billed) readEdge(ctx context.Context, boundary int, at, midnight int64) error {
	late := at > midnight // the earlier piece lacks the hours; else it has them in excess
	return b.read(ctx, "spend_hours", 0, min(at, midnight), max(at, midnight), func(_ int64, g group) error {
		if boundary > 0 {
			if err := b.addTo(boundary-1, false, g.signed(late)); err != nil {
				return err
			}
		}
		if boundary == len(b.pieces)-1 {
			return nil
		}
		return b.addTo(boundary, false, g.signed(!late))
	})
}

// addTo adds a group to a piece.
func (b *billed) addTo(piece int, whole bool, g group) error {
	b.whole = b.whole || whole
	g.keys = slices.Clone(g.keys)
	local := b.pieces[piece].In(b.q.Zone)
	for i, by := range b.q.By {
		switch {
		case by == ledger.ByCharge:
			g.keys[i] = g.sort.String()
		case by.Calendar():
			g.keys[i] = by.Date(local)
		}
	}
	return b.add(g)
}

// signed is the group itself, or what takes it off again.
func (g group) signed(plus bool) group {
	if plus {
		return g
	}
	g.rows, g.effectiveRows = -g.rows, -g.effectiveRows
	g.billed = pair{-g.billed.nanos, -g.billed.rest}
	g.effective = pair{-g.effective.nanos, -g.effective.rest}
	return g
}

// read sums a stretch of a roll-up, and gives each day of it apart where the question has more than one piece. Rows are
// added up by the numbers of what the cuts need, before these are looked at: sorting by few numbers is most of the speed.
func (b *billed) read(ctx context.Context, table string, whole int, from, to int64, take func(at int64, g group) error) error {
	if from >= to {
		return nil
	}
	inner, joins := []string{"s.currency", "s.sort"}, ""
	if slices.ContainsFunc(b.q.By, ledger.Cut.Label) {
		inner, joins = append(inner, "s.label_id"), " JOIN labels l ON l.id = g.label_id"
	}
	if slices.Contains(b.q.By, ledger.ByAccount) {
		inner, joins = append(inner, "s.part_id"), joins+" JOIN parts p ON p.id = g.part_id JOIN accounts a ON a.id = p.account_id"
	}
	at, numbers := "0", strings.Join(inner, ", ")
	if table == "spend_days" && len(b.pieces) > 2 {
		at, numbers = "s.at", "s.at, "+numbers
	}
	columns := b.columns()
	where, args := b.where("s", "s.sort", fmt.Sprintf("s.at / %d", dayMillis))
	query := fmt.Sprintf(`SELECT g.at, %s, g.currency, g.sort, SUM(g.rows), SUM(g.nanos), SUM(g.rest), SUM(g.effective), SUM(g.effective_rest), SUM(g.effective_rows)
		FROM (SELECT %s AS at, %s, SUM(s.rows) AS rows, SUM(s.billed_nanos) AS nanos, SUM(s.billed_rest) AS rest, %s
			FROM %s s WHERE s.at >= ? AND s.at < ? AND s.whole = ?%s GROUP BY %s) g%s
		GROUP BY g.at, %s, g.currency, g.sort`,
		columns, at, strings.Join(inner, ", "),
		b.effective("SUM(s.effective_nanos) AS effective, SUM(s.effective_rest) AS effective_rest, SUM(s.effective_rows) AS effective_rows",
			"0 AS effective, 0 AS effective_rest, 0 AS effective_rows"), table, where, numbers, joins, columns)
	return b.collect(ctx, query, append([]any{from, to, whole}, args...), take)
}
