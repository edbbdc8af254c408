package grid_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/grid"
)

// board is a Position without rules.
type board struct {
	env.State
	turn env.Player
	at   map[int]int
}

func (b *board) At(cell int) int  { return b.at[cell] }
func (b *board) Turn() env.Player { return b.turn }

var (
	fromBottom = grid.Layout{Width: 3, Height: 2, Symbols: ".xo", Separator: "/", Colours: [2]string{"1", "2"}}
	fromTop    = grid.Layout{Width: 3, Height: 2, TopDown: true, Columns: "ABC", Symbols: "-XO", Turns: "XO", Pass: true}
)

// TestNotation: Parse is the inverse of Text, and row 1 is at the bottom or at the top.
func TestNotation(t *testing.T) {
	for _, test := range []struct {
		name, text, cell string
		layout           grid.Layout
	}{
		{"from the bottom", "..x/o..", "c2", fromBottom},
		{"from the top", "--XO-- O", "C1", fromTop},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &board{at: map[int]int{}}
			var err error
			b.turn, err = test.layout.Parse(test.text, func(cell int, seat env.Player) { b.at[cell] = 1 + int(seat) })
			require.NoError(t, err)
			require.Equal(t, test.text, test.layout.Text(b))
			for cell, at := range b.at {
				if at == 1 {
					require.Equal(t, test.cell, test.layout.CellName(0, cell))
				}
			}
		})
	}
	require.Equal(t, "pass", fromTop.ActionName(0, 6))
	require.Empty(t, fromTop.ActionName(0, 7))
	require.Empty(t, fromBottom.ActionName(0, 6))
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"...":         "number of rows is 1, not 2",
		"..../...":    "row 2 is 4, not 3",
		".../..#":     "'#' in row 1",
		".../... x":   "row 1 is 5",
		".../.../...": "number of rows is 3",
	} {
		_, err := fromBottom.Parse(text, func(int, env.Player) {})
		require.ErrorContains(t, err, want)
	}
	for text, want := range map[string]string{
		"":          `""`,
		"------ Y":  `"Y", not X or O`,
		"------- X": "number of rows is 3",
		"----- X":   "row 2 is 2",
	} {
		_, err := fromTop.Parse(text, func(int, env.Player) {})
		require.ErrorContains(t, err, want)
	}
}

// TestLines: changed cells are in brackets, and pieces are coloured.
func TestLines(t *testing.T) {
	since := &board{at: map[int]int{0: 2}}
	b := &board{at: map[int]int{0: 2, 4: 1, 5: 2}}
	require.Equal(t, " 2 .[x[o]\n 1 o . .\n   a b c\n", grid.Join(fromBottom.Lines(b, env.Screen{Since: since}, nil)))
	require.Equal(t, "   A B C\n 1 O + +\n 2 + X O\n", grid.Join(fromTop.Lines(b, env.Screen{}, func(int) byte { return '+' })))
	require.Contains(t, grid.Join(fromBottom.Lines(b, env.Screen{Colour: true}, nil)), "\x1b[2mo\x1b[0m")
}

// TestSymmetries: a square has eight symmetries, another rectangle four, and each maps the
// pass to itself.
func TestSymmetries(t *testing.T) {
	square := grid.New(grid.Layout{Width: 4, Height: 4, Planes: make([]env.Plane, 3), Actions: make([]string, 2), Pass: true})
	require.Len(t, square.Symmetries(), 8)
	for _, s := range square.Symmetries() {
		require.Len(t, s.Input, 48)
		require.EqualValues(t, 16, s.Action[16])
	}
	board := grid.New(fromBottom)
	require.Len(t, board.Symmetries(), 4)
}

// TestOwners: the classes are seen from the mover of an earlier position, and cells of its
// pieces have none.
func TestOwners(t *testing.T) {
	dst := make([]int8, 4)
	earlier := &board{turn: 1, at: map[int]int{3: 1}}
	end := &board{at: map[int]int{0: 2, 1: 1, 3: 1}}
	grid.Owners(dst, earlier.turn, end.At)
	require.Equal(t, []int8{0, 1, 2, 1}, dst)
	grid.OwnersSince(dst, earlier, end)
	require.Equal(t, []int8{0, 1, 2, env.NoOwnership}, dst)
}

func TestSet(t *testing.T) {
	var s grid.Set
	cells := []int{0, 63, 64, 360, 360}
	for _, cell := range cells {
		s.Add(cell)
	}
	for cell := range 361 {
		require.Equal(t, slices.Contains(cells, cell), s.Has(cell))
	}
}

// TestFill: values replace names, and the drawing is indented.
func TestFill(t *testing.T) {
	s := drawn{&board{}}
	require.Equal(t, "9 cells\n\n  a\n  b\n\nmove a1", grid.Fill("{n} cells\n\n{board}\n\nmove {move}", s, "{n}", 9, "{move}", "a1"))
}

type drawn struct{ *board }

func (drawn) Draw(env.Screen) string { return "a\nb\n" }

// TestPicture: every cell can be pointed at, pieces have their seats' colours, and changed
// cells have a ring.
func TestPicture(t *testing.T) {
	layout := fromTop
	layout.Look = grid.Look{Side: 20, Board: "green", Mark: "red", Pieces: [2]string{"x", "o"}, Seats: [2]string{"black", "white"}}
	b := &board{at: map[int]int{1: 2}}
	p := layout.Picture(b, &board{})
	p.Discs(8)
	text := p.End()
	require.Equal(t, 6, strings.Count(text, "data-cell="))
	require.Contains(t, text, `data-cell="B1" data-holds="o" x="42" y="22"`)
	require.Contains(t, text, `<circle cx="52" cy="32" r="8" fill="white"`)
	require.Contains(t, text, `<circle cx="52" cy="32" r="5" fill="none" stroke-width="3" stroke="red"/>`)
	require.Equal(t, 2, strings.Count(text, "<circle"))
	require.Equal(t, 5, strings.Count(text, "<text"), "three columns and two rows")
}
