package bot_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gpuspend/notify/words"
)

var keyPattern = regexp.MustCompile(`"((?:bot|cmd)\.[a-z0-9_.]+)"`)

// Every key that the code says is in the catalogues, and no sentence of ours is there that nobody says.
func TestKeys(t *testing.T) {
	w, err := words.New()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	var prefixes []string // the code adds a word to these
	files, _ := filepath.Glob("*.go")
	more, _ := filepath.Glob("slack/*.go")
	for _, f := range append(files, more...) {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		source, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range keyPattern.FindAllStringSubmatch(string(source), -1) {
			used[m[1]] = true
			if strings.HasSuffix(m[1], ".") || strings.HasPrefix(m[1], "bot.progress.") {
				prefixes = append(prefixes, strings.TrimSuffix(m[1], ".")+".")
			}
		}
	}
	said := func(key string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(key, p) {
				return true
			}
		}
		return used[key]
	}
	known := map[string]bool{}
	for _, key := range w.Keys() {
		if known[key] = true; (strings.HasPrefix(key, "bot.") || strings.HasPrefix(key, "cmd.")) && !said(key) {
			t.Errorf("%s: nobody says it", key)
		}
	}
	for key := range used {
		if strings.HasSuffix(key, ".") || strings.HasPrefix(key, "bot.progress.") {
			continue
		}
		if !known[key] {
			t.Errorf("%s: in no catalogue", key)
		}
	}
}
