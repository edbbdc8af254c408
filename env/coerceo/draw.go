package coerceo

import (
	"fmt"
	"strings"

	"tiro/env"
)

// The board is drawn in lines of text. A tile is a hexagon 12 columns wide and 7 lines high
// that shares its edges with its neighbours and is divided by dotted lines into its six
// fields.
const (
	drawnLines   = 31
	drawnColumns = 80
	centreLine   = 12 // top line of c3
	centreColumn = 18 // left column of c3
	sideColumn   = 52 // of the text beside the board
)

var tilePicture = [...]string{
	`   ______   `,
	`  /.    .\  `,
	` /  .  .  \ `,
	`/....  ....\`,
	`\    ..    /`,
	` \  .  .  / `,
	`  \.____./  `,
}

// legend is a tile with the letters of its fields.
var legend = [...]string{
	`   ______`,
	`  /. f  .\`,
	` / a.  .e \`,
	`/....  ....\  fields of`,
	`\ b  ..  d /  a tile`,
	` \  .c .  /`,
	`  \.____./`,
}

// place is a line and column within tilePicture.
type place struct{ line, column int }

// Where a tile's name and fields are written, two columns each.
var (
	namePlace   = place{3, 5}
	fieldPlaces = [6]place{{1, 5}, {2, 8}, {4, 8}, {5, 5}, {4, 2}, {2, 2}}
)

// style is the colour of a part of the drawing.
type style uint8

const (
	plain style = iota
	dotStyle
	nameStyle
	whiteStyle
	blackStyle
	newStyle // changes
)

// ansi holds the escape sequences of the styles.
var ansi = [...]string{"\x1b[0m", "\x1b[0;90m", "\x1b[0;36m", "\x1b[0;30;107m", "\x1b[0;97;44m", "\x1b[0;1;35m"}

// Symbols of the pieces and names of the players.
var (
	pieceText   = [2]string{"()", "##"}
	pieceStyles = [2]style{whiteStyle, blackStyle}
	playerNames = [2]string{"White", "Black"}
)

// canvas is a drawing in progress; a zero byte is blank.
type canvas struct {
	text  [drawnLines][drawnColumns]byte
	style [drawnLines][drawnColumns]style
}

func (c *canvas) put(line, column int, text string, s style) {
	for i := range len(text) {
		c.text[line][column+i] = text[i]
		c.style[line][column+i] = s
	}
}

// outline draws an empty tile without the edges that an upper neighbour has drawn.
func (c *canvas) outline(line, column int) {
	for i, text := range tilePicture {
		for j := range len(text) {
			if text[j] == ' ' || c.text[line+i][column+j] != 0 {
				continue
			}
			s := plain
			if text[j] == '.' {
				s = dotStyle
			}
			c.put(line+i, column+j, text[j:j+1], s)
		}
	}
}

// tile draws the tile of bit b with its name and pieces, and marks the fields that differ
// from since.
func (c *canvas) tile(p, since *Position, b uint8) {
	x, y := int(b)%stride-2, int(b)/stride-2
	line, column := centreLine-6*y-3*x, centreColumn+9*x
	c.outline(line, column)
	c.put(line+namePlace.line, column+namePlace.column, geo.name[b], nameStyle)
	for f, at := range fieldPlaces {
		if p.fields[f]>>b&1 == 1 {
			colour := 1 - f%2
			c.put(line+at.line, column+at.column, pieceText[colour], pieceStyles[colour])
		}
		if changed(p, since, f, b) {
			beside := at.column + 2
			if at.column > namePlace.column {
				beside = at.column - 1
			}
			c.put(line+at.line, column+beside, changeMark, newStyle)
		}
	}
}

// changeMark is written beside changed fields.
const changeMark = "*"

// changed reports whether field f of the tile of bit b holds a different piece than in
// since, which may be nil.
func changed(p, since *Position, f int, b uint8) bool {
	return since != nil && (p.fields[f]^since.fields[f])>>b&1 == 1
}

// beside writes the status beside the board: the players' pieces and tiles, the player on
// turn or the winner, and the letters of a tile's fields.
func (c *canvas) beside(s *State) {
	for colour, name := range playerNames {
		line := 1 + 3*colour
		c.put(line, sideColumn, pieceText[colour], pieceStyles[colour])
		c.put(line, sideColumn+3, fmt.Sprintf("%s: %s", name, env.Plural(s.pos.Pieces(env.Player(colour)), "piece")), plain)
		c.put(line+1, sideColumn+3, env.Plural(s.pos.Hand(env.Player(colour)), "tile")+" in hand", plain)
	}
	c.put(7, sideColumn, s.status(), plain)
	for i, text := range legend {
		c.put(23+i, sideColumn, text, plain)
	}
}

// status returns the player on turn, or how the game ended.
func (s *State) status() string {
	switch {
	case s.ending == unfinished:
		return playerNames[s.pos.turn] + " to move"
	case s.winner == nobody:
		return "drawn: " + s.Ending()
	}
	return playerNames[s.winner] + " has won: " + s.Ending()
}

// Draw returns the board with the players' pieces and tiles. White's pieces stand on
// triangles that point up, Black's on triangles that point down. Removed tiles are blank.
// If the drawing does not fit the screen, a smaller one is returned. An asterisk marks
// every changed field.
func (s *State) Draw(screen env.Screen) string {
	var since *Position
	if earlier, ok := screen.Since.(*State); ok {
		since = &earlier.pos
	}
	fits := func(columns, lines int) bool {
		return (screen.Columns == 0 || screen.Columns >= columns) && (screen.Lines == 0 || screen.Lines >= lines)
	}
	c := &canvas{}
	if !fits(drawnColumns, drawnLines) {
		if fits(smallColumns, 0) {
			c.small(s, since, &wideBoard)
		} else {
			c.small(s, since, &narrowBoard)
		}
		return c.lines(smallLines, screen.Colour)
	}
	for i := tileCount - 1; i >= 0; i-- {
		if b := geo.bit[i]; s.pos.tiles>>b&1 == 1 {
			c.tile(&s.pos, since, b)
		}
	}
	c.beside(s)
	return c.lines(drawnLines, screen.Colour)
}

// lines returns the first lines of the drawing.
func (c *canvas) lines(n int, colour bool) string {
	var out strings.Builder
	for i := range n {
		c.writeLine(&out, i, colour)
	}
	return out.String()
}

// writeLine writes a line of the drawing without trailing blanks.
func (c *canvas) writeLine(out *strings.Builder, line int, colour bool) {
	end := drawnColumns
	for end > 0 && c.text[line][end-1] == 0 {
		end--
	}
	last := plain
	for i, ch := range c.text[line][:end] {
		if s := c.style[line][i]; colour && s != last && ch != 0 {
			out.WriteString(ansi[s])
			last = s
		}
		if ch == 0 {
			if colour && last != plain {
				out.WriteString(ansi[plain])
				last = plain
			}
			ch = ' '
		}
		out.WriteByte(ch)
	}
	if last != plain {
		out.WriteString(ansi[plain])
	}
	out.WriteByte('\n')
}
