package connect4

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
)

// ParseSolved reads a line of a file of solved positions as P. Pons has
// published them (http://blog.gamesolver.org/solving-connect-four/02-test-protocol/):
// the columns played from the start and the score of the player on turn, as
// Solver counts it. It returns the position, which is not over, and who wins,
// for the player on turn: 1, 0 for a draw, or -1.
func (game) ParseSolved(line string) (env.State, int, error) {
	moves, number, found := strings.Cut(line, " ")
	if !found {
		return nil, 0, fmt.Errorf(`connect4: %q is no solved position; want MOVES SCORE, such as "4455 3"`, line)
	}
	s, err := FromMoves(moves)
	if err != nil {
		return nil, 0, err
	}
	if _, over := s.Result(); over {
		return nil, 0, fmt.Errorf("connect4 moves %q: the game is over; want a position to move in", moves)
	}
	left := Width*Height - s.Plies()
	score, err := strconv.Atoi(number)
	if err != nil || score < -left/2 || score > (left+1)/2 {
		return nil, 0, fmt.Errorf("connect4 moves %q: score %q; want a whole number from %d to %d", moves, number, -left/2, (left+1)/2)
	}
	return s, min(1, max(-1, score)), nil
}

// NewJudge returns a function that reports whether an action of a position
// gives away what the position is worth to the player on turn: value 1 is a
// win, 0 a draw and -1 a loss. It solves the position that follows, remembers
// what it finds on the way in 32 MiB, and is for one goroutine. Early in the game
// that takes seconds; if ctx ends first, it returns the error of ctx wrapped.
func (game) NewJudge() func(ctx context.Context, s env.State, a env.Action, value int) (bool, error) {
	solver := NewSolver(22)
	return func(ctx context.Context, s env.State, a env.Action, value int) (bool, error) {
		if value < 0 {
			return false, nil // nothing is less than a loss
		}
		next := *s.(*State)
		next.Play(a)
		return solver.Decide(ctx, &next, -value)
	}
}
