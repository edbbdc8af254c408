package study

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env/games"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study/ladder"
	"tiro/train"
)

// tiny returns an ablation of two variants that train in an instant.
func tiny(t *testing.T) Ablation {
	game, err := games.New("mnk")
	require.NoError(t, err)
	c := recipe.Default("mnk")
	c.GamesPerGeneration = 2
	c.Net.Channels, c.Net.Blocks, c.Net.Hidden = 4, 1, 0
	c.Selfplay.Search.Simulations = 2
	changed := c
	changed.Learner.LearningRate *= 2
	return Ablation{
		Comparison: Comparison{
			Dir: filepath.Join(t.TempDir(), "ablation"), Seeds: 1, Backend: kernel.Best(), Tiro: "test",
			Variants: []Variant{{Name: "base", Config: c}, {Name: "fast", Config: changed}},
		},
		Game: game, Generations: 2, Workers: 1, Games: 3, Simulations: 2, Opening: 2,
	}
}

func TestValidateAblation(t *testing.T) {
	tests := []struct {
		name   string
		change func(a *Ablation)
		want   string
	}{
		{"no variant", func(a *Ablation) { a.Variants = a.Variants[:1] }, "a game, a base and at least one variant"},
		{"no seeds", func(a *Ablation) { a.Seeds = 0 }, "seeds must be at least 1, not 0"},
		{"no length", func(a *Ablation) { a.Generations = 0 }, "either generations or a CPU time"},
		{"two lengths", func(a *Ablation) { a.CPUTime = 1 }, "either generations or a CPU time"},
		{"a name that is taken", func(a *Ablation) { a.Variants[1].Name = "base" }, `the name "base" is taken or not suitable for a folder`},
		{"a name that is a path", func(a *Ablation) { a.Variants[1].Name = "../x" }, `the name "../x" is taken or not suitable for a folder`},
		{"another game", func(a *Ablation) { a.Variants[1].Config.Game = "connect4" }, `variant "fast" must have the same game`},
		{"no change", func(a *Ablation) { a.Variants[1].Config = a.Variants[0].Config }, `variant "fast" changes nothing`},
		{"settings", func(a *Ablation) { a.Variants[1].Config.Learner.LearningRate = -1 }, "variant fast: "},
		{"no games", func(a *Ablation) { a.Games = 0 }, "games"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := tiny(t)
			require.NoError(t, a.Validate())
			test.change(&a)
			require.ErrorContains(t, a.Validate(), test.want)
			_, err := Ablate(t.Context(), a)
			require.ErrorContains(t, err, test.want)
			require.NoDirExists(t, a.Dir)
		})
	}
}

// TestAblateAgain: nothing is trained or played twice, and other trainings in the
// same folder are refused.
func TestAblateAgain(t *testing.T) {
	a := tiny(t)
	first, err := Ablate(t.Context(), a)
	require.NoError(t, err)
	require.Len(t, first.Trials, 2)
	require.Contains(t, first.Notes[0], "matches of 4 games", "rounded up to whole openings")
	log, err := os.ReadFile(filepath.Join(a.Dir, ladder.LogFile))
	require.NoError(t, err)

	a.Train = func(context.Context, string, train.Options) error {
		t.Error("nothing is left to train")
		return nil
	}
	again, err := Ablate(t.Context(), a)
	require.NoError(t, err)
	require.Equal(t, first, again)
	logAgain, err := os.ReadFile(filepath.Join(a.Dir, ladder.LogFile))
	require.NoError(t, err)
	require.Equal(t, log, logAgain)

	a.Train = nil // a damaged checkpoint was moved aside
	require.NoError(t, os.RemoveAll(filepath.Join(a.Dir, "base-1", rundir.CheckpointsDir, "000002")))
	again, err = Ablate(t.Context(), a)
	require.NoError(t, err)
	require.Equal(t, first.Measures, again.Measures)

	conflict := (*ConflictError)(nil)
	a.Variants[1].Config.Learner.LearningRate *= 2
	_, err = Ablate(t.Context(), a)
	require.ErrorAs(t, err, &conflict)
	require.ErrorContains(t, err, "fast-1 is another training: learner.learning_rate was ")

	a = tiny(t)
	a.Dir = filepath.Join(filepath.Dir(a.Dir), "b")
	_, err = Ablate(t.Context(), a)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(filepath.Join(a.Dir, "base-1", rundir.CheckpointsDir, "000001")))
	a.Generations = 1
	_, err = Ablate(t.Context(), a)
	require.ErrorAs(t, err, &conflict)
	require.ErrorContains(t, err, "base-1 has continued and kept no checkpoint of generation 1, only of 0, 2")
}

// TestAblateInCooldown: a training that was interrupted in its planned cool-down continues, even
// if its CPU time has passed.
func TestAblateInCooldown(t *testing.T) {
	a := tiny(t)
	var cpu time.Duration
	a.CPU = func() time.Duration { cpu += time.Second; return cpu }
	a.Generations, a.CPUTime = 0, 8*time.Second
	for i := range a.Variants {
		a.Variants[i].Config.Learner.Cooldown.Share = 0.2
	}
	_, err := Ablate(t.Context(), a)
	require.NoError(t, err)
	var trained []int
	a.Train = func(ctx context.Context, _ string, o train.Options) error {
		lines, err := rundir.At(disk.OS{}, o.Dir).Metrics()
		trained = append(trained, len(lines))
		return errors.Join(err, train.Run(ctx, o))
	}
	report, err := Ablate(t.Context(), a)
	require.NoError(t, err)
	require.Empty(t, trained)
	generations := report.Trials[0].Generations

	base := a.options(&a.Variants[0], 1)
	base.Config.Learner.Cooldown = recipe.Cooldown{Share: 0.2, After: generations - 1, Generations: 3}
	folder, err := rundir.Open(disk.OS{}, base.Dir)
	require.NoError(t, err)
	_, err = recipe.Update(folder, &base.Config, "")
	require.NoError(t, errors.Join(err, folder.Close()))
	report, err = Ablate(t.Context(), a)
	require.NoError(t, err)
	require.Equal(t, []int{generations}, trained)
	require.Equal(t, generations+2, report.Trials[0].Generations)
}

// TestAblateWithMoreTime: a plan for another CPU time, of the configuration or of an earlier
// ablation, does not count. Less time than before is refused.
func TestAblateWithMoreTime(t *testing.T) {
	a := tiny(t)
	var cpu time.Duration
	a.CPU = func() time.Duration { cpu += time.Second; return cpu }
	a.Generations, a.CPUTime = 0, 40*time.Second
	for i := range a.Variants {
		a.Variants[i].Config.Learner.Cooldown = recipe.Cooldown{Share: 0.5, After: 90, Generations: 40}
	}
	report, err := Ablate(t.Context(), a)
	require.NoError(t, err)
	less := report.Trials[0].Generations
	require.Less(t, less, 90)
	a.CPUTime = 60 * time.Second
	report, err = Ablate(t.Context(), a)
	require.NoError(t, err)
	require.Greater(t, report.Trials[0].Generations, less)

	a.CPUTime, a.Variants[1].Name = 40*time.Second, "new"
	_, err = Ablate(t.Context(), a)
	require.ErrorContains(t, err, "base-1 has trained for 0.01", "networks of 60 and of 40 seconds are not compared")
}
