//go:build unix

package disk_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
)

// TestNotFiles: every way of opening refuses anything but a regular file at once. The other end
// of the pipe is never opened, so that an operation that waits for it does not return.
func TestNotFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, syscall.Mkfifo(path("pipe"), 0o666))
	require.NoError(t, os.Mkdir(path("folder"), 0o777))
	socket, err := net.Listen("unix", path("socket"))
	require.NoError(t, err)
	defer socket.Close()
	require.NoError(t, os.WriteFile(path("file"), []byte("mine"), 0o666))
	for name, to := range map[string]string{"link": "file", "to nothing": "new", "to pipe": "pipe", "to zeros": "/dev/zero", "loop": "loop"} {
		require.NoError(t, os.Symlink(to, path(name)))
	}
	for _, name := range []string{"pipe", "folder", "socket", "link", "to nothing", "to pipe", "to zeros", "loop"} {
		t.Run(name, func(t *testing.T) {
			_, err := disk.ReadFile(disk.OS{}, path(name), 100)
			switch name {
			case "link":
				require.NoError(t, err)
			case "to nothing":
				require.ErrorIs(t, err, fs.ErrNotExist)
			case "loop":
				require.ErrorIs(t, err, syscall.ELOOP)
			default:
				require.ErrorIs(t, err, disk.ErrNotFile)
			}
			_, err = disk.OS{}.Create(path(name))
			require.ErrorIs(t, err, fs.ErrExist)
			_, err = disk.OS{}.Append(path(name))
			require.ErrorIs(t, err, disk.ErrNotFile)
			_, err = disk.OS{}.Lock(path(name))
			require.ErrorIs(t, err, disk.ErrNotFile)
			_ = disk.OS{}.SyncDir(path(name)) // must return, with any error
		})
	}
	data, err := os.ReadFile(path("file"))
	require.NoError(t, err)
	require.Equal(t, "mine", string(data))
	require.NoFileExists(t, path("new"))
}

// TestWriteFileThroughLinks: links at the names of the temporary file and of the file itself do
// not lead a writer elsewhere.
func TestWriteFileThroughLinks(t *testing.T) {
	dir := t.TempDir()
	victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "a")
	require.NoError(t, os.WriteFile(victim, []byte("mine"), 0o666))
	for _, link := range []string{path, path + disk.Unfinished} {
		require.NoError(t, os.Symlink("victim", link))
	}
	require.NoError(t, disk.WriteFile(disk.OS{}, path, text("new")))
	for name, want := range map[string]string{victim: "mine", path: "new"} {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, want, string(data))
	}
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.True(t, info.Mode().IsRegular())
}

// TestLockUnknown: an error from the system does not mean that the folder was replaced. A link in
// the path becomes a loop, since root may read any folder.
func TestLockUnknown(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "run"), 0o777))
	require.NoError(t, os.Symlink("run", link))
	lock, err := disk.OS{}.Lock(filepath.Join(link, "lock"))
	require.NoError(t, err)
	require.NoError(t, lock.Check())
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink("link", link))
	require.ErrorIs(t, lock.Check(), syscall.ELOOP)
	require.False(t, errors.Is(lock.Check(), disk.ErrLost))
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink(strings.Repeat("x", 300), link))
	require.ErrorIs(t, lock.Check(), syscall.ENAMETOOLONG)
	require.False(t, errors.Is(lock.Check(), disk.ErrLost))
	require.NoError(t, lock.Close())
}
