package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuspend/notify/rules"
)

// keysIn lists the literals of a folder's Go files that look like keys, or like the front of some.
func keysIn(t *testing.T, dir string) []string {
	t.Helper()
	pattern := regexp.MustCompile(`^(notify|words|kind|state|part|mode|reading|rule|error)\.[a-z_.]*$`)
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %d files", dir, err, len(paths))
	}
	var out []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil && pattern.MatchString(s) {
					out = append(out, s)
				}
			}
			return true
		})
	}
	return out
}

// Every key that warnings use is in the catalogues, and nothing of theirs lies there unused.
func TestKeysOfWarningsAreUsedAndThere(t *testing.T) {
	b := book(t)
	used := append(keysIn(t, "."), keysIn(t, "../rules")...)
	all := b.Keys()
	for _, key := range used {
		front := slices.ContainsFunc(all, func(k string) bool { return strings.HasPrefix(k, key) })
		if strings.HasSuffix(key, ".") && !front || !strings.HasSuffix(key, ".") && !b.Has(key) {
			t.Errorf("%s is in no catalogue", key)
		}
	}
	for _, key := range all {
		if !strings.HasPrefix(key, "notify.") && !strings.HasPrefix(key, "rule.") {
			continue
		}
		// "notify.because.unattached_at_least" is made of a front and what is known at run time.
		if !slices.Contains(used, key) && !slices.ContainsFunc(used, func(u string) bool {
			return strings.HasSuffix(u, ".") && strings.HasPrefix(key, u)
		}) {
			t.Errorf("%s is used by no warning", key)
		}
	}
	for _, r := range rules.All() {
		if !b.Has(r.Title.Key) {
			t.Errorf("rule %s: its title %s is in no catalogue", r.Name, r.Title.Key)
		}
	}
}
