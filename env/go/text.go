package igo

import (
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
)

// letters are the symbols of an empty point, Black's and White's stones.
const letters = ".XO"

// columns are the letters of columns, without i, which looks like 1.
const columns = "abcdefghjklmnopqrst"

const passName = "pass"

func (g *game) pointName(p int) string {
	return columns[p%g.size:p%g.size+1] + strconv.Itoa(1+p/g.size)
}

// ActionString returns the point, such as d3, or pass.
func (s *state) ActionString(a env.Action) string { return s.game.ActionName(s.turn, a) }

func (s *state) String() string { return s.Position() }

// Position returns the rows from the top, the player to move, and the points on which this
// player may not repeat an earlier position, if any: "…/.XO../… b d4,f6".
func (s *state) Position() string {
	var b strings.Builder
	for row := s.game.size - 1; row >= 0; row-- {
		for column := range s.game.size {
			b.WriteByte(letters[s.colour[row*s.game.size+column]])
		}
		if row > 0 {
			b.WriteByte('/')
		}
	}
	b.WriteByte(' ')
	b.WriteByte("bw"[s.turn&1])
	separator := byte(' ')
	for p := range int16(s.game.points) {
		if s.colour[p] != empty {
			continue
		}
		if suicide := s.suicidal(p); !(suicide && !s.game.suicide) && s.repeats(p, suicide) && s.hashAfter(p, suicide) != s.hash {
			b.WriteByte(separator)
			b.WriteString(s.game.pointName(int(p)))
			separator = ','
		}
	}
	return b.String()
}

// SetPosition parses the format of Position.
func (s *state) SetPosition(pos string) error {
	next, err := s.game.parse(pos)
	if err != nil {
		return fmt.Errorf("go position %.500q: %w", pos, err)
	}
	s.CopyFrom(next)
	return nil
}

func (g *game) parse(pos string) (*state, error) {
	s := &state{game: g}
	text, mover, found := strings.Cut(pos, " ")
	mover, list, _ := strings.Cut(mover, " ")
	rows := strings.Split(text, "/")
	if !found || len(rows) != g.size {
		return nil, fmt.Errorf("%d rows instead of %d rows, a blank, and b or w to move", len(rows), g.size)
	}
	for i, row := range rows {
		number := g.size - i
		if len(row) != g.size {
			return nil, fmt.Errorf("%d points in row %d, not %d", len(row), number, g.size)
		}
		for column := range g.size {
			if strings.IndexByte(letters, row[column]) < 0 {
				return nil, fmt.Errorf("%q in row %d is not one of %s", row[column], number, letters)
			}
		}
	}
	if s.turn = env.Player(strings.Index("bw", mover)); len(mover) != 1 || s.turn < 0 {
		return nil, fmt.Errorf("the player to move is %.20q, not b or w", mover)
	}
	letterAt := func(p int) byte { return rows[g.size-1-p/g.size][p%g.size] }
	for p := range g.points { // a complete chain without a liberty is removed on the way
		colour := int8(strings.IndexByte(letters, letterAt(p)))
		if colour == empty {
			continue
		}
		if captured, suicide := g.put(&s.board, colour, int16(p), new([2]points)); captured+suicide > 0 {
			return nil, fmt.Errorf("a chain at or beside %s has no liberty", g.pointName(p))
		}
	}
	var banned points
	for name := range strings.SplitSeq(list, ",") {
		if name == "" {
			continue
		}
		p := 0
		for p < g.points && (g.pointName(p) != name || s.colour[p] != empty) {
			p++
		}
		if p == g.points {
			return nil, fmt.Errorf("%.20q is not an empty point, as in d4,f6", name)
		}
		banned.add(int16(p))
	}
	s.begin(banned)
	return s, nil
}

// Draw returns the board with its coordinates. Changed points are in brackets. A screen
// with a given size also shows the areas.
func (s *state) Draw(screen env.Screen) string {
	var b strings.Builder
	var owner [maxPoints]int8
	area := s.game.areas(&s.board, &owner)
	for row := s.game.size - 1; row >= 0; row-- {
		fmt.Fprintf(&b, "%2d", row+1)
		left := byte(' ') // of the next point
		for column := range s.game.size {
			p := row*s.game.size + column
			right := byte(' ')
			if since, ok := screen.Since.(*state); ok && since.colour[p] != s.colour[p] {
				left, right = '[', ']'
			}
			b.WriteByte(left)
			b.WriteString(paint(s.letter(p), screen.Colour))
			left = right
		}
		if left == ']' {
			b.WriteByte(left)
		}
		if line := s.game.size - 1 - row; screen.Columns > 0 && line < 2 {
			fmt.Fprintf(&b, "   %c %s %d", letters[1+line], s.game.SeatName(env.Player(line)), area[line])
			if line == int(White) && s.game.halfKomi > 0 {
				fmt.Fprintf(&b, " + %g", float64(s.game.halfKomi)/2)
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString("  ")
	for column := range s.game.size {
		b.WriteString(" " + columns[column:column+1])
	}
	b.WriteByte('\n')
	return b.String()
}

// letter returns the symbol of a point, with + for an empty star point.
func (s *state) letter(p int) byte {
	if s.colour[p] == empty && s.game.stars.has(int16(p)) {
		return '+'
	}
	return letters[s.colour[p]]
}

func paint(letter byte, colour bool) string {
	switch {
	case colour && letter == letters[1]:
		return "\x1b[1;38;5;33mX\x1b[0m"
	case colour && letter == letters[2]:
		return "\x1b[1mO\x1b[0m"
	}
	return string(letter)
}
