package study

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
	"tiro/models"
	"tiro/rundir"
	"tiro/train"
)

// forks returns an ablation whose trainings go on from generation 2 of a run.
func forks(t *testing.T) (a Ablation, run train.Options) {
	a = tiny(t)
	a.Variants[0].Config.Learner.BatchSize = 8
	run = a.options(&a.Variants[0], 1)
	run.Dir, run.Generations, run.Config.Seed = filepath.Join(t.TempDir(), "run"), 2, 40
	require.NoError(t, train.Run(t.Context(), run))
	var err error
	a.From, err = OpenOrigin(run.Dir, games.New)
	require.NoError(t, err)
	fast := a.From.Config
	fast.Learner.LearningRate *= 2
	a.Variants = []Variant{{Name: "base", Config: a.From.Config}, {Name: "fast", Config: fast}}
	a.Seeds = 2
	return a, run
}

// TestAblateForks: the first training of the base is the run going on, costs count from
// the fork on, and nothing is done twice, however far the run has come meanwhile.
func TestAblateForks(t *testing.T) {
	a, run := forks(t)
	report, err := Ablate(t.Context(), a)
	require.NoError(t, err)
	for _, training := range report.Trainings {
		require.Equal(t, 2, training.Generations)
		require.Equal(t, 4, training.Games)
	}
	run.Generations = 4
	require.NoError(t, train.Run(t.Context(), run))
	weights := func(dir string) string {
		data, err := os.ReadFile(filepath.Join(dir, rundir.CheckpointsDir, "000004", models.WeightsFile))
		require.NoError(t, err)
		return models.Measure(data).SHA256
	}
	require.Equal(t, weights(run.Dir), weights(filepath.Join(a.Dir, "base-1")))
	require.NotEqual(t, weights(run.Dir), weights(filepath.Join(a.Dir, "base-2")))
	require.NotEqual(t, weights(run.Dir), weights(filepath.Join(a.Dir, "fast-1")))

	again, err := Ablate(t.Context(), a)
	require.NoError(t, err)
	require.Equal(t, report, again)
}

// TestAblateForksConflicts: a run in the place of a fork must be one of that checkpoint.
func TestAblateForksConflicts(t *testing.T) {
	a, run := forks(t)
	_, err := Ablate(t.Context(), a)
	require.NoError(t, err)
	conflict := (*ConflictError)(nil)

	run.Generations = 3
	require.NoError(t, train.Run(t.Context(), run))
	later := a
	later.From, err = OpenOrigin(run.Dir, games.New)
	require.NoError(t, err)
	_, err = Ablate(t.Context(), later)
	require.ErrorAs(t, err, &conflict)
	require.ErrorContains(t, err, "base-1 is a run that goes on from generation 2 of another one; want the checkpoint of that generation and not of 3")

	none := a
	none.From = nil
	none.Variants = nil
	for _, v := range a.Variants {
		v.Config.Seed = 1
		none.Variants = append(none.Variants, v)
	}
	require.ErrorContains(t, none.checkFork(filepath.Join(a.Dir, "base-1")), "want --from with that checkpoint")
	fresh := a
	fresh.Dir = filepath.Join(t.TempDir(), "fresh")
	o := fresh.options(&a.Variants[0], 1)
	o.Generations = 1
	require.NoError(t, train.Run(t.Context(), o))
	_, err = Ablate(t.Context(), fresh)
	require.ErrorContains(t, err, "base-1 begins with random weights, and not with the checkpoint to go on from")

	other := a
	other.Variants = slices.Clone(a.Variants)
	for i := range other.Variants {
		other.Variants[i].Config.Game = "mnk:k=2"
	}
	_, err = Ablate(t.Context(), other)
	require.ErrorContains(t, err, `game is "mnk:k=2"; want that of the run to go on from, "mnk"`)

	a.Variants[1].Config.Net.Channels = 2
	_, err = Ablate(t.Context(), a)
	require.ErrorContains(t, err, `variant "fast": the network of a fork can only grow: net: channels is 2; want 4 or more`)
}
