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

// lasting is a run that keeps checkpoints 0, 4, 5 and 6 when it has six
// generations, and so the games of 2 to 6, which the windows of the last three
// hold, and which all but those of 2 and 3 can be played again.
func lasting(dir string, generations int) train.Options {
	o := options(dir, generations)
	o.Config.Checkpoints = rundir.Retention{Last: 3, Every: 4}
	return o
}

// folder is a run folder to do damage to.
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

// edit replaces text that is there once at least.
func (f folder) edit(name, old, text string) {
	data := f.read(name)
	require.Contains(f.t, string(data), old)
	f.write(name, bytes.Replace(data, []byte(old), []byte(text), 1))
}

func (f folder) cut(name string, n int) { f.write(name, f.read(name)[:n]) }

func (f folder) remove(name string) { require.NoError(f.t, os.RemoveAll(f.path(name))) }

func (f folder) rename(from, to string) { require.NoError(f.t, os.Rename(f.path(from), f.path(to))) }

// replace puts a folder in the place of a file or the other way round.
func (f folder) replace(name string, dir bool) {
	f.remove(name)
	if dir {
		require.NoError(f.t, os.MkdirAll(f.path(name+"/more"), 0o777))
		return
	}
	f.write(name, []byte("text"))
}

// rezip changes the text in a compressed file.
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
	bad  []string // what verify finds: "STATUS PATH: TEXT"
	runs string   // what train says to it; nothing: it goes on by itself
	left []string // of bad, what is still so after the repair
	lost bool     // it cannot end as if unbroken
}

