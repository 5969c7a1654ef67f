package main

import (
	"encoding"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"gpuspend/billing"
	"gpuspend/billing/providers"
)

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	Path string // "accounts[1].credentials.read.api_key"
	Line int    // 0 where it has none
	Say  string
}

func (p Problem) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("line %d, %s: %s", p.Line, p.Path, p.Say)
	}
	return p.Path + ": " + p.Say
}

// Problems are all of them at once.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// ReadConfig reads the file. Every unknown key and every value of the wrong kind is reported, not the first alone.
func ReadConfig(path string) (Config, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("read the configuration: %w", err)
	}
	return ParseConfig(b)
}

// ParseConfig reads the text of a configuration.
func ParseConfig(b []byte) (Config, error) {
	var c Config
	file, err := parser.ParseBytes(b, 0)
	if err != nil {
		return c, fmt.Errorf("read the configuration: %s", yaml.FormatError(err, false, false))
	}
	r := &configReader{plain: plainFields(providers.All())}
	for _, doc := range file.Docs {
		if doc.Body != nil {
			r.read(doc.Body, reflect.ValueOf(&c).Elem(), "")
		}
	}
	if len(r.problems) > 0 {
		return c, r.problems
	}
	return c, nil
}

// configReader fills a value from a document, guided by the value's type.
type configReader struct {
	plain    map[string]bool // fields of credentials that are no secrets, such as regions
	problems Problems
}

// plainFields are the fields of credentials that no cloud calls a secret: they may stand in the file as they are.
func plainFields(drivers []billing.Driver) map[string]bool {
	plain := map[string]bool{}
	for _, d := range drivers {
		for _, f := range d.Fields {
			if _, seen := plain[f.Name]; !seen || f.Secret {
				plain[f.Name] = !f.Secret
			}
		}
	}
	return plain
}

func (r *configReader) wrong(n ast.Node, path, say string, args ...any) {
	line := 0
	if t := n.GetToken(); t != nil && t.Position != nil {
		line = t.Position.Line
	}
	if path == "" {
		path = "(top)"
	}
	r.problems = append(r.problems, Problem{path, line, fmt.Sprintf(say, args...)})
}

func (r *configReader) read(n ast.Node, v reflect.Value, path string) {
	if _, null := n.(*ast.NullNode); null {
		return
	}
	if s, ok := v.Addr().Interface().(*SecretConfig); ok {
		r.readSecret(n, s, path)
		return
	}
	switch {
	case v.Type() == reflect.TypeFor[billing.Decimal]():
		r.readDecimal(n, v, path)
	case v.Type() == reflect.TypeFor[billing.Currency]():
		r.readCurrency(n, v, path)
	case v.Kind() == reflect.Struct:
		r.readStruct(n, v, path)
	case v.Kind() == reflect.Slice:
		r.readSlice(n, v, path)
	case v.Kind() == reflect.Map:
		r.readMap(n, v, path)
	default:
		r.readScalar(n, v, path)
	}
}

func pairs(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

func (r *configReader) readStruct(n ast.Node, v reflect.Value, path string) {
	values, ok := pairs(n)
	if !ok {
		r.wrong(n, path, "expected keys with values here")
		return
	}
	fields := map[string]reflect.Value{}
	for i := range v.NumField() {
		fields[v.Type().Field(i).Tag.Get("yaml")] = v.Field(i)
	}
	seen := map[string]bool{}
	for _, p := range values {
		key := keyOf(p)
		at := join(path, key)
		field, known := fields[key]
		switch {
		case !known:
			r.wrong(p.Key, at, "unknown key%s", nearest(key, fields))
		case seen[key]:
			r.wrong(p.Key, at, "given twice")
		default:
			seen[key] = true
			r.read(p.Value, field, at)
		}
	}
}

func (r *configReader) readMap(n ast.Node, v reflect.Value, path string) {
	values, ok := pairs(n)
	if !ok {
		r.wrong(n, path, "expected keys with values here")
		return
	}
	m := reflect.MakeMap(v.Type())
	for _, p := range values {
		elem := reflect.New(v.Type().Elem()).Elem()
		r.read(p.Value, elem, join(path, keyOf(p)))
		m.SetMapIndex(reflect.ValueOf(keyOf(p)), elem)
	}
	v.Set(m)
}

func (r *configReader) readSlice(n ast.Node, v reflect.Value, path string) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		r.wrong(n, path, "expected a list here")
		return
	}
	for i, item := range seq.Values {
		elem := reflect.New(v.Type().Elem()).Elem()
		r.read(item, elem, fmt.Sprintf("%s[%d]", path, i))
		v.Set(reflect.Append(v, elem))
	}
}

