package train_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"tiro/configs"
	"tiro/selfplay"
	"tiro/train"
)

func TestDecodeOverDefaults(t *testing.T) {
	c := train.Default("mnk")
	require.NoError(t, c.Decode("x.yaml", []byte(`
game: mnk:m=4
memory: 1.5GB
disk: none
net: {channels: 32}
selfplay:
  search:
    gumbel: {considered: 8}
  growth:
    - {generation: 10, simulations: 64}
learner:
  rate: 1e-2
  solver: {weight_decay: 0}
`)))
	want := train.Default("mnk:m=4")
	want.Memory, want.Disk = 1_500_000_000, 0
	want.Net.Channels = 32
	want.Selfplay.Search.Gumbel.Considered = 8
	want.Selfplay.Growth = []selfplay.Growth{{Generation: 10, Simulations: 64}}
	want.Learner.Rate = 0.01
	want.Learner.Solver.WeightDecay = 0
	require.Equal(t, want, c)
}

// TestWrittenConfigsReadBack: what the run folder keeps is the configuration.
func TestWrittenConfigsReadBack(t *testing.T) {
	want := small()
	want.Seed = 1<<64 - 1
	want.Learner.Drops = []train.Drop{{Step: 5, Factor: 0.1}}
	want.Learner.Rate = 1e-7
	want.Memory, want.Disk = 1234567, 0
	data, err := yaml.Marshal(want)
	require.NoError(t, err)
	got := train.Default("")
	require.NoError(t, got.Decode("x.yaml", data))
	require.Equal(t, want, got)
}

func TestDecodeNamesEveryFault(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unknown key", "net:\n  chanels: 32\n", "train: x.yaml:2:3: unknown key net.chanels; did you mean net.channels?"},
		{"wrong section", "channels: 32\n", "train: x.yaml:1:1: unknown key channels; did you mean net.channels?"},
		{"no idea", "net: {frobnicate: 1}", "train: x.yaml:1:7: unknown key net.frobnicate; want channels, blocks, pool, outcome_channels, hidden"},
		{"nothing near", "bat: 1\n", "train: x.yaml:1:1: unknown key bat; want game, seed, "},
		{"in a list", "learner:\n  drops:\n    - {stepp: 1}\n", "train: x.yaml:3:8: unknown key learner.drops[0].stepp; did you mean learner.drops[0].step?"},
		{"text for a number", "net:\n  channels: many\n", `train: x.yaml:2:13: net.channels is "many"; want a whole number`},
		{"quoted number", `net: {channels: "32"}`, `train: x.yaml:1:17: net.channels is "32"; want a whole number`},
		{"fraction", "net: {channels: 3.5}", `train: x.yaml:1:17: net.channels is "3.5"; want a whole number`},
		{"number for a truth", "net: {pool: 1}", `train: x.yaml:1:13: net.pool is "1"; want true or false`},
		{"number for text", "game: 12", `train: x.yaml:1:7: game is "12"; want text`},
		{"not a number", "learner: {rate: .nan}", "train: x.yaml:1:17: learner.rate is"},
		{"quoted rate", "learner: {rate: '0.1'}", "train: x.yaml:1:17: learner.rate is"},
		{"infinite rate", "learner: {rate: inf}", "train: x.yaml:1:17: learner.rate is"},
		{"empty value", "seed:\n", "train: x.yaml:1:7: seed is empty; want a whole number"},
		{"empty section", "net:\n", "train: x.yaml:1:6: net is empty; want a section with the keys channels, "},
		{"number for a section", "net: 3", `train: x.yaml:1:6: net is "3"; want a section`},
		{"section for a number", "seed: {a: 1}", "train: x.yaml:1:7: seed is a section of keys; want a whole number"},
		{"section for a list", "learner: {drops: {step: 1}}", "train: x.yaml:1:18: learner.drops is a section of keys; want a list"},
		{"list for a section", "- 1\n", "train: x.yaml:1:1: the file is a list; want a section"},
		{"no unit", "memory: 2", `train: x.yaml:1:9: memory is "2"; want an amount such as 2GiB, 1.5GB or 512MiB, at most 1024TiB, or none`},
		{"wrong unit", "disk: 2 gb", `train: x.yaml:1:7: disk is "2 gb"; want an amount such as 2GiB`},
		{"negative amount", "disk: -2GB", `disk is "-2GB"; want an amount`},
		{"too large an amount", "disk: 2000TiB", `disk is "2000TiB"; want an amount such as 2GiB, 1.5GB or 512MiB, at most 1024TiB`},
		{"section for an amount", "disk: {a: 1}", "disk is a section of keys; want an amount"},
		{"quoted number for an amount", "disk: '2'", `disk is "2"; want an amount`},
		{"negative", "seed: -1", `train: x.yaml:1:7: seed is "-1"; want a whole number from 0`},
		{"too large", "games_per_generation: 18446744073709551615", `x.yaml:1:23: games_per_generation is "18446744073709551615"; want a whole number`},
		{"huge", "seed: 99999999999999999999999", `train: x.yaml:1:7: seed is "99999999999999999999999"; want a whole number from 0`},
		{"twice", "seed: 1\nseed: 2\n", `train: x.yaml:2:1: mapping key "seed" already defined`},
		{"broken", "net: {channels: 3", "train: x.yaml:1:"},
		{"alias", "game: &a mnk\n", "game is an anchor, alias or tag"},
		{"merge", "<<: {seed: 1}\n", "train: x.yaml:1:1: unknown key <<"},
		{"long value", "seed: " + strings.Repeat("a", 1000), `x.yaml:1:7: seed is "` + strings.Repeat("a", 60) + `"; want`},
		{"long file", strings.Repeat("#\n", 40_000), "x.yaml: 80000 bytes; want at most 65536"},
		{"empty file", "", "train: x.yaml: want one YAML document"},
		{"two documents", "seed: 1\n---\nseed: 2\n", "train: x.yaml: want one YAML document"},
		{
			"several", "sed: 1\nnet: {chanels: 2, pool: 3}\n",
			"train: x.yaml:1:1: unknown key sed; did you mean seed?\nx.yaml:2:7: unknown key net.chanels; did you mean net.channels?\nx.yaml:2:25: net.pool is \"3\"; want true or false",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := train.Default("mnk")
			err := c.Decode("x.yaml", []byte(test.text))
			require.ErrorContains(t, err, test.want)
			if test.name != "several" {
				require.NotContains(t, err.Error(), "\n")
			}
			require.Equal(t, train.Default("mnk"), c, "unchanged")
		})
	}
}

