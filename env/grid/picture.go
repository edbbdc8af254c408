package grid

import (
	"fmt"
	"strings"

	"tiro/env"
)

// Look is the appearance of a board in pictures, with colours as in SVG.
type Look struct {
	Side   int       // of a cell
	Board  string    // colour of the board
	Cells  string    // attributes of the cells, which lie on the board and which users can point at
	Mark   string    // colour of the marks of changed cells
	Pieces [2]string // name of a seat's piece, for screen readers
	Seats  [2]string // colour of each seat
}

// Picture is an SVG element of a position under construction. Its methods append elements.
type Picture struct {
	text  strings.Builder
	board *Layout
	s     Position
	since env.State
}

// edge is the width of the margins with the names of columns and rows.
const edge = 22

// Picture begins a picture of s with the empty board.
func (l *Layout) Picture(s Position, since env.State) *Picture {
	p := &Picture{board: l, s: s, since: since}
	k := &l.Look
	width, height := l.Width*k.Side, l.Height*k.Side
	p.Printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"the board\" data-seats=\"%s %s\">\n", width+edge, height+edge, k.Seats[0], k.Seats[1])
	x, y := p.corner(l.FromTop(0))
	p.Printf("<rect fill=%q x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n<g %s>\n", k.Board, x, y, width, height, k.Cells)
	for cell := range l.Cells() {
		holds := ""
		if at := s.At(cell); at > 0 {
			holds = fmt.Sprintf(" data-holds=%q", k.Pieces[at-1])
		}
		x, y := p.corner(cell)
		p.Printf("<rect data-cell=%q%s x=\"%d\" y=\"%d\" width=\"%d\" height=\"%[5]d\"/>\n", l.CellName(0, cell), holds, x, y, k.Side)
	}
	p.Printf("</g>\n")
	return p
}

// Printf appends text.
func (p *Picture) Printf(format string, args ...any) { fmt.Fprintf(&p.text, format, args...) }

// corner returns the upper left corner of a cell. The names of columns are above a TopDown
// board.
func (p *Picture) corner(cell int) (x, y int) {
	l := p.board
	x, y = edge+cell%l.Width*l.Look.Side, cell/l.Width*l.Look.Side
	if l.TopDown {
		return x, edge + y
	}
	return x, (l.Height-1)*l.Look.Side - y
}

// Centre returns the middle of a cell.
func (p *Picture) Centre(cell int) (x, y int) {
	x, y = p.corner(cell)
	return x + p.board.Look.Side/2, y + p.board.Look.Side/2
}

// Circle draws a circle in the middle of a cell with further attributes.
func (p *Picture) Circle(cell, radius int, attributes string) {
	x, y := p.Centre(cell)
	p.Printf("<circle cx=\"%d\" cy=\"%d\" r=\"%d\" %s/>\n", x, y, radius, attributes)
}

// Square draws a square within a cell, at a distance from its sides, with further attributes.
func (p *Picture) Square(cell, distance int, attributes string) {
	x, y := p.corner(cell)
	p.Printf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%[3]d\" %s/>\n", x+distance, y+distance, p.board.Look.Side-2*distance, attributes)
}

// Discs draws all pieces as discs, and rings in the cells that changed.
func (p *Picture) Discs(radius int) {
	for cell := range p.board.Cells() {
		if at := p.s.At(cell); at > 0 {
			p.Circle(cell, radius, fmt.Sprintf("fill=%q stroke=\"#555\"", p.board.Look.Seats[at-1]))
		}
		if Changed(p.s, p.since, cell) {
			p.Circle(cell, radius/2+1, fmt.Sprintf("fill=\"none\" stroke-width=\"3\" stroke=%q", p.board.Look.Mark))
		}
	}
}

// End appends the names of columns and rows and returns the picture.
func (p *Picture) End() string {
	l := p.board
	p.Printf("<g font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\" fill=\"currentColor\">\n")
	for i := range l.Width {
		x, _ := p.Centre(i)
		y := 15
		if !l.TopDown {
			y = l.Height*l.Look.Side + 16
		}
		p.Printf("<text x=\"%d\" y=\"%d\">%s</text>\n", x, y, l.column(i))
	}
	for i := range l.Height {
		_, y := p.Centre(i * l.Width)
		p.Printf("<text x=\"10\" y=\"%d\">%d</text>\n", y+4, 1+i)
	}
	return p.text.String() + "</g>\n</svg>\n"
}
