package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// faultsOf lists what the house forbids in one file: init functions, package-level variables that can change, and
// clocks read where no clock belongs.
func faultsOf(path, room string, f *ast.File) []string {
	var faults []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				faults = append(faults, path+": init function")
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				faults = append(faults, mutable(path, d)...)
			}
		}
	}
	if !clockAllowed(path, room) {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && s.Sel.Name == "Now" {
					faults = append(faults, path+": reads the clock; take now as a parameter")
				}
			}
			return true
		})
	}
	return faults
}

// mutable finds package-level variables that are neither errors, interface checks, embedded files nor compiled patterns.
func mutable(path string, d *ast.GenDecl) []string {
	embedded := false
	if d.Doc != nil {
		for _, c := range d.Doc.List {
			embedded = embedded || strings.HasPrefix(c.Text, "//go:embed")
		}
	}
	var faults []string
	for _, s := range d.Specs {
		v := s.(*ast.ValueSpec)
		for i, name := range v.Names {
			switch {
			case name.Name == "_", embedded, strings.HasPrefix(name.Name, "Err"), strings.HasPrefix(name.Name, "err"):
			case i < len(v.Values) && constantCall(v.Values[i]):
			default:
				faults = append(faults, path+": package-level variable "+name.Name)
			}
		}
	}
	return faults
}

// constantCall says that a value is made once and cannot change: errors.New, regexp.MustCompile, strings.NewReplacer.
func constantCall(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && (x.Name == "errors" && s.Sel.Name == "New" || x.Name == "regexp" && s.Sel.Name == "MustCompile" ||
		x.Name == "strings" && s.Sel.Name == "NewReplacer")
}

// clockAllowed names the files that may read a clock: the program's seam, the bounds of writes, and what measures
// sockets and Slack's own limits, which always run in real time.
func clockAllowed(path, room string) bool {
	path = filepath.ToSlash(path)
	return room == "cmd" || strings.HasSuffix(path, "_test.go") ||
		strings.HasPrefix(path, root+"/storage/") ||
		strings.HasPrefix(path, root+"/bot/slack/") || strings.HasPrefix(path, root+"/bot/localslack/") ||
		strings.HasPrefix(path, root+"/billing/providers/internal/httpx/")
}

func TestHouseRules(t *testing.T) {
	goFiles(t, func(path, room string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range faultsOf(path, room, f) {
			t.Error(fault)
		}
	})
}

func TestHouseFaultsAreFound(t *testing.T) {
	src := "package x\nimport \"time\"\nvar table = map[string]int{}\nfunc init() {}\nfunc f() { _ = time.Now() }\n"
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if got := faultsOf(root+"/notify/x.go", "notify", f); len(got) != 3 {
		t.Errorf("found %q, want an init function, a variable and a clock", got)
	}
}
