package pacru

import (
	"math/bits"

	"tiro/env"
)

// noSeat is a seat number that no seat has.
const noSeat = 0xff

// phase is the next decision of a turn (5).
type phase uint8

const (
	begin      phase = iota // a slide, a pincer, a turn on the spot or a pass
	benefiting              // a field for the border marker, or the connection (4.1)
	meeting                 // a field for the meeting, or none (4.1)
	giving                  // own fields to make neutral for a turn on the spot (4.2)
)

// State is a position, the completed part of a turn, and the clocks. Create it with
// Game.New; the zero value is not usable.
type State struct {
	rules
	board
	turn    uint8
	final   uint8 // Azacru: the first seat to pass, or noSeat
	phase   phase
	mayMeet bool // whether a meeting counts in this turn (4.1, step 1)
	changed bool // whether this turn has changed a marker
	move    move // completed part of the turn; between turns, the last turn
	ending  ending
	winners uint8                 // after the end: bit set of seats
	fell    [env.MaxPlayers]uint8 // Pacru: 1 for the first seat eliminated, 2 for the second and so on; 0 = not eliminated
	quiet   uint16                // turns in a row without a change of markers
	turns   uint16                // turns played
}

var (
	_ env.Positioner      = (*State)(nil)
	_ env.Finisher        = (*State)(nil)
	_ env.Scorer          = (*State)(nil)
	_ env.Ender           = (*State)(nil)
	_ env.OwnershipScorer = (*State)(nil)
	_ env.Drawer          = (*State)(nil)
	_ env.Narrator        = (*State)(nil)
	_ env.Turner          = (*State)(nil)
	_ env.TurnCounter     = (*State)(nil)
	_ env.TurnRecorder    = (*State)(nil)
)

// Turn returns the player on turn.
func (s *State) Turn() env.Player { return env.Player(s.turn) }

// CopyFrom makes the state equal to src.
func (s *State) CopyFrom(src env.State) { *s = *src.(*State) }

// Legal appends the legal actions to dst, ascending.
func (s *State) Legal(dst []env.Action) []env.Action {
	switch {
	case s.ending != unfinished:
		return dst
	case s.kind == pacru:
		return s.legalPacru(dst)
	}
	before := len(dst)
	v := s.see(s.turn, s.long())
	if dst = s.slides(dst, &v); len(dst) == before {
		dst = append(dst, s.pass())
	}
	return dst
}

// pass returns the action of a player without any other (2, 3).
func (s *State) pass() env.Action { return env.Action(s.slidePlanes()*fields + centre) }

// slides appends the moves in v, ascending. Planes are ordered by direction, distance and
// twist.
func (s *State) slides(dst []env.Action, v *sight) []env.Action {
	own, distances, twists := s.own(s.turn), s.distances(), s.twists()
	for d := range uint8(directions) {
		var slides, twistable [maxChevrons]uint8 // distances of each chevron in direction d
		all := uint8(0)
		for i, c := range own {
			if j := (d - c.facing + 1) % directions; j < 3 {
				slides[i] = v[i][j].slides
				all |= slides[i]
				if twists > 1 {
					twistable[i] = s.twistable(c.field, d, slides[i])
				}
			}
		}
		for ; all != 0; all &= all - 1 {
			k := bits.TrailingZeros8(all)
			may := &slides
			for twist := range twists {
				plane := (int(d)*distances+k)*twists + twist
				for i, c := range own {
					if may[i]>>k&1 == 1 {
						dst = append(dst, env.Action(plane*fields+int(c.field)))
					}
				}
				may = &twistable
			}
		}
	}
	return dst
}

// twistable returns the subset of some distances, k in bit k-1, after which a slide of the
// player on turn may end with a twist: it crosses a border and the chevron survives.
func (s *State) twistable(from, d, distances uint8) (may uint8) {
	for ; distances != 0; distances &= distances - 1 {
		k := bits.TrailingZeros8(distances) + 1
		to := uint8(int(from) + k*geo.step[d])
		if geo.crosses(from, to) && !s.removes(from, d, k) {
			may |= distances & -distances
		}
	}
	return may
}

