package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuspend/billing"
	"gpuspend/billing/providers"
	"gpuspend/bot"
	"gpuspend/notify/rules"
	"gpuspend/notify/words"
)

var update = flag.Bool("update", false, "rewrite the README's parts between markers")

// readmeParts makes every table of the README from what the program itself runs on.
func readmeParts(t *testing.T) map[string]string {
	t.Helper()
	book, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	p := book.For(words.English, time.UTC, time.Time{})
	return map[string]string{
		"commands":    commandTable(p),
		"alerts":      alertTable(p),
		"config":      configTable(),
		"clouds":      providers.Table("en", providers.All()),
		"permissions": permissionTable(),
		"credentials": credentialTable(),
		"program":     programTable(),
	}
}

func commandTable(p words.Printer) string {
	var b strings.Builder
	b.WriteString("| type | what it answers | who may |\n|---|---|---|\n")
	for _, c := range bot.Commands() {
		who := "viewers"
		if c.Role == bot.Operator {
			who = "operators"
		}
		fmt.Fprintf(&b, "| `/gpu %s` | %s | %s |\n", cell(c.Usage), cell(p.Say(c.Summary)), who)
	}
	return b.String()
}

func alertTable(p words.Printer) string {
	var b strings.Builder
	b.WriteString("| rule | what it says | default |\n|---|---|---|\n")
	for _, r := range rules.All() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name, cell(p.Say(r.Title)), cell(r.Default))
	}
	return b.String()
}

// configTable walks the configuration's type: a key that is added there is in the README or the test fails.
func configTable() string {
	var b strings.Builder
	b.WriteString("| key | what it is |\n|---|---|\n")
	configRows(&b, reflect.TypeFor[Config](), "")
	return b.String()
}

func configRows(b *strings.Builder, t reflect.Type, path string) {
	for i := range t.NumField() {
		f := t.Field(i)
		key := join(path, f.Tag.Get("yaml"))
		ft := f.Type
		switch ft.Kind() {
		case reflect.Slice:
			if ft.Elem().Kind() == reflect.Struct {
				key += "[]"
			}
			ft = ft.Elem()
		case reflect.Map:
			key += ".NAME"
			ft = ft.Elem()
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", key, cell(f.Tag.Get("doc")))
		if ft.Kind() == reflect.Struct && ft != reflect.TypeFor[SecretConfig]() && ft != reflect.TypeFor[billing.Decimal]() {
			configRows(b, ft, key)
		}
	}
}

func permissionTable() string {
	var b strings.Builder
	b.WriteString("| cloud | permission | for | key |\n|---|---|---|---|\n")
	for _, d := range providers.All() {
		for _, p := range d.Permissions {
			key := "read"
			if p.Write {
				key = "release"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", d.Title, cell(p.Name), p.For, key)
		}
	}
	return b.String()
}

func credentialTable() string {
	var b strings.Builder
	b.WriteString("| cloud | key | needed | what it is |\n|---|---|---|---|\n")
	for _, d := range providers.All() {
		for _, f := range d.Fields {
			needed, what := "", f.Help
			if f.Required {
				needed = "yes"
			}
			if !f.Secret {
				what += " No secret: may be written as it is."
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", d.Name, f.Name, needed, cell(what))
		}
	}
	return b.String()
}

func programTable() string {
	var b strings.Builder
	b.WriteString("| command | what it does |\n|---|---|\n")
	for _, c := range rootCommand().Commands() {
		if c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		fmt.Fprintf(&b, "| `gpuspend %s` | %s |\n", cell(c.Use), cell(c.Short))
	}
	return b.String()
}

func cell(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "|", "\\|") }

// withParts puts each table between its markers.
func withParts(readme []byte, parts map[string]string) ([]byte, error) {
	for name, text := range parts {
		open, end := "<!-- "+name+": made by the program -->\n", "<!-- /"+name+" -->"
		i := bytes.Index(readme, []byte(open))
		j := bytes.Index(readme, []byte(end))
		if i < 0 || j < i {
			return nil, fmt.Errorf("the README has no place for %s", name)
		}
		readme = bytes.Join([][]byte{readme[:i+len(open)], []byte(text), readme[j:]}, nil)
	}
	return readme, nil
}

func TestReadmeTablesAreTheProgram(t *testing.T) {
	have, err := os.ReadFile(root + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := withParts(bytes.Clone(have), readmeParts(t))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(root+"/README.md", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(string(have), string(want)); d != "" {
		t.Errorf("the README's tables are not what the program does; go test ./cmd/gpuspend -run Readme -update rewrites them:\n%s", d)
	}
}

func TestReadmeNoticesAChangedCommand(t *testing.T) {
	have := []byte("<!-- commands: made by the program -->\nold\n<!-- /commands -->")
	got, err := withParts(have, map[string]string{"commands": "new\n"})
	if err != nil || !bytes.Contains(got, []byte("new")) || bytes.Contains(got, []byte("old")) {
		t.Errorf("got %s, %v", got, err)
	}
}
