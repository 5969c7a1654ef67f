// Package focus turns a FOCUS file, the bill in the common form of the FinOps Foundation, into charges.
//
// It reads the CSV or Parquet of FOCUS 1.0 to 1.4 by its header, and what clouds are known to write beside the standard: other
// words for null, times without seconds or zone, numbers with an exponent or with more decimals than an amount keeps.
// Whatever else it can't read stops it with the place and with what was expected; nothing is guessed or left out.
package focus

import (
	"fmt"
	"io"

	"gpuspend/billing"
)

// Reader reads the charges of one FOCUS file.
type Reader struct {
	table    *Table
	plan     []step
	currency billing.Currency // of the row being read
	words    interner
	classes  Classifier
	stats    Stats
}

// A step reads one column of a row.
type step struct {
	column
	index int
}

// Stats says what a Reader has read so far.
type Stats struct {
	Rows    int64
	Rounded int64    // amounts with more than 18 decimals, which were rounded half to even
	Version string   // the oldest version of FOCUS that has all of the file's columns, such as "1.2"
	Ignored []string // columns of the file that are not read, in its order and spelling
}

// NewReader reads the header of a file (CSV, plain or gzip, or Parquet), and refuses a file without a needed column or
// with the same column twice. name is what errors call the file. Reading goes on while charges are read; closing is the
// caller's.
func NewReader(name string, r io.Reader) (*Reader, error) {
	t, err := OpenTable(name, r)
	if err != nil {
		return nil, err
	}
	h, err := readHeader(t.Columns())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return &Reader{table: t, plan: h.plan, stats: Stats{Version: h.version, Ignored: h.ignored}}, nil
}

// Read fills c with the next charge and returns io.EOF after the last. A row that can't be read is a *RowError.
//
// c may be the same for every row. Its strings stay valid, and those that rarely repeat (ids and names of resources,
// descriptions, JSON) share the memory of their row: clone one that is kept for long. Owner and Project stay empty,
// since only a configuration knows which tags they are.
func (r *Reader) Read(c *billing.Charge) error {
	fields, err := r.table.Read()
	if err != nil {
		return err
	}
	*c = billing.Charge{}
	for i := range r.plan {
		s := &r.plan[i]
		cell := fields[s.index]
		if isNull(cell) {
			cell = ""
			if !s.filled {
				continue
			}
		}
		if want := s.read(r, c, cell); want != "" {
			return r.cellError(s, fields[s.index], want)
		}
	}
	if c.ChargePeriod.End.Before(c.ChargePeriod.Start) {
		return r.backwards(fields)
	}
	if c.Provider == "" {
		c.Provider = c.InvoiceIssuer
	}
	r.classes.Classify(c)
	r.stats.Rows++
	return nil
}

// Stats says what has been read so far.
func (r *Reader) Stats() Stats { return r.stats }

// Rounded is how many amounts had more than 18 decimals.
func (r *Reader) Rounded() int64 { return r.stats.Rounded }

// isNull knows the ways in which clouds write null. FOCUS wants NULL, AWS and Oracle write nothing, some quote it.
func isNull(cell string) bool { return cell == "" || cell == "NULL" || cell == "null" }

// backwards refuses a charge that ends before it begins: its end would stand for how far the bill reaches.
func (r *Reader) backwards(fields []string) error {
	for i := range r.plan {
		if s := &r.plan[i]; s.name == "ChargePeriodEnd" {
			return r.cellError(s, fields[s.index], "is before ChargePeriodStart; a charge ends after it begins")
		}
	}
	return nil
}

func (r *Reader) cellError(s *step, value, want string) error {
	err := r.table.Fault(s.index, value, want)
	if e, ok := err.(*RowError); ok {
		e.Column = s.name
	}
	return err
}
