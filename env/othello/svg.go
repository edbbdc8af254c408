package othello

import (
	"fmt"
	"strings"

	"tiro/env"
)

// A picture has cells of svgCell units, with a1 at the upper left, and a margin for the
// names of columns and rows.
const (
	svgCell = 40
	svgEdge = 22
)

const svgStyle = `<style>.tb{fill:#3f8f5f;stroke:#1f5237}.tx{fill:#1a1a1a;stroke:#000}.to{fill:#fafafa;stroke:#555}.tc{fill:none;stroke:#ffb000;stroke-width:3}.tn{font:12px sans-serif;fill:currentColor;text-anchor:middle}</style>`

// DrawSVG returns the board with the names of its columns and rows.
func (s *state) DrawSVG(earlier env.State) string {
	since, _ := earlier.(*state)
	n := s.game.size
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"the board\" data-seats=\"#1a1a1a #fafafa\">\n%s\n", n*svgCell+svgEdge, n*svgCell+svgEdge, svgStyle)
	for cell := range s.game.cells() {
		x, y := svgEdge+cell%n*svgCell, svgEdge+cell/n*svgCell
		seat, holds := strings.IndexByte(letters, s.letter(cell))-1, ""
		if seat >= 0 {
			holds = fmt.Sprintf(" data-holds=\"%s disc\"", s.game.SeatName(env.Player(seat)))
		}
		fmt.Fprintf(&b, "<rect class=\"tb\" data-cell=\"%s\"%s x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", s.game.cellName(cell), holds, x, y, svgCell, svgCell)
		if seat >= 0 {
			fmt.Fprintf(&b, "<circle class=\"t%c\" cx=\"%d\" cy=\"%d\" r=\"15\"/>\n", "xo"[seat], x+svgCell/2, y+svgCell/2)
		}
		if since != nil && since.letter(cell) != s.letter(cell) {
			fmt.Fprintf(&b, "<rect class=\"tc\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", x+2, y+2, svgCell-4, svgCell-4)
		}
	}
	for i := range n {
		at := svgEdge + i*svgCell + svgCell/2
		fmt.Fprintf(&b, "<text class=\"tn\" x=\"%d\" y=\"15\">%c</text>\n", at, 'a'+i)
		fmt.Fprintf(&b, "<text class=\"tn\" x=\"10\" y=\"%d\">%d</text>\n", at+4, i+1)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