// damages are all kinds of damage; other is the folder of another run.
var damages = []damage{
	// Checkpoints.
	{
		name: "weights flipped", do: func(f folder, _ string) { f.flip(newest + "weights.safetensors") },
		bad: []string{"damaged checkpoints/000006: weights.safetensors: the checksum differs"}, runs: "checkpoint 5 is intact",
	},
	{
		name: "optimizer cut", do: func(f folder, _ string) { f.cut(newest+"optimizer.safetensors", 1000) },
		bad: []string{"damaged checkpoints/000006: optimizer.safetensors: 1000 bytes, but"}, runs: "checkpoint 5 is intact",
	},
	{
		name: "state flipped", do: func(f folder, _ string) { f.flip(newest + "state.json") },
		bad: []string{"damaged checkpoints/000006: state.json: the checksum differs"}, runs: "checkpoint 5 is intact",
	},
	{
		name: "state missing", do: func(f folder, _ string) { f.remove(newest + "state.json") },
		bad: []string{"damaged checkpoints/000006: stat state.json: no such file"}, runs: "checkpoint 5 is intact",
	},
	{
		name: "info empty", do: func(f folder, _ string) { f.cut(newest+"info.json", 0) },
		bad: []string{"damaged checkpoints/000006: info.json: "}, runs: "checkpoint 5 is intact",
	},
	{
		name: "a figure changed", do: func(f folder, _ string) { f.edit(newest+"info.json", `"draws": `, `"draws": 1`) },
		bad: []string{"damaged checkpoints/000006: info.json: metrics: its checksum is"}, runs: "checkpoint 5 is intact",
	},
	{
		name: "a folder for info", do: func(f folder, _ string) { f.replace(newest+"info.json", true) },
		bad: []string{"damaged checkpoints/000006: info.json: not a regular file"}, runs: "checkpoint 5 is intact",
	},
	{
		name: "a file for a checkpoint", do: func(f folder, _ string) { f.replace("checkpoints/000006", false) },
		bad: []string{"damaged checkpoints/000006: want a folder"}, runs: "000006 is there already",
	},
	{
		name: "checkpoint missing", do: func(f folder, _ string) { f.remove(newest) },
		bad: []string{"missing checkpoints/000006: metrics.jsonl has its line"}, left: []string{"missing checkpoints/000006"},
	},
	{
		name: "checkpoint renamed", do: func(f folder, _ string) { f.rename("checkpoints/000006", "checkpoints/000007") },
		bad: []string{"damaged checkpoints/000007: it holds checkpoint 6 and was renamed; want its name to be 000006"}, runs: "it holds checkpoint 6 and was renamed", left: []string{"missing checkpoints/000006"},
	},
	{
		name: "checkpoints swapped", do: func(f folder, _ string) {
			f.rename("checkpoints/000006", "checkpoints/x")
			f.rename("checkpoints/000005", "checkpoints/000006")
			f.rename("checkpoints/x", "checkpoints/000005")
		},
		bad: []string{
			"damaged checkpoints/000005: it holds checkpoint 6", "damaged checkpoints/000006: it holds checkpoint 5",
		}, runs: "checkpoint 4 is intact",
	},
	{
		name: "weights of another checkpoint", do: func(f folder, _ string) {
			f.write(newest+"weights.safetensors", f.read("checkpoints/000005/weights.safetensors"))
		},
		bad: []string{"damaged checkpoints/000006: weights.safetensors: the checksum differs"}, runs: "checkpoint 5 is intact",
	},
	{
		name: "an old checkpoint", do: func(f folder, _ string) { f.flip("checkpoints/000004/weights.safetensors") },
		bad: []string{"damaged checkpoints/000004: weights.safetensors: the checksum differs"},
	},

	// Games.
	{
		name: "games flipped", do: func(f folder, _ string) { f.flip(games5) },
		bad: []string{"damaged " + games5 + ": "}, runs: "without that file its games are played again, if they can be",
	},
	{
		name: "games cut", do: func(f folder, _ string) { f.cut(games5, 500) },
		bad: []string{"damaged " + games5 + ": "}, runs: "without that file its games are played again, if they can be",
	},
	{
		name: "games empty", do: func(f folder, _ string) { f.cut(games5, 0) },
		bad: []string{"damaged " + games5 + ": "}, runs: "without that file its games are played again, if they can be",
	},
	{
		name: "games missing", do: func(f folder, _ string) { f.remove(games5) },
		bad: []string{"missing " + games5 + ": these games belong to the replay window"}, left: []string{"missing " + games5},
	},
	{
		name: "a folder for games", do: func(f folder, _ string) { f.replace(games5, true) },
		bad: []string{"damaged " + games5 + ": want a file"}, runs: games5,
	},
	{
		name: "too few games", do: func(f folder, _ string) {
			f.rezip(games5, func(text string) string { return strings.Join(strings.SplitAfter(text, "\n")[:40], "") })
		},
		bad: []string{"damaged " + games5 + ": after 39 games"}, runs: "games 39; want 40",
	},
	{
		name: "a bomb", do: func(f folder, _ string) {
			f.rezip(games5, func(string) string { return strings.Repeat(" ", 100<<20) })
		},
		bad: []string{"damaged " + games5 + ": "}, runs: "without that file its games are played again, if they can be",
	},
	{
		name: "games of another run", do: func(f folder, other string) {
			f.write(games5, folder{f.t, other}.read(games5))
		},
		bad: []string{"damaged " + games5 + ": the games are of a run with seed 4; this one has 3"}, runs: "of a run with seed 4",
	},
	{
		name: "games of a twin", do: func(f folder, other string) {
			f.rezip(games5, func(string) string {
				var text string
				folder{f.t, other}.rezip(games5, func(theirs string) string {
					text = strings.Replace(theirs, `"seed":4`, `"seed":3`, 1)
					return theirs
				})
				return text
			})
		},
		bad: []string{"damaged " + games5 + ": the games were played by another network"}, runs: "the games were played by another network",
	},
	{
		name: "the wrong generation", do: func(f folder, _ string) { f.write(games5, f.read("episodes/000006.jsonl.zst")) },
		bad: []string{"damaged " + games5 + ": the games are of generation 6; want 5"}, runs: "the games are of generation 6",
	},
	{
		name: "another network", do: func(f folder, _ string) {
			f.rezip(games5, func(text string) string {
				return regexp.MustCompile(`"net":"....`).ReplaceAllString(text, `"net":"0000`)
			})
		},
		bad: []string{"damaged " + games5 + ": the games were played by another network"}, runs: "the games were played by another network",
	},
	{
		name: "a game beyond the generation", do: func(f folder, _ string) {
			f.rezip(games5, func(text string) string { return strings.Replace(text, `{"game":39,`, `{"game":16777215,`, 1) })
		},
		bad: []string{"damaged " + games5 + ": after 39 games, "}, runs: "they are not the games that metrics.jsonl describes",
	},
	{
		name: "games out of order", do: func(f folder, _ string) {
			f.rezip(games5, func(text string) string { return swapLines(text, 3, 4) })
		},
		bad: []string{"damaged " + games5 + ": after 3 games, "}, runs: "game 2 comes after 3; want ascending numbers",
	},
	{
		name: "another value", do: func(f folder, _ string) {
			f.rezip(games5, func(text string) string {
				return regexp.MustCompile(`"value":\[[^]]*\]`).ReplaceAllString(text, `"value":[1,-1]`)
			})
		},
		bad: []string{"damaged " + games5 + ": after 40 games, "}, runs: "they are not the games that metrics.jsonl describes",
	},
	{
		name: "a key twice", do: func(f folder, _ string) {
			f.rezip(games5, func(text string) string { return strings.Replace(text, `"opening":`, `"opening":0,"opening":`, 1) })
		},
		bad: []string{"damaged " + games5 + ": line 2: key \"opening\" is there twice"}, runs: "key \"opening\" is there twice",
	},
	{
		name: "a key in capitals", do: func(f folder, _ string) {
			f.rezip(games5, func(text string) string { return strings.Replace(text, `"plies":`, `"Plies":`, 1) })
		},
		bad: []string{"damaged " + games5 + ": line 2: key \"Plies\"; want lower-case"}, runs: "key \"Plies\"; want lower-case",
	},

	// Metrics.
	{
		name: "a line of metrics flipped", do: func(f folder, _ string) { f.edit(metrics, `"generation":4,"games":40`, `"generation":4,"games":41`) },
		bad: []string{"damaged metrics.jsonl: line 4: its checksum is"},
	},
	{
		name: "metrics empty", do: func(f folder, _ string) { f.cut(metrics, 0) },
		bad: []string{"damaged metrics.jsonl: the lines of generations 1-5 are missing"}, lost: true,
	},
	{
		name: "metrics missing", do: func(f folder, _ string) { f.remove(metrics) },
		bad: []string{"missing metrics.jsonl: no such file"}, lost: true,
	},
	{
		name: "a folder for metrics", do: func(f folder, _ string) { f.replace(metrics, true) },
		bad: []string{"damaged metrics.jsonl: not a regular file"}, runs: "metrics.jsonl: not a regular file", lost: true,
	},
	{
		name: "metrics of another run", do: func(f folder, other string) { f.write(metrics, folder{f.t, other}.read(metrics)) },
		bad: []string{"damaged metrics.jsonl: generation 4 is not that of checkpoint 4: the file is of another run"}, runs: "the file is of another run", lost: true,
	},

	// The rest.
	{
		name: "configuration flipped", do: func(f folder, _ string) { f.edit("config.yaml", "batch_size: 32", "batch_size: 33") },
		bad: []string{"damaged config.yaml: its checksum differs"}, runs: "config.yaml: its checksum differs", left: []string{"missing config.yaml"},
	},
	{
		name: "configuration missing", do: func(f folder, _ string) { f.remove("config.yaml") },
		bad: []string{"missing config.yaml: no such file"}, left: []string{"missing config.yaml"},
	},
	{
		name: "configuration empty", do: func(f folder, _ string) { f.cut("config.yaml", 0) },
		bad: []string{"damaged config.yaml: want one YAML document"}, runs: "config.yaml: want one YAML document", left: []string{"missing config.yaml"},
	},
	{
		name: "a folder for the lock", do: func(f folder, _ string) { f.replace("lock", true) },
		bad: []string{"damaged lock: want a file"}, runs: "lock",
	},
	{
		name: "a file for the checkpoints", do: func(f folder, _ string) { f.replace("checkpoints", false) },
		bad: []string{"damaged checkpoints: not a directory; want a folder", "missing checkpoints/000006: metrics.jsonl has its line"}, runs: "checkpoints", lost: true,
	},
}
