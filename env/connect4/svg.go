package connect4

import (
	"fmt"
	"strings"

	"tiro/env"
	"tiro/env/grid"
)

// svgCell is the width of a cell in a picture.
const svgCell = 50

const svgStyle = `<style>.c4b{fill:#2c5aa0}.c4e{fill:#f4f1ea}.c4x{fill:#d7263d}.c4o{fill:#f2b705}.c4c{fill:none;stroke:#111;stroke-width:4}.c4w{fill:#fff;stroke:#111;stroke-width:2}.c4n{font:14px sans-serif;fill:currentColor;text-anchor:middle}</style>`

// DrawSVG returns the board with column numbers. Stones of the player who began are red. Dots
// mark the stones of the winning lines.
func (s *State) DrawSVG(since env.State) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Connect Four\" data-upright=\"\" data-seats=\"#d7263d #f2b705\">\n%s\n", Width*svgCell, Height*svgCell+24, svgStyle)
	winning := s.winning()
	for row := Height - 1; row >= 0; row-- {
		for column := range Width {
			x, y := column*svgCell, (Height-1-row)*svgCell
			cell := row*Width + column
			fmt.Fprintf(&b, "<rect class=\"c4b\" data-cell=\"%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", column+1, x, y, svgCell, svgCell)
			class := [...]string{"c4e", "c4x", "c4o"}[s.At(cell)]
			fmt.Fprintf(&b, "<circle class=\"%s\" cx=\"%d\" cy=\"%d\" r=\"20\"/>\n", class, x+svgCell/2, y+svgCell/2)
			if grid.Changed(s, since, cell) {
				fmt.Fprintf(&b, "<circle class=\"c4c\" cx=\"%d\" cy=\"%d\" r=\"20\"/>\n", x+svgCell/2, y+svgCell/2)
			}
			if winning&bit(row, column) != 0 {
				fmt.Fprintf(&b, "<circle class=\"c4w\" cx=\"%d\" cy=\"%d\" r=\"7\"/>\n", x+svgCell/2, y+svgCell/2)
			}
		}
	}
	for column := range Width {
		fmt.Fprintf(&b, "<text class=\"c4n\" x=\"%d\" y=\"%d\">%d</text>\n", column*svgCell+svgCell/2, Height*svgCell+18, column+1)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// winning returns the stones of all lines of four of the player who has won.
func (s *State) winning() (b board) {
	_, other := s.sides()
	for _, d := range lines {
		pairs := other & (other >> d)
		four := pairs & (pairs >> (2 * d)) // the first stones of lines
		b |= four | four<<d | four<<(2*d) | four<<(3*d)
	}
	return b
}
