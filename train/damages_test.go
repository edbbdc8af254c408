package train_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"tiro/rundir"
	"tiro/train"
)

// lasting returns a run of which checkpoints 0, 4, 5 and 6 remain after six generations, and the
// games of generations 2 to 6, which are in the windows of the last three checkpoints.
func lasting(dir string, generations int) train.Options {
	o := options(dir, generations)
	o.Config.Checkpoints = rundir.Retention{Last: 3, Every: 4}
	return o
}

// folder is a run folder to be damaged.
type folder struct {
	t   *testing.T
	dir string
}

func (f folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f folder) read(name string) []byte {
	data, err := os.ReadFile(f.path(name))
	require.NoError(f.t, err)
	return data
}

func (f folder) write(name string, data []byte) {
	require.NoError(f.t, os.WriteFile(f.path(name), data, 0o666))
}

// flip changes a byte in the middle of a file.
func (f folder) flip(name string) {
	data := f.read(name)
	data[len(data)/2] ^= 0xff
	f.write(name, data)
}

// edit replaces text that occurs at least once.
func (f folder) edit(name, old, text string) {
	data := f.read(name)
	require.Contains(f.t, string(data), old)
	f.write(name, bytes.Replace(data, []byte(old), []byte(text), 1))
}

func (f folder) cut(name string, n int) { f.write(name, f.read(name)[:n]) }

func (f folder) remove(name string) { require.NoError(f.t, os.RemoveAll(f.path(name))) }

func (f folder) rename(from, to string) { require.NoError(f.t, os.Rename(f.path(from), f.path(to))) }

// replace replaces a file by a folder or a folder by a file.
func (f folder) replace(name string, dir bool) {
	f.remove(name)
	if dir {
		require.NoError(f.t, os.MkdirAll(f.path(name+"/more"), 0o777))
		return
	}
	f.write(name, []byte("text"))
}

// rezip edits the text in a compressed file.
func (f folder) rezip(name string, change func(text string) string) {
	decoder, err := zstd.NewReader(nil)
	require.NoError(f.t, err)
	defer decoder.Close()
	text, err := decoder.DecodeAll(f.read(name), nil)
	require.NoError(f.t, err)
	encoder, err := zstd.NewWriter(nil)
	require.NoError(f.t, err)
	f.write(name, encoder.EncodeAll([]byte(change(string(text))), nil))
}

const (
	newest  = "checkpoints/000006/"
	games5  = "episodes/000005.jsonl.zst"
	games2  = "episodes/000002.jsonl.zst"
	metrics = "metrics.jsonl"
)

// swapLines swaps two lines, counted from 0.
func swapLines(text string, i, j int) string {
	lines := strings.SplitAfter(text, "\n")
	lines[i], lines[j] = lines[j], lines[i]
	return strings.Join(lines, "")
}

// damage is a kind of damage to a run of six generations.
type damage struct {
	name string
	do   func(f folder, other string)
	bad  []string // faults that verify reports, as "STATUS PATH"
	runs string   // value in train's error; empty if the run continues
	left []string // faults in bad that remain after the repair
	lost bool     // the run cannot end as if undamaged
}

// toNewest is damage to checkpoint 6, which leaves checkpoint 5 as the newest intact one.
func toNewest(name string, do func(f folder)) damage {
	return damage{name: name, do: func(f folder, _ string) { do(f) }, bad: []string{"damaged checkpoints/000006"}, runs: "checkpoint 5 is intact"}
}

// toGames is damage to the games of generation 5, which are lost.
func toGames(name string, do func(f folder, other string)) damage {
	return damage{name: name, do: do, bad: []string{"damaged " + games5}, runs: games5, lost: true}
}

// toText is damage to the uncompressed text of these games.
func toText(name string, change func(text string) string) damage {
	return toGames(name, func(f folder, _ string) { f.rezip(games5, change) })
}

// replaced returns a change of the first occurrence of old in a text.
func replaced(old, text string) func(string) string {
	return func(in string) string { return strings.Replace(in, old, text, 1) }
}

// matched returns a change of all matches of a pattern in a text.
func matched(pattern, text string) func(string) string {
	return func(in string) string { return regexp.MustCompile(pattern).ReplaceAllString(in, text) }
}

