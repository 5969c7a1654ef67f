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
)

// Table reads the rows of a bill as text: a CSV file, plain or gzip, or a Parquet file. It knows nothing of what the
// columns mean, so that clouds' own bills are read through it, too.
type Table struct {
	name    string
	csv     *csv.Reader
	parquet *parquetRows
	columns []string
	rows    int64
}

// OpenTable reads the column names of a file. name is what errors call it. Reading goes on while rows are read; closing
// is the caller's. A Parquet file has to be one that can be read at any place, not a pipe.
func OpenTable(name string, r io.Reader) (*Table, error) {
	text, err := plain(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	t := &Table{name: name}
	if magic, _ := text.Peek(4); string(magic) == parquetMagic {
		if t.parquet, err = openParquet(r); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		t.columns = t.parquet.names()
		return t, nil
	}
	return t, t.begin(text)
}

// begin reads the line of column names of a CSV file.
func (t *Table) begin(text io.Reader) (err error) {
	t.csv = csv.NewReader(text)
	t.csv.ReuseRecord = true
	t.csv.FieldsPerRecord = -1 // Read checks it, and says it in our words
	names, err := t.csv.Read()
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("read %s: the file is empty; a bill begins with a line of column names", t.name)
	case err != nil:
		return t.failure(err)
	}
	t.columns = append([]string(nil), names...)
	return nil
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

// Columns are the names in the file's own spelling.
func (t *Table) Columns() []string { return t.columns }

// Read gives the cells of the next row, which are valid until the one after, and io.EOF after the last. A null of Parquet
// is an empty cell. A row of another width than the header is a *RowError.
func (t *Table) Read() (cells []string, err error) {
	if t.parquet != nil {
		cells, err = t.parquet.read()
		if err != nil && err != io.EOF {
			err = fmt.Errorf("read %s after %d rows: the Parquet file is damaged; fetch it again: %w", t.name, t.rows, err)
		}
	} else if cells, err = t.csv.Read(); err != nil {
		err = t.failure(err)
	} else if len(cells) != len(t.columns) {
		err = &RowError{File: t.name, Line: t.line(0), Value: strconv.Itoa(len(cells)) + " fields", Want: strconv.Itoa(len(t.columns)) + " like the header"}
	}
	if err != nil {
		return nil, err
	}
	t.rows++
	return cells, nil
}

// Fault is an error about one cell of the row that was read last.
func (t *Table) Fault(column int, value, want string) error {
	return &RowError{File: t.name, Line: t.line(column), Row: t.parquet != nil, Column: t.columns[column], Value: value, Want: want}
}

// line is where a cell stands: a physical line of text, or a row of a Parquet file, from 1.
func (t *Table) line(column int) int {
	if t.parquet != nil {
		return int(t.rows)
	}
	line, _ := t.csv.FieldPos(column)
	return line
}

// failure says in our words what the CSV reader or the source beneath it met. io.EOF goes through.
func (t *Table) failure(err error) error {
	var p *csv.ParseError
	switch {
	case err == io.EOF:
		return io.EOF
	case errors.As(err, &p):
		return &RowError{File: t.name, Line: p.StartLine, Value: quoteFault(p.Err), Want: `fields that stand in "…" with every " inside doubled, or have none`}
	}
	return fmt.Errorf("read %s after %d rows: %w", t.name, t.rows, damaged(err))
}

func quoteFault(err error) string {
	if errors.Is(err, csv.ErrBareQuote) {
		return `a " inside a field`
	}
	return `a quoted field without a proper end`
}
