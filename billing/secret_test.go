package billing

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"text/template"
)

const canary = "sk-CANARY-0123456789"

// No formatter gives a secret away, alone or inside other values, with whatever flags.
func TestSecretPrintsAsSecret(t *testing.T) {
	s := NewSecret(canary)
	for _, v := range []any{s, &s, struct{ Key Secret }{s}, []Secret{s}, map[string]Secret{"k": s}, map[Secret]int{s: 1}, Config{Fields: map[string]Secret{"k": s}}, fmt.Errorf("with %v", s)} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%t", "%T %v", "%40v", "%-40v", "%.3s", "%c", "%U", "%e", "%b", "%o", "%p"} {
			args := []any{v}
			if strings.Count(verb, "%") == 2 {
				args = append(args, v)
			}
			hides(t, fmt.Sprintf("%T with %s", v, verb), fmt.Sprintf(verb, args...))
		}
		hides(t, "Sprint", fmt.Sprint(v))
		hides(t, "Sprintln", fmt.Sprintln(v))
	}
	if got := fmt.Sprintf("%s %v %q", s, s, s); got != "[secret] [secret] [secret]" {
		t.Errorf("prints as %s", got)
	}
}

// hides fails where a text holds the secret, plain or in hexadecimal.
func hides(t *testing.T, how, text string) {
	t.Helper()
	for _, form := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%X", canary), fmt.Sprintf("% x", canary), fmt.Sprint([]byte(canary))} {
		if strings.Contains(text, form) {
			t.Errorf("%s gives %s", how, text)
		}
	}
}

// No marshaller and no logger gives it away either.
func TestSecretMarshalsAsSecret(t *testing.T) {
	s := NewSecret(canary)
	type holder struct {
		Key  Secret
		Keys []Secret
		Ptr  *Secret
	}
	h := holder{s, []Secret{s}, &s}
	j, err := json.Marshal(map[string]any{"h": h, "m": map[Secret]Secret{s: s}})
	if err != nil || !bytes.Contains(j, []byte(`"Key":"[secret]"`)) {
		t.Errorf("JSON is %s, %v", j, err)
	}
	hides(t, "JSON", string(j))
	x, err := xml.Marshal(h)
	if err != nil {
		t.Error(err)
	}
	hides(t, "XML", string(x))
	var b bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		slog.New(handler).With("with", s).Info("key", "key", s, "holder", h, "pointer", &s, "group", slog.GroupValue(slog.Any("k", s)))
	}
	if err := template.Must(template.New("").Parse("{{.Key}} {{printf \"%q\" .Key}} {{.Keys}}")).Execute(&b, h); err != nil {
		t.Error(err)
	}
	hides(t, "logs and templates", b.String())
	if s.Reveal() != canary || s.Empty() || !(Secret{}).Empty() {
		t.Error("Reveal does not give what was put in")
	}
}
