package coerceo

import (
	"math/rand/v2"

	"tiro/env"
	"tiro/internal/portable"
)

// State is a position with the clocks and the history required by the rules of a game.
// Create it with Game.New; the zero value is not usable.
type State struct {
	head
	keys [historyLen]uint64 // ring of the keys of the latest earlier positions since the last progress
}

// head is a State without its history, which is only partly in use.
type head struct {
	rules
	pos       Position
	key       uint64    // digest of pos
	past      uint64    // digest of the earlier positions since the last progress, in order
	collected [2]uint32 // tiles by the colour that collected them, for Ownership
	ply       uint16    // actions since the start
	clock     uint16    // turns since the last progress: since a piece or tile left the board
	since     uint16    // turns since the position last occurred, if it has since the last progress and the rules require it, or 0
	seen      uint8     // occurrences of the position since the last progress, including this one, if the rules require it
	recurred  [2]bool   // whether a position with that colour on turn has occurred once less than the rules allow since the last progress
	exchanged [2]uint8  // pieces that each colour has lost to exchanges, if it matters
	ending    ending
	winner    int8 // the winning seat of a finished game, or nobody
}

var (
	_ env.Positioner      = (*State)(nil)
	_ env.Sampler         = (*State)(nil)
	_ env.Finisher        = (*State)(nil)
	_ env.Scorer          = (*State)(nil)
	_ env.Ender           = (*State)(nil)
	_ env.Repeater        = (*State)(nil)
	_ env.OwnershipScorer = (*State)(nil)
	_ env.Drawer          = (*State)(nil)
	_ env.Narrator        = (*State)(nil)
	_ env.Claimer         = (*State)(nil)
	_ env.TurnCounter     = (*State)(nil)
	_ env.TurnRecorder    = (*State)(nil)
)

// begin sets the state to p without a history.
func (s *State) begin(p Position) {
	s.head = head{rules: s.rules, pos: p, key: p.key(), seen: 1, winner: nobody}
	if !s.exchangeCounts {
		for c := range s.exchanged {
			s.exchanged[c] = uint8(max(0, 18-p.Pieces(env.Player(c))))
		}
	}
	s.noteRecurrence()
	s.judge()
}

// Turn returns the player on turn.
func (s *State) Turn() env.Player { return s.pos.turn }

// Legal appends the legal actions to dst, ascending.
func (s *State) Legal(dst []env.Action) []env.Action {
	if s.ending != unfinished {
		return dst
	}
	dst = s.pos.Legal(dst)
	if s.claimable() {
		dst = append(dst, Claim)
	}
	return dst
}

// Sample implements env.Sampler.
func (s *State) Sample(rng *rand.Rand) env.Action {
	planes, turns := s.pos.turns()
	all := turns
	if s.claimable() {
		all++
	}
	n := rng.IntN(all)
	if n == turns {
		return Claim
	}
	return s.pos.nth(&planes, n)
}

// claimable reports whether the player on turn may claim a draw (6.3).
func (s *State) claimable() bool { return s.win == competitive && s.seen >= claimable }

// DrawClaim implements env.Claimer.
func (s *State) DrawClaim() (claim env.Action, legal bool) {
	return Claim, s.ending == unfinished && s.claimable()
}

// Play performs a legal action.
func (s *State) Play(a env.Action) {
	s.ply++
	if a == Claim {
		s.finish(byClaim, nobody)
		return
	}
	e := s.pos.play(a)
	exchange := a >= exchangePlane*gridCells
	switch {
	case !exchange:
		s.collected[1-s.pos.turn] |= e.removed
	case !s.exchangeCounts:
		s.exchanged[s.pos.turn]++
	}
	before := s.key
	s.key = s.pos.key()
	if exchange || e.any() {
		s.clock, s.past, s.seen, s.since = 0, 0, 1, 0
		s.recurred = [2]bool{}
	} else {
		if s.remembers() {
			s.remember(before)
		}
		s.clock++
	}
	s.noteRecurrence()
	s.judge()
}

// remember adds the key of the previous position to the history and counts the occurrences
// of the new one.
func (s *State) remember(before uint64) {
	s.keys[s.clock%historyLen] = before
	s.past = env.Mix(s.past ^ before)
	s.seen, s.since = s.occurrences(s.key)
	s.seen++
}

