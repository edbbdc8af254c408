//go:build linux || darwin

package cli

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAttackFolders puts things into a run folder that do not belong there, in
// the place of each of its files and folders, and then has the commands that read
// a run folder at work on it. A command must not hang, not touch the files of
// others, and must fail or give what it gives for the folder as it was.
func TestAttackFolders(t *testing.T) {
	c := newCampaign(t)
	given := map[string]string{}
	for _, reader := range folderReaders[readersOnly:] {
		e, out := (&attack{c, t, c.rng, reader.name}).read(reader, c.begun)
		require.Zero(t, e.code, "%v", e)
		given[reader.name] = out
	}
	for _, odd := range oddities {
		for _, target := range pick(c, 6, targets(t, c.begun)) {
			for _, reader := range pick(c, 1, folderReaders) {
				c.attack(reader.name+" with "+odd.name+" in the place of "+target, func(a *attack) {
					a.tryFolder(odd, target, reader, given)
				})
			}
		}
	}
}

// TestAttackNames: a run folder may have any name, and may hold files of others.
func TestAttackNames(t *testing.T) {
	c := newCampaign(t)
	for _, name := range []string{
		"with space", "line\nfeed", "escape\x1b[31m", "not \xff\xfe text", "quote'\"$(touch owned)`;", "--run", "-",
		"%s%n", "a,sims=1", "ü\u202e", strings.Repeat("n", 255), "x=y", "*", "~", "net:bundled", "000002",
	} {
		c.attack(fmt.Sprintf("name %.20q", name), func(a *attack) { a.tryName(name) })
	}
	for name, data := range map[string]string{
		".DS_Store": "x", "notes.txt": "mine", "checkpoints/000002 (copy)/weights.safetensors": "x",
		"episodes/notes.txt": "mine", "checkpoints/notes": "", "damaged.txt": "mine",
	} {
		c.attack("file "+name, func(a *attack) { a.tryForeign(name, data) })
	}
}

// durations are what differs when a command is repeated.
var durations = regexp.MustCompile(`[0-9.]+ ?m?s\b`)

// folderReader is a command that works with a run folder.
type folderReader struct {
	name  string
	args  []string // "RUN" is the run folder, "OUT" a file to write
	input string
}

// readersOnly is where those commands begin that write nothing in the folder.
const readersOnly = 3

var folderReaders = []folderReader{
	{name: "train"},
	{name: "verify", args: []string{"verify", "RUN"}},
	{name: "repair", args: []string{"verify", "--repair", "RUN"}},
	{name: "match", args: []string{"match", "mnk", "--a", "net:RUN,sims=2", "--b", "random", "--games", "4", "--workers", "1", "--json", "OUT"}},
	{name: "export", args: []string{"export", "RUN", "--onnx", "OUT"}},
	{name: "exam", args: []string{"exam", "mnk", "--model", "RUN", "--sims", "0"}},
	{name: "rate", args: []string{"rate", "mnk", "RUN,sims=2", "--games", "12", "--workers", "1", "--dir", "OUT.rate"}},
	{name: "fit", args: []string{"fit", "RUN", "--dir", "OUT.fit", "--steps", "2", "--seeds", "1", "--hold-out", "0.4"}},
	{name: "play", args: []string{"play", "mnk", "--model", "RUN", "--sims", "2"}, input: "hint\nquit\n"},
	{name: "engine", args: []string{"engine", "mnk", "--model", "RUN"}, input: "position startpos\ngo nodes 4\nquit\n"},
}

// read has a reader, which is not train, at work on the run in dir and returns
// what it gives: a file or what it prints.
func (a *attack) read(reader folderReader, dir string) (ending, string) {
	a.t.Helper()
	out := filepath.Join(a.t.TempDir(), "out")
	cmd := tiro()
	for _, arg := range reader.args {
		cmd.Args = append(cmd.Args, strings.NewReplacer("RUN", filepath.Base(dir), "OUT", out).Replace(arg))
	}
	cmd.Dir = filepath.Dir(dir)
	cmd.Stdin = strings.NewReader(reader.input)
	e := a.run(cmd)
	data, err := os.ReadFile(out)
	switch {
	case os.IsNotExist(err) && reader.name == "engine":
		return e, fmt.Sprint(strings.Contains(e.stdout, "bestmove ")) // quit ends the search at any time
	case os.IsNotExist(err):
		return e, durations.ReplaceAllString(e.stdout, "")
	}
	require.NoError(a.t, err)
	return e, string(data)
}

