package pacru

import (
	"fmt"
	"strings"

	"tiro/env"
)

// A picture has fields of svgField units, with a1 at the lower left.
const (
	svgField = 40
	svgEdge  = 22 // margin for the names of files and ranks
	svgBoard = side*svgField + 2*svgEdge
)

// svgColours are the colours of chevrons and markers by the seat's letter.
var svgColours = map[byte][2]string{
	'Y': {"#b8860b", "#f6dc8c"}, 'R': {"#c62828", "#f3b6b0"}, 'G': {"#2e7d32", "#b5dcb2"}, 'B': {"#26201c", "#9b938c"},
}

// DrawSVG returns the board, north up, with lines between the borderlands, and the seats
// below it. A marker fills its field; a chevron points in the direction that it faces.
func (s *State) DrawSVG(earlier env.State) string {
	since, _ := earlier.(*State)
	var b strings.Builder
	seats := colours[s.players-2]
	height := svgBoard + 20*len(seats)
	var inks []string
	for _, seat := range seats {
		inks = append(inks, svgColours[seat.letter][0])
	}
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"the board\" data-seats=\"%s\">\n", svgBoard, height, strings.Join(inks, " "))
	b.WriteString("<style>.pf{fill:#f3ead8;stroke:#cbb994}.pl{fill:none;stroke:#5b4028;stroke-width:2.5}.pn{font:11px sans-serif;fill:currentColor;text-anchor:middle}.ps{font:13px sans-serif;fill:currentColor}.pc{fill:none;stroke:#c2185b;stroke-width:3}</style>\n")
	for f := range uint8(fields) {
		s.drawSVGField(&b, f, since)
	}
	for i := range side / 3 {
		for j := range side / 3 {
			fmt.Fprintf(&b, "<rect class=\"pl\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", svgEdge+3*i*svgField, svgEdge+3*j*svgField, 3*svgField, 3*svgField)
		}
	}
	for i := range side {
		at := svgEdge + i*svgField + svgField/2
		fmt.Fprintf(&b, "<text class=\"pn\" x=\"%d\" y=\"%d\">%c</text>\n", at, svgBoard-6, 'a'+i)
		fmt.Fprintf(&b, "<text class=\"pn\" x=\"%d\" y=\"%d\">%d</text>\n", svgEdge/2, at+4, side-i)
	}
	for i, text := range s.seats(false) {
		y := svgBoard + 20*i + 12
		fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", svgEdge, y-11, svgColours[seats[i].letter][0])
		fmt.Fprintf(&b, "<text class=\"ps\" x=\"%d\" y=\"%d\">%s</text>\n", svgEdge+18, y, strings.TrimSpace(text[2:]))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawSVGField draws a field and its content.
func (s *State) drawSVGField(b *strings.Builder, f uint8, since *State) {
	x, y := svgEdge+int(f)%side*svgField, svgEdge+(side-1-int(f)/side)*svgField
	seats, c := colours[s.players-2], s.content(f)
	holds := ""
	switch {
	case c.seat >= 0:
		holds = fmt.Sprintf(" data-holds=\"%s chevron %s\"", seats[c.seat].name, arrows[c.facing])
	case c.owner >= 0:
		holds = fmt.Sprintf(" data-holds=\"%s marker\"", seats[c.owner].name)
	}
	fmt.Fprintf(b, "<rect class=\"pf\" data-cell=\"%s\"%s x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", fieldName(f), holds, x, y, svgField, svgField)
	if c.owner >= 0 {
		fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", x+2, y+2, svgField-4, svgField-4, svgColours[seats[c.owner].letter][1])
	}
	if c.seat >= 0 {
		fmt.Fprintf(b, "<path transform=\"translate(%d %d) rotate(%d)\" d=\"M0,-14 12,12 0,5 -12,12z\" fill=\"%s\" stroke=\"#fff\"/>\n",
			x+svgField/2, y+svgField/2, 45*int(c.facing), svgColours[seats[c.seat].letter][0])
	}
	if since != nil && c != since.content(f) {
		fmt.Fprintf(b, "<rect class=\"pc\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", x+3, y+3, svgField-6, svgField-6)
	}
}

var _ env.SVGDrawer = (*State)(nil)
