package igo

import (
	"slices"

	"tiro/env"
	"tiro/env/grid"
)

// state is a position with the earlier positions, which superko requires.
type state struct {
	game *game // never changed
	head
	board
	earlier [maxPlies + 1]uint64 // hashes of the positions so far, including this one
}

// head is a state without the earlier positions.
type head struct {
	turn      env.Player
	plies     int16
	passes    int16     // in a row
	positions int16     // length of earlier
	moves     [2]int16  // the last two moves, the latest first: points, the number of points for a pass, or none
	held      [2]points // by seat: points from which a stone has been removed
	banned    points    // points forbidden to the first player by a position string
	past      uint64    // digest of the earlier positions, in order
}

// none marks a missing move at the beginning.
const none = -1

var (
	_ grid.Position       = (*state)(nil)
	_ env.Positioner      = (*state)(nil)
	_ env.Finisher        = (*state)(nil)
	_ env.Scorer          = (*state)(nil)
	_ env.Ender           = (*state)(nil)
	_ env.OwnershipScorer = (*state)(nil)
	_ env.Drawer          = (*state)(nil)
	_ env.SVGDrawer       = (*state)(nil)
)

// begin makes the position the first of a game, in which the player on turn may not play on
// the points banned.
func (s *state) begin(banned points) {
	s.head = head{turn: s.turn, moves: [2]int16{none, none}, positions: 1, banned: banned}
	for _, word := range banned {
		s.past = env.Fold(s.past^0x9e3779b97f4a7c15, word^0xbf58476d1ce4e5b9)
	}
	s.earlier[0] = s.hash
}

func (s *state) Turn() env.Player { return s.turn }

// CopyFrom copies the used parts of src.
func (s *state) CopyFrom(src env.State) {
	o := src.(*state)
	s.game, s.head = o.game, o.head
	s.board.copyFrom(&o.board, o.game.points)
	copy(s.earlier[:o.positions], o.earlier[:o.positions])
}

func (s *state) Legal(dst []env.Action) []env.Action {
	if s.over() {
		return dst
	}
	for p := range int16(s.game.points) {
		if s.colour[p] == empty && s.allowed(p) {
			dst = append(dst, env.Action(p))
		}
	}
	return append(dst, s.game.pass())
}

// allowed reports whether the player on turn may play on the empty point p.
func (s *state) allowed(p int16) bool {
	suicide := s.suicidal(p)
	return !(suicide && !s.game.suicide) && !s.repeats(p, suicide)
}

// suicidal reports whether a move on p would leave its chain without a liberty.
func (s *state) suicidal(p int16) bool {
	own := int8(s.turn) + 1
	for _, q := range s.game.near[p] {
		c := s.colour[q]
		if c == empty || s.chains[s.board.head[q]].last(p) == (c != own) {
			return false // a liberty, an own chain with another liberty, or a capture
		}
	}
	return true
}

// repeats reports whether a move on p would repeat an earlier position. A position with
// this stone can repeat only if the stone was removed in the meantime.
func (s *state) repeats(p int16, suicide bool) bool {
	return s.banned.has(p) || (suicide || s.held[s.turn&1].has(p)) && slices.Contains(s.earlier[:s.positions], s.hashAfter(p, suicide))
}

// hashAfter returns the hash of the board after a move on p.
func (s *state) hashAfter(p int16, suicide bool) uint64 {
	own := int8(s.turn) + 1
	hash := s.hash
	if !suicide {
		hash ^= stoneHash(own, p)
	}
	var gone [4]int16 // heads of the removed chains
	n := 0
	for _, q := range s.game.near[p] {
		c, h := s.colour[q], s.board.head[q]
		if c == empty || (c == own) != suicide || !s.chains[h].last(p) || slices.Contains(gone[:n], h) {
			continue
		}
		gone[n] = h
		n++
		hash ^= s.chainHash(h)
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
		s.game.put(&s.board, int8(s.turn)+1, int16(a), &s.held)
		s.earlier[s.positions] = s.hash
		s.positions++
	}
	s.banned = points{} // these concern the other player
	s.turn = 1 - s.turn
}

// Finishing appends the pass that ends the game, or all actions at the last ply.
func (s *state) Finishing(dst, legal []env.Action) []env.Action {
	switch {
	case int(s.plies)+1 >= s.game.maxPlies():
		return append(dst, legal...)
	case s.passes == 1:
		return append(dst, s.game.pass())
	}
	return dst
}

// halfLead returns Black's lead in half points.
func (s *state) halfLead() int {
	var owner [maxPoints]int8
	area := s.game.areas(&s.board, &owner)
	return 2*(area[Black]-area[White]) - s.game.halfKomi
}

func (s *state) over() bool { return s.passes == 2 || int(s.plies) >= s.game.maxPlies() }

func (s *state) Result() (v env.Value, over bool) {
	if !s.over() {
		return v, false
	}
	return env.WinByLead(s.halfLead()), true
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
	n := s.game.points
	clear(dst)
	own := int8(s.turn) + 1
	var seen [maxPoints]int16
	for p := range int16(n) {
		if s.colour[p] == empty {
			if !s.allowed(p) {
				dst[8*n+int(p)] = 1
			}
			continue
		}
		who := 0 // the mover
		if s.colour[p] != own {
			who = 1
		}
		dst[who*n+int(p)] = 1
		if s.board.head[p] != p {
			continue
		}
		if liberties := s.game.liberties(&s.board, p, 4, &seen); liberties <= 3 {
			for q := p; ; {
				dst[(1+liberties+3*who)*n+int(q)] = 1
				if q = s.next[q]; q == p {
					break
				}
			}
		}
	}
	for i, p := range s.moves {
		if p >= 0 && int(p) < n {
			dst[(9+i)*n+int(p)] = 1
		}
	}
	komi := float32(s.game.halfKomi) / 32
	if s.turn == Black {
		komi = -komi
	}
	for p := range n {
		if s.passes > 0 {
			dst[11*n+p] = 1
		}
		dst[12*n+p] = komi
		dst[13*n+p] = 1
	}
}

// Ownership writes the owner of each point, 2 for neither. The score is the difference of
// areas with komi, divided by the number of points.
func (s *state) Ownership(dst []int8, earlier env.State) (score env.Value) {
	var owner [maxPoints]int8
	s.game.areas(&s.board, &owner)
	grid.Owners(dst, earlier.Turn(), func(p int) int { return int(owner[p]) })
	lead := float32(s.halfLead()) / float32(2*s.game.points)
	lead = min(1, max(-1, lead)) // komi may exceed the number of points of a small board
	return env.Value{Black: lead, White: -lead}
}

// Hash digests the stones, the player on turn, and everything that superko, the end of the
// game and the planes depend on.
func (s *state) Hash() uint64 {
	rest := uint64(uint16(s.plies))<<48 | uint64(uint16(s.moves[0]))<<32 | uint64(uint16(s.moves[1]))<<16 | uint64(s.passes)<<8 | uint64(s.turn)
	return env.Fold(s.hash^0x9e3779b97f4a7c15, env.Mix(s.past)^env.Mix(rest))
}

// Score maps the lead d in area, excluding chains in atari, to d/(16+|d|).
func (s *state) Score() env.Value {
	d := float32(s.halfLead()) / 2
	for p := range int16(s.game.points) {
		if c := &s.chains[p]; s.colour[p] != empty && s.board.head[p] == p && c.atari() {
			d -= float32(int(c.stones) * (3 - 2*int(s.colour[p])))
		}
	}
	return env.EstimateByLead(d, 16)
}
