package train_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/models/card"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// duelsOf returns the duels of a run by generation.
func duelsOf(t *testing.T, dir string) map[int][]rundir.Duel {
	metrics, err := rundir.At(disk.OS{}, dir).Metrics()
	require.NoError(t, err)
	found := map[int][]rundir.Duel{}
	for _, m := range metrics {
		if m.Duels != nil {
			found[m.Generation] = m.Duels
		}
	}
	return found
}

// TestDuels: every few generations the network plays against the anchor, the newest checkpoint
// that is kept forever, and the initial weights. Weights and games are the same as in a run
// without duels.
func TestDuels(t *testing.T) {
	o := options(t.TempDir(), 4)
	run(t, o)
	duels := duelsOf(t, o.Dir)
	require.Len(t, duels, 2)
	for generation, want := range map[int][]string{2: {"random", "generation 0"}, 4: {"random", "generation 3", "generation 0"}} {
		require.Len(t, duels[generation], len(want))
		for i, d := range duels[generation] {
			require.Equal(t, want[i], d.Opponent)
			require.Positive(t, d.Games)
			require.Equal(t, duels[generation][0].Games, d.Games)
			require.Equal(t, d.Games, d.Wins+d.Draws+d.Losses)
			require.InDelta(t, float64(d.Wins)+float64(d.Draws)/2, d.Points, 1e-9)
			require.LessOrEqual(t, d.Low, d.Points/float64(d.Games))
			require.GreaterOrEqual(t, d.High, d.Points/float64(d.Games))
		}
	}

	without := options(t.TempDir(), 4)
	without.Config.Duels.Share = 0
	run(t, without)
	require.Empty(t, duelsOf(t, without.Dir))
	with, bare := contents(t, o.Dir), contents(t, without.Dir)
	for _, name := range []string{"checkpoints/000004/weights.safetensors", "checkpoints/000004/optimizer.safetensors", "checkpoints/000004/state.json", "episodes/000004.jsonl.zst"} {
		require.Equal(t, with[filepath.FromSlash(name)], bare[filepath.FromSlash(name)], name)
	}
}

// TestDuelsAreResumedExactly: a run that is stopped during duels ends like an uninterrupted one,
// with any number of workers.
func TestDuelsAreResumedExactly(t *testing.T) {
	unbroken := options(t.TempDir(), 4)
	run(t, unbroken)
	o := options(t.TempDir(), 4)
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		o.Workers++
		o.Events = (&stopper{phase: train.PhaseDuels, generation: 1, step: 2, cancel: cancel}).events()
		require.ErrorIs(t, train.Run(ctx, o), train.ErrInterrupted)
		cancel()
	}
	o.Events = nil
	run(t, o)
	requireSame(t, contents(t, unbroken.Dir), o.Dir)
}

// TestDuelsOfThree: the network has one seat, its opponent the other two.
func TestDuelsOfThree(t *testing.T) {
	o := options(t.TempDir(), 2)
	o.Game = three()
	o.Config.Duels = recipe.Duels{Share: 1, Every: 1, Anchor: "mcts:4"}
	run(t, o)
	for _, duels := range duelsOf(t, o.Dir) {
		require.Equal(t, "mcts:4", duels[0].Opponent)
		require.Zero(t, duels[0].Games%3, "all seats equally often")
	}
	require.Len(t, duelsOf(t, o.Dir), 2)
}

