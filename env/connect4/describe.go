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
	{Name: "own-lines", Meaning: "on empty cells, the lines of four through the cell without a stone of the other player: 1 for each with two stones of the mover, 1/4 with one, 1/16 with none"},
	{Name: "enemy-lines", Meaning: "on empty cells, the lines of four through the cell without a stone of the mover: 1 for each with two stones of the other player, 1/4 with one, 1/16 with none"},
	{Name: "own-follow-up", Meaning: "everywhere 1 if the mover wins by answering every stone in pairs of cells, 1/2 if it draws or wins"},
	{Name: "enemy-follow-up", Meaning: "everywhere 1 if the other player wins by answering every stone in pairs of cells, 1/2 if it draws or wins"},
}

// CellName returns the column and the row from the bottom, both from 1.
func (g *game) CellName(_ env.Player, cell int) string {
	return strconv.Itoa(1+cell%Width) + "," + strconv.Itoa(1+cell/Width)
}

// ActionName implements env.Describer.
func (g *game) ActionName(_ env.Player, a env.Action) string { return (&State{}).ActionString(a) }