func TestLoad(t *testing.T) {
	c := train.Default("mnk")
	require.ErrorIs(t, c.Load(filepath.Join(t.TempDir(), "none.yaml")), os.ErrNotExist)
	require.ErrorContains(t, c.Load(t.TempDir()), ": not a file")
}

func TestSet(t *testing.T) {
	c := train.Default("mnk")
	for _, assignment := range []string{
		"net.channels=32", "net.pool=false", "learner.rate=5e-4", "game=mnk:m=5,n=5,k=4",
		"memory=0", "disk=100GB", "learner.drops=[{step: 100, factor: 0.5}]", "selfplay.search.root=puct", "seed=9",
	} {
		require.NoError(t, c.Set(assignment), assignment)
	}
	want := train.Default("mnk:m=5,n=5,k=4")
	want.Net.Channels, want.Net.Pool = 32, false
	want.Memory, want.Disk = 0, 100e9
	want.Learner.Rate = 5e-4
	want.Learner.Drops = []train.Drop{{Step: 100, Factor: 0.5}}
	want.Selfplay.Search.Root = "puct"
	want.Seed = 9
	require.Equal(t, want, c)
}

// TestAssignments: they make one configuration of another, and say no more than
// that takes.
func TestAssignments(t *testing.T) {
	odd := small()
	odd.Seed = 1<<64 - 1
	odd.Game = "mnk:m=5,n=5,k=4"
	odd.Learner.Rate, odd.Learner.Drops = 1e-7, []train.Drop{{Step: 5, Factor: 0.1}, {Step: 9, Factor: 1e-9}}
	odd.Memory, odd.Disk = 1234567, 0
	all := []train.Config{train.Default("mnk"), odd}
	shipped, err := fs.Glob(configs.Files, "*.yaml")
	require.NoError(t, err)
	for _, name := range shipped {
		data, err := fs.ReadFile(configs.Files, name)
		require.NoError(t, err)
		c := train.Default("")
		require.NoError(t, c.Decode(name, data))
		all = append(all, c)
	}
	for _, from := range all {
		for _, to := range all {
			assignments, err := to.Assignments(&from)
			require.NoError(t, err)
			require.Len(t, assignments, len(to.Changes(&from)))
			for _, a := range assignments {
				require.NoError(t, from.Set(a))
			}
			require.Equal(t, to, from)
		}
	}
	c := train.Default("mnk")
	c.Net.Channels, c.Learner.Drops, c.Disk = 32, []train.Drop{{Step: 100, Factor: 0.5}}, 0
	from := train.Default("mnk")
	assignments, err := c.Assignments(&from)
	require.NoError(t, err)
	require.Equal(t, []string{"disk=none", "net.channels=32", "learner.drops=[{step: 100, factor: 0.5}]"}, assignments)
}

