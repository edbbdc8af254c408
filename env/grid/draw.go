package grid

import (
	"fmt"
	"strings"

	"tiro/env"
)

// Changed reports whether cell differs between s and since, which may be nil.
func Changed(s Position, since env.State, cell int) bool {
	earlier, ok := since.(Position)
	return ok && earlier.At(cell) != s.At(cell)
}

// Lines draws s as lines of text: the rows from the top, and the names of columns above
// them if the board is TopDown, below otherwise. Changed cells are in brackets. empty
// returns the symbol of an empty cell; nil means the symbol of the notation.
func (l *Layout) Lines(s Position, screen env.Screen, empty func(cell int) byte) (lines []string) {
	columns := ""
	if !l.Unnumbered {
		columns = "  "
	}
	for i := range l.Width {
		columns += " " + l.column(i)
	}
	if l.TopDown {
		lines = append(lines, columns)
	}
	for row := range l.Height {
		var line strings.Builder
		first := l.FromTop(row * l.Width)
		if !l.Unnumbered {
			fmt.Fprintf(&line, "%2d", 1+first/l.Width)
		}
		left := " " // of the next cell
		for cell := first; cell < first+l.Width; cell++ {
			right := " "
			if Changed(s, screen.Since, cell) {
				left, right = "[", "]"
			}
			at := s.At(cell)
			symbol := l.Symbols[at : at+1]
			switch {
			case at > 0 && screen.Colour:
				symbol = "\x1b[" + l.Colours[at-1] + "m" + symbol + "\x1b[0m"
			case at == 0 && empty != nil:
				symbol = string(empty(cell))
			}
			line.WriteString(left + symbol)
			left = right
		}
		lines = append(lines, strings.TrimSuffix(line.String()+left, " "))
	}
	if !l.TopDown {
		lines = append(lines, columns)
	}
	return lines
}

// Join returns the lines as a drawing.
func Join(lines []string) string { return strings.Join(lines, "\n") + "\n" }

// Inset returns the drawing of s as a paragraph of env.Rules.
func Inset(s env.State) string {
	board := strings.TrimSuffix(env.Draw(s, env.Screen{}), "\n")
	return "  " + strings.ReplaceAll(board, "\n", "\n  ")
}

// Picture is an SVG element of a board under construction. Its methods append lines.
type Picture struct {
	text  strings.Builder
	board *Layout
	side  int    // of a cell
	names string // class of the names
}

// edge is the width of the margins with the names of columns and rows.
const edge = 22

// Picture begins a picture with cells of the given side. style is the content of the
// element style; it has a class for each part, and names is the class of the names of
// columns and rows. seats are the colours of the seats.
func (l *Layout) Picture(side int, names, style, seats string) *Picture {
	p := &Picture{board: l, side: side, names: names}
	p.Printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"the board\" data-seats=\"%s\">\n", l.Width*side+edge, l.Height*side+edge, seats)
	p.Printf("<style>%s.%s{font:12px sans-serif;fill:currentColor;text-anchor:middle}</style>\n", style, names)
	return p
}

// Printf appends text.
func (p *Picture) Printf(format string, args ...any) { fmt.Fprintf(&p.text, format, args...) }

// String ends the picture and returns it.
func (p *Picture) String() string { return p.text.String() + "</svg>\n" }

// Corner returns the upper left corner of a cell. The names of columns are above a TopDown
// board.
func (p *Picture) Corner(cell int) (x, y int) {
	x, y = edge+cell%p.board.Width*p.side, cell/p.board.Width*p.side
	if p.board.TopDown {
		return x, edge + y
	}
	return x, (p.board.Height-1)*p.side - y
}

// Centre returns the middle of a cell.
func (p *Picture) Centre(cell int) (x, y int) {
	x, y = p.Corner(cell)
	return x + p.side/2, y + p.side/2
}

// Place draws a cell as a square that users can point at. It is invisible if class is "".
// holds is the piece on it, for screen readers, or "".
func (p *Picture) Place(class string, cell int, holds string) {
	x, y := p.Corner(cell)
	if class != "" {
		class = fmt.Sprintf("class=%q ", class)
	}
	if holds != "" {
		holds = fmt.Sprintf(" data-holds=%q", holds)
	}
	if class == "" {
		holds += ` fill-opacity="0"`
	}
	p.Printf("<rect %sdata-cell=\"%s\"%s x=\"%d\" y=\"%d\" width=\"%d\" height=\"%[6]d\"/>\n", class, p.board.CellName(0, cell), holds, x, y, p.side)
}

// Square draws a square within a cell, at a distance from its sides.
func (p *Picture) Square(class string, cell, distance int) {
	x, y := p.Corner(cell)
	p.Printf("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%[4]d\"/>\n", class, x+distance, y+distance, p.side-2*distance)
}

// Circle draws a circle in the middle of a cell.
func (p *Picture) Circle(class string, cell, radius int) {
	x, y := p.Centre(cell)
	p.Printf("<circle class=\"%s\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>\n", class, x, y, radius)
}

// Column writes the name of a column.
func (p *Picture) Column(i int) {
	x, _ := p.Centre(i)
	y := 15
	if !p.board.TopDown {
		y = p.board.Height*p.side + 16
	}
	p.Printf("<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", p.names, x, y, p.board.column(i))
}

// Row writes the name of a row.
func (p *Picture) Row(i int) {
	_, y := p.Centre(i * p.board.Width)
	p.Printf("<text class=\"%s\" x=\"10\" y=\"%d\">%d</text>\n", p.names, y+4, 1+i)
}