// scalar gives the text of a plain value.
func scalar(n ast.Node) (string, bool) {
	if _, ok := n.(ast.ScalarNode); !ok {
		return "", false
	}
	if s, ok := n.(*ast.StringNode); ok {
		return s.Value, true
	}
	if s, ok := n.(*ast.LiteralNode); ok {
		return s.Value.Value, true
	}
	return n.GetToken().Value, true
}

func (r *configReader) readScalar(n ast.Node, v reflect.Value, path string) {
	s, ok := scalar(n)
	if !ok {
		r.wrong(n, path, "expected one value here")
		return
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := u.UnmarshalText([]byte(s)); err != nil {
			r.wrong(n, path, "%v", err)
		}
		return
	}
	if v.Kind() == reflect.Bool {
		if s != "true" && s != "false" {
			r.wrong(n, path, "%q is neither true nor false", s)
		}
		v.SetBool(s == "true")
		return
	}
	v.SetString(s)
}

func (r *configReader) readDecimal(n ast.Node, v reflect.Value, path string) {
	s, ok := scalar(n)
	d, err := billing.ParseDecimal(s)
	if !ok || err != nil {
		r.wrong(n, path, "%q is not a number; write it like 7.12", s)
		return
	}
	v.Set(reflect.ValueOf(d))
}

func (r *configReader) readCurrency(n ast.Node, v reflect.Value, path string) {
	s, _ := scalar(n)
	c, err := billing.ParseCurrency(s)
	if err != nil {
		r.wrong(n, path, "%v", err)
		return
	}
	v.Set(reflect.ValueOf(c))
}

func (r *configReader) readSecret(n ast.Node, s *SecretConfig, path string) {
	if text, ok := scalar(n); ok {
		name, ok := envName(text)
		if !ok && r.plain[path[strings.LastIndexByte(path, '.')+1:]] && strings.Contains(path, ".credentials.") {
			s.Plain = text
			return
		}
		if !ok {
			r.wrong(n, path, "a secret is never written here; give ${ENV}, {file: PATH} or {exec: COMMAND}")
			return
		}
		s.Env = name
		return
	}
	values, ok := pairs(n)
	if !ok {
		r.wrong(n, path, "expected ${ENV}, {file: PATH} or {exec: COMMAND} here")
		return
	}
	for _, p := range values {
		text, ok := scalar(p.Value)
		switch key := keyOf(p); {
		case !ok || text == "":
			r.wrong(p.Value, join(path, key), "expected one value here")
		case key == "file":
			s.File = text
		case key == "exec":
			s.Exec = text
		default:
			r.wrong(p.Key, join(path, key), "unknown key; a secret is {file: PATH} or {exec: COMMAND}")
		}
	}
	if s.File != "" && s.Exec != "" {
		r.wrong(n, path, "give file or exec, not both")
	}
}

func keyOf(p *ast.MappingValueNode) string {
	if s, ok := p.Key.(ast.Node).(*ast.StringNode); ok {
		return s.Value
	}
	return p.Key.GetToken().Value
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// nearest names the known key that was probably meant.
func nearest[V any](key string, known map[string]V) string {
	names := make([]string, 0, len(known))
	for k := range known {
		names = append(names, k)
	}
	sort.Strings(names)
	best, least := "", len(key)/2+2
	for _, k := range names {
		if d := distance(key, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return "; known here: " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// distance counts the letters to insert, drop or change between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := diagonal
			if a[i-1] != b[j-1] {
				change++
			}
			diagonal = row[j]
			row[j] = min(change, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
