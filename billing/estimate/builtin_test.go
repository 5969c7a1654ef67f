package estimate

import "testing"

// Every built-in price is sound, dated and says where it is from.
func TestBuiltin(t *testing.T) {
	for _, r := range Builtin().Rows {
		if !r.sound() || r.AsOf.IsZero() || r.Source == "" {
			t.Errorf("%+v", r)
		}
	}
}
