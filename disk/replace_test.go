package disk_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
)

// replace writes text to the file at path.
func replace(path, s string) error {
	r, err := disk.Replace(path)
	if err != nil {
		return err
	}
	return errors.Join(r.Commit(text(s)), r.Close())
}

func requireContent(t *testing.T, path, want string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(data))
}

// requireNames fails unless a folder has exactly these names, in order.
func requireNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	require.Equal(t, want, got)
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	require.NoError(t, os.WriteFile(path+disk.Unfinished, []byte("mine"), 0o666))
	require.NoError(t, replace(path, "first"))
	r, err := disk.Replace(path)
	require.NoError(t, err)
	requireContent(t, path, "first")
	names, err := filepath.Glob(filepath.Join(dir, disk.TemporaryFiles))
	require.NoError(t, err)
	require.Len(t, names, 1)
	require.NoError(t, r.Commit(text("second")))
	require.NoError(t, r.Close())
	failed := errors.New("failed")
	r, err = disk.Replace(path)
	require.NoError(t, err)
	require.ErrorIs(t, r.Commit(func(w io.Writer) error { return errors.Join(text("third")(w), failed) }), failed)
	require.NoError(t, r.Close())
	requireContent(t, path, "second")
	requireContent(t, path+disk.Unfinished, "mine")
	requireNames(t, dir, "a", "a.unfinished")

	err = replace(filepath.Join(dir, "none", "a"), "")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "create a file in "+filepath.Join(dir, "none")+": ")
	require.Error(t, replace(dir, ""))
	long := filepath.Join(dir, strings.Repeat("x", 255))
	require.NoError(t, replace(long, "long"))
	requireContent(t, long, "long")
}

// TestReplaceKeepsPermissions: a new file has the permissions of the old one, and a read-only
// file is not replaced.
func TestReplaceKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permissions")
	}
	path := filepath.Join(t.TempDir(), "a")
	for _, mode := range []fs.FileMode{0o600, 0o666, 0o751} {
		require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
		require.NoError(t, os.Chmod(path, mode))
		require.NoError(t, replace(path, "new"))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode())
	}
	require.NoError(t, os.Chmod(path, 0o400))
	require.ErrorIs(t, replace(path, "newer"), fs.ErrPermission)
	requireContent(t, path, "new")
	requireNames(t, filepath.Dir(path), "a")
}

// TestReplaceThroughLinks: links are kept, and their final target is replaced or made.
func TestReplaceThroughLinks(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.MkdirAll(path("far/away"), 0o777))
	require.NoError(t, os.WriteFile(path("far/file"), []byte("old"), 0o666))
	for name, to := range map[string]string{"a": "b", "b": "here/../file", "here": "far/away", "new": "far/new", "loop": "loop"} {
		if err := os.Symlink(to, path(name)); err != nil {
			t.Skip(err)
		}
	}
	require.NoError(t, replace(path("a"), "through"))
	require.NoError(t, replace(path("new"), "made"))
	require.Error(t, replace(path("loop"), ""))
	requireContent(t, path("far/file"), "through")
	requireContent(t, path("far/new"), "made")
	requireNames(t, path("far"), "away", "file", "new")
	requireNames(t, dir, "a", "b", "far", "here", "loop", "new")
}

// TestReplaceByMany: of several writers of one file, each writes a complete file.
func TestReplaceByMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	var writers sync.WaitGroup
	for n := range 4 {
		writers.Go(func() {
			for range 50 {
				if err := replace(path, strings.Repeat(fmt.Sprint(n), 1000*(n+1))); err != nil {
					t.Error(err)
				}
				data, err := os.ReadFile(path)
				if err != nil || len(data)%1000 != 0 || strings.Trim(string(data), string(data[:1])) != "" {
					t.Errorf("%d bytes that begin with %.9s, %v", len(data), data, err)
				}
			}
		})
	}
	writers.Wait()
	requireNames(t, filepath.Dir(path), "a")
}
