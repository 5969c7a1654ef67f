//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockStore keeps a second program from serving the same store: two would poll twice, and say everything twice. The
// lock ends with the process, however that ends.
func lockStore(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("another gpuspend works on %s; one store has one at a time", path)
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}
