package igo

import (
	"fmt"
	"strings"

	"tiro/env"
)

// A picture has points svgCell units apart, with a1 at the lower left, and a margin for the
// names of columns and rows.
const (
	svgCell = 32
	svgEdge = 22
)

const svgStyle = `<style>.gl,.gs,.gx,.go,.gc{pointer-events:none}.gb{fill:#e3b96b}.gl{stroke:#5b4520}.gs{fill:#5b4520}.gx{fill:#1a1a1a;stroke:#000}.go{fill:#fafafa;stroke:#555}.gc{fill:none;stroke:#c2185b;stroke-width:3}.gn{font:12px sans-serif;fill:currentColor;text-anchor:middle}</style>`

// DrawSVG returns the board with the names of its columns and rows.
func (s *state) DrawSVG(earlier env.State) string {
	since, _ := earlier.(*state)
	n := s.game.size
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"the board\" data-seats=\"#1a1a1a #fafafa\">\n%s\n", n*svgCell+svgEdge, n*svgCell+svgEdge, svgStyle)
	fmt.Fprintf(&b, "<rect class=\"gb\" x=\"%d\" y=\"0\" width=\"%d\" height=\"%[2]d\"/>\n", svgEdge, n*svgCell)
	at := func(p int) (x, y int) {
		return svgEdge + p%n*svgCell + svgCell/2, (n-1-p/n)*svgCell + svgCell/2
	}
	for p := range s.game.points { // below the lines, so that a colour does not hide them
		x, y := at(p)
		holds := ""
		if seat := int(s.colour[p]) - 1; seat >= 0 {
			holds = fmt.Sprintf(" data-holds=\"%s stone\"", s.game.SeatName(env.Player(seat)))
		}
		fmt.Fprintf(&b, "<rect data-cell=\"%s\"%s fill-opacity=\"0\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", s.game.pointName(p), holds, x-svgCell/2, y-svgCell/2, svgCell, svgCell)
	}
	for i := range n {
		x, y := at(i * (n + 1))
		first, last := svgEdge+svgCell/2, svgEdge+svgCell/2+(n-1)*svgCell
		fmt.Fprintf(&b, "<path class=\"gl\" d=\"M%d,%d V%d M%d,%d H%d\"/>\n", x, svgCell/2, svgCell/2+(n-1)*svgCell, first, y, last)
	}
	for p := range s.game.points {
		x, y := at(p)
		if seat := int(s.colour[p]) - 1; seat >= 0 {
			fmt.Fprintf(&b, "<circle class=\"g%c\" cx=\"%d\" cy=\"%d\" r=\"14\"/>\n", "xo"[seat], x, y)
		} else if s.game.stars.has(int16(p)) {
			fmt.Fprintf(&b, "<circle class=\"gs\" cx=\"%d\" cy=\"%d\" r=\"3\"/>\n", x, y)
		}
		if since != nil && since.colour[p] != s.colour[p] {
			fmt.Fprintf(&b, "<circle class=\"gc\" cx=\"%d\" cy=\"%d\" r=\"8\"/>\n", x, y)
		}
	}
	for i := range n {
		x, y := at(i * (n + 1))
		fmt.Fprintf(&b, "<text class=\"gn\" x=\"%d\" y=\"%d\">%c</text>\n", x, n*svgCell+16, columns[i])
		fmt.Fprintf(&b, "<text class=\"gn\" x=\"10\" y=\"%d\">%d</text>\n", y+4, i+1)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
