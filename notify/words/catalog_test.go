package words

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/nicksnyder/go-i18n/v2/i18n"
)

var (
	gapPattern = regexp.MustCompile(`\{\{\s*\.([a-z_]+)(?:\.[A-Za-z]+)?\s*\}\}`)
	// An arm that starts with a word of our own lets "count" choose the form without being said.
	chooses = "count"
)

func gaps(s string) []string {
	var names []string
	for _, m := range gapPattern.FindAllStringSubmatch(s, -1) {
		if m[1] != chooses {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// forms lists the sentences of a message as written.
func forms(m *i18n.Message) []string {
	all := []string{m.Other}
	if m.One != "" {
		all = append(all, m.One)
	}
	return all
}

// Every key is in both languages, with the same gaps, and every form renders without leftovers.
func TestLanguagesAgree(t *testing.T) {
	b := book(t)
	for _, key := range b.Keys() {
		en, zh := b.messages[English][key], b.messages[Chinese][key]
		if en == nil || zh == nil {
			t.Errorf("%s: only in one language", key)
			continue
		}
		want := gaps(en.Other)
		for _, form := range append(forms(en), forms(zh)...) {
			if diff := cmp.Diff(want, gaps(form)); diff != "" && form != en.One {
				t.Errorf("%s: gaps differ (-en +other): %s", key, diff)
			}
			if form == "" {
				t.Errorf("%s: an empty sentence", key)
			}
			if left := gapPattern.ReplaceAllString(form, ""); strings.Contains(left, "{{") || strings.Contains(left, "}}") {
				t.Errorf("%s: a gap that is no plain name: %s", key, form)
			}
		}
	}
}

// Every sentence renders: no gap without a method, no template that fails.
func TestEverySentenceRenders(t *testing.T) {
	b := book(t)
	for _, lang := range Languages() {
		p := b.For(lang, shanghai, wednesday)
		for _, key := range b.Keys() {
			args := map[string]any{chooses: 1}
			for _, form := range forms(b.messages[lang][key]) {
				for _, name := range gaps(form) {
					args[name] = "x"
				}
			}
			got := string(p.render(key, args))
			if got == key || strings.ContainsAny(got, "{}") || strings.Contains(got, "<no value>") {
				t.Errorf("%s: %s renders as %q", lang, key, got)
			}
		}
	}
}

// English has no Chinese in it, and never a bare ¥, which is the yen, too.
func TestEnglishIsEnglish(t *testing.T) {
	b := book(t)
	for key, m := range b.messages[English] {
		for _, form := range forms(m) {
			for _, r := range form {
				if unicode.Is(unicode.Han, r) {
					t.Errorf("%s: Chinese in English: %s", key, form)
					break
				}
			}
			if strings.Contains(strings.ReplaceAll(form, "CN¥", ""), "¥") {
				t.Errorf("%s: a bare ¥: %s", key, form)
			}
		}
	}
}

// Rule 7 of the model messages, as far as letters can tell.
func TestChineseIsChinese(t *testing.T) {
	rules := []struct {
		name    string
		pattern string
	}{
		{"a word that is too polite or noisy", `您|请知悉|[！!]`},
		{"a translated word", `弹性块存储|烧钱|充钱`},
		{"half-width punctuation after Chinese", `\p{Han}[,;:?()]`},
		{"half-width punctuation before Chinese", `[,;:?(]\p{Han}`},
		{"no space between Chinese and Latin or digits", `\p{Han}[A-Za-z0-9$¥]|[A-Za-z0-9%]\p{Han}`},
		{"a space at full-width punctuation", `[^ ] [，。；：？、（）]|[，。；：？、（）] [^ ]`},
	}
	b := book(t)
	for _, rule := range rules {
		pattern := regexp.MustCompile(rule.pattern)
		for key, m := range b.messages[Chinese] {
			// A gap's edge is spaced when it is rendered.
			text := gapPattern.ReplaceAllString(strings.NewReplacer("*", "", "`", "").Replace(m.Other), "\u2060")
			if found := pattern.FindString(text); found != "" {
				t.Errorf("%s: %s: %q in %s", key, rule.name, found, m.Other)
			}
		}
	}
}