// removes reports whether a slide removes its own chevron: in Azacru, if it connects over a
// field of another seat (3, step 3).
func (s *State) removes(from, d uint8, k int) bool {
	if s.kind != azacru {
		return false
	}
	between, ok := s.link(s.turn, from, d, k)
	return ok && !between.and(s.foreign(s.turn)).empty()
}

// slide is a decoded action: a move of the player's chevron on a field.
type slide struct {
	from, to uint8
	d, twist uint8
	k        int // distance
}

// slideOf decodes an action of the slide planes.
func (r *rules) slideOf(a env.Action) slide {
	plane, twists, distances := int(a)/fields, r.twists(), r.distances()
	m := slide{from: uint8(int(a) % fields), twist: uint8(plane % twists)}
	m.k = plane/twists%distances + 1
	m.d = uint8(plane / twists / distances)
	m.to = uint8(int(m.from) + m.k*geo.step[m.d])
	return m
}

// Play performs a legal action and all following decisions without a choice, up to the end
// of the turn.
func (s *State) Play(a env.Action) {
	if s.phase == begin {
		s.move, s.changed, s.mayMeet = move{}, false, false
	}
	switch {
	case s.kind == pacru:
		s.playPacru(a)
	case a == s.pass():
		s.move.kind = passing
		s.endTurn()
	default:
		m := s.slideOf(a)
		s.move = move{kind: sliding, from: m.from, to: m.to, twist: straight}
		if s.kind == shacru {
			s.arrive(m)
		} else {
			s.slideAzacru(m)
		}
		s.endTurn()
	}
}

// arrive moves the chevron of a slide, twists it and marks its destination {S-R3}. Its
// original field is unchanged.
func (s *State) arrive(m slide) {
	facing := (m.d + [...]uint8{0, directions - 1, 1}[m.twist]) % directions
	if s.twistable(m.from, m.d, 1<<(m.k-1)) != 0 {
		s.move.twist = [...]twist{ahead, left, right}[m.twist]
	}
	s.lift(s.turn, s.find(s.turn, m.from))
	s.put(s.turn, chevron{m.to, facing})
	s.changed = s.markField(s.turn, m.to) || s.changed
}

// endTurn ends the turn, first by the rules of the game and then by the limits.
func (s *State) endTurn() {
	s.phase = begin
	s.turns++
	s.quiet++
	if s.changed {
		s.quiet = 0
	}
	switch s.kind {
	case shacru:
		s.endShacru()
	case azacru:
		s.endAzacru()
	case pacru:
		s.endPacru()
	}
	switch {
	case s.ending != unfinished:
	case s.still > 0 && s.quiet >= s.still:
		s.finish(noProgress)
	case s.turns >= s.maxTurns:
		s.finish(turnLimit)
	}
}

// next returns the seat after p.
func (s *State) next(p uint8) uint8 { return (p + 1) % s.players }

// Hash returns a digest of the position, the decisions in this turn, and the clocks.
func (s *State) Hash() uint64 {
	h := uint64(s.turns)<<48 | uint64(s.quiet)<<32 | uint64(s.turn)<<24 | uint64(s.final)<<16 | uint64(s.phase)<<8 | uint64(s.ending)
	for p := range int(s.players) {
		h = fold(h^s.marks[p].low, s.marks[p].high^0x9e3779b97f4a7c15)
		c := &s.chevrons[p]
		h = fold(h^pack(c[0], c[1], c[2], c[3]), uint64(s.count[p])<<8^uint64(s.fell[p])^0xbf58476d1ce4e5b9)
	}
	if s.phase != begin {
		h = fold(h^s.move.pack(), 0x94d049bb133111eb)
		h = fold(h^uint64(bit(s.mayMeet))<<1^uint64(bit(s.changed)), 0xd6e8feb86659fd93)
	}
	return env.Mix(h)
}

// pack packs four chevrons into 64 bits.
func pack(a, b, c, d chevron) uint64 {
	half := func(a, b chevron) uint64 {
		return uint64(a.field)<<24 | uint64(a.facing)<<16 | uint64(b.field)<<8 | uint64(b.facing)
	}
	return half(a, b)<<32 | half(c, d)
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func fold(a, b uint64) uint64 { return env.Fold(a^0xa0761d6478bd642f, b) }
