// Package grid has the common parts of games on a rectangular board: names of cells,
// positions as text, pictures, symmetries, and the description of planes.
//
// A game of two players whose rules the symmetries of the board preserve embeds a Board and
// adds the methods that Game lacks. Other games use the methods of Layout. The State is a
// Position.
package grid

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tiro/env"
)

// Layout describes a board, its notation, and its meaning to networks. The number of a
// cell is row*Width+column.
type Layout struct {
	Name                            string // these four are as in env.Spec
	Version, RulesVersion, MaxPlies int

	Width, Height int

	// Row 0, with the name 1, is at the bottom or, if TopDown, at the top. Columns are the
	// letters of the columns from the left, a, b, … if Columns is "".
	TopDown bool
	Columns string

	// A position is written row by row from the top. Symbols has the symbol of an empty
	// cell and of a piece of each seat. Separator is between rows. Turns has the letter of
	// each seat, one of which follows after a blank; "" if the pieces determine the turn.
	Symbols   string
	Separator string
	Turns     string

	// Drawings have no names of rows if they are Unnumbered. Colours are the colours of
	// each seat's symbols, as parameters of the escape sequence SGR.
	Unnumbered bool
	Colours    [2]string
	Look       Look // of pictures

	Planes  []env.Plane // observation planes
	Actions []string    // meaning of each policy plane
	Pass    bool        // whether the first action of policy plane 1 is a pass
	Upright bool        // whether only the reflection that swaps left and right preserves the rules
}

// Board is a Layout with its symmetries. It is immutable.
type Board struct {
	Layout
	symmetries []env.Symmetry
}

// Position is a State of a game on a board.
type Position interface {
	env.State

	// At returns 0 if a cell is empty, and otherwise 1 plus the seat of its piece.
	At(cell int) int
}

// Game is a game that embeds a Board.
type Game interface {
	env.Game
	env.Symmetric
	env.Describer
	env.Explainer
}

// State is a Position with the abilities that the games of this module have in common.
type State interface {
	Position
	env.Positioner
	env.Scorer
	env.Ender
	env.OwnershipScorer
	env.Drawer
	env.SVGDrawer
}

// Set is a set of cells of a board of at most 384 cells. Cell i is bit i%64 of word i/64.
type Set [6]uint64

// Has reports whether the set has a cell.
func (s *Set) Has(cell int) bool { return s[cell/64]>>(cell%64)&1 != 0 }

// Add adds a cell.
func (s *Set) Add(cell int) { s[cell/64] |= 1 << (cell % 64) }

// New returns the board with layout l.
func New(l Layout) Board {
	b := Board{Layout: l}
	cells, pass, count := b.Cells(), -1, 8
	if l.Pass {
		pass = cells
	}
	switch {
	case l.Upright:
		count = 2
	case l.Width != l.Height:
		count = 4
	}
	for n := range count {
		image := func(i int) int { return i/cells*cells + b.Image(i%cells, n) }
		action := func(a int) int {
			if a == pass { // it has no cell, so that it is its own image
				return a
			}
			if to := image(a); to != pass {
				return to
			}
			return image(pass) // of an action that is never legal
		}
		b.symmetries = append(b.symmetries, env.NewSymmetry(len(l.Planes)*cells, len(l.Actions)*cells, image, action))
	}
	return b
}

// Spec implements env.Game. Owners defines the ownership classes.
func (b *Board) Spec() env.Spec {
	return env.Spec{
		Name: b.Name, Players: 2,
		Planes: len(b.Planes), Height: b.Height, Width: b.Width, PolicyPlanes: len(b.Actions),
		MaxPlies: b.MaxPlies, OwnershipClasses: 3, Version: b.Version, RulesVersion: b.RulesVersion,
	}
}

// Cells returns the number of cells.
func (l *Layout) Cells() int { return l.Width * l.Height }

// Symmetries returns all rotations and reflections: 8 of a square, 4 of other rectangles, 2 of
// an upright board.
func (b *Board) Symmetries() []env.Symmetry { return b.symmetries }

// Image returns the image of cell under symmetry n. Symmetries 0 to 3 reflect the board; 4
// to 7 also swap rows and columns.
func (l *Layout) Image(cell, n int) int {
	column, row := cell%l.Width, cell/l.Width
	if n&1 != 0 {
		column = l.Width - 1 - column
	}
	if n&2 != 0 {
		row = l.Height - 1 - row
	}
	if n&4 != 0 {
		column, row = row, column
	}
	return row*l.Width + column
}

