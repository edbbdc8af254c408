package player

import (
	"context"
	"math/rand/v2"

	"tiro/env"
)

// stubborn is hard to finish: it is alphaBeta, which in addition plays for a draw and for
// time as long as its heuristic score is below 0. It then goes for positions that have
// occurred before (env.Repeater), halfway as gladly as for a draw, and among lines of equal
// material takes the one with most actions since the last exchange. In games without such
// positions it differs from alphaBeta in its name alone.
type stubborn struct{ *alphaBeta }

var _ Analyzer = (*stubborn)(nil)

func (p *stubborn) Choose(ctx context.Context, s env.State, history []env.Action, rng *rand.Rand) (env.Action, error) {
	p.stall = evaluate(s)[s.Turn()] < 0
	return p.alphaBeta.Choose(ctx, s, history, rng)
}

// recurs reports whether s has occurred before.
func recurs(s env.State) bool {
	r, ok := s.(env.Repeater)
	return ok && r.Occurrences() > 1
}

// towardsDraw returns a value that is bad for the player halfway to a draw.
func towardsDraw(value float32) float32 {
	if value < 0 {
		return value / 2
	}
	return value
}

// mostPatience is what waiting is worth at most, less than any material.
const mostPatience = 1e-3

// patience returns what the quiet plies of s are worth to a player who is behind.
func patience(s env.State) float32 {
	r, ok := s.(env.Repeater)
	if !ok {
		return 0
	}
	quiet := float32(r.Quiet())
	return mostPatience * quiet / (quiet + 64)
}
