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
	planes
)

// Observe writes the position from the viewpoint of the player on turn to dst, [planes, 5,
// 5].
func (s *State) Observe(dst []float32) {
	p := &s.pos
	v := view{dst: dst[:planes*gridCells], cell: &geo.cell[p.turn&1]}
	clear(v.dst[:ownHand*gridCells])
	own, enemy := p.turn, 1-p.turn
	ownMasks, enemyMasks := p.moves(own), p.moves(enemy)
	ours, theirs := p.threats(own), p.threats(enemy)
	for i := range lanes[own&1] {
		mine := &lanes[own&1][i]
		v.set(ownPieces+i, p.fields[mine.from])
		v.set(ownGoals+i, p.goals(mine))
		v.set(ownThreatened+i, theirs[mine.from>>1])
		// The enemy's lanes are fields 4, 0, 2 in the mover's frame.
		e := (i + 1) % 3
		foe := &lanes[enemy&1][e]
		v.set(enemyPieces+i, p.fields[foe.from])
		v.set(enemyGoals+i, p.goals(foe))
		v.set(enemyThreatened+i, ours[foe.from>>1])
		v.count(ownMoves+i, ownMasks[6*i:6*i+6])
		v.count(enemyMoves+i, enemyMasks[6*e:6*e+6])
	}
	v.set(tilesPresent, p.tiles)
	v.set(tilesLoose, p.loose())
	v.set(ownLeaving, p.leaving(own))
	v.set(enemyLeaving, p.leaving(enemy))
	s.observeNumbers(&v)
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

// fill writes x to every cell.
func (v *view) fill(plane int, x float32) {
	dst := v.plane(plane)
	for i := range dst {
		dst[i] = x
	}
}
