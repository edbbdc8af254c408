package coerceo

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/effort"
)

// island is a board of at most three tiles whose rules are written from the geometry alone,
// as an independent check of the bitboards.
type island struct {
	at    [][2]int // coordinates of the tiles
	price int
}

// scene is a position on an island.
type scene struct {
	gone [3]bool
	occ  [3]uint8 // mask of fields
	turn int      // 0 White, 1 Black
	hand [2]int
}

// step returns the tile across side k of tile t, or -1.
func (b *island) step(s *scene, t, k int) int {
	d := [6][2]int{{0, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, 0}, {-1, 1}}[(k%6+6)%6]
	for i, at := range b.at {
		if !s.gone[i] && at == [2]int{b.at[t][0] + d[0], b.at[t][1] + d[1]} {
			return i
		}
	}
	return -1
}

func (s *scene) has(t, f int) bool { return s.occ[t]>>((f+6)%6)&1 == 1 }

// edges returns the edge neighbours of a field (1.4).
func (b *island) edges(s *scene, t, f int) [][2]int {
	e := [][2]int{{t, (f + 1) % 6}, {t, (f + 5) % 6}}
	if u := b.step(s, t, f); u >= 0 {
		e = append(e, [2]int{u, (f + 3) % 6})
	}
	return e
}

// goals returns the fields that a piece can move to, occupied or not (1.5).
func (b *island) goals(s *scene, t, f int) [][2]int {
	v := [][2]int{{t, (f + 2) % 6}, {t, (f + 4) % 6}}
	if u := b.step(s, t, f); u >= 0 {
		v = append(v, [2]int{u, (f + 2) % 6}, [2]int{u, (f + 4) % 6})
	}
	if u := b.step(s, t, f+1); u >= 0 {
		v = append(v, [2]int{u, (f + 4) % 6})
	}
	if u := b.step(s, t, f-1); u >= 0 {
		v = append(v, [2]int{u, (f + 2) % 6})
	}
	return v
}

// settle removes tiles and captures pieces (4.1, 4.2) after a turn of the previous player,
// and returns the numbers of removed tiles and captured pieces.
func (b *island) settle(s *scene, watch [][2]int) (tiles, captured int) {
	for again := true; again; {
		again = false
		for t := range b.at {
			var ring, starts int
			for k := range 6 {
				if b.step(s, t, k) >= 0 {
					ring++
					if b.step(s, t, k-1) < 0 {
						starts++
					}
				}
			}
			if s.gone[t] || s.occ[t] != 0 || ring > 3 || starts > 1 {
				continue
			}
			s.gone[t] = true
			for k := range 6 {
				if u := b.step(s, t, k); u >= 0 {
					watch = append(watch, [2]int{u, (k + 3) % 6})
				}
			}
			tiles++
			again = true
		}
	}
	var taken [][2]int
	for _, w := range watch {
		mine := w[1]%2 == 1 == (s.turn == 0) // odd fields are White's
		enclosed := !s.gone[w[0]] && s.has(w[0], w[1]) && !mine
		for _, e := range b.edges(s, w[0], w[1]) {
			enclosed = enclosed && s.has(e[0], e[1])
		}
		if enclosed {
			taken = append(taken, w)
		}
	}
	for _, w := range taken {
		s.occ[w[0]] &^= 1 << w[1]
	}
	return tiles, len(taken)
}

// helped reports whether both sides together can still remove a piece, by searching all
// reachable positions.
func (b *island) helped(start scene) bool {
	seen := map[scene]bool{start: true}
	for queue := []scene{start}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		if s.hand[s.turn] >= b.price {
			return true // the opponent has pieces, since none has been removed so far
		}
		for t := range b.at {
			for f := 1 - s.turn; f < 6; f += 2 {
				if s.gone[t] || !s.has(t, f) {
					continue
				}
				for _, g := range b.goals(&s, t, f) {
					if s.has(g[0], g[1]) {
						continue
					}
					next := s
					next.occ[t] &^= 1 << f
					next.occ[g[0]] |= 1 << g[1]
					tiles, captured := b.settle(&next, b.edges(&next, g[0], g[1]))
					if captured > 0 {
						return true
					}
					next.hand[s.turn] += tiles
					next.turn = 1 - s.turn
					if !seen[next] {
						seen[next] = true
						queue = append(queue, next)
					}
				}
			}
		}
	}
	return false
}

// position returns a scene as a Position.
func (b *island) position(t *testing.T, s scene) Position {
	tokens := make([]string, tileCount)
	for i, bit := range geo.bit {
		tokens[i] = "--"
		for n, at := range b.at {
			if bitAt(at[0], at[1]) == bit {
				tokens[i] = fmt.Sprintf("%02x", s.occ[n])
			}
		}
	}
	text := fmt.Sprintf("%s %c %d %d", strings.Join(tokens, "."), "wb"[s.turn], s.hand[0], s.hand[1])
	p, err := Parse(text, b.price)
	require.NoError(t, err)
	return p
}

// TestDead compares D1, D2 and D3 (6.1) with an exhaustive search of cooperative play: on
// one and two tiles with any pieces, and on three tiles with few pieces or with none or all
// of White's three on each. Only long tests compare every position of three tiles; others
// compare every fifth.
func TestDead(t *testing.T) {
	boards := []struct {
		name      string
		at        [][2]int
		maxPieces int
	}{
		{"one tile", [][2]int{{0, 0}}, 6},
		{"two tiles", [][2]int{{0, 0}, {0, 1}}, 12},
		{"line", [][2]int{{0, -1}, {0, 0}, {0, 1}}, 3},
		{"bend", [][2]int{{0, -1}, {0, 0}, {1, 0}}, 3},
		{"triangle", [][2]int{{0, 0}, {0, 1}, {1, 0}}, 4},
	}
	for _, board := range boards {
		t.Run(board.name, func(t *testing.T) {
			count := map[string]int{}
			for price := 1; price <= 2; price++ {
				b, every, n := &island{board.at, price}, 1, 0
				if len(board.at) == 3 {
					every = effort.Of(25, 5, 1)
				}
				for mask := range 1 << (6 * len(board.at)) {
					if bits.OnesCount(uint(mask)) > board.maxPieces && !whole(mask&white) {
						continue
					}
					if n++; n%every == 0 {
						b.compare(t, mask, count)
					}
				}
			}
			t.Log(count)
			require.NotZero(t, count["dead"])
			require.NotZero(t, count["alive"])
		})
	}
}

const white = 0o525252 // odd fields of three tiles

// whole reports whether each tile has none or all of its odd fields set.
func whole(mask int) bool {
	return mask>>1&0o010101*0o52 == mask
}

// compare checks the positions with the given occupied fields, for both players on turn and
// with up to one tile in each hand.
func (b *island) compare(t *testing.T, mask int, count map[string]int) {
	var s scene
	for i := range s.gone {
		s.gone[i] = i >= len(b.at)
		s.occ[i] = uint8(mask >> (6 * i) & 63)
	}
	if mask&white == 0 || mask&^white == 0 {
		return // the game is over
	}
	settled := s
	if tiles, _ := b.settle(&settled, nil); tiles > 0 {
		return // no turn leaves a removable empty tile
	}
	for n := range 8 {
		s.turn, s.hand = n&1, [2]int{n >> 1 & 1, n >> 2}
		p := b.position(t, s)
		found := p.stuck() || p.spent() || p.closing()
		require.Equal(t, !b.helped(s), found, p.String())
		if found {
			count["dead"]++
		} else {
			count["alive"]++
		}
		if p.closing() {
			count["D3"]++
		}
	}
}
