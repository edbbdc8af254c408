package arena

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tiro/env"
)

// Stubborn makes players that are hard to finish: AlphaBeta, which in addition plays
// for a draw and for time as long as its heuristic score is below 0. It then goes
// for positions that have occurred before (env.Repeater), halfway as gladly as for
// a draw, and among lines of equal material takes the one with most actions since
// the last exchange. In games without such positions it differs from AlphaBeta in
// its name alone.
func Stubborn(game env.Game, depth int) PlayerFactory {
	return func() (Player, error) {
		if err := needScore("stubborn", game); err != nil {
			return nil, err
		}
		if depth < 1 || depth > MaxDepth {
			return nil, fmt.Errorf("stubborn: depth %d; want 1 to %d", depth, MaxDepth)
		}
		return &stubborn{newAlphaBeta(game, depth)}, nil
	}
}

// TimedStubborn is Stubborn with a time a move in place of the depth, as
// TimedAlphaBeta.
func TimedStubborn(game env.Game, limit TimeLimit) PlayerFactory {
	return func() (Player, error) {
		if err := needScore("stubborn", game); err != nil {
			return nil, err
		}
		return &stubborn{newTimedAlphaBeta(game, limit)}, nil
	}
}

type stubborn struct{ *alphaBeta }

var _ Analyzer = (*stubborn)(nil)

func (p *stubborn) Name() string { return "stubborn:" + p.bound() }

func (p *stubborn) Choose(ctx context.Context, s env.State, history []env.Action, rng *rand.Rand) (env.Action, error) {
	p.stall = evaluate(s)[s.Turn()] < 0
	a, err := p.alphaBeta.Choose(ctx, s, history, rng)
	if err != nil {
		return 0, fmt.Errorf("arena: %s: %w", p.Name(), err)
	}
	return a, nil
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
