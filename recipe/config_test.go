package recipe_test

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"tiro/configs"
	"tiro/net"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
)

// unusual returns a configuration that differs from the default in every section.
func unusual() recipe.Config {
	c := recipe.Default("mnk")
	c.Seed = 3
	c.GamesPerGeneration = 40
	c.Net = net.Config{Channels: 8, Blocks: 1, Pool: true, OutcomeChannels: 2, Hidden: 8}
	c.Selfplay.TemperaturePlies = 5
	c.Replay.Window = 300
	c.Learner.BatchSize = 32
	c.Checkpoints = rundir.Retention{Last: 2, Every: 3}
	return c
}

func TestDecodeOverDefaults(t *testing.T) {
	c := recipe.Default("mnk")
	require.NoError(t, c.Decode("x.yaml", []byte(`
game: mnk:m=4
memory: 1.5GB
disk: none
net: {channels: 32}
selfplay:
  search:
    gumbel: {max_considered_actions: 8}
  simulation_schedule:
    - {generation: 10, simulations: 64}
learner:
  learning_rate: 1e-2
  optimizer: {weight_decay: 0}
`)))
	want := recipe.Default("mnk:m=4")
	want.Memory, want.Disk = 1_500_000_000, 0
	want.Net.Channels = 32
	want.Selfplay.Search.Gumbel.MaxConsideredActions = 8
	want.Selfplay.SimulationSchedule = []selfplay.SimulationStep{{Generation: 10, Simulations: 64}}
	want.Learner.LearningRate = 0.01
	want.Learner.Optimizer.WeightDecay = 0
	require.Equal(t, want, c)
}

// TestWrittenConfigsReadBack: a configuration is unchanged after writing and reading.
func TestWrittenConfigsReadBack(t *testing.T) {
	want := unusual()
	want.Seed = 1<<64 - 1
	want.Learner.LearningRateDrops = []recipe.Drop{{Step: 5, Factor: 0.1}}
	want.Learner.LearningRate = 1e-7
	want.Memory, want.Disk = 1234567, 0
	data, err := yaml.Marshal(want)
	require.NoError(t, err)
	got := recipe.Default("")
	require.NoError(t, got.Decode("x.yaml", data))
	require.Equal(t, want, got)
}

func TestLoad(t *testing.T) {
	c := recipe.Default("mnk")
	require.ErrorIs(t, c.Load(filepath.Join(t.TempDir(), "none.yaml")), os.ErrNotExist)
	require.ErrorContains(t, c.Load(t.TempDir()), ": not a regular file")
}

// TestAssignments: assignments turn one configuration into another, and there are no
// unnecessary ones.
func TestAssignments(t *testing.T) {
	odd := unusual()
	odd.Seed = 1<<64 - 1
	odd.Game = "mnk:m=5,n=5,k=4"
	odd.Learner.LearningRate, odd.Learner.LearningRateDrops = 1e-7, []recipe.Drop{{Step: 5, Factor: 0.1}, {Step: 9, Factor: 1e-9}}
	odd.Memory, odd.Disk = 1234567, 0
	all := []recipe.Config{recipe.Default("mnk"), odd}
	shipped, err := fs.Glob(configs.Files, "*.yaml")
	require.NoError(t, err)
	for _, name := range shipped {
		data, err := fs.ReadFile(configs.Files, name)
		require.NoError(t, err)
		c := recipe.Default("")
		require.NoError(t, c.Decode(name, data))
		all = append(all, c)
	}
	for _, from := range all {
		for _, to := range all {
			assignments := configs.Assignments(&from, &to)
			require.Len(t, assignments, len(configs.Changes(&from, &to)))
			for _, a := range assignments {
				require.NoError(t, configs.Set(&from, a))
			}
			require.Equal(t, to, from)
		}
	}
	c := recipe.Default("mnk")
	c.Net.Channels, c.Learner.LearningRateDrops, c.Disk = 32, []recipe.Drop{{Step: 100, Factor: 0.5}}, 0
	from := recipe.Default("mnk")
	require.Equal(t, []string{"disk=none", "net.channels=32", "learner.learning_rate_drops=[{step: 100, factor: 0.5}]"}, configs.Assignments(&from, &c))
}

func TestValidateReportsEveryFault(t *testing.T) {
	require.NoError(t, recipe.Default("mnk").Validate())
	c := recipe.Config{Learner: recipe.Learner{SearchValueWeight: 2, WarmupSteps: -1, LearningRateDrops: []recipe.Drop{{Step: -1, Factor: 2}}}}
	c.GenerationSchedule = []recipe.GenerationStep{{Generation: 2, Games: 0}, {Generation: 2, Games: 1}}
	c.Replay.Beta = -1
	c.Checkpoints.Every = -1
	err := c.Validate()
	for _, want := range []string{
		`game is ""`, "games_per_generation is 0", "generation_schedule[0].games is 0", "generation_schedule[1].generation is 2 but must be more than 2", "\nnet.channels is 0", "\nselfplay.concurrent_games is 0", "replay.window is 0", "replay.alpha is 0",
		"replay.beta is -1", "replay.sample_reuse is 0", "learner.batch_size is 0", "learner.learning_rate is 0", "learner.warmup_steps is -1", "learner.search_value_weight is 2", "learner.discount is 0",
		"learner.learning_rate_drops[0].step is -1", "learner.learning_rate_drops[0].factor is 2", "checkpoints.last is 0", "checkpoints.every is -1",
	} {
		require.ErrorContains(t, err, want)
	}
	c.Checkpoints = rundir.Retention{Last: math.MaxInt, Every: math.MaxInt} // their product with the size of a checkpoint overflows
	require.ErrorContains(t, c.Validate(), "checkpoints.last is 9223372036854775807 but must be 1 to 1000000")
	require.ErrorContains(t, c.Validate(), "checkpoints.every is 9223372036854775807 but must be 0")
}

// FuzzDecode: a configuration is rejected without changes, or unchanged after writing and
// reading.
func FuzzDecode(f *testing.F) {
	shipped, err := fs.Glob(configs.Files, "*.yaml")
	require.NoError(f, err)
	for _, name := range shipped {
		data, err := fs.ReadFile(configs.Files, name)
		require.NoError(f, err)
		f.Add(string(data))
	}
	f.Add("format: 2\nwhat: tiro run\nseed: 7\n")
	for _, text := range []string{"net:\n  channels: 3\n", "a: [", "learner: {drops: [{step: 1}]}", "game: &a [*a]", "? x\n: y", "seed: |\n  1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := recipe.Default("mnk")
		if c.Decode("x.yaml", []byte(text)) != nil {
			require.Equal(t, recipe.Default("mnk"), c)
			return
		}
		_ = c.Validate()
		written, err := yaml.Marshal(c)
		require.NoError(t, err)
		again := recipe.Default("")
		require.NoError(t, again.Decode("x.yaml", written))
		require.Equal(t, c, again)
	})
}
