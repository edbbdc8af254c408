package disk_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
)

// holderOf is an environment variable with the path of a file. It makes the test program lock the
// file and hold it until it is killed.
const holderOf = "TIRO_DISK_TEST_LOCK"

func TestMain(m *testing.M) {
	path := os.Getenv(holderOf)
	if path == "" {
		os.Exit(m.Run())
	}
	if _, err := (disk.OS{}).Lock(path); err != nil {
		panic(err)
	}
	fmt.Println("locked")
	time.Sleep(time.Hour)
}

// TestLockOfAnotherProcess: a lock ends with its process, however the process ends, and the lock
// file left behind does no harm.
func TestLockOfAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), holderOf+"="+path)
	out, err := holder.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	_, err = disk.OS{}.Lock(path)
	require.ErrorIs(t, err, disk.ErrLocked)
	require.NoError(t, holder.Process.Kill())
	require.Error(t, holder.Wait())
	require.FileExists(t, path)
	lock, err := disk.OS{}.Lock(path)
	require.NoError(t, err)
	require.NoError(t, lock.Close())
}

// counted is the machine's file system with a record of its operations.
type counted struct {
	disk.OS
	did []string
}

func (c *counted) note(op, path string) { c.did = append(c.did, op+" "+filepath.Base(path)) }

func (c *counted) Create(path string) (disk.File, error) {
	c.note("create", path)
	f, err := c.OS.Create(path)
	return countedFile{f, c, path}, err
}

func (c *counted) Rename(from, to string) error {
	c.note("rename", from)
	return c.OS.Rename(from, to)
}

func (c *counted) Remove(path string) error {
	c.note("remove", path)
	return c.OS.Remove(path)
}

func (c *counted) SyncDir(path string) error {
	c.note("flush folder", path)
	return c.OS.SyncDir(path)
}

type countedFile struct {
	disk.File
	c    *counted
	path string
}

func (f countedFile) Write(p []byte) (int, error) {
	f.c.note("write", f.path)
	return f.File.Write(p)
}

func (f countedFile) Sync() error {
	f.c.note("flush", f.path)
	return f.File.Sync()
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	require.NoError(t, disk.WriteFile(disk.OS{}, path, text("first")))
	require.NoError(t, os.WriteFile(path+disk.Unfinished, []byte("left by a kill, and longer"), 0o666))
	require.NoError(t, disk.WriteFile(disk.OS{}, path, text("second")))
	failed := errors.New("failed")
	err := disk.WriteFile(disk.OS{}, path, func(w io.Writer) error {
		return errors.Join(text("third")(w), failed)
	})
	require.ErrorIs(t, err, failed)
	data, err := disk.ReadFile(disk.OS{}, path, 6)
	require.NoError(t, err)
	require.Equal(t, "second", string(data))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing beside it")
	require.ErrorIs(t, disk.WriteFile(disk.OS{}, filepath.Join(dir, "none", "a.txt"), text("")), fs.ErrNotExist)
}

// TestOrder: a file's content is flushed before the rename, and its folder after it.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	c := &counted{}
	require.NoError(t, disk.WriteFile(c, filepath.Join(dir, "a"), text("first")))
	require.Equal(t, []string{
		"create a.unfinished", "write a.unfinished", "flush a.unfinished",
		"rename a.unfinished", "flush folder " + filepath.Base(dir),
	}, c.did)
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	require.NoError(t, os.WriteFile(path, []byte("12345"), 0o666))
	_, err := disk.ReadFile(disk.OS{}, path, 4)
	require.ErrorContains(t, err, "a: 5 bytes")
	_, err = disk.ReadFile(disk.OS{}, dir, 4)
	require.ErrorIs(t, err, disk.ErrNotFile)
	_, err = disk.ReadFile(disk.OS{}, os.DevNull, 4)
	require.ErrorIs(t, err, disk.ErrNotFile)
	require.ErrorContains(t, err, os.DevNull+": not a regular file")
	_, err = disk.ReadFile(disk.OS{}, path+"b", 4)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestMkdirAll(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b", "c")
	for range 2 {
		require.NoError(t, disk.MkdirAll(disk.OS{}, deep))
		require.DirExists(t, deep)
	}
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	require.ErrorContains(t, disk.MkdirAll(disk.OS{}, file), "not a directory")
	require.ErrorContains(t, disk.MkdirAll(disk.OS{}, filepath.Join(file, "a")), "not a directory")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), link); err != nil {
		t.Skip(err)
	}
	require.ErrorIs(t, disk.MkdirAll(disk.OS{}, link), fs.ErrExist)
}

// TestRemoveAll: the tree is removed, the targets of its links are kept.
func TestRemoveAll(t *testing.T) {
	dir := t.TempDir()
	tree, other := filepath.Join(dir, "tree"), filepath.Join(dir, "other")
	for _, folder := range []string{filepath.Join(tree, "a", "b"), other} {
		require.NoError(t, os.MkdirAll(folder, 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), nil, 0o666))
	}
	if err := os.Symlink(other, filepath.Join(tree, "link")); err != nil {
		t.Log("without links:", err)
	}
	for range 2 {
		require.NoError(t, disk.RemoveAll(disk.OS{}, tree))
		require.NoDirExists(t, tree)
	}
	require.FileExists(t, filepath.Join(other, "file"))
	require.NoError(t, disk.RemoveAll(disk.OS{}, filepath.Join(other, "file")))
	require.NoFileExists(t, filepath.Join(other, "file"))
}

func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	for _, s := range []string{"one ", "two"} {
		f, err := disk.OS{}.Append(path)
		require.NoError(t, err)
		require.NoError(t, text(s)(f))
		require.NoError(t, f.Close())
	}
	data, err := disk.ReadFile(disk.OS{}, path, 100)
	require.NoError(t, err)
	require.Equal(t, "one two", string(data))
}

func TestRemoveUnfinished(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.unfinished", "b", "c.unfinished/d", "thesis.unfinished"} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, nil, 0o666))
	}
	ours := func(finished string) bool { return len(finished) == 1 }
	require.NoError(t, disk.RemoveUnfinished(disk.OS{}, dir, ours))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Equal(t, "b", entries[0].Name())
	require.Equal(t, "thesis.unfinished", entries[1].Name())
	require.NoError(t, disk.RemoveUnfinished(disk.OS{}, filepath.Join(dir, "none"), ours))
}

// TestLock: a lock has one holder at a time, who notices if the folder is replaced.
func TestLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.Mkdir(dir, 0o777))
	path := filepath.Join(dir, "lock")
	lock, err := disk.OS{}.Lock(path)
	require.NoError(t, err)
	require.NoError(t, lock.Check())
	_, err = disk.OS{}.Lock(path)
	require.ErrorIs(t, err, disk.ErrLocked)

	require.NoError(t, os.Rename(dir, dir+" moved"))
	require.ErrorIs(t, lock.Check(), disk.ErrLost)
	require.ErrorIs(t, lock.Check(), fs.ErrNotExist)
	require.NoError(t, os.Mkdir(dir, 0o777))
	other, err := disk.OS{}.Lock(path)
	require.NoError(t, err, "the new folder has its own lock")
	require.ErrorIs(t, lock.Check(), disk.ErrLost)
	require.ErrorContains(t, lock.Check(), "another file")
	require.NoError(t, other.Check())
	require.NoError(t, other.Close())
	require.NoError(t, lock.Close())

	again, err := disk.OS{}.Lock(path)
	require.NoError(t, err, "it was released")
	require.NoError(t, again.Close())
	_, err = disk.OS{}.Lock(filepath.Join(dir, "none", "lock"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
