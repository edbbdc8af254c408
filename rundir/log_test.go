package rundir_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/rundir"
)

func appendLine(t *testing.T, l *rundir.Log, line string) {
	t.Helper()
	n, err := fmt.Fprintln(l, line)
	require.NoError(t, err)
	require.Equal(t, len(line)+1, n)
}

func requireText(t *testing.T, want, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(data))
}

// makeRun makes a folder with a configuration.
func makeRun(t *testing.T, dir string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), nil, 0o666))
	return dir
}

// TestLogIsBounded: the previous log is kept, the one before it is not.
func TestLogIsBounded(t *testing.T) {
	dir := makeRun(t, t.TempDir())
	l := &rundir.Log{Dir: dir, Limit: 100}
	for i := range 30 {
		appendLine(t, l, fmt.Sprintf("line %02d", i)) // 8 bytes, 12 to a log
		if i == 17 {
			l.Close() // another process continues
			l = &rundir.Log{Dir: dir, Limit: l.Limit}
		}
	}
	l.Close()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 3)
	lines := func(from, to int) (text string) {
		for i := from; i < to; i++ {
			text += fmt.Sprintf("line %02d\n", i)
		}
		return text
	}
	requireText(t, lines(12, 24), filepath.Join(dir, "log.old.jsonl"))
	requireText(t, lines(24, 30), filepath.Join(dir, "log.jsonl"))
}

// TestLogAfterATornLine: the next line starts on a new line.
func TestLogAfterATornLine(t *testing.T) {
	l := &rundir.Log{Dir: makeRun(t, t.TempDir()), Limit: 1 << 20}
	path := filepath.Join(l.Dir, "log.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("one\ntw"), 0o666))
	appendLine(t, l, "three")
	appendLine(t, l, "four")
	l.Close()
	requireText(t, "one\ntw\nthree\nfour\n", path)
}

// TestLogOfAnotherFolder: a folder that replaces the run's is left alone, and the log continues
// in the run's.
func TestLogOfAnotherFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	l := &rundir.Log{Dir: dir, Limit: 100}
	_, err := fmt.Fprintln(l, "before there is a folder")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoDirExists(t, dir)
	require.NoError(t, os.Mkdir(dir, 0o777))
	_, err = fmt.Fprintln(l, "before there is a run")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoFileExists(t, filepath.Join(dir, "log.jsonl"))
	makeRun(t, dir)
	appendLine(t, l, strings.Repeat("a", 80))
	require.NoError(t, os.Rename(dir, dir+" moved"))
	require.NoError(t, os.Mkdir(dir, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "log.jsonl"), []byte("another's\n"), 0o666))
	appendLine(t, l, strings.Repeat("b", 80))
	l.Close()
	requireText(t, "another's\n", filepath.Join(dir, "log.jsonl"))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	requireText(t, strings.Repeat("a", 80)+"\n", filepath.Join(dir+" moved", "log.old.jsonl"))
	requireText(t, strings.Repeat("b", 80)+"\n", filepath.Join(dir+" moved", "log.jsonl"))
}

// TestLogLeavesLinksAlone: a folder from elsewhere may have a link in place of the log, which
// must not lead lines into another file.
func TestLogLeavesLinksAlone(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "config.yaml")
	require.NoError(t, os.WriteFile(other, []byte("mine"), 0o666))
	if err := os.Symlink("config.yaml", filepath.Join(dir, "log.jsonl")); err != nil {
		t.Skip(err)
	}
	l := &rundir.Log{Dir: dir, Limit: 100}
	_, err := fmt.Fprintln(l, "line")
	require.ErrorIs(t, err, disk.ErrNotFile)
	l.Close()
	requireText(t, "mine", other)
}
