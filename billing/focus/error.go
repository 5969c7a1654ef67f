package focus

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// RowError is a row that can't be read: where it stands, what stands there and what should.
type RowError struct {
	File   string
	Line   int    // physical line of the file, from 1
	Row    bool   // Line counts rows: a Parquet file has no lines
	Column string // FOCUS name; "" where the row as a whole is wrong
	Value  string // the cell as written; without a column, what was found
	Want   string // what was expected, such as "a number; write it like 1234.56"
}

func (e *RowError) Error() string {
	place := "line"
	if e.Row {
		place = "row"
	}
	if e.Column == "" {
		return fmt.Sprintf("%s, %s %d: found %s, want %s", e.File, place, e.Line, e.Value, e.Want)
	}
	return fmt.Sprintf("%s, %s %d, column %s: %q is not %s", e.File, place, e.Line, e.Column, e.Value, e.Want)
}

// damaged adds what to do to the errors of a gzip file that was cut off or changed on its way.
func damaged(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the gzip data end too early; fetch the file again: %w", err)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("the gzip data are damaged; fetch the file again: %w", err)
	}
	return err
}