// tryFolder puts an oddity in the place of the target in a fresh copy of the run,
// has the reader work on it, and judges what it did. Given is what each reader
// gives for the run as it was.
func (a *attack) tryFolder(odd oddity, target string, reader folderReader, given map[string]string) {
	a.t.Helper()
	dir := a.copyOfRun()
	foreign := filepath.Join(filepath.Dir(dir), "foreign")
	require.NoError(a.t, os.MkdirAll(filepath.Join(foreign, "mine.unfinished"), 0o755))
	require.NoError(a.t, os.WriteFile(filepath.Join(foreign, "mine.unfinished", "file"), []byte("mine"), 0o600))
	if !odd.put(a, filepath.Join(dir, target), foreign) {
		return
	}
	before := snapshot(a.t, foreign)

	var e ending
	lost := strings.HasPrefix(filepath.ToSlash(target), "episodes") // games, which nothing brings back
	switch reader.name {
	case "train":
		e = a.train(dir, attackedTo)
		switch {
		case e.code == exitDone && !lost:
			a.requireSameEnd(dir)
		case e.code == exitDone && odd.name == "nothing":
			require.Contains(a.t, e.stdout+e.stderr, "missing", "%v", e)
		}
	case "verify", "repair":
		e, _ = a.read(reader, dir)
		next := a.train(dir, attackedTo)
		if e.code == exitDone && reader.name == "verify" {
			require.Zero(a.t, next.code, "verify found nothing: %v\nbut %v", e, next)
		}
		if next.code == exitDone && (!lost || reader.name == "verify" && e.code == exitDone) {
			a.requireSameEnd(dir)
		}
	default:
		var out string
		newest := filepath.Join("checkpoints", fmt.Sprintf("%06d", attackedFrom))
		other := target == newest || // the one before is read
			reader.name == "rate" && filepath.Dir(target) == "checkpoints" || // it rates those that are there
			reader.name == "export" && target == "config.yaml" // it leaves out how the network was trained
		if e, out = a.read(reader, dir); e.code == exitDone && !other {
			require.Equal(a.t, given[reader.name], out, "%v", e)
		}
	}
	if e.code != exitDone {
		require.Contains(a.t, e.stdout+e.stderr, "tiro: ", "%v", e)
	}
	after := snapshot(a.t, foreign)
	moved := filepath.Join(foreign, "moved") // where the run itself is, if its folders are links
	for name := range before {
		if (target == "checkpoints" || target == "episodes") && strings.HasPrefix(name, moved) {
			continue
		}
		require.Equal(a.t, before[name], after[name], "%s of somebody else was changed: %v", name, e)
	}
	a.countEnding(odd.name+", "+reader.name, e)
}

// tryName has commands work on a run folder of that name.
func (a *attack) tryName(name string) {
	a.t.Helper()
	dir := a.copyOfRun()
	parent := filepath.Dir(dir)
	require.NoError(a.t, os.Rename(dir, filepath.Join(parent, name)))
	in := func(cmd *exec.Cmd) ending {
		cmd.Dir = parent
		return a.run(cmd)
	}
	a.requireDone(in(a.trainer(name, attackedTo)))
	a.requireSameEnd(filepath.Join(parent, name))
	e := in(tiro("verify", "--", name))
	a.requireDone(e)
	for _, raw := range []string{"\x1b", "\xff", "line\nfeed"} {
		require.NotContains(a.t, e.stdout, raw)
	}
	a.requireDone(in(tiro("export", "--onnx", filepath.Join(a.t.TempDir(), "out.onnx"), "--", name)))
	in(tiro("match", "mnk", "--a", "net:"+name, "--b", "random", "--games", "2", "--workers", "1")) // a name may end in ",sims=1"
	entries, err := os.ReadDir(parent)
	require.NoError(a.t, err)
	require.Len(a.t, entries, 1, "something was written beside the run folder %q", name)
	a.count("an odd name", "done")
}

