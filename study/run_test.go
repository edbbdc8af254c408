package study

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env"
	"tiro/env/games"
	"tiro/models"
	"tiro/models/card"
	"tiro/net"
	"tiro/rundir"
)

func TestDefaultAnchors(t *testing.T) {
	for name, want := range map[string][]string{
		"coerceo":          {"random", "greedy", "alphabeta:2", "alphabeta:4", "mcts:200", "mcts:2000"},
		"connect4":         {"random", "greedy", "alphabeta:2", "alphabeta:4", "mcts:200", "mcts:2000"},
		"pacru":            {"random", "greedy", "mcts:200", "mcts:1000"},
		"shacru:players=3": {"random", "greedy", "mcts:200", "mcts:1000"},
		"pacru:players=4":  {"random", "greedy", "mcts:200", "mcts:1000"},
	} {
		game, err := games.New(name)
		require.NoError(t, err)
		require.Equal(t, want, DefaultAnchors(game), name)
		_, err = ParsePlayers(game, want)
		require.NoError(t, err, name)
	}
	game, err := games.New("coerceo")
	require.NoError(t, err)
	require.Equal(t, []string{"random", "mcts:200", "mcts:2000"}, DefaultAnchors(unscored{game}))
}

// unscored is a game whose positions have no score.
type unscored struct{ env.Game }

func (g unscored) New() env.State { return struct{ env.State }{g.Game.New()} }

// runWith returns a run with checkpoints of the generations, of which generation g
// took took[g] evaluations and two hours of CPU time.
func runWith(t *testing.T, took []int, generations ...int) *Run {
	game, err := games.New("mnk")
	require.NoError(t, err)
	s := &Run{Game: game, store: models.NewStore(disk.OS{}, t.TempDir(), game.Spec()), Generation: len(took) - 1}
	weights := net.NewWeights(game.Spec(), net.Config{Channels: 1, Blocks: 1, OutcomeChannels: 1}, env.NewRand(1))
	for _, g := range generations {
		require.NoError(t, s.store.Save(models.Checkpoint{Generation: g, Weights: weights, State: []byte("{}")}))
	}
	require.NoError(t, s.recount(linesOf(took)))
	return s
}

// linesOf returns what metrics.jsonl tells.
func linesOf(took []int) (lines []rundir.Metrics) {
	for g, n := range took[1:] {
		m := rundir.Metrics{Generation: g + 1, Games: 10, TotalSamples: 100 * (g + 1)}
		if n > 0 {
			m.Machine = &rundir.Machine{Workers: 1000, Seconds: 9, CPUSeconds: 7200, SelfplayCPUSeconds: 3600, LearnCPUSeconds: 1800, Evaluations: n, Backend: "go"}
		}
		lines = append(lines, m)
	}
	return lines
}

// TestPoints: evenly by positions, not by generations, and the last always. Of
// the others only those that the run keeps for good.
func TestPoints(t *testing.T) {
	rows := []int{0, 1, 2, 3, 4, 5, 6, 46, 47, 48, 100}
	with := func(every int, generations ...int) *Run {
		s := runWith(t, make([]int, len(rows)), generations...)
		s.Config.Checkpoints.Every = every
		for g, n := range rows {
			s.progress[g].Samples = n
		}
		return s
	}
	all := []int{0, 2, 4, 6, 7, 8, 9, 10}
	for n, want := range map[int][]int{
		0: nil,
		1: {10},
		2: {0, 10},
		3: {0, 9, 10},
		5: {0, 6, 9, 10},
		8: all,
		9: all,
	} {
		got, err := with(1, append([]int{11, 12}, all...)...).points(n)
		require.NoError(t, err)
		require.Equal(t, want, got, n)
	}
	got, err := with(4, all...).points(8)
	require.NoError(t, err)
	require.Equal(t, []int{0, 4, 8, 10}, got)

	// What the network of a warm start had learned from does not move the points.
	warm := with(1, all...)
	for g := range warm.progress {
		warm.progress[g].Samples += 1000
	}
	got, err = warm.points(5)
	require.NoError(t, err)
	require.Equal(t, []int{0, 6, 9, 10}, got)
}

func TestRecount(t *testing.T) {
	took := []int{0, 7, 0, 5, 9}
	s := runWith(t, took)
	require.Equal(t, 1, s.unmeasured)
	require.Equal(t, card.Builder{Backend: "go"}, s.trained)
	require.Equal(t, []card.Progress{
		{},
		{Generation: 1, Games: 10, Samples: 100, Evaluations: 7, CoreHours: 2, SelfplayCoreHours: 1, LearnCoreHours: 0.5},
		{Generation: 2, Games: 20, Samples: 200, Evaluations: 7, CoreHours: 2, SelfplayCoreHours: 1, LearnCoreHours: 0.5},
		{Generation: 3, Games: 30, Samples: 300, Evaluations: 12, CoreHours: 4, SelfplayCoreHours: 2, LearnCoreHours: 1},
		{Generation: 4, Games: 40, Samples: 400, Evaluations: 21, CoreHours: 6, SelfplayCoreHours: 3, LearnCoreHours: 1.5},
	}, s.progress)

	lines := linesOf(took)
	s = &Run{Generation: 2}
	require.NoError(t, s.recount(lines), "later ones do not matter")
	require.Len(t, s.progress, 3)
	lines[1].Machine = &rundir.Machine{Backend: "avx2"}
	lines[2].Machine.EarlierGames = 1
	s = &Run{Generation: 3}
	require.NoError(t, s.recount(lines))
	require.Equal(t, card.Builder{Backend: "go, avx2"}, s.trained)
	require.Equal(t, 2, s.unmeasured, "CPU time is unknown of one, and games were played before of another")
	require.ErrorContains(t, s.recount(lines[1:]), "metrics.jsonl has no generation 1; a card needs all up to 3")
	require.ErrorContains(t, s.recount(lines[:2]), "generation 3;")
}
