package othello

import (
	"errors"
	"fmt"

	"tiro/env"
	"tiro/env/grid"
)

// At implements grid.Position.
func (s *state) At(cell int) int {
	for seat, discs := range s.discs {
		if discs.has(cell) {
			return 1 + seat
		}
	}
	return 0
}

// ActionString returns the cell, such as d3, or pass.
func (s *state) ActionString(a env.Action) string { return s.game.ActionName(s.turn, a) }

func (s *state) String() string { return s.Position() }

// Position returns all cells, row by row from the top, and the player to move: "-XO… X".
func (s *state) Position() string { return s.game.Text(s) }

// SetPosition parses the format of Position.
func (s *state) SetPosition(pos string) error {
	next, err := s.game.parse(pos)
	if err != nil {
		return fmt.Errorf("othello position %.200q: %w", pos, err)
	}
	*s = next
	return nil
}

func (g *game) parse(pos string) (s state, err error) {
	s.game = g
	s.turn, err = g.Parse(pos, func(cell int, seat env.Player) { s.discs[seat] = s.discs[seat].or(cellOf(cell)) })
	if err == nil && s.discs[Black].or(s.discs[White]).len() < 4 {
		err = errors.New("fewer than four discs; a game begins with four")
	}
	s.look()
	return s, err
}

// Draw returns the board with its coordinates. Changed cells are in brackets, and dots mark
// the legal moves of the player on turn. A screen with a given size also shows the numbers
// of discs.
func (s *state) Draw(screen env.Screen) string {
	lines := s.game.Lines(s, screen, func(cell int) byte {
		if s.legal.has(cell) {
			return '.'
		}
		return s.game.Symbols[0]
	})
	if screen.Columns > 0 {
		for seat, discs := range s.discs {
			lines[1+seat] += fmt.Sprintf("   %c %s %d", s.game.Symbols[1+seat], s.game.SeatName(env.Player(seat)), discs.len())
		}
	}
	return grid.Join(lines)
}

// DrawSVG returns the board with the names of its columns and rows.
func (s *state) DrawSVG(since env.State) string {
	p := s.game.Picture(s, since)
	p.Discs(15)
	return p.End()
}
