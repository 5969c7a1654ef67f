package notify

import "testing"

// A name can neither format nor break out of its marks.
func TestRichKeepsNamesPlain(t *testing.T) {
	tests := []struct {
		got  Rich
		want string
	}{
		{Plain("a\ue000b\x00c\nd"), "abc\nd"},
		{Bold("x\ue001y"), "xy"},
		{Code("`r`"), "`r`"},
		{Link("text\ue006", "https://a.example/\ue005"), "text"},
		{Join(", ", "a", "", "b"), "a, b"},
	}
	for _, tt := range tests {
		if tt.got.String() != tt.want {
			t.Errorf("%q reads %q, want %q", string(tt.got), tt.got.String(), tt.want)
		}
	}
	if got, want := string(Link("t", "u")), "\ue004u\ue005t\ue006"; got != want {
		t.Errorf("a link is %q, want %q", got, want)
	}
}