// tryForeign has commands work on a run folder with a file of somebody else in it.
func (a *attack) tryForeign(name, data string) {
	dir := a.copyOfRun()
	path := filepath.Join(dir, name)
	require.NoError(a.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(a.t, os.WriteFile(path, []byte(data), 0o600))
	e := a.train(dir, attackedTo)
	a.requireDone(e)
	a.requireSameEnd(dir)
	a.requireDone(a.run(tiro("verify", dir)))
	got, err := os.ReadFile(path)
	require.NoError(a.t, err, "%v", e)
	require.Equal(a.t, data, string(got))
	a.count("a file of somebody else", "done")
}

// oddity is something that can stand in the place of a file or a folder. Its
// put returns false if it has no meaning for that path; foreign is a folder of
// somebody else.
type oddity struct {
	name string
	put  func(a *attack, path, foreign string) bool
}

var oddities = []oddity{
	{"a pipe", func(a *attack, path, _ string) bool {
		a.remove(path)
		require.NoError(a.t, syscall.Mkfifo(path, 0o600))
		return true
	}},
	{"a socket", func(a *attack, path, foreign string) bool {
		a.remove(path)
		folder, err := os.MkdirTemp("", "tiro") // the path of a socket has at most 100 bytes
		require.NoError(a.t, err)
		short := filepath.Join(folder, "socket")
		listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: short, Net: "unix"})
		require.NoError(a.t, err)
		listener.SetUnlinkOnClose(false)
		require.NoError(a.t, listener.Close())
		require.NoError(a.t, os.Rename(short, path))
		require.NoError(a.t, os.Remove(folder))
		return true
	}},
	{"a device without end", linkTo(func(string, string) string { return "/dev/zero" })},
	{"a device that is full", linkTo(func(string, string) string { return "/dev/full" })},
	{"a loop of links", linkTo(func(path, _ string) string { return filepath.Base(path) })},
	{"a link to nothing", linkTo(func(path, foreign string) string { return filepath.Join(foreign, "nothing") })},
	{"a link to another's copy", func(a *attack, path, foreign string) bool {
		if _, err := os.Lstat(path); err != nil {
			return false
		}
		moved := filepath.Join(foreign, "moved")
		require.NoError(a.t, os.Rename(path, moved))
		require.NoError(a.t, os.Symlink(moved, path))
		return true
	}},
	{"a link to another's folder", linkTo(func(path, foreign string) string { return foreign })},
	{"a folder", func(a *attack, path, _ string) bool {
		a.remove(path)
		require.NoError(a.t, os.MkdirAll(filepath.Join(path, "folder"), 0o755))
		return true
	}},
	{"nothing", func(a *attack, path, _ string) bool { return a.remove(path) }},
	{"an empty file", edit(func(*attack, []byte) []byte { return nil })},
	{"half of it", edit(func(_ *attack, data []byte) []byte { return data[:len(data)/2] })},
	{"it with a bit flipped", edit(func(a *attack, data []byte) []byte {
		if len(data) > 0 {
			data[a.rng.IntN(len(data))] ^= 1 << a.rng.IntN(8)
		}
		return data
	})},
	{"it with more behind", edit(func(_ *attack, data []byte) []byte { return append(data, "\x00\xff{}\n"...) })},
	{"noise", edit(func(a *attack, data []byte) []byte {
		noise := make([]byte, len(data)+1)
		for i := range noise {
			noise[i] = byte(a.rng.Uint32())
		}
		return noise
	})},
}

// linkTo puts a symbolic link.
func linkTo(target func(path, foreign string) string) func(*attack, string, string) bool {
	return func(a *attack, path, foreign string) bool {
		a.remove(path)
		require.NoError(a.t, os.Symlink(target(path, foreign), path))
		return true
	}
}

// edit changes a file; it has no meaning for folders.
func edit(change func(a *attack, data []byte) []byte) func(*attack, string, string) bool {
	return func(a *attack, path, _ string) bool {
		data, err := os.ReadFile(path)
		if err != nil {
			return false
		}
		require.NoError(a.t, os.WriteFile(path, change(a, bytes.Clone(data)), 0o600))
		return true
	}
}

// remove removes what is at path and reports whether there was anything.
func (a *attack) remove(path string) bool {
	_, err := os.Lstat(path)
	require.NoError(a.t, os.RemoveAll(path))
	return err == nil
}

// targets returns the paths in the run folder dir that are attacked: all that are
// there, and some that training makes.
func targets(t *testing.T, dir string) []string {
	next := fmt.Sprintf("%06d", attackedFrom+1)
	paths := []string{
		filepath.Join("episodes", next+".part"), filepath.Join("episodes", next+".jsonl.zst"),
		filepath.Join("episodes", next+".part.unfinished"), "metrics.jsonl.unfinished", "damaged",
		filepath.Join("checkpoints", next), filepath.Join("checkpoints", next+".unfinished"),
	}
	for path := range snapshot(t, dir) {
		if path != dir {
			name, err := filepath.Rel(dir, path)
			require.NoError(t, err)
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	return paths
}
