package rating

import (
	"slices"

	"tiro/arena"
)

// Groups converts the games of a match to groups. places are the indices in Data.Players of
// the match's players. The games must be sorted by number, and their groups complete.
func Groups(records []arena.GameRecord, places ...int) (groups []Group) {
	for i, r := range records {
		if i == 0 || r.Group != records[i-1].Group {
			groups = append(groups, nil)
		}
		g := Game{Seating: make([]int, len(r.Seating))}
		best := slices.Max(r.Result)
		for seat, player := range r.Seating {
			g.Seating[seat] = places[player]
			if r.Result[seat] == best {
				g.Winners |= 1 << seat
			}
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], g)
	}
	return groups
}
