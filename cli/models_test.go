package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/models/card"
)

func TestScoresAgainst(t *testing.T) {
	rating := func(opponent string, score, equal float64) card.Result {
		return card.Result{Opponent: opponent, Score: card.Interval{Value: score}, EqualScore: equal}
	}
	tests := []struct {
		name    string
		ratings []card.Result
		want    string
	}{
		{"none", nil, ""},
		{"one", []card.Result{rating("random", 1, 0.5)}, "100.0% against random"},
		{"the hardest first", []card.Result{
			rating("random", 1, 0.5), rating("alphabeta:4", 0.725, 0.5), rating("mcts:2000", 0.95, 0.5),
		}, "72.5% against alphabeta:4, 95.0% against mcts:2000"},
		{"of equals the last", []card.Result{
			rating("random", 1, 0.5), rating("mcts:200", 1, 0.5), rating("mcts:2000", 1, 0.5),
		}, "100.0% against mcts:2000, 100.0% against mcts:200"},
		{"four seats", []card.Result{
			rating("mcts:200", 0.8, 0.25), rating("mcts:1000", 0.625, 0.25),
		}, "62.5% against mcts:1000, 80.0% against mcts:200; equal players score 25.0%"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.want, scoresAgainst(&card.Card{Ratings: test.ratings})) })
	}
	elo := 1612.7
	c := card.Card{Ratings: []card.Result{rating("runs/a/checkpoints/000040", 0.5, 0.5)}, Curve: []card.Point{{Elo: card.Elo{Value: &elo}}}}
	c.Rated.Anchor = "mcts:200"
	require.Equal(t, "+1613 Elo above mcts:200", scoresAgainst(&c))
}
