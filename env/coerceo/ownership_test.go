package coerceo

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// tilesOf returns the words for the 19 tiles in a position string.
func tilesOf(s *State) []string {
	tiles, _, _ := strings.Cut(s.Position(), " ")
	return strings.Split(tiles, ".")
}

// TestOwnership follows random games using only their position strings and hands: a tile
// that disappears when the mover's hand grows belongs to the mover.
func TestOwnership(t *testing.T) {
	for _, name := range []string{"coerceo:price=1", "coerceo:win=short"} {
		seen := map[int8]int{}
		for seed := range uint64(20) {
			rng := env.NewRand(5, seed)
			s := newGame(t, name).New().(*State)
			past := []*State{new(State)}
			past[0].CopyFrom(s)
			owner := slices.Repeat([]int8{tileLeft}, tileCount) // White 0, Black 1
			for legal := s.Legal(nil); len(legal) > 0; legal = s.Legal(nil) {
				mover, before, hand := s.Turn(), tilesOf(s), s.pos.Hand(s.Turn())
				s.Play(legal[rng.IntN(len(legal))])
				for i, word := range tilesOf(s) {
					if word == "--" && before[i] != "--" {
						owner[i] = tileRemoved
						if s.pos.Hand(mover) > hand {
							owner[i] = int8(mover)
						}
					}
				}
				p := new(State)
				p.CopyFrom(s)
				past = append(past, p)
			}
			for _, p := range past {
				requireOwnership(t, s, p, owner, seen)
			}
		}
		require.Len(t, seen, ownershipClasses+1, "classes seen: %v", seen)
	}
}

// requireOwnership checks the class of each tile of p against owner, which is in the order
// of position strings.
func requireOwnership(t *testing.T, end, p *State, owner []int8, seen map[int8]int) {
	t.Helper()
	want := slices.Repeat([]int8{env.NoOwnership}, gridCells)
	tile := tilesOf(p)
	i := 0
	for cell := range gridCells {
		x, y := cell%side-2, cell/side-2
		if !onBoard(x, y) {
			continue
		}
		at := cell
		if p.Turn() == Black {
			at = gridCells - 1 - cell
		}
		if tile[i] != "--" {
			want[at] = owner[i]
			if owner[i] < 2 && p.Turn() == Black {
				want[at] = 1 - owner[i]
			}
		}
		i++
	}
	got := make([]int8, gridCells)
	score := end.Ownership(got, p)
	require.Equal(t, want, got)
	ahead := float32(end.pos.Pieces(White)-end.pos.Pieces(Black)) / 18
	require.Equal(t, env.Value{ahead, -ahead}, score)
	for _, class := range got {
		seen[class]++
	}
}
