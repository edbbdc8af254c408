package connect4

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
)

// ParseSolved implements env.Solvable for the files published by P. Pons
// (http://blog.gamesolver.org/solving-connect-four/02-test-protocol/). A line consists of
// the columns played from the start and the score of the player on turn, as counted by
// Solver.
func (g *game) ParseSolved(line string) (env.State, int, error) {
	moves, number, found := strings.Cut(line, " ")
	if !found {
		return nil, 0, fmt.Errorf(`connect4: %q is not a solved position (MOVES SCORE, such as "4455 3")`, line)
	}
	s, err := FromMoves(moves)
	if err != nil {
		return nil, 0, err
	}
	s.stonesOnly = g.stonesOnly
	if _, over := s.Result(); over {
		return nil, 0, fmt.Errorf("connect4 moves %q: the game is over", moves)
	}
	left := Width*Height - s.Plies()
	score, err := strconv.Atoi(number)
	if err != nil || score < -left/2 || score > (left+1)/2 {
		return nil, 0, fmt.Errorf("connect4 moves %q: score %q is not a whole number from %d to %d", moves, number, -left/2, (left+1)/2)
	}
	return s, min(1, max(-1, score)), nil
}

// NewJudge implements env.Solvable. A judge solves the position after the action, which
// takes seconds early in the game, and stores results in a table of 32 MiB.
func (*game) NewJudge() func(ctx context.Context, s env.State, a env.Action, value int) (bool, error) {
	solver := NewSolver(22)
	return func(ctx context.Context, s env.State, a env.Action, value int) (bool, error) {
		if value < 0 {
			return false, nil // nothing is worse than a loss
		}
		next := *s.(*State)
		next.Play(a)
		return solver.Decide(ctx, &next, -value)
	}
}
