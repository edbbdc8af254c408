package igo

import (
	"tiro/env"
	"tiro/env/grid"
)

// state is a position with the earlier positions, which superko requires.
type state struct {
	game *game // never changed
	situation
	points  [maxPoints]point
	earlier [pliesPerPoint*maxPoints + 1]uint64 // hashes of the positions so far, including this one
}

// situation is a state without its long arrays.
type situation struct {
	turn      env.Player
	plies     int16
	passes    int16       // in a row
	positions int16       // length of earlier
	moves     [2]int16    // the last two moves, the latest first: points, the number of points for a pass, or none
	held      [2]grid.Set // by seat: points from which a stone has been removed, or see begin
	hash      uint64      // of all stones
	past      uint64      // digest of the earlier positions, in order
}

// none marks a missing move at the beginning.
const none = -1

var (
	_ grid.State   = (*state)(nil)
	_ env.Finisher = (*state)(nil)
)

// begin makes the position the first of a game, in which the player on turn may not play on
// the points banned. They count as held.
func (s *state) begin(banned grid.Set) {
	s.situation = situation{turn: s.turn, hash: s.hash, moves: [2]int16{none, none}, positions: 1}
	s.held[s.turn] = banned
	for _, word := range banned {
		s.past = env.Fold(s.past^0x9e3779b97f4a7c15, word^0xbf58476d1ce4e5b9)
	}
	s.earlier[0] = s.hash
}

func (s *state) Turn() env.Player { return s.turn }

// own returns the colour of the player on turn.
func (s *state) own() int8 { return int8(s.turn) + 1 }

// CopyFrom copies the used parts of src.
func (s *state) CopyFrom(src env.State) {
	o := src.(*state)
	s.game, s.situation = o.game, o.situation
	n := o.game.Cells()
	copy(s.points[:n], o.points[:n])
	copy(s.earlier[:o.positions], o.earlier[:o.positions])
}

func (s *state) Legal(dst []env.Action) []env.Action {
	if s.over() {
		return dst
	}
	for p := range int16(s.game.Cells()) {
		if s.points[p].colour == empty && s.allowed(p) {
			dst = append(dst, env.Action(p))
		}
	}
	return append(dst, s.game.pass())
}

// allowed reports whether the player on turn may play on the empty point p.
func (s *state) allowed(p int16) bool {
	suicide, held := s.suicidal(p), s.held[s.turn&1].Has(int(p))
	switch {
	case suicide && !s.game.suicide:
		return false
	case !suicide && !held:
		return true // no earlier position has a stone of this colour on p
	case held && s.plies == 0:
		return false // a position string forbids it
	}
	after := s.hashAfter(p, suicide)
	for _, hash := range s.earlier[:s.positions] { // slices.Contains takes twice the time here
		if hash == after {
			return false
		}
	}
	return true
}

// suicidal reports whether a move on p would leave its chain without a liberty.
func (s *state) suicidal(p int16) bool {
	own := s.own()
	for _, q := range s.game.near[p] {
		at := &s.points[q]
		if at.colour == empty || (s.points[at.head].liberties == 1) == (at.colour != own) {
			return false // a liberty, an own chain with another liberty, or a capture
		}
	}
	return true
}

// hashAfter returns the hash of the board after a move on p.
func (s *state) hashAfter(p int16, suicide bool) uint64 {
	hash := s.hash
	if !suicide {
		hash ^= stoneHash(s.own(), p)
	}
	var buffer [4]int16
	for _, h := range s.chains(buffer[:0], p) {
		head := &s.points[h]
		if head.liberties > 1 || (head.colour == s.own()) != suicide {
			continue // it is not removed
		}
		for q := range s.stones(h) {
			hash ^= stoneHash(head.colour, q)
		}
	}
	return hash
}

func (s *state) Play(a env.Action) {
	s.plies++
	s.moves[1], s.moves[0] = s.moves[0], int16(a)
	if a == s.game.pass() {
		s.passes++
	} else {
		s.passes = 0
		s.past = env.Mix(s.past ^ s.hash)
		s.put(s.own(), int16(a))
		s.earlier[s.positions] = s.hash
		s.positions++
	}
	s.turn = 1 - s.turn
}

// Finishing appends the pass that ends the game, or all actions at the last ply.
func (s *state) Finishing(dst, legal []env.Action) []env.Action {
	switch {
	case int(s.plies)+1 >= s.game.MaxPlies:
		return append(dst, legal...)
	case s.passes == 1:
		return append(dst, s.game.pass())
	}
	return dst
}

func (s *state) over() bool { return s.passes == 2 || int(s.plies) >= s.game.MaxPlies }

func (s *state) Result() (v env.Value, over bool) {
	if !s.over() {
		return v, false
	}
	return env.WinByLead(int(2 * s.lead())), true
}

// lead returns Black's lead in points, a multiple of a half.
func (s *state) lead() float64 {
	_, area := s.areas()
	return float64(area[Black]-area[White]) - s.game.komi
}

// Ending returns "two-passes" or "ply-limit".
func (s *state) Ending() string {
	switch {
	case s.passes == 2:
		return "two-passes"
	case s.over():
		return "ply-limit"
	}
	return ""
}

func (s *state) Observe(dst []float32) {
	n := s.game.Cells()
	set := func(plane, p int) { dst[plane*n+p] = 1 }
	clear(dst)
	for p := range n {
		at := &s.points[p]
		if at.colour == empty {
			if !s.allowed(int16(p)) {
				set(8, p)
			}
			continue
		}
		who := 0 // the mover
		if at.colour != s.own() {
			who = 1
		}
		set(who, p)
		if liberties := int(s.points[at.head].liberties); liberties <= 3 {
			set(1+3*who+liberties, p)
		}
	}
	for i, p := range s.moves {
		if p >= 0 && int(p) < n {
			set(9+i, int(p))
		}
	}
	komi := float32(s.game.komi) / 16
	if s.turn == Black {
		komi = -komi
	}
	for p := range n {
		if s.passes > 0 {
			set(11, p)
		}
		dst[12*n+p] = komi
		set(13, p)
	}
}

// Ownership writes the owner of each point, 2 for neither. The score is the difference of
// areas with komi, divided by the number of points.
func (s *state) Ownership(dst []int8, earlier env.State) (score env.Value) {
	owner, _ := s.areas()
	grid.Owners(dst, earlier.Turn(), func(p int) int { return int(owner[p] % neutral) })
	lead := float32(s.lead()) / float32(len(dst))
	lead = min(1, max(-1, lead)) // komi may exceed the number of points of a small board
	return env.Value{Black: lead, White: -lead}
}

// Hash digests the stones, the player on turn, and everything that superko, the end of the
// game and the planes depend on.
func (s *state) Hash() uint64 {
	rest := uint64(uint16(s.plies))<<48 | uint64(uint16(s.moves[0]))<<32 | uint64(uint16(s.moves[1]))<<16 | uint64(s.passes)<<8 | uint64(s.turn)
	return env.Fold(s.hash^0x9e3779b97f4a7c15, env.Mix(s.past)^env.Mix(rest))
}

// Score maps the lead d in area, excluding chains with one liberty, to d/(16+|d|).
func (s *state) Score() env.Value {
	d := s.lead()
	for p := range s.game.Cells() {
		if at := &s.points[p]; at.colour != empty && s.points[at.head].liberties == 1 {
			d += float64(2*at.colour - 3) // -1 if it is Black's
		}
	}
	return env.EstimateByLead(float32(d), 16)
}
