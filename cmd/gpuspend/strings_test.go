package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"gpuspend/billing"
	"gpuspend/notify/rules"
)

// sentence is one entry of the catalogues: its gaps in every language and form, and whether a count chooses its form.
type sentence struct {
	gaps   []string
	plural bool
	langs  map[string]bool
}

// sentences reads the catalogues as they lie there, by key.
func sentences(t *testing.T) map[string]*sentence {
	t.Helper()
	files, err := filepath.Glob(root + "/notify/words/catalog/*.yaml")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d catalogues, %v", len(files), err)
	}
	gap := regexp.MustCompile(`\{\{\s*\.([a-z_]+)`)
	all := map[string]*sentence{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var entries map[string]any
		if err := yaml.Unmarshal(b, &entries); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		lang := strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(file, ".yaml")), ".")
		for key, v := range entries {
			s := all[key]
			if s == nil {
				s = &sentence{langs: map[string]bool{}}
				all[key] = s
			}
			s.langs[lang] = true
			_, forms := v.(map[string]any)
			s.plural = s.plural || forms
			for _, m := range gap.FindAllStringSubmatch(fmt.Sprint(v), -1) {
				if !slices.Contains(s.gaps, m[1]) {
					s.gaps = append(s.gaps, m[1])
				}
			}
		}
	}
	return all
}

// keyPattern is what a key, or the front of one, looks like; whether a literal is one, its beginning decides.
var keyPattern = regexp.MustCompile(`^[a-z]+(\.[a-z0-9_]+)*\.?$`)

// saying is one literal key in the code, with the call that it is an argument of; nil where there is none.
type saying struct {
	where string
	key   string
	call  *ast.CallExpr
	said  bool // the argument of a function that looks keys up: it must be one, however it begins
}

// sayings finds the keys in one file.
func sayings(path string, f *ast.File, files *token.FileSet, fronts map[string]bool) []saying {
	var found []saying
	in := map[*ast.BasicLit]*ast.CallExpr{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field:
			return false // paths, and tags of structs
		case *ast.CallExpr:
			for _, a := range n.Args {
				if lit, ok := a.(*ast.BasicLit); ok {
					in[lit] = n
				}
			}
		case *ast.BasicLit:
			s, err := strconv.Unquote(n.Value)
			if n.Kind != token.STRING || err != nil || !keyPattern.MatchString(s) {
				return true
			}
			call := in[n]
			said := call != nil && slices.Contains([]string{"Say", "Text", "Rich"}, called(call)) && call.Args[0] == ast.Expr(n) ||
				call != nil && slices.Contains([]string{"say", "unclear"}, called(call)) && len(call.Args) > 1 && call.Args[1] == ast.Expr(n)
			if front, _, dotted := strings.Cut(s, "."); said || dotted && fronts[front] {
				found = append(found, saying{fmt.Sprintf("%s:%d", path, files.Position(n.Pos()).Line), s, call, said})
			}
		}
		return true
	})
	return found
}

// called is the bare name of the function of a call.
func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// speaking are the packages in which sentences for people are born. localslack speaks as Slack does.
func speaking(path string) bool {
	return !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "/localslack/") && !strings.Contains(path, "/internal/contract/") &&
		!strings.Contains(path, "/internal/fixture/") && !strings.Contains(path, "/internal/scene/")
}

// unsaid lists what is wrong with the sayings of one file: keys that are in no catalogue, or not in both, and gaps that
// nobody fills. It marks what is used.
func unsaid(all map[string]*sentence, found []saying, used map[string]bool) []string {
	var faults []string
	for _, s := range found {
		known := all[s.key]
		switch {
		case known != nil:
			used[s.key] = true
			for _, lang := range []string{"en", "zh"} {
				if !known.langs[lang] {
					faults = append(faults, s.where+": "+s.key+" is not in the catalogues of "+lang)
				}
			}
			for _, name := range unfilled(known, s) {
				faults = append(faults, s.where+": "+s.key+" is said without "+name)
			}
		default: // the front of keys whose end is known at run time
			n := 0
			for key := range all {
				if strings.HasPrefix(key, strings.TrimSuffix(s.key, ".")+".") {
					used[key] = true
					n++
				}
			}
			if n == 0 || s.said && !strings.HasSuffix(s.key, ".") {
				faults = append(faults, s.where+": "+s.key+" is in no catalogue")
			}
		}
	}
	return faults
}

// unfilled lists the gaps that a call leaves open, as far as its literals tell.
func unfilled(known *sentence, s saying) []string {
	if s.call == nil || s.call.Ellipsis.IsValid() || !s.said {
		return nil
	}
	need := slices.Clone(known.gaps)
	if known.plural && !slices.Contains(need, "count") {
		need = append(need, "count")
	}
	return slices.DeleteFunc(need, func(name string) bool {
		return slices.ContainsFunc(s.call.Args, func(a ast.Expr) bool {
			lit, ok := a.(*ast.BasicLit)
			return ok && lit.Value == strconv.Quote(name)
		})
	})
}

