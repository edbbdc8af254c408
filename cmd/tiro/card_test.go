package main

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env"
	"tiro/env/games"
	"tiro/models"
	"tiro/models/card"
	"tiro/net"
	"tiro/train"
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
		require.Equal(t, want, defaultAnchors(game), name)
		_, err = fixedPlayers(game, want)
		require.NoError(t, err, name)
	}
	game, err := games.New("coerceo")
	require.NoError(t, err)
	require.Equal(t, []string{"random", "mcts:200", "mcts:2000"}, defaultAnchors(unscored{game}))
}

// unscored is a game whose positions have no score.
type unscored struct{ env.Game }

func (g unscored) New() env.State { return struct{ env.State }{g.Game.New()} }

func TestShellLine(t *testing.T) {
	words := []string{"printf", `%s\n`, "pacru:players=3", "a b", "it's", "", "[{step: 1, factor: 0.5}]", "$HOME `x` \\ \"", "é"}
	line := shellLine(append([]string{}, words...)...)
	require.Contains(t, line, " pacru:players=3 'a b' ")
	out, err := exec.Command("sh", "-c", line).Output()
	if err != nil {
		t.Skip("a shell is needed: ", err)
	}
	want := ""
	for _, word := range words[2:] {
		want += word + "\n"
	}
	require.Equal(t, want, string(out))
}

// subjectWith returns a run with checkpoints of the generations, of which generation g
// took took[g] evaluations and two workers an hour each.
func subjectWith(t *testing.T, took []int, generations ...int) *subject {
	game, err := games.New("mnk")
	require.NoError(t, err)
	s := &subject{game: game, store: models.NewStore(disk.OS{}, t.TempDir(), game.Spec()), generation: len(took) - 1}
	weights := net.NewWeights(game.Spec(), net.Config{Channels: 1, Blocks: 1, OutcomeChannels: 1}, env.NewRand(1))
	for _, g := range generations {
		require.NoError(t, s.store.Save(models.Checkpoint{Generation: g, Weights: weights, State: []byte("{}")}))
	}
	require.NoError(t, s.recount(linesOf(took)))
	return s
}

// linesOf returns what metrics.jsonl tells.
func linesOf(took []int) (lines []train.Metrics) {
	for g, n := range took[1:] {
		m := train.Metrics{Generation: g + 1, Games: 10, TotalRows: 100 * (g + 1)}
		if n > 0 {
			m.Machine = &train.Machine{Workers: 2, Seconds: 3600, Evaluations: n, Backend: "go"}
		}
		lines = append(lines, m)
	}
	return lines
}

// TestPoints: evenly by positions, not by generations, and the last always. Of
// the others only those that the run keeps for good.
func TestPoints(t *testing.T) {
	rows := []int{0, 1, 2, 3, 4, 5, 6, 46, 47, 48, 100}
	with := func(every int, generations ...int) *subject {
		s := subjectWith(t, make([]int, len(rows)), generations...)
		s.config.Checkpoints.Every = every
		for g, n := range rows {
			s.progress[g].Rows = n
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
}

func TestRecount(t *testing.T) {
	took := []int{0, 7, 0, 5, 9}
	s := subjectWith(t, took)
	require.Equal(t, 1, s.untimed)
	require.Equal(t, []string{"go"}, s.backends)
	require.Equal(t, []card.Progress{
		{},
		{Generation: 1, Games: 10, Rows: 100, Evaluations: 7, CoreHours: 2},
		{Generation: 2, Games: 20, Rows: 200, Evaluations: 7, CoreHours: 2},
		{Generation: 3, Games: 30, Rows: 300, Evaluations: 12, CoreHours: 4},
		{Generation: 4, Games: 40, Rows: 400, Evaluations: 21, CoreHours: 6},
	}, s.progress)

	lines := linesOf(took)
	s = &subject{generation: 2}
	require.NoError(t, s.recount(lines), "later ones do not matter")
	require.Len(t, s.progress, 3)
	lines[1].Machine = &train.Machine{Backend: "avx2"}
	s = &subject{generation: 3}
	require.NoError(t, s.recount(lines))
	require.Equal(t, []string{"go", "avx2"}, s.backends)
	require.ErrorContains(t, s.recount(lines[1:]), "metrics.jsonl does not tell of generation 1; a card needs all up to 3")
	require.ErrorContains(t, s.recount(lines[:2]), "generation 3;")
}

// TestTrainLine: the committed configuration has a short one.
func TestTrainLine(t *testing.T) {
	for _, name := range []string{"coerceo", "coerceo:win=competitive", "pacru:players=3", "connect4", "mnk"} {
		c, err := shippedConfig(name)
		require.NoError(t, err)
		s := &subject{config: c, generation: 40}
		line, err := s.trainLine()
		require.NoError(t, err)
		require.Equal(t, "tiro train "+name+" --generations 40", line)

		s.config.Seed, s.config.Learner.Drops = 7, []train.Drop{{Step: 3, Factor: 0.5}}
		line, err = s.trainLine()
		require.NoError(t, err)
		require.Equal(t, "tiro train "+name+" --set seed=7 --set 'learner.drops=[{step: 3, factor: 0.5}]' --generations 40", line)
	}
}

func TestProcessor(t *testing.T) { require.Regexp(t, `^[[:print:]]+$`, processor()) }
