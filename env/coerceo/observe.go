package coerceo

import (
	"math/bits"

	"tiro/env"
)

// Observation planes in the mover's frame, documented in the package comment. Groups of
// three are ordered by field: 1, 3, 5 for the mover, 0, 2, 4 for the enemy.
const (
	ownPieces = 3 * iota
	enemyPieces
	ownGoals
	enemyGoals
	ownMoves
	enemyMoves
	ownThreatened
	enemyThreatened
	ownSoon
	enemySoon
	ownSoonCaptured
	enemySoonCaptured
	tilesPresent
)

const (
	tilesLoose = tilesPresent + 1 + iota
	ownLeaving
	enemyLeaving
	ownHand
	enemyHand
	ownExchanges
	enemyExchanges
	ownToWin
	enemyToWin
	tilesLeft
	recurrence
	progressClock
	plyClock
	ownExposed
)

// A plane for each plane of moves.
const (
	enemyExposed = ownExposed + movePlanes
	planes       = enemyExposed + movePlanes
)

// Observe writes the position from the viewpoint of the player on turn to dst, [planes, 5,
// 5].
func (s *State) Observe(dst []float32) {
	p := &s.pos
	v := view{dst: dst[:planes*gridCells], cell: &geo.cell[p.turn&1]}
	clear(v.dst[:ownHand*gridCells])
	clear(v.dst[ownExposed*gridCells:])
	own, enemy := p.turn, 1-p.turn
	ownMasks, enemyMasks := p.moves(own), p.moves(enemy)
	ours, theirs := p.threats(own), p.threats(enemy)
	soon := p.movesTo()
	for i := range lanes[own&1] {
		mine := &lanes[own&1][i]
		v.set(ownPieces+i, p.fields[mine.from])
		v.set(ownGoals+i, p.goals(mine))
		v.set(ownThreatened+i, theirs[mine.from>>1])
		v.soon(ownSoon+i, p.tiles&^p.fields[mine.from], &soon[mine.from])
		v.soonCaptured(ownSoonCaptured+i, p.fields[mine.from], mine, &soon)
		// The enemy's lanes are fields 4, 0, 2 in the mover's frame.
		e := (i + 1) % 3
		foe := &lanes[enemy&1][e]
		v.set(enemyPieces+i, p.fields[foe.from])
		v.set(enemyGoals+i, p.goals(foe))
		v.set(enemyThreatened+i, ours[foe.from>>1])
		v.soon(enemySoon+i, p.tiles&^p.fields[foe.from], &soon[foe.from])
		v.soonCaptured(enemySoonCaptured+i, p.fields[foe.from], foe, &soon)
		v.count(ownMoves+i, ownMasks[6*i:6*i+6])
		v.count(enemyMoves+i, enemyMasks[6*e:6*e+6])
	}
	v.set(tilesPresent, p.tiles)
	v.set(tilesLoose, p.loose())
	v.set(ownLeaving, p.leaving(own))
	v.set(enemyLeaving, p.leaving(enemy))
	s.observeNumbers(&v)
	p.observeExposed(&v, &ownMasks)
}

// observeNumbers writes the planes that hold a single number.
func (s *State) observeNumbers(v *view) {
	p := &s.pos
	own, enemy := p.turn, 1-p.turn
	v.fill(ownHand, float32(p.hand[own])/8)
	v.fill(enemyHand, float32(p.hand[enemy])/8)
	v.fill(ownExchanges, float32(p.hand[own]/p.price)/4)
	v.fill(enemyExchanges, float32(p.hand[enemy]/p.price)/4)
	v.fill(ownToWin, float32(s.toWin(own))/18)
	v.fill(enemyToWin, float32(s.toWin(enemy))/18)
	v.fill(tilesLeft, float32(p.Tiles())/tileCount)
	var repeated, progress float32
	if n := s.recurrence(); n > 0 {
		repeated = min(1, float32(s.seen-1)/float32(n-1))
	}
	if s.noProgress > 0 {
		progress = float32(s.clock) / float32(s.noProgress)
	}
	v.fill(recurrence, repeated)
	v.fill(progressClock, progress)
	v.fill(plyClock, float32(s.ply)/float32(s.maxPlies))
}

// observeExposed writes, for each of the moves, how many own and how many enemy pieces more than
// now a single move could enclose after it. Where the enemy can enclose does not depend on own
// pieces, so a move that takes nothing from the board changes only the exposure of the piece that it
// moves. Such moves are computed in pairs, the others are played. Moves of planes 0 and 1 modulo 6 stay
// on their tile, which keeps it.
func (p *Position) observeExposed(v *view, moves *[movePlanes]uint32) {
	own, enemy := p.turn, 1-p.turn
	ours, theirs := v.dst[ownExposed*gridCells:], v.dst[enemyExposed*gridCells:]
	now := pairOf(p, p)
	exposed := now.enclosing(own)
	ownNow, enemyNow := now.exposed(own)[0], now.exposed(enemy)[0]
	captures, removes := p.lastNeighbours(enemy), p.leaving(own)
	after, pending := now, make([]env.Action, 0, 2)
	flush := func() {
		count := after.exposed(enemy)
		for i, a := range pending {
			theirs[a] = float32(count[i] - enemyNow)
		}
		after, pending = now, pending[:0]
	}
	for plane, m := range moves {
		for ; m != 0; m &= m - 1 {
			a := env.Action(plane*gridCells + int(v.cell[bits.TrailingZeros32(m)&31]))
			t := &turns[own&1][a]
			if captures[t.to>>1]>>t.goal&1 != 0 || removes>>t.start&1 != 0 && plane%6 >= 2 {
				child := *p
				child.play(a)
				b := pairOf(&child, &Position{})
				ours[a], theirs[a] = float32(b.exposed(own)[0]-ownNow), float32(b.exposed(enemy)[0]-enemyNow)
				continue
			}
			ours[a] = float32(int(exposed[t.to>>1]>>t.goal&1) - int(exposed[t.from>>1]>>t.start&1))
			board := len(pending) * maskBits
			after.fields[t.from] ^= 1 << (int(t.start) + board)
			after.fields[t.to] ^= 1 << (int(t.goal) + board)
			if pending = append(pending, a); len(pending) == cap(pending) {
				flush()
			}
		}
	}
	flush()
}

