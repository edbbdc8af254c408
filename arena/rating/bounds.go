package rating

import (
	"math"
	"slices"

	"tiro/arena"
)

// bounds returns the bounds of all players' ratings. A component is a set of players
// who have all taken points from each other, directly or through other players. The
// likelihood has a maximum only within a component (Ford 1957, "Solution of a ranking
// problem from binary comparisons"). Without the prior, different components would be
// infinitely far apart.
func (f *fit) bounds(scale float64) []bounds {
	beats := func(g Game, a, b int) bool { return g.Winners&(1<<a) != 0 }
	loses := func(g Game, a, b int) bool { return g.Winners&(1<<b) != 0 }
	all := make([]bounds, len(f.Players))
	for i := range all {
		all[i].component = -1
	}
	for player := range all {
		if all[player].component >= 0 {
			continue
		}
		below, above := f.reachable(player, beats), f.reachable(player, loses)
		member := make([]bool, len(all))
		for i := range all {
			member[i] = below[i] && above[i]
		}
		b := bounds{player, math.Inf(-1), math.Inf(1)}
		if !member[f.Anchor] {
			won, lost := f.outside(member)
			switch {
			case lost == 0:
				b.low = scale * f.shift(member, arena.WilsonInterval(won, won).Low)
			case won == 0:
				b.high = scale * f.shift(member, arena.WilsonInterval(0, lost).High)
			}
		}
		for i := range all {
			if member[i] {
				all[i] = b
			}
		}
	}
	return all
}

// outside returns the number of groups in which players of a component have won points
// against others, and the number in which others have won points against them.
func (f *fit) outside(member []bool) (won, lost float64) {
	for _, group := range f.Groups {
		gained, gave := false, false
		for _, g := range group {
			if !mixed(g, member) {
				continue
			}
			for seat, player := range g.Seating {
				if g.Winners&(1<<seat) != 0 {
					gained = gained || member[player]
					gave = gave || !member[player]
				}
			}
		}
		if gained {
			won++
		}
		if gave {
			lost++
		}
	}
	return won, lost
}

// mixed reports whether g has both members of a component and other players.
func mixed(g Game, member []bool) bool {
	return slices.ContainsFunc(g.Seating, func(player int) bool { return member[player] != member[g.Seating[0]] })
}

// shift returns the amount by which a component's players would have to be stronger
// for their expected score against the others to equal score. It takes the strengths
// of the others as known.
func (f *fit) shift(member []bool, score float64) float64 {
	moved := make([]float64, f.size())
	at := func(shift float64) float64 {
		copy(moved, f.parameters)
		for player, in := range member {
			if in {
				moved[player] += shift
			}
		}
		sum, games := 0.0, 0.0
		for _, group := range f.Groups {
			for _, g := range group {
				if !mixed(g, member) {
					continue
				}
				d := f.distribution(g.Seating)
				d.set(moved)
				games++
				for i, w := range d.outcomes {
					for seat, player := range g.Seating {
						if member[player] && w&(1<<seat) != 0 {
							sum += d.p[i] / float64(w.count())
						}
					}
				}
			}
		}
		return sum / games
	}
	low, high := -40.0, 40.0
	for range 60 {
		if middle := (low + high) / 2; at(middle) < score {
			low = middle
		} else {
			high = middle
		}
	}
	f.value(f.parameters) // resets all distributions
	return (low + high) / 2
}
