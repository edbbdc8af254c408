package solved

import (
	"context"
	"errors"
	"fmt"

	"tiro/env"
)

// ErrTooLarge is wrapped by errors of Solve.
var ErrTooLarge = errors.New("the game is too large to solve whole")

// Solve solves a small game for two: it returns a game that judges by the value
// of every position, and a question for each position that is not over. Games of
// more than 2^17 positions are refused.
func Solve(game env.Game) (env.Solvable, []Question, error) {
	if n := game.Spec().Players; n != 2 {
		return nil, nil, fmt.Errorf("%w: it has %d players; want 2", ErrTooLarge, n)
	}
	x := &whole{Game: game, values: map[uint64]int{}}
	if !x.visit(game.New()) {
		return nil, nil, fmt.Errorf("%w: it has more than %d positions", ErrTooLarge, maxQuestions)
	}
	return x, x.questions, nil
}

// whole is a game of which every position is known.
type whole struct {
	env.Game
	values    map[uint64]int // of positions by hash: what they are worth to seat 0, 1, 0 or -1
	questions []Question
}

// visit solves all positions from s on by minimax, and reports whether they are
// few enough.
func (x *whole) visit(s env.State) bool {
	if _, known := x.values[s.Hash()]; known {
		return true
	}
	if len(x.values) >= maxQuestions {
		return false
	}
	v, over := s.Result()
	best, side := int(v[0]), 1-2*int(s.Turn())
	if !over {
		best = -side
		for _, a := range s.Legal(nil) {
			next := env.After(x, s, a)
			if !x.visit(next) {
				return false
			}
			if worth := x.values[next.Hash()]; worth*side > best*side {
				best = worth
			}
		}
		x.questions = append(x.questions, Question{s, best * side})
	}
	x.values[s.Hash()] = best
	return true
}

// ParseSolved implements env.Solvable; there is no notation of solved positions.
func (x *whole) ParseSolved(line string) (env.State, int, error) {
	return nil, 0, fmt.Errorf("%q: %s has no files of solved positions", line, x.Spec().Name)
}

// NewJudge implements env.Solvable.
func (x *whole) NewJudge() func(ctx context.Context, s env.State, a env.Action, value int) (bool, error) {
	return func(_ context.Context, s env.State, a env.Action, value int) (bool, error) {
		return x.values[env.After(x, s, a).Hash()]*(1-2*int(s.Turn())) < value, nil
	}
}
