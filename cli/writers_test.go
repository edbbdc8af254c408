//go:build unix

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/internal/effort"
	"tiro/web"
)

// writer is a command that creates or updates files in its own folder, OUT.
type writer struct {
	name  string
	args  string   // contains OUT, and may contain RUN for a run of two generations
	first string   // a command to run before, if the writer adds to an existing folder
	links []string // in OUT, where a link to a foreign folder may be; "": beside OUT
	left  []string // remains of a killed process, relative to OUT's parent
	lock  string   // the file that a second process finds locked, relative to OUT's parent
	needs func() error
}

const tiny = " --workers 1 --set net.channels=4 --set net.blocks=0 --set selfplay.search.simulations=2 --set games_per_generation=4 " +
	"--set learner.batch_size=8 --set duels.share=0"

// writers are all commands that write folders, or files that other processes may write, too.
var writers = []writer{
	{
		name: "train", first: "train mnk --run OUT --generations 1 --plain" + tiny, args: "train mnk --run OUT --generations 2 --plain" + tiny,
		links: []string{
			"config.yaml", "metrics.jsonl", "log.jsonl", "log.old.jsonl", "lock", "config.yaml.unfinished", "episodes/000002.part",
			"episodes/000002.part.unfinished", "episodes/000002.jsonl.zst", "checkpoints/000001.unfinished", "checkpoints/000002", "checkpoints/000002.unfinished",
		},
		left: []string{"OUT/config.yaml.unfinished", "OUT/checkpoints/000002.unfinished/weights.safetensors", "OUT/episodes/000002.jsonl.zst.unfinished"},
		lock: "OUT/lock",
	},
	{
		name: "fork", args: "fork RUN --run OUT --set seed=5",
		left: []string{"OUT.unfinished/checkpoints/000002/weights.safetensors"}, lock: "OUT.lock",
	},
	{
		name: "warm start", args: "fork RUN --network-only --run OUT",
		left: []string{"OUT.unfinished/checkpoints/000000/weights.safetensors"}, lock: "OUT.lock",
	},
	{
		name: "repair", first: "fork RUN --run OUT --set seed=5", args: "verify OUT --repair",
		links: []string{"damaged", "damaged/checkpoints", "damaged/episodes"}, left: []string{"OUT/damaged/checkpoints/000002.unfinished/weights.safetensors"}, lock: "OUT/lock",
	},
	{
		name: "fit", args: "fit RUN --dir OUT --steps 2 --seeds 1 --hold-out 0.4 --backend go",
		links: []string{"base-1", "base-1/weights.safetensors", "report.json", "lock"}, left: []string{"OUT/report.json.unfinished", "OUT/base-1/weights.safetensors.unfinished"}, lock: "OUT/lock",
	},
	{
		name:  "ablate",
		args:  "ablate mnk --dir OUT --generations 1 --seeds 1 --games 2 --sims 2 --variant less~learner.learning_rate=1e-4 " + tiny,
		links: []string{"base-1", "less-1", "report.json", "games.jsonl", "lock"}, left: []string{"OUT/report.json.unfinished", "OUT/games.jsonl.unfinished"}, lock: "OUT/lock",
	},
	{
		name: "match", args: "match mnk --a random --b random --games 2 --workers 1 --records OUT",
		links: []string{""}, left: []string{"OUT.unfinished"}, lock: "OUT.lock",
	},
	{
		name: "rate", args: "rate mnk random --games 12 --workers 1 --dir OUT",
		links: []string{"games.jsonl", "games.jsonl.lock"}, left: []string{"OUT/games.jsonl.unfinished"}, lock: "OUT/games.jsonl.lock",
	},
	{
		name: "model", args: "models connect4 --save OUT",
		links: []string{"weights.safetensors", "card.json"}, left: []string{"OUT/card.json.unfinished"}, lock: "OUT/lock",
	},
	{
		name: "page", args: "export RUN --web OUT", needs: web.CheckProgram,
		links: []string{"networks", "index.html", "app.js", "networks/mnk.safetensors", "lock"},
		left:  []string{"OUT/networks/connect4.safetensors.unfinished", "OUT/index.html.unfinished"}, lock: "OUT/lock",
	},
	{
		name: "man", args: "man --dir OUT",
		links: []string{"tiro.1", "tiro-train.1", "tiro-train.1.unfinished", "lock"}, left: []string{"OUT/tiro-train.1.unfinished"}, lock: "OUT/lock",
	},
	{
		name: "credentials", args: "cluster credentials OUT --worker a",
		links: []string{"server.pem", "server-key.pem", "worker-a.json", "nats-server.conf", "lock"}, left: []string{"OUT/server-key.pem.unfinished"}, lock: "OUT/lock",
	},
}

