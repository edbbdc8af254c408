package mnk

import (
	"fmt"
	"strings"

	"tiro/env"
)

// A picture has cells of svgCell units, with a1 at the lower left, and a margin for the
// names of columns and rows.
const (
	svgCell = 40
	svgEdge = 22
)

const svgStyle = `<style>.mb{fill:#f3ead8;stroke:#8a7755}.mx{fill:none;stroke:#b3261e;stroke-width:5;stroke-linecap:round}.mo{fill:none;stroke:#1f4e9e;stroke-width:5}.mw{fill:#ffd76a}.mc{fill:none;stroke:#c2185b;stroke-width:2}.mn{font:12px sans-serif;fill:currentColor;text-anchor:middle}</style>`

// DrawSVG returns the board with the names of its columns and rows. The cells of the winning
// rows are coloured.
func (s *state) DrawSVG(earlier env.State) string {
	since, _ := earlier.(*state)
	m, n := s.game.m, s.game.n
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"the board\" data-seats=\"#b3261e #1f4e9e\">\n%s\n", m*svgCell+svgEdge, n*svgCell+svgEdge, svgStyle)
	for row := n - 1; row >= 0; row-- {
		for column := range m {
			cell := row*m + column
			x, y := svgEdge+column*svgCell, (n-1-row)*svgCell
			letter, holds := s.letter(cell), ""
			if letter == 'x' || letter == 'o' {
				holds = fmt.Sprintf(" data-holds=\"%c\"", letter)
			}
			fmt.Fprintf(&b, "<rect class=\"mb\" data-cell=\"%s\"%s x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", s.ActionString(env.Action(cell)), holds, x, y, svgCell, svgCell)
			if seat := 1 - s.Turn(); s.won && s.stones[seat].has(cell) && s.inRow(seat, cell) {
				fmt.Fprintf(&b, "<rect class=\"mw\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", x+1, y+1, svgCell-2, svgCell-2)
			}
			cx, cy := x+svgCell/2, y+svgCell/2
			switch letter {
			case 'x':
				fmt.Fprintf(&b, "<path class=\"mx\" d=\"M%d,%d l20,20 m0,-20 l-20,20\"/>\n", cx-10, cy-10)
			case 'o':
				fmt.Fprintf(&b, "<circle class=\"mo\" cx=\"%d\" cy=\"%d\" r=\"11\"/>\n", cx, cy)
			}
			if since != nil && since.letter(cell) != letter {
				fmt.Fprintf(&b, "<rect class=\"mc\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", x+2, y+2, svgCell-4, svgCell-4)
			}
		}
	}
	for column := range m {
		fmt.Fprintf(&b, "<text class=\"mn\" x=\"%d\" y=\"%d\">%c</text>\n", svgEdge+column*svgCell+svgCell/2, n*svgCell+16, 'a'+column)
	}
	for row := range n {
		fmt.Fprintf(&b, "<text class=\"mn\" x=\"10\" y=\"%d\">%d</text>\n", (n-1-row)*svgCell+svgCell/2+4, row+1)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

var _ env.SVGDrawer = (*state)(nil)
