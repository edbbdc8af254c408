package connect4

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"tiro/env"
)

// letters are the symbols of an empty cell and of the stones of seats 0 and 1.
const letters = ".xo"

func (s *State) letter(row, column int) byte {
	for seat, stones := range s.stones {
		if stones&bit(row, column) != 0 {
			return letters[1+seat]
		}
	}
	return letters[0]
}

// ActionString returns the column, 1 to 7.
func (s *State) ActionString(a env.Action) string { return strconv.Itoa(1 + int(a)%Width) }

// FromMoves returns the position after moves, which are the digits of columns. It has all
// observation planes.
func FromMoves(moves string) (*State, error) {
	s := &State{}
	for i := range len(moves) {
		a, err := env.ParseAction(s, moves[i:i+1])
		if err != nil {
			return nil, fmt.Errorf("connect4 moves %.200q: move %d: %w", moves, i+1, err)
		}
		s.Play(a)
	}
	return s, nil
}

func (s *State) String() string { return s.Position() }

// Position returns the rows from the top, with x for the player who began.
func (s *State) Position() string {
	var b strings.Builder
	for row := Height - 1; row >= 0; row-- {
		for column := range Width {
			b.WriteByte(s.letter(row, column))
		}
		if row > 0 {
			b.WriteByte('/')
		}
	}
	return b.String()
}

// SetPosition parses the format of Position.
func (s *State) SetPosition(pos string) error {
	next, err := parse(pos)
	if err != nil {
		return fmt.Errorf("connect4 position %.200q: %w", pos, err)
	}
	next.stonesOnly = s.stonesOnly
	*s = next
	return nil
}

func parse(pos string) (s State, err error) {
	rows := strings.Split(pos, "/")
	if len(rows) != Height {
		return s, fmt.Errorf("number of rows is %d, not %d", len(rows), Height)
	}
	for i, text := range rows {
		row := Height - 1 - i
		if len(text) != Width {
			return s, fmt.Errorf("number of cells in row %d is %d, not %d", row+1, len(text), Width)
		}
		for column := range Width {
			switch seat := strings.IndexByte(letters, text[column]) - 1; seat {
			case 0, 1:
				s.stones[seat] |= bit(row, column)
			case -2:
				return s, fmt.Errorf("%q in row %d is not one of .xo", text[column], row+1)
			}
		}
	}
	return s, s.validate()
}

// validate rejects boards that cannot occur in play, and records whether the game is won.
func (s *State) validate() error {
	all := s.stones[0] | s.stones[1]
	if hanging := all &^ (all<<1 | bottomRow); hanging != 0 {
		at := bits.TrailingZeros64(hanging)
		return fmt.Errorf("no stone below row %d of column %d", at%stride+1, at/stride+1)
	}
	x, o := bits.OnesCount64(s.stones[0]), bits.OnesCount64(s.stones[1])
	if x != o && x != o+1 {
		return fmt.Errorf("%d x and %d o, but there must be as many x as o or one more", x, o)
	}
	mover, other := s.sides()
	if hasFour(mover) {
		return errors.New("the player on turn already has four in a row")
	}
	s.won = hasFour(other)
	return nil
}

// Draw returns the board with column numbers. In colour, x is red and o yellow. New stones
// are in brackets, and a screen with a given size also has a legend.
func (s *State) Draw(screen env.Screen) string {
	var b strings.Builder
	for row := Height - 1; row >= 0; row-- {
		left := byte(' ') // of the next cell
		for column := range Width {
			letter := s.letter(row, column)
			right := byte(' ')
			if since, ok := screen.Since.(*State); ok && since.letter(row, column) != letter {
				left, right = '[', ']'
			}
			b.WriteByte(left)
			b.WriteString(paint(letter, screen.Colour))
			left = right
		}
		if left == ']' {
			b.WriteByte(left)
		}
		b.WriteByte('\n')
	}
	for column := range Width {
		fmt.Fprintf(&b, " %d", column+1)
	}
	if screen.Columns > 0 {
		b.WriteString("    x player 1, o player 2")
	}
	b.WriteByte('\n')
	return b.String()
}

func paint(letter byte, colour bool) string {
	switch {
	case colour && letter == 'x':
		return "\x1b[1;38;5;160mx\x1b[0m"
	case colour && letter == 'o':
		return "\x1b[1;38;5;136mo\x1b[0m"
	}
	return string(letter)
}
