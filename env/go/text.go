package igo

import (
	"fmt"
	"strings"

	"tiro/env"
	"tiro/env/grid"
)

// At implements grid.Position.
func (s *state) At(p int) int { return int(s.points[p].colour) }

// ActionString returns the point, such as d3, or pass.
func (s *state) ActionString(a env.Action) string { return s.game.ActionName(s.turn, a) }

func (s *state) String() string { return s.Position() }

// Position returns the rows from the top, the player to move, and the points that only the
// earlier positions forbid to this player, if any: "…/.XO../… b d4,f6".
func (s *state) Position() string {
	var fresh state
	fresh.CopyFrom(s)
	fresh.begin(grid.Set{})
	var banned []string
	for p := range int16(s.game.Cells()) {
		if s.points[p].colour == empty && !s.allowed(p) && fresh.allowed(p) {
			banned = append(banned, s.game.CellName(s.turn, int(p)))
		}
	}
	return strings.TrimSuffix(s.game.Text(s)+" "+strings.Join(banned, ","), " ")
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

func (g *game) parse(pos string) (s *state, err error) {
	s = &state{game: g}
	board, rest, _ := strings.Cut(pos, " ")
	mover, list, _ := strings.Cut(rest, " ")
	s.turn, err = g.Parse(board+" "+mover, func(p int, seat env.Player) { s.put(int8(seat)+1, int16(p)) })
	if err != nil {
		return nil, err
	}
	for p := range g.Cells() {
		if s.held[Black].Has(p) || s.held[White].Has(p) { // put has removed a complete chain
			return nil, fmt.Errorf("the chain at %s has no liberty", g.CellName(s.turn, p))
		}
	}
	s.begin(grid.Set{})
	var banned grid.Set
	for name := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' }) {
		a, err := env.ParseAction(s, name)
		if err != nil || a == g.pass() {
			return nil, fmt.Errorf("%.20q is not a point to forbid, as in d4,f6, or a stone could not be put there anyway", name)
		}
		banned.Add(int(a))
	}
	s.begin(banned)
	return s, nil
}

// Draw returns the board with its coordinates and stars. Changed points are in brackets. A
// screen with a given size also shows the areas.
func (s *state) Draw(screen env.Screen) string {
	lines := s.game.Lines(s, screen, func(p int) byte { return s.game.empty[p] })
	if screen.Columns > 0 {
		_, area := s.areas()
		for seat, n := range area {
			lines[seat] += fmt.Sprintf("   %c %s %d", s.game.Symbols[1+seat], s.game.SeatName(env.Player(seat)), n)
		}
		if s.game.komi > 0 {
			lines[White] += fmt.Sprintf(" + %g", s.game.komi)
		}
	}
	return grid.Join(lines)
}

// DrawSVG returns the board with the names of its columns and rows.
func (s *state) DrawSVG(since env.State) string {
	const dark = "#5b4520"
	g, p := s.game, s.game.Picture(s, since)
	left, bottom := p.Centre(0)
	right, top := p.Centre(g.Cells() - 1)
	for i := range g.Width {
		x, y := p.Centre(i * (g.Width + 1))
		p.Printf("<path stroke=%q d=\"M%d,%d V%d M%d,%d H%d\"/>\n", dark, x, top, bottom, left, y, right)
	}
	for cell, symbol := range g.empty {
		if symbol == '+' {
			p.Circle(cell, 3, `fill="`+dark+`"`)
		}
	}
	p.Discs(14)
	return p.End()
}
