package main

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/models/bundled"
	"tiro/player"
	"tiro/study/ladder"
)

func candidate(name string, elo float64) ladder.Standing {
	e := 50.0
	s, err := player.Defaults{Simulations: 1, Path: true}.Parse(name)
	if err != nil {
		panic(err)
	}
	s.Weights = "w"
	return ladder.Standing{Name: name, Player: s, Candidate: true, Elo: arena.Interval{Value: elo}, Error: &e}
}

func TestLevels(t *testing.T) {
	report := &ladder.Report{Game: "x", Anchor: "a", Players: []ladder.Standing{
		candidate("bundled,sims=64,temperature=0.25", 400),
		candidate("bundled,sims=1,temperature=1", 100),
		candidate("bundled,sims=1,temperature=4", -200),
		candidate("bundled,sims=4,temperature=0.5", 90), // weaker by chance
		{Name: "mcts:200", Elo: arena.Interval{Value: 0}},
	}}
	s, err := scaleOf(report)
	require.NoError(t, err)
	require.Equal(t, player.Scale{Game: "x", Anchor: "a", Weights: "w", Levels: []player.Level{
		{Simulations: 1, Temperature: 4, Elo: -200, Error: 50},
		{Simulations: 1, Temperature: 1.98, Elo: -50, Error: 50},
		{Simulations: 4, Temperature: 0.49, Elo: 100, Error: 50},
		{Simulations: 16, Temperature: 0.35, Elo: 250, Error: 50},
		{Simulations: 64, Temperature: 0.25, Elo: 400, Error: 50},
	}}, s)
}

func TestReplace(t *testing.T) {
	scales := []player.Scale{{Game: "a", Anchor: "old"}, {Game: "b", Anchor: "old"}}
	scales = replace(scales, player.Scale{Game: "a", Anchor: "new"})
	require.Equal(t, []player.Scale{{Game: "a", Anchor: "new"}, {Game: "b", Anchor: "old"}}, scales)
	scales = replace(scales, player.Scale{Game: "c", Anchor: "new"})
	require.Len(t, scales, 3)
	require.Equal(t, "c", scales[2].Game)
}

func TestFaults(t *testing.T) {
	_, err := scaleOf(&ladder.Report{Players: []ladder.Standing{candidate("bundled,sims=1,temperature=4", 1), candidate("bundled,sims=1,temperature=3", math.NaN())}})
	require.ErrorContains(t, err, "1 rated")
	_, err = scaleOf(&ladder.Report{Players: []ladder.Standing{candidate("bundled,sims=1", 1)}})
	require.ErrorContains(t, err, "bundled,sims=1")
	require.ErrorContains(t, run([]string{"nowhere.json"}), "nowhere.json")
}

// TestScales: every bundled model has levels, rated with its weights. Each is about 150 Elo above
// the previous one, and neither of its settings is easier.
func TestScales(t *testing.T) {
	models, err := bundled.List()
	require.NoError(t, err)
	for _, m := range models {
		s, rated, err := player.FindScale(m.Card.Game)
		require.NoError(t, err)
		require.True(t, rated, "%s has no levels; make levels rates them", m.Card.Game)
		require.Equal(t, m.Card.Weights.SHA256, s.Weights, "%s: another model was rated; make levels rates this one", m.Card.Game)
		require.GreaterOrEqual(t, len(s.Levels), 5, m.Card.Game)
		for i, l := range s.Levels[1:] {
			before := s.Levels[i]
			require.InDelta(t, 150, l.Elo-before.Elo, 1, "%s, level %d", m.Card.Game, i+2)
			require.GreaterOrEqual(t, l.Simulations, before.Simulations, "%s, level %d", m.Card.Game, i+2)
			require.LessOrEqual(t, l.Temperature, before.Temperature, "%s, level %d", m.Card.Game, i+2)
			require.Positive(t, l.Temperature)
		}
	}
}

// TestTable: docs/RATINGS.md has the levels of the program.
func TestTable(t *testing.T) {
	want, err := table()
	require.NoError(t, err)
	page, err := os.ReadFile("../../docs/RATINGS.md")
	require.NoError(t, err)
	require.Contains(t, string(page), want, "go run ./scripts/levels prints it")
}

func TestRising(t *testing.T) {
	points := []player.Level{{Elo: 3}, {Elo: 1}, {Elo: 2}, {Elo: 5}}
	rising(points)
	for i, want := range []float64{2, 2.01, 2.02, 5} {
		require.InDelta(t, want, points[i].Elo, 1e-9)
	}
}