// occurrences returns how often the position with the given key has occurred since the last
// progress and before the previous turn of the player on turn, and how many turns before the
// next position it last did, as of the last call of remember. A turn by each player cannot
// restore a position, so the nearest recurrence is four turns ago.
func (s *State) occurrences(key uint64) (n uint8, last uint16) {
	for back := 3; back <= min(int(s.clock), historyLen-1); back += 2 {
		if s.keys[(int(s.clock)-back)%historyLen] == key {
			if n++; n == 1 {
				last = uint16(back + 1)
			}
		}
	}
	return n, last
}

// noteRecurrence records whether one more occurrence of the position would draw.
func (s *State) noteRecurrence() {
	if s.repetition > 0 && s.seen+1 >= s.repetition {
		s.recurred[s.pos.turn&1] = true
	}
}

// key returns a digest of the position.
func (p *Position) key() uint64 {
	f := &p.fields
	word := func(hi, lo uint32) uint64 { return uint64(hi)<<32 | uint64(lo) }
	hands := uint32(p.hand[White])<<16 | uint32(p.hand[Black])<<8 | uint32(p.turn)
	x := env.Fold(word(f[0], f[1])^0x9e3779b97f4a7c15, word(f[2], f[3])^0xbf58476d1ce4e5b9)
	y := env.Fold(word(f[4], f[5])^0x94d049bb133111eb, word(p.tiles, hands)^0xd6e8feb86659fd93)
	return env.Fold(x^0xa0761d6478bd642f, y^0xe7037ed1a0b428db)
}

// Hash returns a digest of the position, and of the clocks and earlier positions as far as
// the rules depend on them.
func (s *State) Hash() uint64 {
	clocks := uint64(s.ply)<<32 | uint64(s.ending)<<24 | uint64(s.exchanged[White])<<16 | uint64(s.exchanged[Black])<<8
	if s.noProgress > 0 {
		clocks |= uint64(s.clock)
	}
	return env.Fold(s.key^0x8ebc6af09c88c6e3, env.Mix(s.past)^clocks)
}

// CopyFrom makes the state equal to src.
func (s *State) CopyFrom(src env.State) {
	o := src.(*State)
	s.head = o.head
	if o.remembers() {
		n := min(int(o.clock), historyLen)
		copy(s.keys[:n], o.keys[:n])
	}
}

// ActionString returns the notation of a legal action: "d1e-d1c", "xa3f" or "claim".
func (s *State) ActionString(a env.Action) string {
	if a == Claim {
		return claimName
	}
	return s.pos.ActionString(a)
}

// String returns the position string.
func (s *State) String() string { return s.pos.String() }

// Position returns the position string (0.2), which omits the clocks, the earlier positions
// and the number of exchanged pieces.
func (s *State) Position() string { return s.pos.String() }

// SetPosition sets the state to the position described by text, without a history. If
// exchanged pieces do not count among the twelve, all missing pieces are assumed to be
// exchanged.
func (s *State) SetPosition(text string) error {
	p, err := Parse(text, int(s.pos.price))
	if err != nil {
		return err
	}
	s.begin(p)
	return nil
}

// Score returns a heuristic evaluation based on the pieces that each side must still
// remove, where each exchange that a hand can pay for counts as three quarters of a piece.
func (s *State) Score() env.Value {
	lead := float64(s.toWin(Black)-s.toWin(White)) + 0.75*float64(int(s.pos.hand[White])-int(s.pos.hand[Black]))/float64(s.pos.price)
	v := float32(0.999 * portable.Tanh(lead/6)) // 1 is reserved for won games
	return env.Value{White: v, Black: -v}
}

// LastOccurrence implements env.Repeater.
func (s *State) LastOccurrence() int { return int(s.since) }

// Quiet implements env.Repeater: the number of turns since a piece or tile left the board.
func (s *State) Quiet() int { return int(s.clock) }

// Announcement implements env.Narrator. It returns "Cura" if the player who has just moved
// threatens to capture: if that player could capture by moving again at once (7).
func (s *State) Announcement() string {
	if s.ply == 0 || s.ending != unfinished {
		return ""
	}
	if t := s.pos.threats(1 - s.pos.turn); t[0]|t[1]|t[2] != 0 {
		return "Cura"
	}
	return ""
}
