package disktest_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// put writes a file, flushed or not.
func put(t testing.TB, fsys disk.FS, path, text string, sync bool) {
	file, err := fsys.Create(path)
	require.NoError(t, err)
	add(t, file, text, sync)
}

// add writes to the end of an open file and closes it.
func add(t testing.TB, file disk.File, text string, sync bool) {
	_, err := io.WriteString(file, text)
	require.NoError(t, err)
	if sync {
		require.NoError(t, file.Sync())
	}
	require.NoError(t, file.Close())
}

// contents returns the files and folders under dir by path; folders end in /.
func contents(t testing.TB, fsys disk.FS, dir string) map[string]string {
	all := map[string]string{}
	entries, err := fsys.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			all[path+"/"] = ""
			maps.Copy(all, contents(t, fsys, path))
			continue
		}
		data, err := disk.ReadFile(fsys, path, 1<<20)
		require.NoError(t, err)
		all[path] = string(data)
	}
	return all
}

// show returns contents in one line: "a=text b/ b/c=more".
func show(t testing.TB, fsys disk.FS) string {
	all := contents(t, fsys, ".")
	var words []string
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if strings.HasSuffix(path, "/") {
			words = append(words, path)
		} else {
			words = append(words, path+"="+all[path])
		}
	}
	return strings.Join(words, " ")
}

// after returns, sorted, all states that a power cut may leave after do.
func after(t testing.TB, do func(fsys *disktest.Memory)) []string {
	fsys := disktest.New()
	do(fsys)
	left := map[string]bool{}
	rng := newRand(1)
	for range 500 {
		left[show(t, fsys.Crash(rng))] = true
	}
	return slices.Sorted(maps.Keys(left))
}

// TestPowerCut lists all states that may remain, case by case.
func TestPowerCut(t *testing.T) {
	rename := func(fsys *disktest.Memory, from, to string) { require.NoError(t, fsys.Rename(from, to)) }
	sync := func(fsys *disktest.Memory, dir string) { require.NoError(t, fsys.SyncDir(dir)) }
	tests := []struct {
		name string
		do   func(fsys *disktest.Memory)
		want []string
	}{
		{"nothing flushed", func(fsys *disktest.Memory) {
			put(t, fsys, "a", "xy", false)
		}, []string{"", "a=", "a=\x00\x00", "a=x", "a=xy"}},
		{"the name not flushed", func(fsys *disktest.Memory) {
			put(t, fsys, "a", "xy", true)
		}, []string{"", "a=xy"}},
		{"the bytes not flushed", func(fsys *disktest.Memory) {
			put(t, fsys, "a", "xy", false)
			sync(fsys, ".")
		}, []string{"a=", "a=\x00\x00", "a=x", "a=xy"}},
		{"all flushed", func(fsys *disktest.Memory) {
			put(t, fsys, "a", "xy", true)
			sync(fsys, ".")
		}, []string{"a=xy"}},
		{"replaced without flushing the bytes", func(fsys *disktest.Memory) {
			put(t, fsys, "a", "old", true)
			put(t, fsys, "b", "N", false)
			sync(fsys, ".")
			rename(fsys, "b", "a")
			sync(fsys, ".")
		}, []string{"a=", "a=\x00", "a=N"}},
		{"replaced without flushing the name", func(fsys *disktest.Memory) {
			put(t, fsys, "a", "old", true)
			sync(fsys, ".")
			put(t, fsys, "b", "new", true)
			rename(fsys, "b", "a")
		}, []string{"a=new", "a=old", "a=old b=new"}},
		{"added to", func(fsys *disktest.Memory) {
			put(t, fsys, "a", "old", true)
			sync(fsys, ".")
			file, err := fsys.Append("a")
			require.NoError(t, err)
			_, err = io.WriteString(file, "+")
			require.NoError(t, err)
			add(t, file, "-", false)
		}, []string{"a=old", "a=old\x00", "a=old\x00\x00", "a=old\x00-", "a=old+", "a=old+\x00", "a=old+-"}},
		{"failed to flush, then flushed", func(fsys *disktest.Memory) {
			fsys.Hook = func(op disktest.Op) disktest.Verdict {
				if op.Kind == disktest.Sync && op.N == 2 {
					return disktest.Verdict{Do: disktest.None, Err: syscall.EIO}
				}
				return disktest.Verdict{}
			}
			file, err := fsys.Create("a")
			require.NoError(t, err)
			_, err = io.WriteString(file, "xy")
			require.NoError(t, err)
			require.ErrorIs(t, file.Sync(), syscall.EIO)
			add(t, file, "z", true)
			sync(fsys, ".")
			require.Equal(t, "a=xyz", show(t, fsys))
		}, []string{"a=\x00\x00z"}},
		{"names arrive in order", func(fsys *disktest.Memory) {
			for _, name := range []string{"c", "a", "b"} {
				put(t, fsys, name, "", true)
			}
			require.NoError(t, fsys.Remove("c"))
		}, []string{"", "a= b=", "a= b= c=", "a= c=", "c="}},
		{"folders do not wait for each other", func(fsys *disktest.Memory) {
			require.NoError(t, disk.MkdirAll(fsys, "d"))
			require.NoError(t, disk.MkdirAll(fsys, "e"))
			put(t, fsys, "d/a", "", true)
			sync(fsys, "d")
			rename(fsys, "d/a", "e/a")
		}, []string{"d/ d/a= e/", "d/ d/a= e/ e/a=", "d/ e/", "d/ e/ e/a="}},
		{"a folder is renamed before its files are gone", func(fsys *disktest.Memory) {
			require.NoError(t, disk.MkdirAll(fsys, "d"))
			put(t, fsys, "d/a", "", true)
			sync(fsys, "d")
			rename(fsys, "d", "e")
			require.NoError(t, disk.RemoveAll(fsys, "e"))
		}, []string{"", "d/", "d/ d/a=", "e/", "e/ e/a="}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.want, after(t, test.do)) })
	}
}