// ObserveLate implements env.Clocked.
func (s *State) ObserveLate(dst []float32, horizon int) {
	v := view{dst: dst}
	v.fill(progressClock, env.Nearing(int(s.clock), int(s.noProgress), horizon))
	v.fill(plyClock, env.Nearing(int(s.ply), int(s.maxPlies), horizon))
}

// goals returns the tiles whose field l.from is empty and can be entered.
func (p *Position) goals(l *lane) uint32 {
	near, far := p.fields[l.near], p.fields[l.far]
	in := near | far | bits.RotateLeft32(near|far, l.ahead) | bits.RotateLeft32(near, l.left) | bits.RotateLeft32(far, l.right)
	return in & p.tiles &^ p.fields[l.from]
}

// never stands for fields that no piece can reach. All other numbers of moves are smaller.
const never = 64

// movesTo returns, by field and tile, how many moves of a single piece of the field's colour
// it takes to get there if nothing else changes. It is 0 for fields that are occupied or
// missing.
func (p *Position) movesTo() (n [6][maskBits]uint8) {
	for c := range lanes {
		reached := *p
		for moves := uint8(1); ; moves++ {
			var fresh [3]uint32
			for i := range fresh {
				fresh[i] = reached.goals(&lanes[c][i])
			}
			if fresh == [3]uint32{} {
				break
			}
			for i, tiles := range fresh {
				reached.fields[lanes[c][i].from] |= tiles
				assign(&n[lanes[c][i].from], tiles, moves)
			}
		}
		for i := range lanes[c] {
			f := lanes[c][i].from
			assign(&n[f], p.tiles&^reached.fields[f], never)
		}
	}
	return n
}

// assign writes x for each tile of m.
func assign(n *[maskBits]uint8, m uint32, x uint8) {
	for ; m != 0; m &= m - 1 {
		n[bits.TrailingZeros32(m)&31] = x
	}
}

// movesToEnclose returns how many moves the opponent of the piece on field l.from of a tile
// needs to occupy its empty neighbouring fields one by one, at least never if one cannot be
// reached. The fields are on the tile and on the tile ahead, t - l.ahead.
func movesToEnclose(l *lane, tile int, soon *[6][maskBits]uint8) int {
	return int(soon[l.before][tile&31]) + int(soon[l.after][tile&31]) + int(soon[l.facing][(tile-l.ahead)&31])
}

// loose returns the tiles that would be removed if they were empty.
func (p *Position) loose() (tiles uint32) {
	for m := p.tiles; m != 0; m &= m - 1 {
		b := uint8(bits.TrailingZeros32(m))
		tiles |= uint32(loose>>around(p.tiles, b)&1) << b
	}
	return tiles
}

// view writes planes to dst, [planes, 5, 5], in one player's frame.
type view struct {
	dst  []float32
	cell *[maskBits]uint8
}

// plane returns the memory of a plane.
func (v *view) plane(plane int) *[gridCells]float32 {
	return (*[gridCells]float32)(v.dst[plane*gridCells:])
}

// set writes 1 for each tile of m.
func (v *view) set(plane int, m uint32) {
	dst := v.plane(plane)
	for ; m != 0; m &= m - 1 {
		dst[v.cell[bits.TrailingZeros32(m)&31]] = 1
	}
}

// count writes, for each tile, the fraction of the six masks that contain it.
func (v *view) count(plane int, masks []uint32) {
	dst := v.plane(plane)
	for _, m := range masks {
		for ; m != 0; m &= m - 1 {
			dst[v.cell[bits.TrailingZeros32(m)&31]] += 1. / 6
		}
	}
}

// soon writes 1/n for each tile of m, whose field is empty and can be reached in n moves.
func (v *view) soon(plane int, m uint32, n *[maskBits]uint8) {
	dst := v.plane(plane)
	for ; m != 0; m &= m - 1 {
		tile := bits.TrailingZeros32(m) & 31
		dst[v.cell[tile]] = inverses[n[tile]]
	}
}

// soonCaptured writes 1/n for each tile of m, whose piece on field l.from can be enclosed in n
// moves, and 1/2 if it is enclosed: one piece leaves, another takes its place.
func (v *view) soonCaptured(plane int, m uint32, l *lane, soon *[6][maskBits]uint8) {
	dst := v.plane(plane)
	for ; m != 0; m &= m - 1 {
		tile := bits.TrailingZeros32(m) & 31
		dst[v.cell[tile]] = inverses[uint8(movesToEnclose(l, tile, soon))]
	}
}

// inverses holds 1/n for numbers of moves, 1/2 for 0, and 0 from never on.
var inverses = func() (t [256]float32) {
	t[0] = 1. / 2
	for n := 1; n < never; n++ {
		t[n] = 1 / float32(n)
	}
	return t
}()

// fill writes x to every cell.
func (v *view) fill(plane int, x float32) {
	dst := v.plane(plane)
	for i := range dst {
		dst[i] = x
	}
}
