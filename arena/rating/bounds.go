package rating

import (
	"math"

	"tiro/arena"
)

// bounds returns the bounds of all players' ratings. A component is a set of players
// who have all taken points from each other, directly or through other players. The
// likelihood has a maximum only within a component (Ford 1957, "Solution of a ranking
// problem from binary comparisons"). Without the prior, different components would be
// infinitely far apart.
func (f *fit) bounds() []bounds {
	all := make([]bounds, len(f.Players))
	for i := range all {
		all[i].component = -1
	}
	anchored := f.component(f.Anchor)
	for player := range all {
		if all[player].component >= 0 {
			continue
		}
		member := f.component(player)
		b := bounds{player, math.Inf(-1), math.Inf(1)}
		if !member[f.Anchor] {
			switch won, lost := f.between(member, anchored); {
			case won > 0:
				b.low = eloUnit * f.shift(member, anchored, arena.WilsonInterval(won, won).Low)
			case lost > 0:
				b.high = eloUnit * f.shift(member, anchored, arena.WilsonInterval(0, lost).High)
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

// component returns which players are in the component of player.
func (f *fit) component(player int) []bool {
	below := f.reachable(player, func(g Game, a, b int) bool { return g.Winners.points(a) > 0 })
	above := f.reachable(player, func(g Game, a, b int) bool { return g.Winners.points(b) > 0 })
	for i := range below {
		below[i] = below[i] && above[i]
	}
	return below
}

// between returns the number of groups in which players of a component have won points
// against the anchor's component, and the number in which they have lost points to it. Only
// one can be positive.
func (f *fit) between(member, anchored []bool) (won, lost float64) {
	for _, group := range f.Groups {
		gained, gave := false, false
		for _, g := range group {
			if !mixed(g, member, anchored) {
				continue
			}
			for seat, player := range g.Seating {
				if g.Winners.points(seat) > 0 {
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

// mixed reports whether g has players of both components and no others, whose strengths are
// not known.
func mixed(g Game, member, anchored []bool) bool {
	in, out := false, false
	for _, player := range g.Seating {
		if !member[player] && !anchored[player] {
			return false
		}
		in, out = in || member[player], out || !member[player]
	}
	return in && out
}

// shift returns the amount by which a component's players would have to be stronger
// for their expected score against the anchor's component to equal score. It takes the
// strengths of that component as known.
func (f *fit) shift(member, anchored []bool, score float64) float64 {
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
				if !mixed(g, member, anchored) {
					continue
				}
				d := f.distribution(g.Seating)
				d.set(moved)
				games++
				for seat, player := range g.Seating {
					if member[player] {
						sum += d.p[seat]
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