// TestTornBlocks: any blocks of a long write arrive, all of them whole except the last one of a
// prefix.
func TestTornBlocks(t *testing.T) {
	fsys := disktest.New()
	text := strings.Repeat("x", 5*512+100)
	put(t, fsys, "a", text, false)
	require.NoError(t, fsys.SyncDir("."))
	rng := newRand(1)
	holes, patterns := 0, map[string]bool{}
	for range 500 {
		got := contents(t, fsys.Crash(rng), ".")["a"]
		pattern := ""
		for block := range slices.Chunk([]byte(got), 512) {
			switch string(block) {
			case text[:len(block)]:
				pattern += "x"
			default:
				require.Equal(t, make([]byte, len(block)), block)
				pattern += "0"
			}
		}
		if strings.Contains(pattern, "0x") {
			holes++
		}
		patterns[pattern] = true
	}
	require.Greater(t, holes, 50)
	require.Greater(t, len(patterns), 32)
}

// TestKill: all changes are visible to the next process but not yet durable.
func TestKill(t *testing.T) {
	fsys := disktest.New()
	require.NoError(t, disk.MkdirAll(fsys, "run"))
	put(t, fsys, "run/a", "text", false)
	lock, err := fsys.Lock("run/lock")
	require.NoError(t, err)
	_, err = fsys.Lock("run/lock")
	require.ErrorIs(t, err, disk.ErrLocked)

	next := fsys.Kill()
	require.ErrorIs(t, lock.Check(), disktest.ErrCrashed)
	_, err = fsys.Open("run/a")
	require.ErrorIs(t, err, disktest.ErrCrashed)
	require.Equal(t, "run/ run/a=text run/lock=", show(t, next))
	lock, err = next.Lock("run/lock")
	require.NoError(t, err, "locks end with the process")
	require.NoError(t, lock.Check())
	require.NoError(t, next.Rename("run", "old"))
	require.ErrorIs(t, lock.Check(), disk.ErrLost)
	require.NoError(t, disk.MkdirAll(next, "run"))
	put(t, next, "run/lock", "", true)
	require.ErrorIs(t, lock.Check(), disk.ErrLost)
	require.NoError(t, lock.Close())

	lost := false
	rng := newRand(2)
	for range 50 {
		all := contents(t, next.Crash(rng), ".")
		lost = lost || all["run/a"] != "text" && all["old/a"] != "text"
	}
	require.True(t, lost, "a power cut may lose data that a kill keeps")
}

// steps returns the operations of do.
func steps(do func(fsys disk.FS) error) (ops []string, err error) {
	fsys := disktest.New()
	fsys.Hook = func(op disktest.Op) disktest.Verdict {
		if op.N != len(ops) {
			panic("misnumbered")
		}
		ops = append(ops, fmt.Sprint(op.Kind, " ", op.Path, " ", op.Size))
		return disktest.Verdict{}
	}
	err = do(fsys)
	return ops, err
}

