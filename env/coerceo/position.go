package coerceo

import (
	"math/bits"
	"slices"

	"tiro/env"
)

// The two colours, which are also the seats.
const (
	White env.Player = iota
	Black
)

// Action planes in the mover's frame; see the package comment.
const (
	movePlanes     = 18
	exchangePlane  = movePlanes
	exchangePlanes = 3
	claimPlane     = exchangePlane + exchangePlanes
	policyPlanes   = claimPlane + 1
	turnCount      = claimPlane * gridCells // number of actions that are turns
)

// Claim is the action that claims a threefold repetition (6.3). It is not a turn, and
// Position does not know it.
const Claim = env.Action(claimPlane*gridCells + gridCells/2)

// maxLegal exceeds the number of legal turns in any position: moves are edges between
// occupied and free fields, and each of 57 fields has at most six.
const maxLegal = 256

// Position is a position under the turn rules: the board, the player on turn, the tiles in
// hand, and the price of an exchange. Its only winning rule is the base rule. It is a value
// and may be copied freely.
type Position struct {
	fields [6]uint32 // occupied fields: the tiles whose field f holds a piece
	tiles  uint32    // tiles on the board
	hand   [2]uint8  // collected tiles by colour
	turn   env.Player
	price  uint8
}

// Start returns the start position (2) with the given price of an exchange, 1 or 2 tiles.
func Start(price int) Position {
	p, err := Parse(startPosition, price)
	if err != nil {
		panic(err) // the caller passed another price
	}
	return p
}

// Turn returns the player on turn.
func (p *Position) Turn() env.Player { return p.turn }

// Hand returns the number of tiles that c has collected and not spent.
func (p *Position) Hand(c env.Player) int { return int(p.hand[c]) }

// Tiles returns the number of tiles on the board.
func (p *Position) Tiles() int { return bits.OnesCount32(p.tiles) }

// Pieces returns the number of pieces that c has on the board.
func (p *Position) Pieces(c env.Player) int {
	l := &lanes[c]
	return bits.OnesCount32(p.fields[l[0].from]) + bits.OnesCount32(p.fields[l[1].from]) + bits.OnesCount32(p.fields[l[2].from])
}

// bare reports whether c has no piece.
func (p *Position) bare(c env.Player) bool {
	l := &lanes[c]
	return p.fields[l[0].from]|p.fields[l[1].from]|p.fields[l[2].from] == 0
}

// occupied returns the tiles with at least one piece.
func (p *Position) occupied() uint32 {
	f := &p.fields
	return f[0] | f[1] | f[2] | f[3] | f[4] | f[5]
}

// canExchange reports whether c can pay for an exchange.
func (p *Position) canExchange(c env.Player) bool { return p.hand[c] >= p.price }

// A lane is one of a colour's three fields, in the order of the action planes, with its
// destinations (1.5). A piece on field from can reach the colour's other two fields, near
// and far, on its own tile and on the tile across its own side, and one of them on the tile
// across each adjacent side.
type lane struct {
	from, near, far uint8 // f, f+2, f+4
	ahead           int   // rotation that moves the tile ahead, t+D[f], onto t
	left            int   // likewise for t+D[f-1], where near is reached
	right           int   // likewise for t+D[f+1], where far is reached
	facing          uint8 // f+3, on the tile ahead: the third edge neighbour
	before, after   uint8 // f-1, f+1: the edge neighbours on the same tile
}

// laneOf holds the lane of each field.
var laneOf = func() (l [6]lane) {
	for f := range 6 {
		l[f] = lane{
			from: uint8(f), near: uint8((f + 2) % 6), far: uint8((f + 4) % 6),
			ahead: -step[f], left: -step[(f+5)%6], right: -step[(f+1)%6],
			facing: uint8((f + 3) % 6), before: uint8((f + 5) % 6), after: uint8((f + 1) % 6),
		}
	}
	return l
}()

// lanes holds the lanes of each colour. White's are fields 1, 3, 5. Black's are their
// images under a rotation of the board by 180 degrees: 4, 0, 2.
var lanes = [2][3]lane{
	{laneOf[1], laneOf[3], laneOf[5]},
	{laneOf[4], laneOf[0], laneOf[2]},
}

