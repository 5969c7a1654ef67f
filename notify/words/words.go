// Package words turns keys and values into sentences: English and Simplified Chinese, with each language's way to write
// money, dates and durations.
package words

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"

	"gpuspend/billing"
	"gpuspend/notify"
)

// The languages.
const (
	English = "en"
	Chinese = "zh"
)

// Languages lists them, the one to fall back to first.
func Languages() []string { return []string{English, Chinese} }

// Language picks the language for a locale such as "zh-CN" or "en_GB".
func Language(locale string) string {
	tag, err := language.Parse(strings.ReplaceAll(locale, "_", "-"))
	if err != nil {
		return English
	}
	if base, _ := tag.Base(); base.String() == Chinese {
		return Chinese
	}
	return English
}

// The catalogues: pairs of files, <subject>.en.yaml and <subject>.zh.yaml. A sentence may mark *bold*, `code` and
// [text](address); what is put into its gaps is never read for marks.
//
//go:embed catalog/*.yaml
var catalogs embed.FS

// Book holds the catalogues. Make one with New and share it: it never changes.
type Book struct {
	printers map[string]*i18n.Localizer
	messages map[string]map[string]*i18n.Message // by language and key, as written
}

// New loads the catalogues. It fails with the file and key that can't be read.
func New() (*Book, error) { return load(catalogs) }

func load(files fs.FS) (*Book, error) {
	bundle := i18n.NewBundle(language.English)
	b := &Book{printers: map[string]*i18n.Localizer{}, messages: map[string]map[string]*i18n.Message{}}
	paths, err := fs.Glob(files, "catalog/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("load catalogues: %w", err)
	}
	for _, path := range paths {
		if err := b.read(bundle, files, path); err != nil {
			return nil, fmt.Errorf("load catalogue %s: %w", path, err)
		}
	}
	for _, lang := range Languages() {
		b.printers[lang] = i18n.NewLocalizer(bundle, lang)
	}
	return b, nil
}

func (b *Book) read(bundle *i18n.Bundle, files fs.FS, path string) error {
	text, err := fs.ReadFile(files, path)
	if err != nil {
		return err
	}
	file, err := i18n.ParseMessageFileBytes(text, path, map[string]i18n.UnmarshalFunc{"yaml": unmarshal})
	if err != nil {
		return err
	}
	lang := file.Tag.String()
	if !slices.Contains(Languages(), lang) {
		return fmt.Errorf("language %q is none of %s", lang, strings.Join(Languages(), ", "))
	}
	known := b.messages[lang]
	if known == nil {
		known = map[string]*i18n.Message{}
		b.messages[lang] = known
	}
	for _, m := range file.Messages {
		if known[m.ID] != nil {
			return fmt.Errorf("%s is there twice", m.ID)
		}
		written := *m
		known[m.ID] = &written
		if err := mark(m); err != nil {
			return fmt.Errorf("%s: %w", m.ID, err)
		}
	}
	return bundle.AddMessages(file.Tag, file.Messages...)
}

func unmarshal(data []byte, v any) error { return yaml.Unmarshal(data, v) }

// mark turns the marks of a message's forms into those of notify.Rich.
func mark(m *i18n.Message) (err error) {
	if m.Other, err = markup(m.Other); err != nil {
		return err
	}
	m.One, err = markup(cmp.Or(m.One, m.Other))
	return err
}

// Keys lists the keys of every catalogue, sorted.
func (b *Book) Keys() []string {
	all := map[string]bool{}
	for _, messages := range b.messages {
		for key := range messages {
			all[key] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Has says whether a key is in the catalogues.
func (b *Book) Has(key string) bool { return b.messages[English][key] != nil }

// Printer writes in one language, for readers in one zone, at one instant ("today" needs one).
type Printer struct {
	Lang string
	Zone *time.Location
	Now  time.Time
	book *Book
}

// For makes a printer. A language that is none of ours is English, a nil zone is UTC.
func (b *Book) For(lang string, zone *time.Location, now time.Time) Printer {
	if lang != Chinese {
		lang = English
	}
	if zone == nil {
		zone = time.UTC
	}
	return Printer{Lang: lang, Zone: zone, Now: now, book: b}
}

// Say renders a sentence as plain text; "" where there is none.
func (p Printer) Say(t billing.Text) string { return p.Sentence(t).String() }

// Sentence renders a sentence with its marks.
func (p Printer) Sentence(t billing.Text) notify.Rich {
	if t.IsZero() {
		return ""
	}
	return p.render(t.Key, t.Args)
}

// Text renders a key with alternating names and values as plain text, for buttons and push lines.
func (p Printer) Text(key string, args ...any) string { return p.Rich(key, args...).String() }

// Rich renders a key with alternating names and values. Values are those of billing.Say, and notify.Rich beside them.
func (p Printer) Rich(key string, args ...any) notify.Rich {
	return p.Sentence(billing.Say(key, args...))
}

// render fills a sentence. A key that no catalogue has stands for itself: worse than a sentence, better than nothing.
func (p Printer) render(key string, args map[string]any) notify.Rich {
	values := make(map[string]value, len(args))
	for name, v := range args {
		values[name] = value{p, v}
	}
	config := &i18n.LocalizeConfig{MessageID: key, TemplateData: values}
	if n, ok := whole(args["count"]); ok {
		config.PluralCount = n
	}
	s, err := p.book.printers[p.Lang].Localize(config)
	if err != nil && s == "" {
		return notify.Plain(key)
	}
	return settle(s)
}

// whole reads a count, which chooses between singular and plural. Stored texts have their counts from JSON.
func whole(v any) (int, bool) {
	switch n := v.(type) {
	case int:
		return n, true
	case int64:
		return int(n), true
	case float64:
		return int(n), n == float64(int(n))
	}
	return 0, false
}
