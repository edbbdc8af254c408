package mnk

import "tiro/env"

var _ env.Describer = (*game)(nil)

// Describe implements env.Describer.
func (g *game) Describe() env.Description {
	return env.Description{
		Frame: "row 0 is the lowest, column 0 the leftmost, for both players",
		Planes: []env.Plane{
			{Name: "own-stones", Meaning: "1 where the mover has a stone"},
			{Name: "enemy-stones", Meaning: "1 where the other player has a stone"},
			{Name: "board", Meaning: "1 everywhere"},
		},
		Actions: []string{"place a stone on the cell"},
	}
}

// CellName returns the column's letter and the row's number, such as b2.
func (g *game) CellName(_ env.Player, cell int) string { return g.cellName(cell) }

// ActionName implements env.Describer.
func (g *game) ActionName(_ env.Player, a env.Action) string { return g.cellName(int(a)) }
