package disktest_test

import (
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
)

// writer replaces a file; the ones below leave out one step each.
type writer func(fsys disk.FS, path, text string) error

func whole(fsys disk.FS, path, text string) error {
	return disk.WriteFile(fsys, path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// without returns a writer that replaces a file in steps, without those named.
func without(steps ...disktest.Kind) writer {
	has := func(step disktest.Kind) bool {
		for _, s := range steps {
			if s == step {
				return false
			}
		}
		return true
	}
	return func(fsys disk.FS, path, text string) error {
		beside := path
		if has(disktest.Rename) {
			beside += disk.Unfinished
		} else if err := fsys.Remove(path); err != nil {
			return err
		}
		file, err := fsys.Create(beside)
		if err != nil {
			return err
		}
		_, err = io.WriteString(file, text)
		if has(disktest.Sync) {
			err = errors.Join(err, file.Sync())
		}
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
		if has(disktest.Rename) {
			if err := fsys.Rename(beside, path); err != nil {
				return err
			}
		}
		if has(disktest.SyncDir) {
			return fsys.SyncDir(filepath.Dir(path))
		}
		return nil
	}
}

// faults cuts the power at each operation of write in turn. It counts how often the file has
// neither its old nor its new content (torn), and how often it has its old content although write
// has returned (lost).
func faults(t testing.TB, write writer) (torn, lost int) {
	rng := newRand(5)
	for k := 0; ; k++ {
		for _, part := range []disktest.Part{disktest.None, disktest.Half, disktest.All} {
			fsys := disktest.New()
			put(t, fsys, "a", "old", true)
			require.NoError(t, fsys.SyncDir("."))
			begun := fsys.Ops()
			fsys.Hook = func(op disktest.Op) disktest.Verdict {
				if op.N == begun+k {
					return disktest.Verdict{Do: part, Crash: true}
				}
				return disktest.Verdict{}
			}
			err := write(fsys, "a", "new and longer")
			for range 20 {
				switch got := contents(t, fsys.Crash(rng), ".")["a"]; {
				case got == "new and longer":
				case got != "old":
					torn++
				case err == nil:
					lost++
				}
			}
			if err == nil {
				return torn, lost
			}
			require.ErrorIs(t, err, disktest.ErrCrashed)
		}
	}
}

// TestWriters: the file system detects each step that a writer leaves out, and finds no fault in
// disk.WriteFile.
func TestWriters(t *testing.T) {
	tests := []struct {
		name       string
		write      writer
		torn, lost bool
	}{
		{"disk.WriteFile", whole, false, false},
		{"the same by hand", without(), false, false},
		{"without fsync", without(disktest.Sync), true, false},
		{"without fsync of the folder", without(disktest.SyncDir), false, true},
		{"without a file beside", without(disktest.Rename), true, false},
		{"without either fsync", without(disktest.Sync, disktest.SyncDir), true, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			torn, lost := faults(t, test.write)
			require.Equal(t, test.torn, torn > 0, "torn %d", torn)
			require.Equal(t, test.lost, lost > 0, "lost %d", lost)
		})
	}
}
