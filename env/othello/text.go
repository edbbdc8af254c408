package othello

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
)

// letters are the symbols of an empty cell, Black's and White's discs.
const letters = "-XO"

const passName = "pass"

func (s *state) letter(cell int) byte {
	for seat := range s.discs {
		if s.discs[seat].has(cell) {
			return letters[1+seat]
		}
	}
	return letters[0]
}

func (g *game) cellName(cell int) string {
	return string(rune('a'+cell%g.size)) + strconv.Itoa(1+cell/g.size)
}

// ActionString returns the cell, such as d3, or pass.
func (s *state) ActionString(a env.Action) string { return s.game.ActionName(s.turn, a) }

func (s *state) String() string { return s.Position() }

// Position returns all cells, row by row from the top, and the player to move: "-XO… X".
func (s *state) Position() string {
	text := make([]byte, 0, s.game.cells()+2)
	for cell := range s.game.cells() {
		text = append(text, s.letter(cell))
	}
	return string(append(text, ' ', letters[1+s.turn&1]))
}

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
	cells, mover, found := strings.Cut(pos, " ")
	if !found || len(cells) != g.cells() {
		return s, fmt.Errorf("%d characters before the first blank instead of %d cells, a blank, and X or O to move", len(cells), g.cells())
	}
	if s.turn = env.Player(strings.Index("XO", mover)); len(mover) != 1 || s.turn < 0 {
		return s, fmt.Errorf("the player to move is %.20q, not X or O", mover)
	}
	for cell := range g.cells() {
		switch seat := strings.IndexByte(letters, cells[cell]) - 1; {
		case seat == -2:
			return s, fmt.Errorf("%q at %s is not one of %s", cells[cell], g.cellName(cell), letters)
		case seat >= 0:
			s.discs[seat] = s.discs[seat].or(cellOf(cell))
		}
	}
	if s.discs[Black].or(s.discs[White]).len() < 4 {
		return s, errors.New("fewer than four discs; a game begins with four")
	}
	s.look()
	return s, nil
}

// Draw returns the board with its coordinates. Changed cells are in brackets, and dots mark
// the legal moves of the player on turn. A screen with a given size also shows the numbers
// of discs.
func (s *state) Draw(screen env.Screen) string {
	var b strings.Builder
	columns := "  "
	for column := range s.game.size {
		columns += " " + string(rune('a'+column))
	}
	b.WriteString(columns + "\n")
	for row := range s.game.size {
		fmt.Fprintf(&b, "%2d", row+1)
		left := byte(' ') // of the next cell
		for column := range s.game.size {
			cell := row*s.game.size + column
			letter, right := s.letter(cell), byte(' ')
			if since, ok := screen.Since.(*state); ok && since.letter(cell) != letter {
				left, right = '[', ']'
			}
			b.WriteByte(left)
			b.WriteString(s.paint(cell, letter, screen.Colour))
			left = right
		}
		if left == ']' {
			b.WriteByte(left)
		}
		if screen.Columns > 0 && row < 2 {
			fmt.Fprintf(&b, "   %c %s %d", letters[1+row], s.game.SeatName(env.Player(row)), s.discs[row].len())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (s *state) paint(cell int, letter byte, colour bool) string {
	switch {
	case letter == letters[0] && s.legal.has(cell):
		return "."
	case colour && letter == letters[1]:
		return "\x1b[1;38;5;34mX\x1b[0m"
	case colour && letter == letters[2]:
		return "\x1b[1mO\x1b[0m"
	}
	return string(letter)
}
