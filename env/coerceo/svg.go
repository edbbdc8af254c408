package coerceo

import (
	"fmt"
	"strings"

	"tiro/env"
)

// A picture has its origin at the centre of c3, with y pointing down. A tile is a hexagon
// with flat sides at the top and bottom; all sides have length svgSide.
const (
	svgSide   = 46.
	svgRise   = 39.8 // from a tile's centre to its upper side, svgSide·√3/2
	svgAcross = 1.5 * svgSide
)

// corners are the corners of a tile as offsets from its centre, clockwise from the upper
// left. Field k has the corners k and k+1.
var corners = [6][2]float64{
	{-svgSide / 2, -svgRise},
	{svgSide / 2, -svgRise},
	{svgSide, 0},
	{svgSide / 2, svgRise},
	{-svgSide / 2, svgRise},
	{-svgSide, 0},
}

const svgHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-200 -214 400 470" role="img" aria-label="Coerceo" data-seats="#fffdf6 #26201c">
<style>.cw{fill:#efe3c8}.cb{fill:#b98b5e}.ct{fill:none;stroke:#5b4028;stroke-width:2.5;stroke-linejoin:round}.pw{fill:#fffdf6;stroke:#2b1d12;stroke-width:1.5}.pb{fill:#26201c;stroke:#2b1d12;stroke-width:1.5}.cn{font:600 11px sans-serif;fill:#5b4028;text-anchor:middle}.ck{font:7px sans-serif;fill:#5b4028;text-anchor:middle}.cc{fill:none;stroke:#c2185b;stroke-width:3}.cs{font:13px sans-serif;fill:currentColor}</style>
`

// DrawSVG returns the board with the names of tiles and fields, and the players' pieces and tiles. White's triangles point up.
func (s *State) DrawSVG(earlier env.State) string {
	var since *Position
	if e, ok := earlier.(*State); ok && e != nil {
		since = &e.pos
	}
	var b strings.Builder
	b.WriteString(svgHead)
	for _, bit := range geo.bit {
		if s.pos.tiles>>bit&1 == 1 {
			drawTile(&b, &s.pos, since, bit)
		}
	}
	for colour, name := range playerNames {
		fmt.Fprintf(&b, "<text class=\"cs\" x=\"-198\" y=\"%d\">%s: %s, %s in hand</text>\n", 230+18*colour, name,
			env.Plural(s.pos.Pieces(env.Player(colour)), "piece"), env.Plural(s.pos.Hand(env.Player(colour)), "tile"))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawTile draws the tile of a bit with its pieces.
func drawTile(b *strings.Builder, p, since *Position, bit uint8) {
	x, y := int(bit)%stride-2, int(bit)/stride-2
	cx, cy := float64(svgAcross*float64(x)), -float64(svgRise*float64(2*y+x))
	for f := range 6 {
		one, two := corners[f], corners[(f+1)%6]
		holds := ""
		if p.fields[f]>>bit&1 == 1 {
			holds = fmt.Sprintf(" data-holds=\"%s piece\"", playerNames[1-f%2])
		}
		fmt.Fprintf(b, "<path class=\"%s\" data-cell=\"%s\"%s d=\"M%.1f,%.1f %.1f,%.1f %.1f,%.1fz\"/>\n", [...]string{"cb", "cw"}[f%2], fieldName(uint8(f), bit), holds, cx, cy, cx+one[0], cy+one[1], cx+two[0], cy+two[1])
	}
	b.WriteString(`<path class="ct" d="M`)
	for _, c := range corners {
		fmt.Fprintf(b, "%.1f,%.1f ", cx+c[0], cy+c[1])
	}
	b.WriteString("z\"/>\n")
	fmt.Fprintf(b, "<text class=\"cn\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", cx, cy+4, geo.name[bit])
	for f := range 6 {
		one, two := corners[f], corners[(f+1)%6]
		px, py := cx+(one[0]+two[0])/3, cy+(one[1]+two[1])/3
		fmt.Fprintf(b, "<text class=\"ck\" x=\"%.1f\" y=\"%.1f\">%c</text>\n", cx+float64(0.72*one[0])+float64(0.16*two[0]), cy+float64(0.72*one[1])+float64(0.16*two[1])+2.5, fieldName(uint8(f), bit)[2])
		if p.fields[f]>>bit&1 == 1 {
			fmt.Fprintf(b, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"9.5\"/>\n", [...]string{"pb", "pw"}[f%2], px, py)
		}
		if changed(p, since, f, bit) {
			fmt.Fprintf(b, "<circle class=\"cc\" cx=\"%.1f\" cy=\"%.1f\" r=\"12\"/>\n", px, py)
		}
	}
}

var _ env.SVGDrawer = (*State)(nil)
