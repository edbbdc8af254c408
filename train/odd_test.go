//go:build unix

package train_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/fsck"
	"tiro/train"
)

// oddities make things other than regular files at a path.
var oddities = map[string]func(t *testing.T, path string){
	"a pipe": func(t *testing.T, path string) { require.NoError(t, syscall.Mkfifo(path, 0o666)) },
	"a socket": func(t *testing.T, path string) {
		// The path of a socket may have at most 104 bytes.
		short := filepath.Join(os.TempDir(), filepath.Base(filepath.Dir(path))+filepath.Base(path))
		socket, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: short})
		require.NoError(t, err)
		socket.SetUnlinkOnClose(false)
		require.NoError(t, socket.Close())
		require.NoError(t, os.Rename(short, path))
	},
	"zeros":             func(t *testing.T, path string) { require.NoError(t, os.Symlink("/dev/zero", path)) },
	"a link to nothing": func(t *testing.T, path string) { require.NoError(t, os.Symlink("nothing", path)) },
	"a loop":            func(t *testing.T, path string) { require.NoError(t, os.Symlink(filepath.Base(path), path)) },
}

// TestOddFiles replaces each kind of file of a run with pipes, sockets, devices and dangling
// links. Nothing waits for them or reads them endlessly, Verify finds them, Repair moves them
// away, and the run continues.
func TestOddFiles(t *testing.T) {
	intact := t.TempDir()
	o := lasting(intact, 2)
	o.Config.GamesPerGeneration = 4
	run(t, o)
	for _, file := range []string{
		"config.yaml", "metrics.jsonl", "log.jsonl", "log.old.jsonl", "lock",
		"episodes", "episodes/000002.jsonl.zst", "episodes/000003.part",
		"checkpoints/000002", "checkpoints/000002/info.json", "checkpoints/000002/state.json",
		"checkpoints/000002/weights.safetensors", "checkpoints/000002/optimizer.safetensors",
	} {
		for oddity, put := range oddities {
			if oddity == "a link to nothing" && strings.Contains("config.yaml metrics.jsonl episodes/000002.jsonl.zst", file) {
				continue // counts as missing
			}
			t.Run(file+" "+oddity, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				path := filepath.Join(dir, file)
				copyRun := func() {
					require.NoError(t, os.RemoveAll(dir))
					require.NoError(t, os.CopyFS(dir, os.DirFS(intact)))
					require.NoError(t, os.RemoveAll(path))
					put(t, path)
				}
				o := o
				o.Dir, o.Generations = dir, 3

				copyRun()
				found := bad(verify(t, dir))
				require.Contains(t, found[0], "damaged "+strings.Join(strings.Split(file, "/")[:min(2, strings.Count(file, "/")+1)], "/")+": ")
				if file != "episodes" { // whose games are missing as well
					require.Len(t, found, 1)
				}
				// A checkpoint or partial episode file that cannot exist counts as missing.
				if err := train.Run(context.Background(), o); file != "episodes/000003.part" && file != "checkpoints/000002" {
					require.Error(t, err)
				}

				copyRun()
				_, err := fsck.Repair(context.Background(), fsck.Options{Path: dir, Find: findGame})
				if file == "lock" {
					require.ErrorContains(t, err, "lock: not a regular file")
					require.NoError(t, os.Remove(path))
				} else {
					require.NoError(t, err)
				}
				require.NoError(t, train.Run(context.Background(), o))
				require.Empty(t, bad(verify(t, dir)))
			})
		}
	}
}
