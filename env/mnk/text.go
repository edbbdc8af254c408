package mnk

import (
	_ "embed"
	"fmt"

	"tiro/env"
	"tiro/env/grid"
)

// At implements grid.Position.
func (s *state) At(cell int) int {
	switch {
	case s.stones[0].Has(cell):
		return 1
	case s.stones[1].Has(cell):
		return 2
	}
	return 0
}

// ActionString returns the cell, such as b2.
func (s *state) ActionString(a env.Action) string { return s.game.ActionName(0, a) }

func (s *state) String() string { return s.Position() }

// Position returns the rows from the top, such as "..o/.x./...".
func (s *state) Position() string { return s.game.Text(s) }

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
	var count [2]int
	_, err := s.game.Parse(pos, func(cell int, seat env.Player) {
		s.stones[seat].Add(cell)
		s.hash ^= stoneHash(seat, cell)
		count[seat]++
	})
	if err != nil {
		return err
	}
	if d := count[0] - count[1]; d != 0 && d != 1 {
		return fmt.Errorf("%d x and %d o, but there must be as many x as o or one more", count[0], count[1])
	}
	s.count = count[0] + count[1]
	if s.hasRow(s.Turn()) {
		return fmt.Errorf("%c has %d in a row, but would be on turn", s.game.Symbols[1+s.Turn()], s.game.k)
	}
	s.won = s.hasRow(1 - s.Turn())
	return nil
}

// hasRow reports whether seat has k in a row anywhere.
func (s *state) hasRow(seat env.Player) bool {
	for cell := range s.game.m * s.game.n {
		if s.stones[seat].Has(cell) && s.inRow(seat, cell) {
			return true
		}
	}
	return false
}

// Draw returns the board with its coordinates. In colour, x is red and o blue. New stones
// are in brackets, and a screen with a given size also has a legend.
func (s *state) Draw(screen env.Screen) string {
	lines := s.game.Lines(s, screen, nil)
	if screen.Columns > 0 {
		lines[s.game.n] += "    x player 1, o player 2"
	}
	return grid.Join(lines)
}

// DrawSVG returns the board with the names of its columns and rows. The cells of the winning
// rows are coloured.
func (s *state) DrawSVG(since env.State) string {
	p := s.game.Picture(s, since)
	for cell := range s.game.Cells() {
		if seat := 1 - s.Turn(); s.won && s.stones[seat].Has(cell) && s.inRow(seat, cell) {
			p.Square(cell, 1, `fill="#ffd76a"`)
		}
		switch at := s.At(cell); at {
		case 1:
			x, y := p.Centre(cell)
			p.Printf("<path stroke=%q stroke-width=\"5\" stroke-linecap=\"round\" d=\"M%d,%d l20,20 m0,-20 l-20,20\"/>\n", s.game.Look.Seats[0], x-10, y-10)
		case 2:
			p.Circle(cell, 11, fmt.Sprintf("fill=\"none\" stroke=%q stroke-width=\"5\"", s.game.Look.Seats[1]))
		}
		if grid.Changed(s, since, cell) {
			p.Square(cell, 2, fmt.Sprintf("fill=\"none\" stroke=%q stroke-width=\"2\"", s.game.Look.Mark))
		}
	}
	return p.End()
}

//go:embed rules.txt
var rulesText string

// Rules returns the rules under the game's options.
func (g *game) Rules() env.Rules {
	const example = "b2" // every board has it
	s := state{game: g}
	s.Play(env.Action(g.m + 1))
	return env.Rules{
		Text:  grid.Fill(rulesText, &s, "{title}", g.title(), "{m}", g.m, "{n}", g.n, "{k}", g.k),
		Moves: []env.ShownMove{{Move: example}},
	}
}

// title returns the usual name of the game.
func (g *game) title() string {
	switch {
	case g.m == 3 && g.n == 3 && g.k == 3:
		return "TIC-TAC-TOE"
	case g.m == g.n && g.k == 5 && g.m >= 9:
		return "GOMOKU"
	}
	return fmt.Sprintf("%d IN A ROW", g.k)
}
