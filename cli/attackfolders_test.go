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

// TestAttackFolders replaces each file and folder of a run folder with an oddity, then runs the
// commands that read run folders. A command must not hang, must not change foreign files, and
// must either fail or give the same result as for the original folder.
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

// TestAttackNames: a run folder may have any name and may contain foreign files.
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

// durations matches the parts of the output that differ between repetitions of a command.
var durations = regexp.MustCompile(`[0-9.]+ ?m?s\b`)

// folderReader is a command that reads or writes a run folder.
type folderReader struct {
	name  string
	args  []string // "RUN" stands for the run folder, "OUT" for an output file
	input string
}

// readersOnly is the index of the first command that writes nothing in the run folder.
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

// read runs a reader other than train on the run in dir. It returns the ending and the result:
// the output file if there is one, or else standard output.
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
		return e, fmt.Sprint(strings.Contains(e.stdout, "bestmove ")) // quit may end the search at any time
	case os.IsNotExist(err):
		return e, durations.ReplaceAllString(e.stdout, "")
	}
	require.NoError(a.t, err)
	return e, string(data)
}

// tryFolder replaces the target in a fresh copy of the run with an oddity, runs the reader on
// the copy, and checks the ending and the result. given is each reader's result for the
// original run.
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
	lost := strings.HasPrefix(filepath.ToSlash(target), "episodes") // games, which cannot be restored
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
		other := target == newest || // the previous checkpoint is read instead
			reader.name == "rate" && filepath.Dir(target) == "checkpoints" || // rate rates the checkpoints it finds
			reader.name == "export" && target == "config.yaml" // the export omits how the network was trained
		if e, out = a.read(reader, dir); e.code == exitDone && !other {
			require.Equal(a.t, given[reader.name], out, "%v", e)
		}
	}
	if e.code != exitDone {
		require.Contains(a.t, e.stdout+e.stderr, "tiro: ", "%v", e)
	}
	after := snapshot(a.t, foreign)
	moved := filepath.Join(foreign, "moved") // the location of the run itself if its folders are links
	for name := range before {
		if (target == "checkpoints" || target == "episodes") && strings.HasPrefix(name, moved) {
			continue
		}
		require.Equal(a.t, before[name], after[name], "%s of a foreign folder was changed: %v", name, e)
	}
	a.countEnding(odd.name+", "+reader.name, e)
}

// tryName runs commands on a run folder with the given name.
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
	in(tiro("match", "mnk", "--a", "net:"+name, "--b", "random", "--games", "2", "--workers", "1")) // a name may end in ",sims=1", so that the command may fail
	entries, err := os.ReadDir(parent)
	require.NoError(a.t, err)
	require.Len(a.t, entries, 1, "something was written beside the run folder %q", name)
	a.count("an odd name", "done")
}

// tryForeign runs commands on a run folder that contains a foreign file.
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
	a.count("a foreign file", "done")
}

// oddity is something that can replace a file or a folder. Its put returns false if the oddity
// does not apply to the path; foreign is a folder outside the run.
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
		folder, err := os.MkdirTemp("", "tiro") // the path of a socket is limited to about 100 bytes
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

// linkTo puts a symbolic link at path.
func linkTo(target func(path, foreign string) string) func(*attack, string, string) bool {
	return func(a *attack, path, foreign string) bool {
		a.remove(path)
		require.NoError(a.t, os.Symlink(target(path, foreign), path))
		return true
	}
}

// edit changes a file; it does not apply to folders.
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

// remove removes path and reports whether it existed.
func (a *attack) remove(path string) bool {
	_, err := os.Lstat(path)
	require.NoError(a.t, os.RemoveAll(path))
	return err == nil
}

// targets returns the paths in the run folder dir to attack: all existing paths, and some that
// training creates.
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
