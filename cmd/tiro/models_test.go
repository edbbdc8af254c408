package main

import (
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env/games"
	"tiro/models/bundled"
	"tiro/models/card"
)

func TestPointsAgainst(t *testing.T) {
	rating := func(opponent string, score, equal float64) card.Rating {
		return card.Rating{Opponent: opponent, Score: card.Interval{Value: score}, EqualScore: equal}
	}
	tests := []struct {
		name    string
		ratings []card.Rating
		want    string
	}{
		{"none", nil, ""},
		{"one", []card.Rating{rating("random", 1, 0.5)}, "100.0% against random"},
		{"the hardest first", []card.Rating{
			rating("random", 1, 0.5), rating("alphabeta:4", 0.725, 0.5), rating("mcts:2000", 0.95, 0.5),
		}, "72.5% against alphabeta:4, 95.0% against mcts:2000"},
		{"of equals the last", []card.Rating{
			rating("random", 1, 0.5), rating("mcts:200", 1, 0.5), rating("mcts:2000", 1, 0.5),
		}, "100.0% against mcts:2000, 100.0% against mcts:200"},
		{"four seats", []card.Rating{
			rating("mcts:200", 0.8, 0.25), rating("mcts:1000", 0.625, 0.25),
		}, "62.5% against mcts:1000, 80.0% against mcts:200; an equal has 25.0%"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.want, pointsAgainst(test.ratings)) })
	}
}

// TestSaveModelChecks: nothing is saved of a model whose card is for other
// weights.
func TestSaveModelChecks(t *testing.T) {
	game, err := games.New("coerceo")
	require.NoError(t, err)
	m, err := bundled.Find("coerceo")
	require.NoError(t, err)
	m.Files = fstest.MapFS{
		card.WeightsFile:  {Data: []byte("others")},
		card.File:         {Data: []byte("card")},
		card.MarkdownFile: {Data: []byte("text")},
	}
	folder := filepath.Join(t.TempDir(), "model")
	require.ErrorContains(t, saveModel(disk.OS{}, m, game.Spec(), folder), "coerceo: the card is for other weights")
	require.NoDirExists(t, folder)
}