// in returns the arguments of a command line for a folder; ~ stands for a space within an
// argument.
func in(dir, run, line string) (args []string) {
	for _, word := range strings.Fields(line) {
		args = append(args, strings.NewReplacer("~", " ", "OUT", filepath.Join(dir, "out"), "RUN", run).Replace(word))
	}
	return args
}

// TestAttackWriters: a writer writes nothing through foreign links, removes the remains of its
// own killed processes, and is refused while another process writes the same.
func TestAttackWriters(t *testing.T) {
	if testing.Short() {
		t.Skip("takes hundreds of small runs and studies")
	}
	begun := filepath.Join(t.TempDir(), "run")
	command(t, "", in("", begun, "train mnk --run RUN --plain --generations 2"+tiny)...)
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			if w.needs != nil && w.needs() != nil {
				t.Skip(w.needs())
			}
			before := t.TempDir()
			if w.first != "" {
				command(t, "", in(before, begun, w.first)...)
			}
			prepared := func(t *testing.T) (dir string) {
				dir = t.TempDir()
				require.NoError(t, os.CopyFS(dir, os.DirFS(before)))
				if w.name == "repair" {
					require.NoError(t, os.WriteFile(filepath.Join(dir, "out", "checkpoints", "000002", "state.json"), nil, 0o666))
					require.NoError(t, os.WriteFile(filepath.Join(dir, "out", "episodes", "000002.jsonl.zst"), nil, 0o666))
				}
				return dir
			}
			at := func(dir, name string) string { return filepath.Join(dir, strings.Replace(name, "OUT", "out", 1)) }
			tiro := func(t *testing.T, dir string) (code int, said string) {
				var out, complaints bytes.Buffer
				code = run(t.Context(), shippedGames, disk.OS{}, in(dir, begun, w.args), strings.NewReader(""), &out, &complaints)
				return code, out.String() + complaints.String()
			}
			for i, link := range w.links {
				t.Run("link "+link, func(t *testing.T) {
					kinds := []string{"folder", "file", "nothing"}
					if !effort.Long() {
						kinds = kinds[i%len(kinds):][:1]
					}
					for _, kind := range kinds {
						dir, foreign := prepared(t), t.TempDir()
						require.NoError(t, os.MkdirAll(filepath.Join(foreign, "folder", "mine"), 0o777))
						require.NoError(t, os.WriteFile(filepath.Join(foreign, "file"), []byte("mine"), 0o666))
						path := filepath.Join(dir, "out", link)
						require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
						require.NoError(t, os.RemoveAll(path))
						require.NoError(t, os.Symlink(filepath.Join(foreign, kind), path))
						before := snapshot(t, foreign)
						_, said := tiro(t, dir)
						require.Equal(t, before, snapshot(t, foreign), "%s", said)
					}
				})
			}
			for _, left := range w.left {
				t.Run("left "+left, func(t *testing.T) {
					dir := prepared(t)
					path := at(dir, left)
					require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
					require.NoError(t, os.WriteFile(path, []byte("half"), 0o666))
					code, said := tiro(t, dir)
					if w.name != "repair" { // repair finds damage
						require.Zero(t, code, "%s", said)
					}
					for gone := path; len(gone) > len(dir); gone = filepath.Dir(gone) {
						if strings.HasSuffix(gone, disk.Unfinished) {
							require.NoFileExists(t, gone)
							require.NoDirExists(t, gone)
						}
					}
				})
			}
			t.Run("locked", func(t *testing.T) {
				dir := prepared(t)
				path := at(dir, w.lock)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				lock, err := disk.OS{}.Lock(path)
				require.NoError(t, err)
				before := snapshot(t, dir)
				code, said := tiro(t, dir)
				require.NotZero(t, code)
				require.Contains(t, said, "another process")
				require.NotContains(t, said, "move the file", "the holder still writes it")
				require.Equal(t, before, snapshot(t, dir))
				require.NoError(t, lock.Close())
				code, said = tiro(t, dir) // the lock of a killed process is no obstacle
				if w.name != "repair" {
					require.Zero(t, code, "%s", said)
				}
			})
		})
	}
}
