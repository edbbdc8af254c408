package igo

import (
	"fmt"
	"strings"

	"tiro/env"
	"tiro/env/grid"
)

// At implements grid.Position.
func (s *state) At(p int) int { return int(s.colour[p]) }

// ActionString returns the point, such as d3, or pass.
func (s *state) ActionString(a env.Action) string { return s.game.ActionName(s.turn, a) }

func (s *state) String() string { return s.Position() }

// Position returns the rows from the top, the player to move, and the points on which this
// player may not repeat an earlier position, if any: "…/.XO../… b d4,f6".
func (s *state) Position() string {
	var banned []string
	for p := range int16(s.game.points) {
		if s.colour[p] != empty {
			continue
		}
		if suicide := s.suicidal(p); !(suicide && !s.game.suicide) && s.repeats(p, suicide) && s.hashAfter(p, suicide) != s.hash {
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
	dead := -1 // a point at or beside a chain without a liberty
	s.turn, err = g.Parse(board+" "+mover, func(p int, seat env.Player) {
		if captured, suicide := g.put(&s.board, int8(seat)+1, int16(p), new([2]points)); captured+suicide > 0 {
			dead = p // a complete chain without a liberty is removed on the way
		}
	})
	if err == nil && dead >= 0 {
		err = fmt.Errorf("a chain at or beside %s has no liberty", g.CellName(s.turn, dead))
	}
	if err != nil {
		return nil, err
	}
	var banned points
	for name := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' }) {
		p := 0
		for p < g.points && (g.CellName(s.turn, p) != name || s.colour[p] != empty) {
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

// Draw returns the board with its coordinates and stars. Changed points are in brackets. A
// screen with a given size also shows the areas.
func (s *state) Draw(screen env.Screen) string {
	lines := s.game.Lines(s, screen, func(p int) byte {
		if s.game.stars.has(int16(p)) {
			return '+'
		}
		return s.game.Symbols[empty]
	})
	if screen.Columns > 0 {
		area := s.game.areas(&s.board, new([maxPoints]int8))
		for seat, n := range area {
			lines[seat] += fmt.Sprintf("   %c %s %d", s.game.Symbols[1+seat], s.game.SeatName(env.Player(seat)), n)
		}
		if s.game.halfKomi > 0 {
			lines[White] += fmt.Sprintf(" + %g", s.game.komi())
		}
	}
	return grid.Join(lines)
}

// DrawSVG returns the board with the names of its columns and rows.
func (s *state) DrawSVG(since env.State) string {
	const side = 32
	p := s.game.Picture(side, "gn", ".gl,.gs,.gx,.go,.gc{pointer-events:none}.gb{fill:#e3b96b}.gl{stroke:#5b4520}.gs{fill:#5b4520}.gx{fill:#1a1a1a;stroke:#000}.go{fill:#fafafa;stroke:#555}.gc{fill:none;stroke:#c2185b;stroke-width:3}", "#1a1a1a #fafafa")
	left, top := p.Corner(s.game.points - s.game.size)
	p.Printf("<rect class=\"gb\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%[3]d\"/>\n", left, top, s.game.size*side)
	for cell := range s.game.points { // below the lines, so that a colour does not hide them
		p.Place("", cell, [...]string{"", "Black stone", "White stone"}[s.At(cell)])
	}
	left, bottom := p.Centre(0)
	right, top := p.Centre(s.game.points - 1)
	for i := range s.game.size {
		x, y := p.Centre(i * (s.game.size + 1))
		p.Printf("<path class=\"gl\" d=\"M%d,%d V%d M%d,%d H%d\"/>\n", x, top, bottom, left, y, right)
	}
	for cell := range s.game.points {
		if at := s.At(cell); at != empty {
			p.Circle([...]string{"", "gx", "go"}[at], cell, 14)
		} else if s.game.stars.has(int16(cell)) {
			p.Circle("gs", cell, 3)
		}
		if grid.Changed(s, since, cell) {
			p.Circle("gc", cell, 8)
		}
	}
	for i := range s.game.size {
		p.Column(i)
		p.Row(i)
	}
	return p.String()
}
