package rating

import (
	"slices"

	"tiro/arena"
)

// Groups converts complete groups of games of the same players, and leaves out those that repeat
// an earlier one. places are the indices in Data.Players of these players.
func Groups(groups [][]arena.GameRecord, places ...int) (distinct []Group) {
	repeated := arena.Repeats(groups)
	for i, records := range groups {
		if repeated[i] {
			continue
		}
		var group Group
		for _, r := range records {
			g := Game{Seating: make([]int, len(r.Seating))}
			best := slices.Max(r.Result)
			for seat, player := range r.Seating {
				g.Seating[seat] = places[player]
				if r.Result[seat] == best {
					g.Winners |= 1 << seat
				}
			}
			group = append(group, g)
		}
		distinct = append(distinct, group)
	}
	return distinct
}
