package focus

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

const parquetMagic = "PAR1"

// parquetRows gives the rows of a Parquet file as text, as a CSV file of the same bill would have them: decimals and
// times exactly, floating point numbers by the fewest digits that tell them apart, maps as JSON objects. Columns of other
// shapes, such as lists, are left out.
type parquetRows struct {
	columns []parquetColumn
	leaf    []int // by the file's own number of a leaf: which column it belongs to, -1 for none
	groups  []parquet.RowGroup
	rows    parquet.Rows
	buffer  []parquet.Row
	have    []parquet.Row
	cells   []string
}

// parquetColumn is a column of the file: a leaf, or a map of texts.
type parquetColumn struct {
	name  string
	text  func(parquet.Value) string
	key   int // leaves of a map; -1 without
	value int
}

// A file that can be read at any place.
type placed interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

func openParquet(r io.Reader) (_ *parquetRows, err error) {
	defer survived(&err)
	file, ok := r.(placed)
	if !ok {
		return nil, errors.New("a Parquet file ends with its table of contents, so that it cannot be read from a pipe; name the file")
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(file, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(64<<10))
	if err != nil {
		return nil, fmt.Errorf("the Parquet file is damaged; fetch it again: %w", err)
	}
	p := &parquetRows{groups: f.RowGroups(), buffer: make([]parquet.Row, 64)}
	for _, c := range f.Root().Columns() {
		p.add(c)
	}
	p.cells = make([]string, len(p.columns))
	return p, nil
}

// add takes up a column of the file's top level.
func (p *parquetRows) add(c *parquet.Column) {
	at := len(p.columns)
	switch {
	case c.Leaf() && !c.Repeated():
		p.columns = append(p.columns, parquetColumn{name: c.Name(), text: textOf(c.Type()), key: -1, value: -1})
		p.note(c.Index(), at)
	case isMap(c):
		pair := c.Columns()[0].Columns()
		p.columns = append(p.columns, parquetColumn{name: c.Name(), key: pair[0].Index(), value: pair[1].Index()})
		p.note(pair[0].Index(), at)
		p.note(pair[1].Index(), at)
	default:
		p.skip(c)
	}
}

// skip leaves out all leaves below a column.
func (p *parquetRows) skip(c *parquet.Column) {
	if c.Leaf() {
		p.note(c.Index(), -1)
	}
	for _, below := range c.Columns() {
		p.skip(below)
	}
}

func (p *parquetRows) note(leaf, column int) {
	for len(p.leaf) <= leaf {
		p.leaf = append(p.leaf, -1)
	}
	p.leaf[leaf] = column
}

// isMap knows a map by its shape: one repeated group of a key and a value, both leaves.
func isMap(c *parquet.Column) bool {
	if c.Leaf() || len(c.Columns()) != 1 {
		return false
	}
	pair := c.Columns()[0]
	return pair.Repeated() && len(pair.Columns()) == 2 && pair.Columns()[0].Leaf() && pair.Columns()[1].Leaf()
}

func (p *parquetRows) names() []string {
	list := make([]string, len(p.columns))
	for i, c := range p.columns {
		list[i] = c.name
	}
	return list
}

func (p *parquetRows) read() ([]string, error) {
	for len(p.have) == 0 {
		if err := p.fill(); err != nil {
			return nil, err
		}
	}
	row := p.have[0]
	p.have = p.have[1:]
	clear(p.cells)
	var keys map[int][]string // of the maps
	values := map[int][]any(nil)
	for _, v := range row {
		if v.Column() >= len(p.leaf) || p.leaf[v.Column()] < 0 || v.IsNull() && p.columns[p.leaf[v.Column()]].key < 0 {
			continue
		}
		at := p.leaf[v.Column()]
		c := &p.columns[at]
		switch {
		case c.key < 0:
			p.cells[at] = c.text(v)
		case v.Column() == c.key:
			if !v.IsNull() { // a null here is the map itself, or an empty one
				if keys == nil {
					keys, values = map[int][]string{}, map[int][]any{}
				}
				keys[at] = append(keys[at], string(v.Bytes()))
			}
		case len(values[at]) < len(keys[at]):
			var value any
			if !v.IsNull() {
				value = string(v.Bytes())
			}
			values[at] = append(values[at], value)
		}
	}
	for at, names := range keys {
		object := make(map[string]any, len(names))
		for i, name := range names {
			if i < len(values[at]) {
				object[name] = values[at][i]
			}
		}
		text, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		p.cells[at] = string(text)
	}
	return p.cells, nil
}

// fill reads some rows of the current row group, or opens the next.
func (p *parquetRows) fill() (err error) {
	defer survived(&err)
	if p.rows == nil {
		if len(p.groups) == 0 {
			return io.EOF
		}
		p.rows, p.groups = p.groups[0].Rows(), p.groups[1:]
	}
	n, err := p.rows.ReadRows(p.buffer)
	p.have = p.buffer[:n]
	if err == io.EOF {
		err = p.rows.Close()
		p.rows = nil
	}
	if n > 0 && err == nil {
		return nil
	}
	return err
}

// survived makes an error of a panic, which damaged files can bring about in the library.
func survived(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the Parquet file is damaged; fetch it again: %v", p)
	}
}

// textOf writes the values of a leaf.
func textOf(t parquet.Type) func(parquet.Value) string {
	logical := t.LogicalType()
	if logical != nil {
		switch kind := logical.Value.(type) {
		case *format.DecimalType:
			return func(v parquet.Value) string { return decimalText(v, int(kind.Scale)) }
		case *format.TimestampType:
			unit := kind.Unit.Value.Duration()
			return func(v parquet.Value) string { return timeText(time.Unix(0, 0).Add(time.Duration(v.Int64()) * unit)) }
		case *format.DateType:
			return func(v parquet.Value) string {
				return time.Unix(int64(v.Int32())*24*60*60, 0).UTC().Format(time.DateOnly)
			}
		}
	}
	switch t.Kind() {
	case parquet.Double:
		return func(v parquet.Value) string { return strconv.FormatFloat(v.Double(), 'g', -1, 64) }
	case parquet.Float:
		return func(v parquet.Value) string { return strconv.FormatFloat(float64(v.Float()), 'g', -1, 32) }
	case parquet.Int96:
		return func(v parquet.Value) string { return timeText(int96Time(v.Int96())) }
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return func(v parquet.Value) string { return string(v.Bytes()) }
	}
	return parquet.Value.String // booleans and whole numbers
}

func timeText(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// int96Time reads the old form of time: nanoseconds of the day, then the Julian day.
func int96Time(v deprecated.Int96) time.Time {
	nanos := int64(v[1])<<32 | int64(v[0])
	const epoch = 2440588 // Julian day of 1970-01-01
	return time.Unix((int64(v[2])-epoch)*24*60*60, nanos)
}

// decimalText writes an unscaled number with its decimals.
func decimalText(v parquet.Value, scale int) string {
	var n *big.Int
	switch v.Kind() {
	case parquet.Int32:
		n = big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		n = big.NewInt(v.Int64())
	default:
		n = signed(v.ByteArray())
	}
	digits := new(big.Int).Abs(n).String()
	if scale > 0 {
		if len(digits) <= scale {
			digits = strings.Repeat("0", scale-len(digits)+1) + digits
		}
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if n.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// signed reads a number in two's complement, the highest byte first.
func signed(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}
