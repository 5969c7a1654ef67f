package email

import (
	_ "embed"
	"html/template"
	"net/mail"
	"strings"

	"gpuspend/notify"
	"gpuspend/notify/markup"
)

//go:embed page.html
var pageText string

// domain is the one of a sender, for Message-IDs.
func domain(from string) string {
	a, err := mail.ParseAddress(from)
	if err != nil {
		return "gpuspend"
	}
	_, host, _ := strings.Cut(a.Address, "@")
	return host
}

// page is a message as HTML.
func page(m notify.Message, lang string) (*template.Template, any, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"rich":    func(r notify.Rich) template.HTML { return template.HTML(markup.Rich(r, style())) },
		"buttons": buttons,
		"side": func(c notify.Column) string {
			if c.Right {
				return "right"
			}
			return "left"
		},
	}).Parse(pageText)
	if len(m.Blocks) > 0 && m.Blocks[0].Text.String() == m.Push {
		m.Blocks = m.Blocks[1:]
	}
	return t, struct {
		Lang string
		notify.Message
	}{lang, m}, err
}

func buttons(all []notify.Button) []template.HTML {
	var out []template.HTML
	for _, s := range markup.Buttons(all, style()) {
		out = append(out, template.HTML(s))
	}
	return out
}

// style is HTML. Only web addresses become links.
func style() markup.Style {
	return markup.Style{
		Bold: func(s string) string { return "<b>" + s + "</b>" },
		Code: func(s string) string { return "<code>" + s + "</code>" },
		Link: func(text, url string) string {
			if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") {
				return text
			}
			return `<a href="` + template.HTMLEscapeString(url) + `">` + text + "</a>"
		},
		Escape: func(s string) string { return strings.ReplaceAll(template.HTMLEscapeString(s), "\n", "<br>") },
	}
}
