package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// root is the project's folder, from the folder of this package.
const root = "../.."

// mayImport is the table of design: which rooms each room may import of ours.
func mayImport(room string) []string {
	switch room {
	case "billing":
		return []string{"billing"}
	case "notify":
		return []string{"billing", "notify"}
	case "storage":
		return []string{"billing", "notify", "storage"}
	case "bot":
		return []string{"billing", "notify", "bot"}
	case "cmd":
		return []string{"billing", "notify", "storage", "bot", "cmd"}
	}
	return nil
}

// goFiles walks the project's Go files; a child process of the go command would get cached passes.
func goFiles(t *testing.T, visit func(path, room string)) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || d.Name() == "testdata" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			n++
			visit(path, strings.Split(filepath.ToSlash(rel), "/")[0])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 50 {
		t.Fatalf("walked only %d Go files: the walk is broken", n)
	}
}

func TestImportDirection(t *testing.T) {
	goFiles(t, func(path, room string) {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			for _, fault := range wrongImport(path, room, name) {
				t.Error(fault)
			}
		}
	})
}

// wrongImport says what is wrong with one import of one file.
func wrongImport(path, room, name string) []string {
	var faults []string
	if ours, ok := strings.CutPrefix(name, "gpuspend/"); ok {
		target := strings.Split(ours, "/")[0]
		allowed := false
		for _, r := range mayImport(room) {
			allowed = allowed || r == target
		}
		if !allowed {
			faults = append(faults, path+": room "+room+" may not import "+name)
		}
	}
	bare := filepath.ToSlash(filepath.Dir(path)) == root+"/billing"
	if bare && !strings.HasSuffix(path, "_test.go") && strings.Contains(strings.Split(name, "/")[0], ".") {
		faults = append(faults, path+": package billing stands on the standard library alone, not on "+name)
	}
	return faults
}

func TestWrongImportIsFound(t *testing.T) {
	for _, c := range []struct{ path, room, name string }{
		{root + "/bot/x.go", "bot", "gpuspend/storage"},
		{root + "/storage/x.go", "storage", "gpuspend/bot/blocks"},
		{root + "/billing/x.go", "billing", "gpuspend/notify"},
		{root + "/billing/x.go", "billing", "github.com/slack-go/slack"},
	} {
		if len(wrongImport(c.path, c.room, c.name)) == 0 {
			t.Errorf("%s importing %s went unseen", c.path, c.name)
		}
	}
}

func TestRootHoldsOnlyItsRooms(t *testing.T) {
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	known := " cmd bot billing notify storage go.mod go.sum README.md LICENSE "
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !strings.Contains(known, " "+e.Name()+" ") {
			t.Errorf("%s does not belong at the top", e.Name())
		}
	}
}
