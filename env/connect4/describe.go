package connect4

import (
	"strconv"

	"tiro/env"
)

// planes are the observation planes.
var planes = []env.Plane{
	{Name: "own-stones", Meaning: "1 where the mover has a stone"},
	{Name: "enemy-stones", Meaning: "1 where the other player has a stone"},
	{Name: "landing", Meaning: "1 where a stone dropped now would land"},
	{Name: "board", Meaning: "1 everywhere"},
	{Name: "own-fours", Meaning: "1 on empty cells, reachable or not, on which a stone makes four or more in a line for the mover"},
	{Name: "enemy-fours", Meaning: "1 on empty cells, reachable or not, on which a stone makes four or more in a line for the other player"},
	{Name: "odd-rows", Meaning: "1 in the first, third and fifth row from the bottom"},
	{Name: "began", Meaning: "1 everywhere if the mover began the game"},
}

// CellName returns the column and the row from the bottom, both from 1.
func (g *game) CellName(_ env.Player, cell int) string {
	return strconv.Itoa(1+cell%Width) + "," + strconv.Itoa(1+cell/Width)
}

// ActionName implements env.Describer.
func (g *game) ActionName(_ env.Player, a env.Action) string { return (&State{}).ActionString(a) }