// damages lists all kinds of damage. other is the folder of another run.
var damages = []damage{
	// Checkpoints.
	toNewest("weights flipped", func(f folder) { f.flip(newest + "weights.safetensors") }),
	toNewest("optimizer cut", func(f folder) { f.cut(newest+"optimizer.safetensors", 1000) }),
	toNewest("state flipped", func(f folder) { f.flip(newest + "state.json") }),
	toNewest("state missing", func(f folder) { f.remove(newest + "state.json") }),
	toNewest("info empty", func(f folder) { f.cut(newest+"info.json", 0) }),
	toNewest("a figure changed", func(f folder) { f.edit(newest+"info.json", `"draws": `, `"draws": 1`) }),
	toNewest("a folder for info", func(f folder) { f.replace(newest+"info.json", true) }),
	toNewest("weights of another checkpoint", func(f folder) {
		f.write(newest+"weights.safetensors", f.read("checkpoints/000005/weights.safetensors"))
	}),
	{
		name: "a file for a checkpoint", do: func(f folder, _ string) { f.replace("checkpoints/000006", false) },
		bad: []string{"damaged checkpoints/000006"}, runs: "000006",
	},
	{
		name: "checkpoint missing", do: func(f folder, _ string) { f.remove(newest) },
	},
	{
		name: "checkpoint renamed", do: func(f folder, _ string) { f.rename("checkpoints/000006", "checkpoints/000007") },
		bad: []string{"damaged checkpoints/000007"}, runs: "checkpoint 6",
	},
	{
		name: "checkpoints swapped", do: func(f folder, _ string) {
			f.rename("checkpoints/000006", "checkpoints/x")
			f.rename("checkpoints/000005", "checkpoints/000006")
			f.rename("checkpoints/x", "checkpoints/000005")
		},
		bad: []string{"damaged checkpoints/000005", "damaged checkpoints/000006"}, runs: "checkpoint 4 is intact",
	},
	{
		name: "an old checkpoint", do: func(f folder, _ string) { f.flip("checkpoints/000004/weights.safetensors") },
		bad: []string{"damaged checkpoints/000004"},
	},

	// Games.
	{
		name: "games missing", do: func(f folder, _ string) { f.remove(games5) },
		lost: true,
	},
	toGames("games flipped", func(f folder, _ string) { f.flip(games5) }),
	toGames("games cut", func(f folder, _ string) { f.cut(games5, 500) }),
	toGames("games empty", func(f folder, _ string) { f.cut(games5, 0) }),
	toGames("a folder for games", func(f folder, _ string) { f.replace(games5, true) }),
	toGames("the wrong generation", func(f folder, _ string) { f.write(games5, f.read("episodes/000006.jsonl.zst")) }),
	toGames("games of another run", func(f folder, other string) { f.write(games5, folder{f.t, other}.read(games5)) }),
	toGames("games of a twin", func(f folder, other string) {
		f.write(games5, folder{f.t, other}.read(games5))
		f.rezip(games5, replaced(`"seed":4`, `"seed":3`))
	}),
	toText("too few games", func(text string) string { return strings.Join(strings.SplitAfter(text, "\n")[:40], "") }),
	toText("a bomb", func(string) string { return strings.Repeat(" ", 100<<20) }),
	toText("another network", matched(`"net":"....`, `"net":"0000`)),
	toText("a game beyond the generation", replaced(`{"game":39,`, `{"game":16777215,`)),
	toText("games out of order", func(text string) string { return swapLines(text, 3, 4) }),
	toText("another value", matched(`"value":\[[^]]*\]`, `"value":[1,-1]`)),
	toText("a key twice", replaced(`"opening":`, `"opening":0,"opening":`)),
	toText("a key in capitals", replaced(`"plies":`, `"Plies":`)),

	// Metrics.
	{
		name: "a line of metrics flipped", do: func(f folder, _ string) { f.edit(metrics, `"games":40`, `"games":41`) },
		bad: []string{"damaged metrics.jsonl"}, lost: true,
	},
	{
		name: "metrics empty", do: func(f folder, _ string) { f.cut(metrics, 0) },
		bad: []string{"damaged metrics.jsonl"}, lost: true,
	},
	{
		name: "metrics missing", do: func(f folder, _ string) { f.remove(metrics) },
		bad: []string{"missing metrics.jsonl"}, lost: true,
	},
	{
		name: "a folder for metrics", do: func(f folder, _ string) { f.replace(metrics, true) },
		bad: []string{"damaged metrics.jsonl"}, runs: metrics, lost: true,
	},
	{
		name: "metrics of another run", do: func(f folder, other string) { f.write(metrics, folder{f.t, other}.read(metrics)) },
		bad: []string{"damaged metrics.jsonl"}, runs: metrics, lost: true,
	},

	// The rest.
	{
		name: "configuration flipped", do: func(f folder, _ string) { f.edit("config.yaml", "batch_size: 32", "batch_size: 33") },
		bad: []string{"damaged config.yaml"}, runs: "config.yaml", left: []string{"missing config.yaml"},
	},
	{
		name: "configuration missing", do: func(f folder, _ string) { f.remove("config.yaml") },
		bad: []string{"missing config.yaml"}, left: []string{"missing config.yaml"},
	},
	{
		name: "configuration empty", do: func(f folder, _ string) { f.cut("config.yaml", 0) },
		bad: []string{"damaged config.yaml"}, runs: "config.yaml", left: []string{"missing config.yaml"},
	},
	{
		name: "a folder for the lock", do: func(f folder, _ string) { f.replace("lock", true) },
		bad: []string{"damaged lock"}, runs: "lock",
	},
	{
		name: "a file for the checkpoints", do: func(f folder, _ string) { f.replace("checkpoints", false) },
		bad: []string{"damaged checkpoints"}, runs: "checkpoints", lost: true,
	},
}
