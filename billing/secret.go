package billing

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

// Secret is a credential. It prints as [secret] through every formatter, marshaller and logger; only Reveal gives it.
// It is kept behind a pointer for those who ask no method: %p, for one, prints what it finds in a struct. Two secrets
// are therefore not to be compared with ==.
type Secret struct{ value *string }

const hidden = "[secret]"

// NewSecret wraps a credential as soon as it is read.
func NewSecret(s string) Secret { return Secret{value: &s} }

// Reveal gives the credential itself. Call it where the request is signed and nowhere else.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// Empty says that no credential was given.
func (s Secret) Empty() bool { return s.Reveal() == "" }

func (s Secret) String() string { return hidden }

// Format keeps every verb, %q, %x and %#v included, from showing the value.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// GoString serves %#v inside other values.
func (s Secret) GoString() string { return hidden }

// LogValue serves slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText serves XML, YAML and map keys.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// MarshalJSON serves encoding/json.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(hidden) }
