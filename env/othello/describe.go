package othello

import (
	_ "embed"
	"strconv"
	"strings"

	"tiro/env"
)

//go:embed rules.txt
var rulesText string

// Rules returns the rules under the game's options.
func (g *game) Rules() env.Rules {
	s := g.New().(*state)
	move := s.ActionString(s.Legal(nil)[0])
	board := strings.TrimSuffix(s.Draw(env.Screen{}), "\n")
	return env.Rules{
		Text: strings.NewReplacer(
			"{size}", strconv.Itoa(g.size), "{move}", move, "{board}", strings.ReplaceAll(board, "\n", "\n  "),
		).Replace(rulesText),
		Moves: []env.ShownMove{{Move: move}},
	}
}

var _ env.Describer = (*game)(nil)

// Describe implements env.Describer.
func (g *game) Describe() env.Description {
	return env.Description{
		Frame: "row 0 is the topmost, column 0 the leftmost, for both players",
		Planes: []env.Plane{
			{Name: "own-discs", Meaning: "1 where the mover has a disc"},
			{Name: "enemy-discs", Meaning: "1 where the other player has a disc"},
			{Name: "own-moves", Meaning: "1 where the mover may place a disc"},
			{Name: "enemy-moves", Meaning: "1 where the other player could place a disc if on turn"},
			{Name: "board", Meaning: "1 everywhere"},
		},
		Actions: []string{"place a disc on the cell", "pass (at the first cell)"},
	}
}

// CellName returns the column's letter and the row's number, such as d3.
func (g *game) CellName(_ env.Player, cell int) string { return g.cellName(cell) }

// ActionName implements env.Describer.
func (g *game) ActionName(_ env.Player, a env.Action) string {
	switch {
	case a == g.pass():
		return passName
	case a < g.pass():
		return g.cellName(int(a))
	}
	return ""
}
