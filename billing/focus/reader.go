// Package focus turns a FOCUS file, the bill in the common form of the FinOps Foundation, into charges.
//
// It reads the CSV of FOCUS 1.0 to 1.4 by its header, and what clouds are known to write beside the standard: other
// words for null, times without seconds or zone, numbers with an exponent or with more decimals than an amount keeps.
// Whatever else it can't read stops it with the place and with what was expected; nothing is guessed or left out.
package focus

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"gpuspend/billing"
)

// Reader reads the charges of one FOCUS file.
type Reader struct {
	name     string
	csv      *csv.Reader
	width    int // fields of the header, and so of every row
	plan     []step
	currency billing.Currency // of the row being read
	words    interner
	classes  classifier
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

// NewReader reads the header of a file, plain or gzip, and refuses a file without a needed column or with the same
// column twice. name is what errors call the file. Reading goes on while charges are read; closing is the caller's.
func NewReader(name string, r io.Reader) (*Reader, error) {
	text, err := plain(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	f := &Reader{name: name, csv: csv.NewReader(text)}
	f.csv.ReuseRecord = true
	f.csv.FieldsPerRecord = -1 // Read checks it, and says it in our words
	names, err := f.csv.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: the file is empty; a FOCUS file begins with a line of column names", name)
	}
	if err != nil {
		return nil, f.failure(err)
	}
	h, err := readHeader(names)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	f.width, f.plan = len(names), h.plan
	f.stats = Stats{Version: h.version, Ignored: h.ignored}
	return f, nil
}

// plain takes off the compression and the byte order mark, where there are any.
func plain(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := b.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, damaged(err)
		}
		b = bufio.NewReaderSize(z, 1<<16)
	}
	if mark, _ := b.Peek(3); string(mark) == "\ufeff" {
		_, _ = b.Discard(3) // Peek has buffered them
	}
	return b, nil
}

// Read fills c with the next charge and returns io.EOF after the last. A row that can't be read is a *RowError.
//
// c may be the same for every row. Its strings stay valid, and those that rarely repeat (ids and names of resources,
// descriptions, JSON) share the memory of their row: clone one that is kept for long. Owner and Project stay empty,
// since only a configuration knows which tags they are.
func (r *Reader) Read(c *billing.Charge) error {
	fields, err := r.csv.Read()
	if err != nil {
		return r.failure(err)
	}
	if len(fields) != r.width {
		return r.widthError(len(fields))
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
	r.classes.classify(c)
	r.stats.Rows++
	return nil
}

// Stats says what has been read so far.
func (r *Reader) Stats() Stats { return r.stats }

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
	line, _ := r.csv.FieldPos(s.index)
	return &RowError{File: r.name, Line: line, Column: s.name, Value: value, Want: want}
}

func (r *Reader) widthError(fields int) error {
	line, _ := r.csv.FieldPos(0)
	return &RowError{File: r.name, Line: line, Value: strconv.Itoa(fields) + " fields", Want: strconv.Itoa(r.width) + " like the header"}
}

// failure says in our words what the CSV reader or the source beneath it met. io.EOF goes through.
func (r *Reader) failure(err error) error {
	var p *csv.ParseError
	switch {
	case err == io.EOF:
		return io.EOF
	case errors.As(err, &p):
		return &RowError{File: r.name, Line: p.StartLine, Value: quoteFault(p.Err), Want: `fields that stand in "…" with every " inside doubled, or have none`}
	}
	return fmt.Errorf("read %s after %d rows: %w", r.name, r.stats.Rows, damaged(err))
}

func quoteFault(err error) string {
	if errors.Is(err, csv.ErrBareQuote) {
		return `a " inside a field`
	}
	return `a quoted field without a proper end`
}
