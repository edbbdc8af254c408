package othello

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
)

// ParseSolved implements env.Solvable. A line consists of a position in the format of
// Position, a blank, and the final difference of discs that the player to move can force,
// such as "…X-- X +12".
func (g *game) ParseSolved(line string) (env.State, int, error) {
	at := strings.LastIndexByte(line, ' ')
	if at < 0 {
		return nil, 0, fmt.Errorf("othello: %.200q is not a solved position (POSITION SCORE)", line)
	}
	s, err := g.parse(line[:at])
	score, invalid := strconv.Atoi(line[at+1:])
	switch {
	case err != nil:
	case invalid != nil || score < -g.Cells() || score > g.Cells():
		err = fmt.Errorf("score %.20q is not a whole number from -%d to %[2]d", line[at+1:], g.Cells())
	case s.over:
		err = errors.New("the game is over")
	}
	if err != nil {
		return nil, 0, fmt.Errorf("othello position %.200q: %w", line[:at], err)
	}
	return &s, min(1, max(-1, score)), nil
}

// NewJudge implements env.Solvable. A judge solves the position after the action, which
// takes milliseconds with ten empty cells and minutes with twenty.
func (g *game) NewJudge() func(ctx context.Context, s env.State, a env.Action, value int) (bool, error) {
	solver := solver{geometry: &g.geometry}
	return func(ctx context.Context, s env.State, a env.Action, value int) (bool, error) {
		if value < 0 {
			return false, nil // nothing is worse than a loss
		}
		next := *s.(*state)
		next.Play(a)
		own, other := next.sides()
		solver.ctx, solver.err = ctx, nil
		// Against a win the opponent needs a draw, against a draw a lead of one disc.
		less := solver.reaches(own, other, 1-value, false)
		return less, solver.err
	}
}

// solver searches positions to the end of the game.
type solver struct {
	*geometry
	ctx   context.Context
	nodes int
	err   error // the context's error once it has ended; results are then worthless
}

// reaches reports whether the player to move, who has the discs own, can force a lead of at
// least lead discs at the end. passed reports whether the other player has just passed.
// Moves that leave the opponent fewer replies are tried first.
func (s *solver) reaches(own, other board, lead int, passed bool) bool {
	if s.nodes++; s.nodes%4096 == 0 && s.err == nil {
		s.err = context.Cause(s.ctx)
	}
	if s.err != nil {
		return false
	}
	legal := s.moves(own, other)
	if legal.empty() {
		if passed {
			return own.len()-other.len() >= lead
		}
		return !s.reaches(other, own, 1-lead, true)
	}
	type move struct {
		own, other board
		answers    int
	}
	var buffer [maxMoves]move
	n := 0
	for ; !legal.empty(); legal = legal.rest() {
		disc := cellOf(legal.first())
		flipped := s.flips(own, other, disc)
		m := move{own: own.or(disc).or(flipped), other: other.not(flipped)}
		m.answers = s.moves(m.other, m.own).len()
		i := n
		for ; i > 0 && buffer[i-1].answers > m.answers; i-- {
			buffer[i] = buffer[i-1]
		}
		buffer[i] = m
		n++
	}
	for _, m := range buffer[:n] {
		if !s.reaches(m.other, m.own, 1-lead, false) && s.err == nil {
			return true
		}
	}
	return false
}

// maxMoves exceeds the number of legal moves in any position: with four or more discs, at
// most 96 cells are empty.
const maxMoves = 96