// moves returns, for every move plane, the tiles from which c can make that move.
func (p *Position) moves(c env.Player) (m [movePlanes]uint32) {
	for i := range lanes[c] {
		l := &lanes[c][i]
		own := p.fields[l.from]
		near, far := p.tiles&^p.fields[l.near], p.tiles&^p.fields[l.far]
		m[6*i] = own & near
		m[6*i+1] = own & far
		m[6*i+2] = own & bits.RotateLeft32(near, l.ahead)
		m[6*i+3] = own & bits.RotateLeft32(far, l.ahead)
		m[6*i+4] = own & bits.RotateLeft32(near, l.left)
		m[6*i+5] = own & bits.RotateLeft32(far, l.right)
	}
	return m
}

// Count returns the number of legal turns.
func (p *Position) Count() int {
	if p.over() {
		return 0
	}
	n := 0
	for i := range lanes[p.turn] {
		l := &lanes[p.turn][i]
		own := p.fields[l.from]
		near, far := p.tiles&^p.fields[l.near], p.tiles&^p.fields[l.far]
		n += bits.OnesCount32(own&near) + bits.OnesCount32(own&far) +
			bits.OnesCount32(own&bits.RotateLeft32(near, l.ahead)) +
			bits.OnesCount32(own&bits.RotateLeft32(far, l.ahead)) +
			bits.OnesCount32(own&bits.RotateLeft32(near, l.left)) +
			bits.OnesCount32(own&bits.RotateLeft32(far, l.right))
	}
	if p.canExchange(p.turn) {
		n += p.Pieces(1 - p.turn)
	}
	return n
}

// over reports whether a side has lost its last piece.
func (p *Position) over() bool { return p.bare(White) || p.bare(Black) }

// Legal appends the legal turns to dst, ascending.
func (p *Position) Legal(dst []env.Action) []env.Action {
	if p.over() {
		return dst
	}
	planes, total := p.turns()
	n := len(dst)
	dst = slices.Grow(dst, total)[:n+total]
	out := dst[n:]
	if p.turn == White {
		ascend(out, &planes)
	} else {
		descend(out, &planes)
	}
	return dst
}

// turns returns the legal turns as a mask of tiles for each action plane, and their number.
// Both sides must have pieces.
func (p *Position) turns() (planes [claimPlane]uint32, total int) {
	moves := p.moves(p.turn)
	copy(planes[:], moves[:])
	if p.canExchange(p.turn) {
		for i := range exchangePlanes {
			planes[exchangePlane+i] = p.fields[lanes[p.turn][i].before]
		}
	}
	for _, m := range planes {
		total += bits.OnesCount32(m)
	}
	return planes, total
}

// nth returns the turn at index n of Legal.
func (p *Position) nth(planes *[claimPlane]uint32, n int) env.Action {
	plane := 0
	here := bits.OnesCount32(planes[0])
	for n >= here {
		n -= here
		plane++
		here = bits.OnesCount32(planes[plane])
	}
	if p.turn == Black { // Black's cells descend as the bits ascend
		n = here - 1 - n
	}
	m := planes[plane]
	for range n {
		m &= m - 1
	}
	return env.Action(plane*gridCells + int(geo.cell[p.turn&1][bits.TrailingZeros32(m)&31]))
}

// ascend writes White's actions, whose cells are in the order of the bits.
func ascend(out []env.Action, planes *[claimPlane]uint32) {
	n := 0
	for plane, m := range planes {
		for ; m != 0; m &= m - 1 {
			out[n] = env.Action(plane*gridCells + int(geo.cell[White][bits.TrailingZeros32(m)&31]))
			n++
		}
	}
}

// descend writes Black's actions, whose cells are in the reverse order of the bits.
func descend(out []env.Action, planes *[claimPlane]uint32) {
	n := 0
	for plane, m := range planes {
		for m != 0 {
			b := bits.Len32(m) - 1
			m ^= 1 << b
			out[n] = env.Action(plane*gridCells + int(geo.cell[Black][b&31]))
			n++
		}
	}
}

