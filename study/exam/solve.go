package exam

import (
	"context"
	"errors"
	"fmt"

	"tiro/env"
)

// judge reports whether an action loses part of the value of a position to the player on turn.
// It is for one goroutine; see env.Solvable.
type judge func(ctx context.Context, s env.State, a env.Action, value int) (wrong bool, err error)

// solvedSet returns an empty set for positions with known values only.
func solvedSet(game env.Solvable) Set {
	spec := game.Spec()
	return Set{
		About:    About{Game: spec.Name, Version: spec.Version, Kind: Solved},
		newJudge: func() judge { return game.NewJudge() },
	}
}

// add adds a position with the value 1, 0 or -1 to the player on turn.
func (s *Set) add(state env.State, value int) {
	q := Question{State: state, value: value, judged: map[env.Action]bool{}}
	q.setMoversValue(value)
	s.Questions = append(s.Questions, q)
}

// wrong reports whether an action loses part of the position's value. It caches the result.
func (q *Question) wrong(ctx context.Context, judge judge, a env.Action) (bool, error) {
	wrong, known := q.judged[a]
	if known {
		return wrong, nil
	}
	wrong, err := judge(ctx, q.State, a, q.value)
	if err == nil {
		q.judged[a] = wrong
	}
	return wrong, err
}

// ErrUnsolvable is wrapped by errors of Solve.
var ErrUnsolvable = errors.New("the game cannot be solved")

// Solve solves a small game for two, and returns the set of all of its positions that are not
// over. It returns an error for games of more than maxSolved positions.
func Solve(game env.Game) (Set, error) {
	if n := game.Spec().Players; n != 2 {
		return Set{}, fmt.Errorf("%w: it has %d players, not 2", ErrUnsolvable, n)
	}
	x := &whole{Game: game, values: map[uint64]int{}}
	x.set = solvedSet(x)
	x.set.Name = game.Spec().Name
	if !x.visit(game.New()) {
		return Set{}, fmt.Errorf("%w: it has more than %d positions", ErrUnsolvable, maxSolved)
	}
	return x.set, nil
}

// whole is a solved game.
type whole struct {
	env.Game
	values map[uint64]int // by hash of a position: its value to seat 0, 1, 0 or -1
	set    Set
}

// visit solves s and all later positions by minimax. It returns false if there are too
// many.
func (x *whole) visit(s env.State) bool {
	if _, known := x.values[s.Hash()]; known {
		return true
	}
	if len(x.values) >= maxSolved {
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
		x.set.add(s, best*side)
	}
	x.values[s.Hash()] = best
	return true
}

// ParseSolved implements env.Solvable. It always returns an error, because there is no
// notation of solved positions.
func (x *whole) ParseSolved(line string) (env.State, int, error) {
	return nil, 0, fmt.Errorf("%q: %s has no files of solved positions", line, x.Spec().Name)
}

// NewJudge implements env.Solvable.
func (x *whole) NewJudge() func(ctx context.Context, s env.State, a env.Action, value int) (bool, error) {
	return func(_ context.Context, s env.State, a env.Action, value int) (bool, error) {
		return x.values[env.After(x, s, a).Hash()]*(1-2*int(s.Turn())) < value, nil
	}
}
