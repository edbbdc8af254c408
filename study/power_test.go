package study

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestDetectable: by hand, free games leave the trainings: 1.5 hours of half-hour trainings
// are one of each, which tells nothing, and 2 hours are two of each with 2 degrees of
// freedom.
func TestDetectable(t *testing.T) {
	p := Power{Deviation: 10, Training: time.Hour / 2}
	elo, seeds, _ := p.Detectable(3 * time.Hour / 2)
	require.True(t, math.IsInf(elo, 1))
	require.Zero(t, seeds)
	elo, seeds, _ = p.Detectable(2 * time.Hour)
	require.Equal(t, 2, seeds)
	require.InDelta(t, (4.302653+1.060660)*10, elo, 1e-4)

	p.GameDeviation, p.Game = 300, time.Second
	before := math.Inf(1)
	for hours := time.Duration(3); hours < 40; hours++ {
		elo, _, games := p.Detectable(hours * time.Hour)
		require.LessOrEqual(t, elo, before, "more never hurts")
		require.GreaterOrEqual(t, games, 10)
		before = elo
	}
}