// turn is a decoded action: a move from field from on tile start to field to on tile goal,
// or the removal of the piece on field from of tile start, in which case to is any field of
// the mover's.
type turn struct{ from, start, to, goal uint8 }

// turns decodes actions by colour of the mover. Entries of actions that are never legal are
// meaningless.
var turns = func() (t [2][turnCount]turn) {
	for c := range 2 {
		for a := range turnCount {
			plane, start := a/gridCells, geo.of[c][a%gridCells]
			if plane >= exchangePlane {
				l := lanes[c][plane-exchangePlane]
				t[c][a] = turn{from: l.before, start: start, to: l.from}
				continue
			}
			l := lanes[c][plane/6]
			to, back := l.near, 0 // rotation from the destination back to the start
			switch plane % 6 {
			case 1:
				to = l.far
			case 2:
				back = l.ahead
			case 3:
				to, back = l.far, l.ahead
			case 4:
				back = l.left
			case 5:
				to, back = l.far, l.right
			}
			t[c][a] = turn{l.from, start, to, uint8(int(start)-back) % maskBits}
		}
	}
	return t
}()

// effect is the effect of a turn apart from moving a piece or taking the piece named by an
// exchange.
type effect struct {
	captured [3]uint32 // by f/2: the tiles whose field f, of the opponent's colour, was emptied by enclosure
	removed  uint32    // tiles that left the board
}

// any reports whether anything left the board.
func (e *effect) any() bool { return e.removed != 0 || e.captures() }

// captures reports whether a piece was captured by enclosure.
func (e *effect) captures() bool { return e.captured[0]|e.captured[1]|e.captured[2] != 0 }

// Play performs a legal turn.
func (p *Position) Play(a env.Action) { p.play(a) }

func (p *Position) play(a env.Action) (e effect) {
	t := turns[p.turn&1][a]
	p.fields[t.from] ^= 1 << (t.start & 31)
	goal := uint32(0)
	if a < exchangePlane*gridCells {
		goal = 1 << (t.goal & 31)
		p.fields[t.to] ^= goal
	}
	if occupied := p.occupied(); occupied>>(t.start&31)&1 == 0 {
		e.removed = p.remove(t.start, occupied)
	}
	if goal != 0 {
		p.hand[p.turn&1] += uint8(bits.OnesCount32(e.removed))
	} else {
		p.hand[p.turn&1] -= p.price
	}
	p.turn = 1 - p.turn
	// The destination's edge neighbours are the opponent's three fields.
	l := &laneOf[t.to]
	e.captured[l.before>>1] = p.enclosed(&laneOf[l.before], goal, e.removed)
	e.captured[l.after>>1] = p.enclosed(&laneOf[l.after], goal, e.removed)
	e.captured[l.facing>>1] = p.enclosed(&laneOf[l.facing], bits.RotateLeft32(goal, -l.ahead), e.removed)
	p.fields[l.before] ^= e.captured[l.before>>1]
	p.fields[l.after] ^= e.captured[l.after>>1]
	p.fields[l.facing] ^= e.captured[l.facing>>1]
	return e
}

// enclosed returns the tiles whose piece on field l.from is enclosed and is a candidate: in
// the mask watch, or facing a removed tile (4.2).
func (p *Position) enclosed(l *lane, watch, removed uint32) uint32 {
	watch |= bits.RotateLeft32(removed, l.ahead)
	open := bits.RotateLeft32(p.tiles&^p.fields[l.facing], l.ahead)
	return watch & p.fields[l.from] & p.fields[l.before] & p.fields[l.after] &^ open
}

// remove removes the empty tile at start if it is removable, then every tile that thereby
// becomes removable (4.1), and returns the removed tiles.
func (p *Position) remove(start uint8, occupied uint32) (removed uint32) {
	for queue := uint32(1) << (start & 31); queue != 0; queue &= p.tiles &^ occupied {
		b := uint8(bits.TrailingZeros32(queue))
		queue ^= 1 << (b & 31)
		if loose>>around(p.tiles, b)&1 == 1 {
			p.tiles ^= 1 << (b & 31)
			removed |= 1 << (b & 31)
			queue |= geo.ring[b&31]
		}
	}
	return removed
}
