package storage

import (
	"strings"

	"gpuspend/billing"
)

// handleLetters leave out what is read as something else (0 o 1 i l, 2 z, 5 s) and the vowels, so that no handle is a
// word.
const handleLetters = "346789bcdfghjkmnpqrtvwxy"

// handle is the short name of a resource, such as "r-7k3f": four letters for the first 331,776, then five. Neighbours
// differ in every place, so that a slip of one letter seldom meets another resource of the day.
func handle(id billing.ResourceID) string {
	const base = int64(len(handleLetters))
	n, length, room := int64(id)-1, 4, base*base*base*base
	for n >= room {
		n, length, room = n-room, length+1, room*base
	}
	// A multiplier without a factor in common with room makes each number another one of the same range. It must stay
	// small enough for n*stride to fit, which it does up to eight letters: 1e11 resources.
	const stride = 14_706_125
	n = n % room * (stride % room) % room
	letters := make([]byte, length)
	for i := range letters {
		letters[length-1-i] = handleLetters[n%base]
		n /= base
	}
	return "r-" + string(letters)
}

// tidyHandle is a handle as people type it: in capitals, without "r-", with spaces around.
func tidyHandle(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if !strings.HasPrefix(s, "r-") {
		s = "r-" + s
	}
	return s
}
