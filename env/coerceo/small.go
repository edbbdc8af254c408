package coerceo

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"tiro/env"
)

// The small drawing has a line for each row of triangles. A tile has two lines, the upper
// one with its name and the fields a, f and e, the lower one with b, c and d, and shares
// its edges with its neighbours. An empty field shows its letter:
//
//	 ___________
//	/c3 a  ## e \
//	\___b__()_d_/
const (
	smallLines   = 12 // the last one counts the pieces
	smallColumns = 61
)

// smallPlaces are the places of a tile's fields, by field, counted from its upper left
// corner in units of a field.
var smallPlaces = [6]place{{0, 1}, {0, 2}, {1, 2}, {1, 1}, {1, 0}, {0, 0}}

// smallBoard is the small drawing in one of two widths.
type smallBoard struct {
	inside  int       // columns between the edges of a tile
	cell    int       // columns per field
	first   int       // column of the first field of a tile
	pieces  [2]string // by colour
	counts  [2]string // counted items of a colour: pieces, tiles
	between int       // columns between the colours
	marks   bool      // whether changes are marked
}

var (
	wideBoard   = smallBoard{11, 3, 4, pieceText, [2]string{" piece", " tile"}, 3, true}
	narrowBoard = smallBoard{6, 1, 4, [2]string{"O", "#"}, [2]string{"", " tile"}, 1, false} // in 39 columns
)

// small draws the board on the first lines.
func (c *canvas) small(s *State, since *Position, d *smallBoard) {
	p := &s.pos
	for _, b := range geo.bit {
		x, y := int(b)%stride-2, int(b)/stride-2
		line, column := 5-2*y-x, (x+2)*(d.inside+1)
		switch {
		case p.tiles>>b&1 == 1:
			c.smallTile(p, b, line, column, d)
			for f, at := range smallPlaces {
				l, k := line+at.line, column+d.first+d.cell*at.column
				if colour := 1 - f%2; p.fields[f]>>b&1 == 1 {
					c.put(l, k, d.pieces[colour], pieceStyles[colour])
				} else {
					c.put(l, k, "fedcba"[f:f+1], dotStyle)
				}
				if d.marks && changed(p, since, f, b) {
					c.put(l, k-1, changeMark, newStyle)
				}
			}
		case d.marks && since != nil && since.tiles>>b&1 == 1:
			c.put(line, column+1, changeMark+geo.name[b]+" gone", newStyle)
		}
	}
	column := 0
	for colour, name := range playerNames {
		c.put(smallLines-1, column, d.pieces[colour], pieceStyles[colour])
		column += len(d.pieces[colour]) + 1
		text := name
		for i, n := range []int{p.Pieces(env.Player(colour)), p.Hand(env.Player(colour))} {
			text += [...]string{" ", ", "}[i] + strconv.Itoa(n) + d.counts[i]
			if d.counts[i] != "" && n != 1 {
				text += "s"
			}
		}
		c.put(smallLines-1, column, text, plain)
		column += len(text) + d.between
	}
}

// smallTile draws the edges and the name of a tile.
func (c *canvas) smallTile(p *Position, b uint8, line, column int, d *smallBoard) {
	edge := strings.Repeat("_", d.inside)
	if above := uint32(1) << (b + stride); p.tiles&above == 0 {
		c.put(line-1, column+1, edge, plain)
	}
	c.put(line, column, "/"+strings.Repeat(" ", d.inside)+"\\", plain)
	c.put(line+1, column, "\\"+edge+"/", plain)
	c.put(line, column+1, geo.name[b], nameStyle)
}

// Narrate implements env.Narrator.
func (s *State) Narrate(before env.State) string {
	earlier := before.(*State)
	p, was := &s.pos, &earlier.pos
	mover := was.turn
	var captured []string
	for f := range p.fields {
		if env.Player(1-f%2) == mover {
			continue
		}
		for m := was.fields[f] &^ p.fields[f]; m != 0; m &= m - 1 {
			captured = append(captured, fieldName(uint8(f), uint8(bits.TrailingZeros32(m))))
		}
	}
	slices.Sort(captured)
	var gone []string
	for m := was.tiles &^ p.tiles; m != 0; m &= m - 1 {
		gone = append(gone, geo.name[bits.TrailingZeros32(m)])
	}
	slices.Sort(gone)
	var texts []string
	if len(captured) > 0 {
		texts = append(texts, "captures "+strings.Join(captured, " "))
	}
	switch paid := int(was.hand[mover]) - int(p.hand[mover]); {
	case paid > 0:
		texts = append(texts, "pays "+env.Plural(paid, "tile"))
		if len(gone) > 0 {
			texts = append(texts, "neither player keeps "+tiles(gone))
		}
	case len(gone) > 0:
		texts = append(texts, "collects "+tiles(gone))
	}
	return strings.Join(texts, "; ")
}

// tiles describes tiles that left the board.
func tiles(names []string) string {
	noun := "tile "
	if len(names) > 1 {
		noun = "tiles "
	}
	return noun + strings.Join(names, " ")
}