// Every key that is said is in both catalogues with its gaps filled, and every sentence is said somewhere.
func TestEverySentenceIsSaidAndThere(t *testing.T) {
	all, used := sentences(t), map[string]bool{}
	fronts := map[string]bool{}
	for key := range all {
		front, _, _ := strings.Cut(key, ".")
		fronts[front] = true
	}
	n := 0
	goFiles(t, func(path, room string) {
		if !speaking(path) || room == "cmd" && strings.HasPrefix(filepath.Base(path), "config") {
			return // a configuration's paths look like keys
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		found := sayings(path, f, files, fronts)
		n += len(found)
		for _, fault := range unsaid(all, found, used) {
			t.Error(fault)
		}
	})
	if n < 300 {
		t.Errorf("found only %d sayings: the search is broken", n)
	}
	for _, kind := range []billing.ErrorKind{billing.Unknown, billing.Auth, billing.Denied, billing.Missing, billing.Limited, billing.Upstream, billing.Conflict, billing.Invalid, billing.Absent} {
		if key := "error." + string(kind); all[key] == nil {
			t.Errorf("%s is in no catalogue", key)
		}
	}
	for _, r := range rules.All() {
		used[r.Title.Key] = true
	}
	for key := range all {
		if !used[key] {
			t.Errorf("%s: nobody says it", key)
		}
	}
}

// escaped finds English that is put into a message without passing through the catalogues: literals with words in them
// among the arguments of notify's makers, or in the fields of messages, buttons and forms. What people type is the same
// in every language.
func escaped(path string, f *ast.File, files *token.FileSet) []string {
	word := regexp.MustCompile(`[A-Za-z]{2}|\p{Han}`)
	var faults []string
	flag := func(e ast.Expr) {
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr: // what it is given it judges itself: a key, a name of a gap, an action
				return slices.Contains([]string{"Plain", "Bold", "Code", "Rich", "Sprintf", "Sprint", "Join"}, called(n)) && !looksUp(n)
			case *ast.IndexExpr, *ast.FuncLit, *ast.CompositeLit:
				return false
			case *ast.BasicLit:
				if s, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && word.MatchString(s) && !strings.HasPrefix(s, "/gpu ") {
					faults = append(faults, fmt.Sprintf("%s:%d: %s is said without the catalogues", path, files.Position(n.Pos()).Line, n.Value))
				}
			}
			return true
		})
	}
	// A variable may end up in a message or not, so that there only several words together count.
	phrases := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && regexp.MustCompile(`\p{L}{2} \p{L}{2}`).MatchString(lit.Value) {
			flag(lit)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Rhs {
				phrases(e)
			}
		case *ast.ReturnStmt:
			for _, e := range n.Results {
				phrases(e)
			}
		case *ast.CallExpr:
			if x, ok := n.Fun.(*ast.Ident); ok && (x.Name == "headed" || x.Name == "fitting") {
				for _, a := range n.Args {
					flag(a)
				}
			}
			if x, ok := n.Fun.(*ast.SelectorExpr); ok && fmt.Sprint(x.X) == "notify" && slices.Contains([]string{"Plain", "Bold", "Code", "Link", "Section", "Context", "Join", "Rich"}, x.Sel.Name) {
				for _, a := range n.Args {
					flag(a)
				}
			}
		case *ast.KeyValueExpr:
			if slices.Contains([]string{"Push", "Label", "Title", "Submit", "Close", "Hint", "Text"}, fmt.Sprint(n.Key)) {
				flag(n.Value)
			}
		}
		return true
	})
	return faults
}

// looksUp says that a call takes a key: p.Rich("bot.total") does, notify.Rich(s) does not.
func looksUp(c *ast.CallExpr) bool {
	x, ok := c.Fun.(*ast.SelectorExpr)
	return ok && (x.Sel.Name == "Rich" || x.Sel.Name == "Text") && fmt.Sprint(x.X) != "notify"
}

// No English, and no Chinese, reaches a message but through the catalogues.
func TestNoStringEscapesTranslation(t *testing.T) {
	n := 0
	goFiles(t, func(path, room string) {
		if room != "bot" && room != "notify" || !speaking(path) || strings.Contains(path, "/notifytest/") {
			return
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		n++
		for _, fault := range escaped(path, f, files) {
			t.Error(fault)
		}
	})
	if n < 40 {
		t.Errorf("looked into only %d files: the walk is broken", n)
	}
}

// The two searches find what they are made for.
func TestStringsThatEscapeAreFound(t *testing.T) {
	src := `package bot
func f(p P, n int) {
	_ = notify.Plain("no disk is free")
	_ = notify.Message{Push: fmt.Sprintf("%d disks", n), Blocks: nil}
	_ = bot.Option{Value: "stop", Label: "Stop"}
	_ = notify.Section(p.Rich("bot.total"), notify.Button{Label: p.Text("bot.no_such"), Action: "take"})
	title := "Nothing needs anybody"
	_ = p.Text("bot.words.command")
	_ = say(p, "nowhere.to.be.found")
	_ = billing.Say("bot.button." + x)
}`
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "x.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := escaped("x.go", f, files); len(got) != 4 {
		t.Errorf("found %q, want a sentence, a push line, a label and a title", got)
	}
	got := unsaid(sentences(t), sayings("x.go", f, files, map[string]bool{"bot": true}), map[string]bool{})
	for _, want := range []string{"bot.no_such is in no catalogue", "bot.words.command is said without word", "nowhere.to.be.found is in no catalogue"} {
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasSuffix(s, want) }) {
			t.Errorf("%q was not found in %q", want, got)
		}
	}
	if len(got) != 3 {
		t.Errorf("found %q, want 3", got)
	}
}
