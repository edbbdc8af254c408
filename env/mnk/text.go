package mnk

import (
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
)

// letters are the symbols of an empty cell and of the stones of seats 0 and 1.
const letters = ".xo"

func (s *state) letter(cell int) byte {
	for seat := range s.stones {
		if s.stones[seat].has(cell) {
			return letters[1+seat]
		}
	}
	return letters[0]
}

// ActionString returns the cell, such as b2.
func (s *state) ActionString(a env.Action) string { return s.game.cellName(int(a)) }

func (g *game) cellName(cell int) string {
	return string(rune('a'+cell%g.m)) + strconv.Itoa(1+cell/g.m)
}

func (s *state) String() string { return s.Position() }

// Position returns the rows from the top, such as "..o/.x./...".
func (s *state) Position() string {
	var b strings.Builder
	for row := s.game.n - 1; row >= 0; row-- {
		for column := range s.game.m {
			b.WriteByte(s.letter(row*s.game.m + column))
		}
		if row > 0 {
			b.WriteByte('/')
		}
	}
	return b.String()
}

// SetPosition parses the format of Position. It rejects numbers of stones that cannot occur
// in play, and positions in which the player on turn has already won.
func (s *state) SetPosition(pos string) error {
	next := state{game: s.game}
	if err := next.read(pos); err != nil {
		return fmt.Errorf("mnk position %.200q: %w", pos, err)
	}
	*s = next
	return nil
}

func (s *state) read(pos string) error {
	rows := strings.Split(pos, "/")
	if len(rows) != s.game.n {
		return fmt.Errorf("number of rows is %d, not %d", len(rows), s.game.n)
	}
	var count [2]int
	for i, row := range rows {
		number := s.game.n - i
		if len(row) != s.game.m {
			return fmt.Errorf("number of cells in row %d is %d, not %d", number, len(row), s.game.m)
		}
		for column := range s.game.m {
			seat := strings.IndexByte(letters, row[column]) - 1
			switch {
			case seat == -2:
				return fmt.Errorf("%q in row %d is not one of .xo", row[column], number)
			case seat >= 0:
				cell := (number-1)*s.game.m + column
				s.stones[seat].add(cell)
				s.hash ^= stoneHash(env.Player(seat), cell)
				count[seat]++
			}
		}
	}
	if d := count[0] - count[1]; d != 0 && d != 1 {
		return fmt.Errorf("%d x and %d o, but there must be as many x as o or one more", count[0], count[1])
	}
	s.count = count[0] + count[1]
	if s.hasRow(s.Turn()) {
		return fmt.Errorf("%c has %d in a row, but would be on turn", letters[1+s.Turn()], s.game.k)
	}
	s.won = s.hasRow(1 - s.Turn())
	return nil
}

// hasRow reports whether seat has k in a row anywhere.
func (s *state) hasRow(seat env.Player) bool {
	for cell := range s.game.m * s.game.n {
		if s.stones[seat].has(cell) && s.inRow(seat, cell) {
			return true
		}
	}
	return false
}

// Draw returns the board with its coordinates. In colour, x is red and o blue. New stones
// are in brackets, and a screen with a given size also has a legend.
func (s *state) Draw(screen env.Screen) string {
	var b strings.Builder
	for row := s.game.n - 1; row >= 0; row-- {
		fmt.Fprintf(&b, "%2d", row+1)
		left := byte(' ') // of the next cell
		for column := range s.game.m {
			cell := row*s.game.m + column
			letter := s.letter(cell)
			right := byte(' ')
			if since, ok := screen.Since.(*state); ok && since.letter(cell) != letter {
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
	b.WriteString("  ")
	for column := range s.game.m {
		b.WriteByte(' ')
		b.WriteByte(byte('a' + column))
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
		return "\x1b[1;38;5;33mo\x1b[0m"
	}
	return string(letter)
}