// Describe implements env.Describer.
func (l *Layout) Describe() env.Description {
	side := "lowest"
	if l.TopDown {
		side = "topmost"
	}
	return env.Description{
		Frame:  "row 0 is the " + side + ", column 0 the leftmost, for both players",
		Planes: slices.Clone(l.Planes), Actions: slices.Clone(l.Actions),
	}
}

// CellName returns the column's letter and the row's number, such as d3, for each player.
func (l *Layout) CellName(_ env.Player, cell int) string {
	return l.column(cell%l.Width) + strconv.Itoa(1+cell/l.Width)
}

func (l *Layout) column(i int) string {
	if l.Columns == "" {
		return string(rune('a' + i))
	}
	return l.Columns[i : i+1]
}

// ActionName returns the name of the cell or "pass".
func (l *Layout) ActionName(seat env.Player, a env.Action) string {
	switch cell := int(a); {
	case cell < l.Cells():
		return l.CellName(seat, cell)
	case l.Pass && cell == l.Cells():
		return "pass"
	}
	return ""
}

// Text returns s in the notation of positions.
func (l *Layout) Text(s Position) string {
	var text strings.Builder
	for i := range l.Cells() {
		if i > 0 && i%l.Width == 0 {
			text.WriteString(l.Separator)
		}
		text.WriteByte(l.Symbols[s.At(l.FromTop(i))])
	}
	if l.Turns != "" {
		text.WriteByte(' ')
		text.WriteByte(l.Turns[s.Turn()&1])
	}
	return text.String()
}

// FromTop returns cell number i in reading order, from the upper left.
func (l *Layout) FromTop(i int) int {
	if l.TopDown {
		return i
	}
	return (l.Height-1-i/l.Width)*l.Width + i%l.Width
}

// Parse parses the notation of Text. It calls put with every piece, in ascending order of
// cells, and returns the seat on turn, 0 if the notation lacks it.
func (l *Layout) Parse(text string, put func(cell int, seat env.Player)) (turn env.Player, err error) {
	if l.Turns != "" {
		board, mover, _ := strings.Cut(text, " ")
		if turn = env.Player(strings.Index(l.Turns, mover)); turn < 0 || len(mover) != 1 {
			return 0, fmt.Errorf("the player to move is %.20q, not %s", mover, strings.Join(strings.Split(l.Turns, ""), " or "))
		}
		text = board
	}
	rows := l.rows(text)
	if len(rows) != l.Height {
		return 0, fmt.Errorf("number of rows is %d, not %d", len(rows), l.Height)
	}
	at := make([]int, l.Cells())
	for i, row := range rows {
		first := l.FromTop(i * l.Width)
		number := 1 + first/l.Width
		if len(row) != l.Width {
			return 0, fmt.Errorf("number of cells in row %d is %d, not %d", number, len(row), l.Width)
		}
		for column := range l.Width {
			symbol := strings.IndexByte(l.Symbols, row[column])
			if symbol < 0 {
				return 0, fmt.Errorf("%q in row %d is not one of %s", row[column], number, l.Symbols)
			}
			at[first+column] = symbol
		}
	}
	for cell, symbol := range at {
		if symbol > 0 {
			put(cell, env.Player(symbol-1))
		}
	}
	return turn, nil
}

// rows splits the text of a board.
func (l *Layout) rows(text string) (rows []string) {
	if l.Separator != "" {
		return strings.Split(text, l.Separator)
	}
	for ; len(text) > l.Width; text = text[l.Width:] {
		rows = append(rows, text[:l.Width])
	}
	return append(rows, text)
}

// Owners writes the class of each cell for env.OwnershipScorer: 0 if it belongs to mover, 1
// if it belongs to the other player, and 2 if it belongs to neither. owner returns the owner
// like Position.At.
func Owners(dst []int8, mover env.Player, owner func(cell int) int) {
	classes := [...]int8{2, int8(mover), 1 - int8(mover)}
	for cell := range dst {
		dst[cell] = classes[owner(cell)]
	}
}

// OwnersSince is Owners for a game whose pieces stay: a cell belongs to the owner of its
// piece at the end, and a cell with a piece in earlier has no target.
func OwnersSince(dst []int8, earlier, end Position) {
	Owners(dst, earlier.Turn(), end.At)
	for cell := range dst {
		if earlier.At(cell) > 0 {
			dst[cell] = env.NoOwnership
		}
	}
}
