package coerceo

import (
	"fmt"

	"tiro/env"
)

var _ env.Describer = (*Game)(nil)

const frameMeaning = "cell (y+2)*5 + (x+2) is the tile (x, y) with c3 at the origin, y upwards and x to the upper right; six corner cells are not tiles; " +
	"fields of a tile are numbered 0 to 5 clockwise from the top. Black sees the board rotated by 180 degrees: cell i becomes 24-i, " +
	"field f becomes f+3, so the mover's fields are always 1, 3 and 5"

// Describe implements env.Describer.
func (g *Game) Describe() env.Description {
	d := env.Description{Frame: frameMeaning, Planes: make([]env.Plane, 0, planes)}
	for i, group := range fieldPlanes {
		for j := range 3 {
			field := 2*j + 1 - i%2 // own groups, on odd fields, come first
			d.Planes = append(d.Planes, env.Plane{
				Name: fmt.Sprintf("%s-%d", group.Name, field), Meaning: fmt.Sprintf(group.Meaning, field),
			})
		}
	}
	d.Planes = append(d.Planes, tilePlanes...)
	for plane := range movePlanes {
		f, tile := plane/6*2+1, "the tile itself"
		if way := plane % 6; way >= 2 {
			tile = fmt.Sprintf("the tile at side %d", (f+[4]int{0, 0, 5, 1}[way-2])%6)
		}
		d.Actions = append(d.Actions, fmt.Sprintf("move the piece on field %d of the cell's tile to field %d of %s", f, (f+2+plane%2*2)%6, tile))
	}
	for _, side := range []string{"own", "enemy"} {
		for plane, action := range d.Actions {
			d.Planes = append(d.Planes, env.Plane{
				Name:    fmt.Sprintf("%s-exposed-%d", side, plane),
				Meaning: fmt.Sprintf("how many %s pieces more than now a single enclosing move can capture after this move: %s; 0 for illegal moves", side, action),
			})
		}
	}
	for i := range exchangePlanes {
		d.Actions = append(d.Actions, fmt.Sprintf("exchange for the enemy's piece on field %d of the cell's tile", 2*i))
	}
	d.Actions = append(d.Actions, "claim a draw by repetition (in the middle cell only)")
	return d
}

// fieldPlanes are the groups of three planes, alternately for the fields 1, 3, 5 and the
// fields 0, 2, 4.
var fieldPlanes = []env.Plane{
	{Name: "own-pieces", Meaning: "1 on tiles with an own piece on field %d"},
	{Name: "enemy-pieces", Meaning: "1 on tiles with an enemy piece on field %d"},
	{Name: "own-goals", Meaning: "1 on tiles whose empty field %d an own piece can move to"},
	{Name: "enemy-goals", Meaning: "1 on tiles whose empty field %d an enemy piece could move to"},
	{Name: "own-moves", Meaning: "number of moves of the own piece on field %d, divided by 6"},
	{Name: "enemy-moves", Meaning: "number of moves of the enemy piece on field %d, divided by 6"},
	{Name: "own-threatened", Meaning: "1 on tiles whose own piece on field %d could be captured by one enemy move now"},
	{Name: "enemy-threatened", Meaning: "1 on tiles whose enemy piece on field %d can be captured by one own move now"},
	{Name: "own-soon", Meaning: "1/n on tiles whose empty field %d an own piece can reach in n moves if nothing else changes"},
	{Name: "enemy-soon", Meaning: "1/n on tiles whose empty field %d an enemy piece can reach in n moves if nothing else changes"},
	{Name: "own-soon-captured", Meaning: "1/n on tiles whose own piece on field %d has empty neighbours that enemy pieces can reach in n moves in all; n is 2 without empty neighbours"},
	{Name: "enemy-soon-captured", Meaning: "1/n on tiles whose enemy piece on field %d has empty neighbours that own pieces can reach in n moves in all; n is 2 without empty neighbours"},
}

// tilePlanes are the other planes.
var tilePlanes = []env.Plane{
	{Name: "tiles", Meaning: "1 on tiles still on the board"},
	{Name: "loose", Meaning: "1 on tiles that would leave the board if they were empty"},
	{Name: "own-leaving", Meaning: "1 on tiles that leave the board if their only piece, the mover's, moves to another tile"},
	{Name: "enemy-leaving", Meaning: "1 on tiles that leave the board if their only piece, the enemy's, moves to another tile"},
	{Name: "own-hand", Meaning: "everywhere: tiles in the mover's hand, divided by 8"},
	{Name: "enemy-hand", Meaning: "everywhere: tiles in the enemy's hand, divided by 8"},
	{Name: "own-exchanges", Meaning: "everywhere: exchanges that the mover's hand can pay for, divided by 4"},
	{Name: "enemy-exchanges", Meaning: "everywhere: exchanges that the enemy's hand can pay for, divided by 4"},
	{Name: "own-to-win", Meaning: "everywhere: pieces that the mover must still remove to win, divided by 18"},
	{Name: "enemy-to-win", Meaning: "everywhere: pieces that the enemy must still remove to win, divided by 18"},
	{Name: "tiles-left", Meaning: "everywhere: tiles on the board, divided by 19"},
	{Name: "repetition", Meaning: "everywhere: earlier occurrences of the position, divided by one less than the number that draws or allows a claim, at most 1"},
	{Name: "no-progress", Meaning: "everywhere: plies without progress, divided by the limit; 0 without a limit"},
	{Name: "plies", Meaning: "everywhere: plies played, divided by the limit"},
}

// CellName returns the name of the tile.
func (g *Game) CellName(seat env.Player, cell int) string { return geo.name[geo.of[seat][cell]] }

// ActionName implements env.Describer.
func (g *Game) ActionName(seat env.Player, a env.Action) string {
	switch {
	case a == Claim && g.start.win == competitive:
		return claimName
	case a >= turnCount:
		return ""
	}
	t := turns[seat][a]
	if geo.name[t.start] == "" || a < exchangePlane*gridCells && geo.name[t.goal] == "" {
		return ""
	}
	p := Position{turn: seat}
	return p.ActionString(a)
}
