package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWithoutLocks: on a file system without locks, a file identifies the holder. If a killed
// process leaves it behind, the next process on the same machine can still take the lock.
func TestWithoutLocks(t *testing.T) {
	for _, fault := range []error{syscall.ENOSYS, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOLCK, errors.ErrUnsupported} {
		path := filepath.Join(t.TempDir(), "lock")
		try := func(*os.File) (bool, error) { return false, fault }
		l, err := lock(path, try)
		require.NoError(t, err, "%v", fault)
		require.True(t, l.Weak())
		require.NoError(t, l.Check())
		_, err = lock(path, try)
		require.ErrorIs(t, err, ErrLocked)
		require.NoError(t, l.Close())
		l, err = lock(path, try)
		require.NoError(t, err)
		require.NoError(t, l.Close())
		require.NoFileExists(t, path+heldSuffix)

		l, err = lock(path, try) // and then a user or another process takes this one for ended
		require.NoError(t, err)
		require.NoError(t, os.Remove(path+heldSuffix))
		require.ErrorIs(t, l.Check(), ErrLost)
		require.NoError(t, os.WriteFile(path+heldSuffix, []byte("\"elsewhere\" 1 1\n"), 0o666))
		require.ErrorIs(t, l.Check(), ErrLost)
		require.NoError(t, l.Close())
		require.FileExists(t, path+heldSuffix)
	}
	own, err := os.Hostname()
	require.NoError(t, err)
	for holder, free := range map[string]bool{
		process(os.Getpid()):                          false,
		fmt.Sprintf("%q 999999999 77\n", own):         true,
		fmt.Sprintf("%q 999999999 77\n", "elsewhere"): false,
		fmt.Sprintf("%q %d 1\n", own, os.Getpid()):    true, // an earlier process with this number
		"":        false,
		"noise\n": false,
	} {
		if runtime.GOOS != "linux" {
			continue // without start times the locks of other processes are never taken
		}
		path := filepath.Join(t.TempDir(), "lock")
		require.NoError(t, os.WriteFile(path+heldSuffix, []byte(holder), 0o666))
		_, err := lock(path, func(*os.File) (bool, error) { return false, syscall.ENOSYS })
		if !free {
			require.ErrorIs(t, err, ErrLocked, "%q", holder)
			require.ErrorContains(t, err, path+heldSuffix)
			continue
		}
		require.ErrorIs(t, err, ErrLost, "%q", holder)
		l, err := lock(path, func(*os.File) (bool, error) { return false, syscall.ENOSYS })
		require.NoError(t, err)
		require.NoError(t, l.Close())
	}
	_, err = lock(filepath.Join(t.TempDir(), "lock"), func(*os.File) (bool, error) { return false, syscall.EIO })
	require.ErrorIs(t, err, syscall.EIO)
	l, err := lock(filepath.Join(t.TempDir(), "lock"), tryLock)
	require.NoError(t, err)
	require.False(t, l.Weak())
	require.NoError(t, l.Close())
}

// TestLockAskedFor: a process that holds the lock for a moment, to check whether it is free, is
// no obstacle.
func TestLockAskedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	asked, err := OS{}.Lock(path)
	require.NoError(t, err)
	tries := 0
	lock, err := lockPatiently(path, func(f *os.File) (bool, error) {
		if tries++; tries == 3 {
			require.NoError(t, asked.Close())
		}
		free, err := tryLock(f)
		require.Equal(t, tries >= 3, free)
		return free, err
	})
	require.NoError(t, err)
	require.NoError(t, lock.Close())
}

// TestWriteShared: a file that several processes write at once has the complete content of one of
// them.
func TestWriteShared(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for range 20 {
				if err := WriteShared(OS{}, path, Bytes([]byte(strings.Repeat(fmt.Sprint(i), 1<<12)))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat(string(data[:1]), 1<<12), string(data))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)

	left := path + ".X" + Unfinished
	require.NoError(t, os.WriteFile(left, nil, 0o666))
	require.NoError(t, RemoveStale(OS{}, dir, time.Now()))
	require.FileExists(t, left, "a process may still be writing it")
	require.NoError(t, RemoveStale(OS{}, dir, time.Now().Add(time.Hour)))
	require.NoFileExists(t, left)
	require.FileExists(t, path)
}

// TestReplaceRemovesWhatIsLeft: only the files of killed processes are removed.
func TestReplaceRemovesWhatIsLeft(t *testing.T) {
	dir := t.TempDir()
	living, err := Replace(filepath.Join(dir, "a"))
	require.NoError(t, err)
	defer func() { require.NoError(t, living.Close()) }()
	left, other := filepath.Join(dir, ".tiro-LEFT.tmp"), filepath.Join(dir, "mine.tmp")
	for _, path := range []string{left, other} {
		require.NoError(t, os.WriteFile(path, nil, 0o666))
	}
	var wait sync.WaitGroup
	for i := range 8 { // they clean up while others begin
		wait.Go(func() {
			for range 20 {
				r, err := Replace(filepath.Join(dir, fmt.Sprint(i)))
				if err == nil {
					err = errors.Join(r.Commit(Bytes([]byte("b"))), r.Close())
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	require.NoFileExists(t, left)
	require.FileExists(t, other)
	require.NoError(t, living.Commit(Bytes([]byte("a"))))
}

// TestSubfolder: a link in place of the folder is refused.
func TestSubfolder(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	for range 2 {
		path, err := Subfolder(OS{}, dir, "a")
		require.NoError(t, err)
		require.DirExists(t, path)
	}
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, "link")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o666))
	for _, name := range []string{"link", "file"} {
		_, err := Subfolder(OS{}, dir, name)
		require.ErrorIs(t, err, ErrNotFolder)
	}
}

// TestLockFolderRemovesWhatIsLeft: only unfinished versions of the named files are removed.
func TestLockFolderRemovesWhatIsLeft(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"report.json", "a.pem", "mine"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+Unfinished), nil, 0o666))
	}
	unlock, err := LockFolder(OS{}, dir, "report.json", "*.pem")
	require.NoError(t, err)
	require.NoError(t, unlock())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Equal(t, "mine"+Unfinished, entries[0].Name())
}
