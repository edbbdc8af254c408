package mcts

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConsidered: by default, sequential halving begins with fewer actions if there are few
// simulations.
func TestConsidered(t *testing.T) {
	for simulations, want := range map[int]int{1: 4, 16: 4, 32: 8, 50: 12, 64: 16, 800: 16} {
		require.Equal(t, want, Gumbel{}.considered(simulations), "%d simulations", simulations)
	}
	require.Equal(t, 6, Gumbel{MaxConsideredActions: 6}.considered(800))
}
