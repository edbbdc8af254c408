package disktest_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
)

// act carries out a random operation under dir and returns a description of the result.
func act(fsys disk.FS, dir string, rng *rand.Rand) string {
	names := []string{"a", "b", "d", filepath.Join("d", "a"), filepath.Join("d", "e"), filepath.Join("d", "e", "b")}
	name := func() string { return filepath.Join(dir, names[rng.IntN(len(names))]) }
	text := fmt.Sprint(rng.IntN(1000))
	write := func(file disk.File, err error) error {
		if err != nil {
			return err
		}
		_, err = io.WriteString(file, text)
		return errors.Join(err, file.Sync(), file.Close())
	}
	var err error
	result, path := "", name()
	switch rng.IntN(11) {
	case 0, 1:
		err = write(fsys.Create(path))
	case 2:
		err = write(fsys.Append(path))
	case 3, 4:
		err = fsys.Rename(path, name())
	case 5:
		err = fsys.Remove(path)
	case 6:
		err = disk.RemoveAll(fsys, path)
	case 7:
		err = disk.MkdirAll(fsys, path)
	case 8:
		var entries []fs.DirEntry
		if entries, err = fsys.ReadDir(path); err == nil {
			result = fmt.Sprint(len(entries))
		}
	case 9:
		var info fs.FileInfo
		if info, err = fsys.Stat(path); err == nil && !info.IsDir() {
			result = fmt.Sprint(info.Name(), info.Size(), info.Mode().IsRegular())
		}
	case 10:
		var file disk.File
		if file, err = fsys.Open(path); err == nil {
			data, readErr := io.ReadAll(file)
			result, err = string(data), errors.Join(readErr, file.Close())
		}
	}
	return fmt.Sprint(result, " ", err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrExist), errors.Is(err, disk.ErrNotFile))
}

// TestAsTheMachine: without faults, an FS behaves like the machine's file system.
func TestAsTheMachine(t *testing.T) {
	for seed := range uint64(30) {
		dir, ours := t.TempDir(), disktest.New()
		for i := range 100 {
			want := act(disk.OS{}, dir, newRand(seed<<32+uint64(i)))
			got := act(ours, ".", newRand(seed<<32+uint64(i)))
			require.Equal(t, want, got, "seed %d, operation %d", seed, i)
		}
		want := map[string]string{}
		for path, text := range contents(t, disk.OS{}, dir) {
			rel, err := filepath.Rel(dir, path)
			require.NoError(t, err)
			if path[len(path)-1] == '/' {
				rel += "/"
			}
			want[rel] = text
		}
		require.Equal(t, want, contents(t, ours, "."), "seed %d", seed)
	}
}
