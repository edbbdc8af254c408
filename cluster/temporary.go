package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"tiro/disk"
)

// temporaryPrefix begins the names of temporary folders of servers.
const temporaryPrefix = "tiro-cluster-"

// temporary is a temporary folder, locked as long as its process lives.
type temporary struct {
	dir  string
	lock disk.Lock
}

// newTemporary makes a temporary folder, and removes those of processes that were killed.
func newTemporary() (*temporary, error) {
	dir, err := os.MkdirTemp("", temporaryPrefix)
	if err != nil {
		return nil, err
	}
	lock, err := disk.OS{}.Lock(lockOf(dir))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	t := &temporary{dir, lock}
	t.removeAbandoned()
	return t, nil
}

func lockOf(dir string) string { return filepath.Join(dir, "lock") }

// remove removes the folder.
func (t *temporary) remove() {
	_ = os.RemoveAll(t.dir)
	_ = t.lock.Close()
	_ = os.RemoveAll(t.dir) // Windows removes no open file
}

// removeAbandoned removes the temporary folders that nobody has locked, unless this system
// has no locks.
func (t *temporary) removeAbandoned() {
	if again, ok := abandonedAt(t.dir); ok {
		_ = again.lock.Close()
		return
	}
	entries, err := os.ReadDir(filepath.Dir(t.dir))
	if err != nil {
		return // they stay
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), temporaryPrefix) {
			continue
		}
		if other, ok := abandonedAt(filepath.Join(filepath.Dir(t.dir), e.Name())); ok {
			other.remove()
		}
	}
}

// abandonedAt returns the temporary folder at a path, locked, if nobody else has locked
// it. One without a lock has only just been made.
func abandonedAt(dir string) (t *temporary, ok bool) {
	if _, err := os.Lstat(lockOf(dir)); err != nil {
		return nil, false
	}
	lock, err := disk.OS{}.Lock(lockOf(dir))
	return &temporary{dir, lock}, err == nil
}
