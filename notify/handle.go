package notify

import (
	"crypto/sha256"
	"strings"
)

// handleLetters are those of resources' handles: none is read as another, and no handle is a word.
const handleLetters = "346789bcdfghjkmnpqrtvwxy"

// Handle is the short name of an alert, such as "a-7k2f", for people who have no button to press. It is made of the
// fingerprint, so that a message can name it before its alert is stored. Two may share one: then people are asked.
func Handle(fingerprint string) string {
	sum := sha256.Sum256([]byte(fingerprint))
	letters := make([]byte, 4)
	for i := range letters {
		letters[i] = handleLetters[int(sum[i])%len(handleLetters)]
	}
	return "a-" + string(letters)
}

// TidyHandle is an alert's handle as people type it: in capitals, without "a-".
func TidyHandle(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if !strings.HasPrefix(s, "a-") {
		s = "a-" + s
	}
	return s
}
