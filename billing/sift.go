package billing

// Sifter is a provider that leaves out of its listings what nobody asked to watch: an account of a general cloud may
// hold a whole company.
type Sifter interface {
	// Remember names what was seen to have, or to be on a machine with, a GPU. It stays watched, whatever it hangs on
	// now: without that, a disk moved to another machine would look gone.
	Remember(refs []ResourceRef)
	// LeftOut counts what the last complete listing of a scope left out; 0 where none was made yet.
	LeftOut(s Scope) int
}
