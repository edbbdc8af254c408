package study

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/models/card"
	"tiro/player"
	"tiro/study/ladder"
)

// The curve of a card has the checkpoints with the settings of its player.
func TestCurveOfOneSearch(t *testing.T) {
	r := Run{costs: make([]card.Cost, 3)}
	r.Generation = 2
	var report ladder.Report
	for _, at := range []struct{ generation, sims int }{{1, 2}, {1, 50}, {2, 2}, {2, 50}} {
		r.costs[at.generation].Generation = at.generation
		report.Players = append(report.Players, ladder.Standing{
			Player:    player.Spec{Kind: player.Net, Budget: player.Budget{Simulations: at.sims}},
			Candidate: true, Checkpoint: &ladder.Checkpoint{Run: "r", Generation: at.generation},
		})
	}
	require.Len(t, r.curve(&report, 2), 2)
}
