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

// solvedSet returns an empty set for positions of game with known values only.
func solvedSet(game env.Game, newJudge func() judge) Set {
	spec := game.Spec()
	return Set{About: About{Game: spec.Name, Version: spec.Version, Kind: Solved}, newJudge: newJudge}
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
	x := &whole{game: game, values: map[uint64]int{}}
	x.set = solvedSet(game, func() judge { return x.judge })
	x.set.Name = x.set.Game
	if !x.visit(game.New()) {
		return Set{}, fmt.Errorf("%w: it has more than %d positions", ErrUnsolvable, maxSolved)
	}
	return x.set, nil
}

// whole is a solved game.
type whole struct {
	game   env.Game
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
			next := env.After(x.game, s, a)
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

// judge is the judge of the game.
func (x *whole) judge(_ context.Context, s env.State, a env.Action, value int) (bool, error) {
	return x.values[env.After(x.game, s, a).Hash()]*(1-2*int(s.Turn())) < value, nil
}