func writeFile(text string) func(fsys disk.FS) error {
	return func(fsys disk.FS) error {
		return disk.WriteFile(fsys, "a", func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
}

func TestHookSeesAll(t *testing.T) {
	ops, err := steps(writeFile("text"))
	require.NoError(t, err)
	require.Equal(t, []string{
		"create a.unfinished 0", "write a.unfinished 4", "sync a.unfinished 0", "close a.unfinished 0",
		"rename a.unfinished 0", "syncdir . 0",
	}, ops)
	ops, err = steps(func(fsys disk.FS) error {
		return errors.Join(disk.MkdirAll(fsys, "d/e"), disk.RemoveAll(fsys, "d"))
	})
	require.NoError(t, err)
	require.Equal(t, []string{
		"stat d/e 0", "stat d 0", "stat . 0", "syncdir . 0", "mkdir d 0", "syncdir . 0", "mkdir d/e 0", "syncdir d 0",
		"remove d 0", "readdir d 0", "remove d/e 0", "remove d 0",
	}, ops)
}

// TestVerdicts: all effects of a hook on the second write of a file, on the machine and in
// memory.
func TestVerdicts(t *testing.T) {
	tests := []struct {
		name    string
		verdict disktest.Verdict
		n       int
		err     error
		left    string
	}{
		{"through", disktest.Verdict{}, 4, nil, "onetwo!"},
		{"disk full", disktest.Verdict{Do: disktest.Half, Err: syscall.ENOSPC}, 2, syscall.ENOSPC, "onetw"},
		{"nothing done", disktest.Verdict{Do: disktest.None, Err: syscall.EIO}, 0, syscall.EIO, "one"},
		{"done all the same", disktest.Verdict{Err: syscall.EIO}, 4, syscall.EIO, "onetwo!"},
		{"a lie", disktest.Verdict{Do: disktest.None}, 4, nil, "one"},
		{"short", disktest.Verdict{Do: disktest.Half}, 2, io.ErrShortWrite, "onetw"},
		{"crash before", disktest.Verdict{Do: disktest.None, Crash: true}, 0, disktest.ErrCrashed, "one"},
		{"crash within", disktest.Verdict{Do: disktest.Half, Crash: true}, 2, disktest.ErrCrashed, "onetw"},
		{"crash after", disktest.Verdict{Crash: true}, 4, disktest.ErrCrashed, "onetwo!"},
	}
	for _, test := range tests {
		for name, inner := range map[string]disk.FS{"machine": disk.OS{}, "memory": disktest.New()} {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				dir := t.TempDir()
				require.NoError(t, disk.MkdirAll(inner, dir))
				testVerdict(t, inner, filepath.Join(dir, "a"), test.verdict, test.n, test.err)
				data, err := disk.ReadFile(inner, filepath.Join(dir, "a"), 100)
				require.NoError(t, err)
				require.Equal(t, test.left, string(data))
			})
		}
	}
}

func testVerdict(t *testing.T, inner disk.FS, path string, v disktest.Verdict, wantN int, wantErr error) {
	fsys := disktest.Over(inner, func(op disktest.Op) disktest.Verdict {
		if op.Kind == disktest.Write && op.Size == 4 {
			return v
		}
		return disktest.Verdict{}
	})
	file, err := fsys.Create(path)
	require.NoError(t, err)
	_, err = io.WriteString(file, "one")
	require.NoError(t, err)
	n, err := io.WriteString(file, "two!")
	require.ErrorIs(t, err, wantErr)
	require.Equal(t, wantN, n)
	_, err = fsys.Stat(path)
	if v.Crash {
		require.ErrorIs(t, err, disktest.ErrCrashed)
		require.ErrorIs(t, file.Close(), disktest.ErrCrashed)
		return
	}
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.ErrorIs(t, file.Close(), fs.ErrClosed)
}

// TestOpening: a hook can make an opening fail. If it makes it lie, that is an error too.
func TestOpening(t *testing.T) {
	for name, inner := range map[string]disk.FS{"machine": disk.OS{}, "memory": disktest.New()} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, disk.MkdirAll(inner, dir))
			v := disktest.Verdict{Do: disktest.None}
			fsys := disktest.Over(inner, func(disktest.Op) disktest.Verdict { return v })
			_, err := fsys.Create(filepath.Join(dir, "a"))
			require.ErrorContains(t, err, "opens nothing")
			_, err = fsys.Lock(filepath.Join(dir, "lock"))
			require.ErrorContains(t, err, "opens nothing")
			v.Err = syscall.EIO
			_, err = fsys.Lock(filepath.Join(dir, "lock"))
			require.ErrorIs(t, err, syscall.EIO)
			require.ErrorContains(t, err, "lock "+filepath.Join(dir, "lock")+": ")
			entries, err := inner.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, entries)
		})
	}
}
