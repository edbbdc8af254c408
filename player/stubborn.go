package player

import (
	"context"
	"math/rand/v2"

	"tiro/env"
)

// stubborn is alphaBeta that also plays for a draw and for time while its heuristic score is
// below 0, so that it is hard to beat. It then halves the badness of positions that have
// occurred before (env.Repeater), and among lines of equal material prefers the one with most
// actions since the last exchange. In games without an env.Repeater it plays like alphaBeta.
type stubborn struct{ *alphaBeta }

var _ Analyzer = (*stubborn)(nil)

func (p *stubborn) Choose(ctx context.Context, s env.State, history []env.Action, rng *rand.Rand) (env.Action, error) {
	p.stall = evaluate(s)[s.Turn()] < 0
	return p.alphaBeta.Choose(ctx, s, history, rng)
}

// recurs reports whether s has occurred before.
func recurs(s env.State) bool {
	r, ok := s.(env.Repeater)
	return ok && r.LastOccurrence() > 0
}

// towardsDraw returns value halved if it is bad for the player.
func towardsDraw(value float32) float32 {
	if value < 0 {
		return value / 2
	}
	return value
}

// mostPatience is the maximum value of waiting, less than any material.
const mostPatience = 1e-3

// patience returns the value of the quiet plies of s to a player who is behind.
func patience(s env.State) float32 {
	r, ok := s.(env.Repeater)
	if !ok {
		return 0
	}
	quiet := float32(r.Quiet())
	return mostPatience * quiet / (quiet + 64)
}
