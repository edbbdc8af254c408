package page

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/rundir"
)

// TestWords: what a run has is said, and what it has not is left out.
func TestWords(t *testing.T) {
	require.Empty(t, Words(nil))
	first := rundir.Metrics{Generation: 1, Games: 4, Plies: 40, TotalSteps: 2}
	require.Equal(t, []string{"The run has completed 1 generation: 4 games with 40 positions, and 2 training steps."}, Words([]rundir.Metrics{first}))

	second := rundir.Metrics{
		Generation: 2, Games: 4, Plies: 60, TotalSteps: 5, SearchKL: 0.25, BaselineLoss: 1, ValidationLoss: rundir.Losses{Outcome: 0.75},
		Rating: &rundir.Rating{Elo: 80, Error: 30},
		Machine: &rundir.Machine{Players: []rundir.Player{
			{Name: "attic", Games: 3, Evaluations: 700, CPUSeconds: 12.4, Silent: 40},
			{Name: "laptop", Games: 1, Evaluations: 200, CPUSeconds: 3},
		}},
	}
	require.Equal(t, []string{
		"The run has completed 2 generations: 8 games with 100 positions, and 5 training steps.",
		"On new games the network predicts the outcome better than a constant guess: its loss is 0.750, the guess's 1.000, which is 25% less.",
		"The searches change the network's policy by 0.25 nats; that is what it learns from.",
		"By its duels, generation 2 is rated +80 ± 30 Elo above generation 0.",
		"Who played how many games of generation 2: attic 3 (700 evaluations, 12 s of CPU time, heard of 40 s before the end); laptop 1 (200 evaluations, 3 s of CPU time, heard of 0 s before the end).",
	}, Words([]rundir.Metrics{first, second}))

	second.ValidationLoss.Outcome = 1.01
	require.Contains(t, Words([]rundir.Metrics{second})[1], "does not predict the outcome better")
}
