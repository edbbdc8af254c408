package pacru

import (
	"math/bits"

	"tiro/env"
)

// flood computes where the chevrons of a seat can go in consecutive turns, with their
// present power of movement and no chevrons in the way. In Shacru, where markers never
// change, this is an upper bound.
type flood struct {
	open    set             // fields without another seat's marker
	strong  [side]set       // fields that can be left by k+1 steps, k > 0
	front   [directions]set // where a chevron can be after the last turn but not before, by facing
	seen    [directions]set // where a chevron can be after any turn
	reached set
}

// newFlood returns the flood of p before its first turn.
func (s *State) newFlood(p uint8) (f flood) {
	f.open = everywhere.without(s.foreign(p))
	if s.long() {
		for _, land := range geo.lands {
			for k := range s.marks[p&3].and(land).len() {
				f.strong[k] = f.strong[k].or(land)
			}
		}
	}
	for _, c := range s.own(p) {
		f.front[c.facing&7].add(c.field)
	}
	f.seen = f.front
	return f
}

// spread adds one turn. It returns the fields that a chevron can reach in this turn but in
// no earlier one, and whether later turns may reach more.
func (f *flood) spread() (fresh set, more bool) {
	var next [directions]set
	for d := range uint8(directions) {
		ahead, toLeft, toRight := d, (d+directions-1)%directions, (d+1)%directions
		from := f.front[toLeft].or(f.front[ahead]).or(f.front[toRight])
		for k := 0; k < farthest && !from.empty(); k++ {
			to := geo.slide(from, d, k+1).and(f.open)
			twistable := to.and(geo.across[d][k])
			next[ahead] = next[ahead].or(to)
			next[toLeft] = next[toLeft].or(twistable)
			next[toRight] = next[toRight].or(twistable)
			from = from.and(f.strong[k+1])
		}
	}
	for d := range next {
		f.front[d] = next[d].without(f.seen[d])
		f.seen[d] = f.seen[d].or(f.front[d])
		fresh = fresh.or(next[d])
		more = more || !f.front[d].empty()
	}
	fresh = fresh.without(f.reached)
	f.reached = f.reached.or(fresh)
	return fresh, more && f.reached != f.open
}

// observeFloods writes, for the seats in the order of play, how soon each can reach every
// field, and how many neutral fields each can reach before all others.
func (s *State) observeFloods(soon, first *[env.MaxPlayers]*plane) {
	var floods [env.MaxPlayers]flood
	for i := range s.players {
		floods[i] = s.newFlood((s.turn + i) % s.players)
	}
	unclaimed := s.neutral()
	var counts [env.MaxPlayers]int
	var done [env.MaxPlayers]bool
	for turns, more := 1, true; more; turns++ {
		more = false
		var fresh [env.MaxPlayers]set
		var once, twice set
		for i := range s.players {
			if done[i] {
				continue
			}
			var on bool
			fresh[i], on = floods[i].spread()
			done[i] = !on
			more = more || on
			put(soon[i], fresh[i], 1/float32(turns))
			twice = twice.or(once.and(fresh[i]))
			once = once.or(fresh[i])
		}
		for i := range s.players {
			counts[i] += fresh[i].and(unclaimed).without(twice).len()
		}
		unclaimed = unclaimed.without(once)
	}
	for i := range s.players {
		fill(first[i], fraction(counts[i], fields))
	}
}

// connections returns the fields that p would gain by a connection with any of the moves in
// v.
func (s *State) connections(p uint8, v *sight) (gain set) {
	for i, c := range s.own(p) {
		for j, r := range v[i] {
			d := (c.facing + uint8(j) + directions - 1) % directions
			for rest := r.slides; rest != 0; rest &= rest - 1 {
				if between, ok := s.link(p, c.field, d, bits.TrailingZeros8(rest)+1); ok {
					gain = gain.or(between)
				}
			}
		}
	}
	return gain.without(s.marks[p&3])
}
