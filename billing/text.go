package billing

// Text is a sentence that a person may read and that is born outside the chat: a key of the catalogues and what fills
// its gaps. notify/words renders it in the reader's language; nothing else turns it into words.
type Text struct {
	Key  string         `json:"key"`
	Args map[string]any `json:"args,omitempty"`
}

// Say makes a Text from a key and alternating names and values. A value may be a string, an integer, a Money, a
// Decimal, a time.Time, a time.Duration or another Text. It panics on an odd number of arguments or a name that is no
// string: both are faults of the caller, found by the first test that passes there.
func Say(key string, args ...any) Text {
	t := Text{Key: key}
	if len(args) == 0 {
		return t
	}
	t.Args = make(map[string]any, len(args)/2)
	for i := 0; i < len(args); i += 2 {
		t.Args[args[i].(string)] = args[i+1]
	}
	return t
}

// IsZero says that there is nothing to say.
func (t Text) IsZero() bool { return t.Key == "" }