func TestSetNamesTheFault(t *testing.T) {
	tests := []struct{ assignment, want string }{
		{"net.chanels=32", `train: set "net.chanels=32": unknown key net.chanels; did you mean net.channels?`},
		{"channels=32", "unknown key channels; did you mean net.channels?"},
		{"net.channels=many", `net.channels is "many"; want a whole number`},
		{"net.channels", "want KEY=VALUE"},
		{"net.channels=", "want KEY=VALUE"},
		{"=3", "want KEY=VALUE"},
		{"net..channels=3", "is no key"},
		{"net: {pool=1", "is no key"},
		{"net=3", `net is "3"; want a section`},
		{"seed=1\ngame=x", "want KEY=VALUE on one line"},
		{"seed=[", "is not a value"},
		{"seed=-1", `seed is "-1"; want a whole number from 0`},
	}
	for _, test := range tests {
		t.Run(test.assignment, func(t *testing.T) {
			c := train.Default("mnk")
			err := c.Set(test.assignment)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "\n")
			require.Equal(t, train.Default("mnk"), c)
		})
	}
}

func TestValidateReportsEveryFault(t *testing.T) {
	require.NoError(t, train.Default("mnk").Validate())
	c := train.Config{Learner: train.Learner{ValueShare: 2, WarmUp: -1, Drops: []train.Drop{{Step: -1, Factor: 2}}}}
	c.Replay.Beta = -1
	c.Checkpoints.Every = -1
	err := c.Validate()
	for _, want := range []string{
		`game is ""`, "games_per_generation is 0", "\nnet: channels is 0", "\nselfplay: games is 0", "replay.window is 0", "replay.alpha is 0",
		"replay.beta is -1", "replay.reuse is 0", "learner.batch is 0", "learner.rate is 0", "learner.warm_up is -1", "learner.value_share is 2", "learner.discount is 0",
		"learner.drops[0].step is -1", "learner.drops[0].factor is 2", "learner.solver: graph: solver is", "checkpoints: last is 0", "every is -1",
	} {
		require.ErrorContains(t, err, want)
	}
}

// FuzzDecode: a configuration is refused and changes nothing, or is written and
// read back the same.
func FuzzDecode(f *testing.F) {
	shipped, err := fs.Glob(configs.Files, "*.yaml")
	require.NoError(f, err)
	for _, name := range shipped {
		data, err := fs.ReadFile(configs.Files, name)
		require.NoError(f, err)
		f.Add(string(data))
	}
	f.Add("format: 1\nwhat: tiro run\nseed: 7\n")
	for _, text := range []string{"net:\n  channels: 3\n", "a: [", "learner: {drops: [{step: 1}]}", "game: &a [*a]", "? x\n: y", "seed: |\n  1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := train.Default("mnk")
		if c.Decode("x.yaml", []byte(text)) != nil {
			require.Equal(t, train.Default("mnk"), c)
			return
		}
		_ = c.Validate()
		written, err := yaml.Marshal(c)
		require.NoError(t, err)
		again := train.Default("")
		require.NoError(t, again.Decode("x.yaml", written))
		require.Equal(t, c, again)
	})
}