// TestDuelsStayWithinTheirShare: duels stay within their share of self-play's simulations,
// whatever the length of games. If the share has no room for one opening, there are no duels.
func TestDuelsStayWithinTheirShare(t *testing.T) {
	o := options(t.TempDir(), 2)
	o.Config.Duels = recipe.Duels{Share: 0.001, Every: 2, Anchor: "random"}
	run(t, o)
	require.Empty(t, duelsOf(t, o.Dir))

	o = options(t.TempDir(), 2)
	run(t, o)
	metrics, err := rundir.At(disk.OS{}, o.Dir).Metrics()
	require.NoError(t, err)
	m, d := metrics[1], o.Config.Duels
	room := d.Share * float64(d.Every*m.Samples*m.Simulations)
	games, longest := float64(m.Duels[0].Games), 2*m.MeanPlies
	require.LessOrEqual(t, games*longest*float64(m.Simulations)*(0.5+1), room)
	require.Greater(t, (games+2)*(longest+1)*float64(m.Simulations)*(0.5+1), room, "the remaining room is less than one opening")
}

// TestDuelsAreValidated: the settings of duels are checked before a run begins.
func TestDuelsAreValidated(t *testing.T) {
	for _, anchor := range []string{"", "alphabeta:9", "net:bundled", "mcts:none"} {
		o := options(t.TempDir(), 1)
		o.Config.Duels.Anchor = anchor
		require.ErrorContains(t, o.Validate(), "duels.anchor", anchor)
	}
	o := options(t.TempDir(), 1)
	o.Config.Duels.Share, o.Config.Duels.Every = 1.5, 0
	require.ErrorContains(t, o.Validate(), "duels.share is 1.5 but must be 0 to 1")
	require.ErrorContains(t, o.Validate(), "duels.every is 0 but must be at least 1")
}

// TestRatings: generations with duels have a rating. Checkpoints keep it, so that later ratings
// build on it. A run without duels has no rating.
func TestRatings(t *testing.T) {
	o := options(t.TempDir(), 6)
	o.Config.Checkpoints.Every = 2
	run(t, o)
	metrics, err := rundir.At(disk.OS{}, o.Dir).Metrics()
	require.NoError(t, err)
	for _, m := range metrics {
		require.Equal(t, m.Duels != nil, m.Rating != nil, m.Generation)
		if m.Rating != nil {
			require.Positive(t, m.Rating.Error)
			t.Log(m.Generation, *m.Rating)
		}
	}
}

// modelOf returns the beginning of a warm start with the newest network of a run.
func modelOf(t *testing.T, o train.Options) train.Beginning {
	folder, generation := rundir.At(disk.OS{}, o.Dir), o.Generations
	model, err := folder.Store(o.Game.Spec()).Load(generation)
	require.NoError(t, err)
	config, err := os.ReadFile(folder.Path(rundir.ConfigFile))
	require.NoError(t, err)
	origin := card.Origin{Game: o.Game.Spec().Name, Generation: generation, Config: string(config), Network: &card.Cost{Effort: card.Effort{Generation: generation}}}
	return train.Beginning{Weights: model.Weights, Origins: []card.Origin{origin}}
}

// TestDuelsOfWarmStart: generation 0 of a warm start is the model with which it began. A network
// that learns nothing is exactly as strong. If the model's checkpoint is missing, there is no
// duel against it.
func TestDuelsOfWarmStart(t *testing.T) {
	o := options(filepath.Join(t.TempDir(), "run"), 3)
	run(t, o)
	model := modelOf(t, o)
	o.Dir = filepath.Join(t.TempDir(), "warm")
	o.Config.Learner.LearningRate = 1e-30
	o.Config.Checkpoints.Every = 10
	require.NoError(t, train.WarmStart(t.Context(), o, model))
	o.Generations = 2
	run(t, o)
	duels := duelsOf(t, o.Dir)[2]
	require.Len(t, duels, 2)
	require.Equal(t, "generation 0", duels[1].Opponent)
	require.Equal(t, float64(duels[1].Games)/2, duels[1].Points)
	require.NotEqual(t, float64(duels[0].Games)/2, duels[0].Points, "against random")

	require.NoError(t, os.RemoveAll(rundir.At(disk.OS{}, o.Dir).Store(o.Game.Spec()).Dir(0)))
	o.Generations = 4
	run(t, o)
	require.Len(t, duelsOf(t, o.Dir)[4], 1)
}
