package coerceo

import "tiro/env"

// ending is the rule that ended a game.
type ending uint8

const (
	unfinished ending = iota
	lastPiece         // a player has lost the last piece (6)
	twelvePieces
	deadPosition
	noMove
	byRepetition
	byClaim
	byNoProgress
	plyLimit
)

// nobody is the winner of a drawn game.
const nobody = -1

var endingNames = [...]string{
	"", "last-piece", "twelve", "dead-position", "no-move", "repetition", "claim", "no-progress", "ply-limit",
}

// Ending returns the rule that ended the game: last-piece, twelve, dead-position, no-move,
// repetition, claim, no-progress or ply-limit.
func (s *State) Ending() string { return endingNames[s.ending] }

// Result returns the payoffs once the game is over.
func (s *State) Result() (v env.Value, over bool) {
	if s.winner != nobody {
		v = env.WinFor(env.Player(s.winner), 2)
	}
	return v, s.ending != unfinished
}

func (s *State) finish(e ending, winner env.Player) { s.ending, s.winner = e, int8(winner) }

// judge ends the game if a rule ends it in the current position. Wins are tested first,
// then dead positions and positions without a turn, then the technical limits.
func (s *State) judge() {
	p := &s.pos
	mover := 1 - p.turn // whose turn has just ended
	switch {
	case p.bare(p.turn):
		s.finish(lastPiece, mover)
	case p.bare(mover):
		s.finish(lastPiece, p.turn)
	case s.twelve() && s.lost(p.turn) >= 12:
		s.finish(twelvePieces, mover)
	case s.twelve() && s.lost(mover) >= 12:
		s.finish(twelvePieces, p.turn)
	case p.stuck():
		if s.noMoveLoses {
			s.finish(noMove, mover)
		} else {
			s.finish(noMove, nobody)
		}
	case s.dead() && (p.spent() || !s.noMoveLoses && p.closing()):
		s.finish(deadPosition, nobody)
	case s.repetition > 0 && s.seen >= s.repetition:
		s.finish(byRepetition, nobody)
	case s.noProgress > 0 && s.clock >= s.noProgress:
		s.finish(byNoProgress, nobody)
	case s.ply >= s.maxPlies:
		s.finish(plyLimit, nobody)
	}
}

// lost returns the number of c's pieces that count among the twelve (6, R12). It is
// negative if c has more than 18 pieces on the board.
func (s *State) lost(c env.Player) int {
	return 18 - s.pos.Pieces(c) - int(s.exchanged[c])
}

// toWin returns the number of the opponent's pieces that c must still remove.
func (s *State) toWin(c env.Player) int {
	n := s.pos.Pieces(1 - c)
	if s.twelve() {
		n = min(n, max(12-s.lost(1-c), 0))
	}
	return n
}

// whole reports whether every tile has none or all three of c's pieces. If not, c can move,
// since some tile has a piece of c with an empty field beside it.
func (p *Position) whole(c env.Player) bool {
	l := &lanes[c&1]
	return p.fields[l[0].from] == p.fields[l[1].from] && p.fields[l[1].from] == p.fields[l[2].from]
}

// stuck reports whether the player on turn can neither move nor exchange (5, fourth fact;
// D2 of 6.1).
func (p *Position) stuck() bool { return p.whole(p.turn) && p.Count() == 0 }

// spent reports whether neither side can ever capture or pay for an exchange again (D1 of
// 6.1): a single piece per side encloses nothing, and at most all tiles but one can still
// be collected.
func (p *Position) spent() bool {
	hand := max(p.hand[White], p.hand[Black])
	return p.Tiles()-1+int(hand) < int(p.price) && p.Pieces(White) == 1 && p.Pieces(Black) == 1
}

// closing reports whether no turn of the player on turn removes a piece and each leaves the
// opponent stuck (D3 of 6.1). This requires that the opponent's tiles are already whole,
// which is rare and quickly tested.
func (p *Position) closing() bool { return p.whole(1-p.turn) && p.closes() }

func (p *Position) closes() bool {
	if p.canExchange(White) || p.canExchange(Black) {
		return false
	}
	var buffer [maxLegal]env.Action
	for _, a := range p.Legal(buffer[:0]) {
		child := *p
		if e := child.play(a); e.captures() || !child.stuck() {
			return false
		}
	}
	return true
}
