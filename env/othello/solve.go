package othello

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
)

// ParseSolved implements env.Solvable: a line is a position, as Position writes it, a
// blank, and the difference of discs at the end that the player to move can force,
// such as "…X-- X +12".
func (g *game) ParseSolved(line string) (env.State, int, error) {
	at := strings.LastIndexByte(line, ' ')
	if at < 0 {
		return nil, 0, fmt.Errorf("othello: %.200q is not a solved position; want POSITION SCORE", line)
	}
	s, err := g.parse(line[:at])
	if err != nil {
		return nil, 0, fmt.Errorf("othello position %.200q: %w", line[:at], err)
	}
	score, err := strconv.Atoi(line[at+1:])
	switch {
	case err != nil || score < -g.cells() || score > g.cells():
		return nil, 0, fmt.Errorf("othello position %.200q: score %.20q; want a whole number from -%d to %[3]d", line[:at], line[at+1:], g.cells())
	case s.over:
		return nil, 0, fmt.Errorf("othello position %.200q: the game is over; want a position to move in", line[:at])
	}
	return &s, min(1, max(-1, score)), nil
}

// NewJudge implements env.Solvable. It solves the position after the action, which takes
// milliseconds with ten empty cells and minutes with twenty.
func (g *game) NewJudge() func(ctx context.Context, s env.State, a env.Action, value int) (bool, error) {
	solver := solver{geometry: &g.geometry}
	return func(ctx context.Context, s env.State, a env.Action, value int) (bool, error) {
		if value < 0 {
			return false, nil // nothing is less than a loss
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
	err   error // of the context, once it has ended; results are worthless then
}

// reaches reports whether the player to move, who has the discs own, can be at least
// lead discs ahead at the end; passed says that the other player has just passed. Moves
// that leave the opponent fewer answers are tried first.
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

// maxMoves is more than the number of empty cells that can be moves at once: with four
// discs or more, at most 96 are empty.
const maxMoves = 96
