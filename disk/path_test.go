//go:build unix

package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamed(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Chdir(dir)
	for path, want := range map[string]string{
		"": dir, ".": dir, "./": dir, "run/..": dir, "..": filepath.Dir(dir), "../..": filepath.Dir(filepath.Dir(dir)),
		"./run/": "run", "../x": "../x", "/": "/",
	} {
		require.Equal(t, want, Named(path), path)
	}
}

// TestPath: the returned path leads to the same file as the given one.
func TestPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Chdir(dir)
	require.NoError(t, os.MkdirAll("a/b", 0o777))
	require.NoError(t, os.MkdirAll("a/run", 0o777))
	require.NoError(t, os.MkdirAll("run", 0o777))
	require.NoError(t, os.WriteFile("file", nil, 0o666))
	require.NoError(t, os.Symlink("a/b", "link"))
	for path, want := range map[string]string{
		"run": "run", "./run": "./run", "..run/x": "..run/x", "": "",
		"link/../run": "a/run", "./a/../run": "run", "a/b/..": "a", "a/b/../new/": "a/new/",
		"../" + filepath.Base(dir) + "/run": "../" + filepath.Base(dir) + "/run",
	} {
		got, err := Path(path)
		require.NoError(t, err, path)
		require.Equal(t, filepath.Clean(want), filepath.Clean(got), path)
		if one, err := os.Stat(path); err == nil {
			two, err := os.Stat(filepath.Clean(got))
			require.NoError(t, err)
			require.True(t, os.SameFile(one, two), path)
		}
	}
	_, err = Path("none/../run")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Path("file/../run")
	require.Error(t, err)
}
