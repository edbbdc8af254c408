package connect4

// position is a board from the viewpoint of the player on turn, who cannot win at once.
type position struct {
	mover, all board
	threats    board // empty cells, reachable or not, that make four for the other player
	candidates board // landing cells after which the other player cannot win at once
	plies      int
}

func newPosition(mover, all board, plies int) position {
	p := position{mover: mover, all: all, threats: wins(all^mover, all), plies: plies}
	landing := (all + bottomRow) & allCells
	if forced := landing & p.threats; forced != 0 {
		if forced&(forced-1) != 0 {
			return p // two threats, one stone
		}
		landing = forced
	}
	p.candidates = landing &^ (p.threats >> 1) // not below a threat
	return p
}

// key returns a number that identifies the position (J. Tromp's encoding).
func (p *position) key() uint64 { return p.mover + p.all + bottomRow }

// worst and best bound the score: the other player wins with its next stone, or the mover
// with its second.
func (p *position) worst() int { return -(Width*Height - p.plies) / 2 }
func (p *position) best() int  { return (Width*Height - 1 - p.plies) / 2 }

// wins returns the empty cells, reachable or not, that make four for the stones.
func wins(stones, all board) board {
	found := stones << 1 & (stones << 2) & (stones << 3) // on top of three
	for _, d := range lines[1:] {
		up, down := stones<<d&(stones<<(2*d)), stones>>d&(stones>>(2*d))
		found |= up & (stones<<(3*d) | stones>>d)
		found |= down & (stones>>(3*d) | stones<<d)
	}
	return found & allCells &^ all
}

// oddRows are the first, third and fifth rows from the bottom, evenRows the others.
const (
	oddRows  = bottomRow * (1 | 1<<2 | 1<<4)
	evenRows = oddRows << 1
)

// cells returns the cells of a column.
func cells(column int) board { return (1<<Height - 1) << (column * stride) }

// followUp bounds the score by the strategies of answering in pairs (the Claimeven and the
// control of zugzwang of Allis 1988, "A Knowledge-based Approach of Connect-Four").
//
// In a column with an odd number of empty cells, the next cell is in an even row; call that
// cell contested. The number of contested cells has the parity of the number of empty cells:
// even before a move of the player who began, odd before a move of the second player. The
// second player can therefore take a contested cell first or whenever the first player has
// taken one, and can answer every other stone with one on top of it. The first player then
// gets only cells of odd rows and contested cells; if these and its stones contain no four,
// it does not win. If, in addition, the even rows above the contested cells and the second
// player's stones contain a four, the second player wins.
//
// The first player can do the same before a move of the second player, except in one column
// with a contested cell: it takes the odd rows there and the even rows elsewhere. If a cell
// that makes four waits in that column, the second player must open the way to it when all
// else is full, unless it makes four before.
func (p *position) followUp() (low, high int) {
	empty := allCells &^ p.all
	contested := (p.all + bottomRow) & evenRows
	even := p.plies&1 == 0 // the first player is on turn
	first, second := p.mover, p.all^p.mover
	if !even {
		first, second = second, first
	}
	if !hasFour(first | empty&oddRows | contested) {
		bound := 0
		if hasFour(second | empty&evenRows&^contested) {
			bound = 1
		}
		if even {
			return -maxScore, -bound
		}
		return bound, maxScore
	}
	if even {
		return -maxScore, maxScore
	}
	for column := range Width {
		here := cells(column)
		waits := p.threats & oddRows & here
		if waits == 0 || contested&here == 0 {
			continue
		}
		below := waits&-waits - 1
		if !hasFour(second | (empty&oddRows|contested)&^here | empty&evenRows&here&below) {
			return -maxScore, -1
		}
	}
	return -maxScore, maxScore
}

// maxScore is the score of the quickest win.
const maxScore = 18
