package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gpuspend/billing"
)

// writes says by what we know that an account's read key can write; nothing where it cannot, or nobody can tell. What
// the cloud tells of the key counts before what it offers at all. The release key is not opened for this: that both
// stand at the same place is enough.
func (w *ward) writes() (why []string) {
	var held []string
	for _, g := range w.grants {
		if g.Writes && g.Held == billing.Yes {
			held = append(held, g.Permission)
		}
	}
	if len(held) > 0 {
		why = append(why, "it holds "+strings.Join(held, ", "))
	}
	if w.driver.ReadKeys == billing.No {
		why = append(why, w.driver.Title+" offers no narrower one")
	}
	for _, f := range w.driver.Fields {
		if read := w.Config.Credentials.Read[f.Name]; f.Secret && read.Given() && read == w.Config.Credentials.Release[f.Name] {
			why = append(why, "it is the release key too")
			break
		}
	}
	return why
}

// writers names the accounts whose read keys can write, and the clouds that leave no choice.
func writers(out io.Writer, all []*ward) {
	var names, clouds []string
	for _, w := range all {
		if len(w.writes()) == 0 {
			continue
		}
		names = append(names, w.Config.Name)
		if title := w.driver.Title; w.driver.ReadKeys == billing.No && !slices.Contains(clouds, title) {
			clouds = append(clouds, title)
		}
	}
	if len(names) == 0 {
		return
	}
	_, _ = fmt.Fprintf(out, "Read keys that can write: %s.", strings.Join(names, ", "))
	if len(clouds) > 0 {
		_, _ = fmt.Fprintf(out, " No narrower key is offered by %s.", strings.Join(clouds, ", "))
	}
	_, _ = fmt.Fprintln(out)
}
