package rundir

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// checkpointsOf returns the checkpoints of generations, each of 10 bytes.
func checkpointsOf(keep Retention, generations ...int) (all []item) {
	for i, g := range generations {
		all = append(all, item{g, true, 10, i >= len(generations)-keep.Last})
	}
	return all
}

// upTo returns the numbers from 0 to n.
func upTo(n int) (all []int) {
	for i := range n + 1 {
		all = append(all, i)
	}
	return all
}

func TestThin(t *testing.T) {
	// There are 13 generations with checkpoints of 10 bytes and games of 1 byte. The window
	// starts at generation 9.
	tests := []struct {
		name        string
		keep        Retention
		bound       int64
		checkpoints []int // that are kept
		games       []int
		left        int64
	}{
		{"no bound", Retention{Last: 2, Every: 2}, 1000, []int{0, 2, 4, 6, 8, 10, 11, 12}, []int{0, 2, 4, 6, 8, 9, 10, 11, 12}, 89},
		{"just enough", Retention{Last: 2, Every: 2}, 89, []int{0, 2, 4, 6, 8, 10, 11, 12}, []int{0, 2, 4, 6, 8, 9, 10, 11, 12}, 89},
		{"games first, the oldest first", Retention{Last: 2, Every: 2}, 87, []int{0, 2, 4, 6, 8, 10, 11, 12}, []int{4, 6, 8, 9, 10, 11, 12}, 87},
		{"then checkpoints, the oldest first", Retention{Last: 2, Every: 2}, 64, []int{0, 6, 8, 10, 11, 12}, []int{9, 10, 11, 12}, 64},
		{"0 goes last", Retention{Last: 2, Every: 2}, 34, []int{0, 11, 12}, []int{9, 10, 11, 12}, 34},
		{"not what is in use", Retention{Last: 2, Every: 2}, 1, []int{11, 12}, []int{9, 10, 11, 12}, 24},
		{"none kept for good", Retention{Last: 3}, 1000, []int{10, 11, 12}, []int{9, 10, 11, 12}, 34},
		{"every one", Retention{Last: 1, Every: 1}, 1000, upTo(12), upTo(12), 143},
		{"more than there are", Retention{Last: 100}, 1000, upTo(12), []int{9, 10, 11, 12}, 134},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			items := checkpointsOf(test.keep, upTo(12)...)
			for g := range 13 {
				items = append(items, item{g, false, 1, g >= 9})
			}
			remove, left := thin(items, test.keep, test.bound)
			checkpoints, games := test.checkpoints, test.games
			for _, i := range remove {
				if i.checkpoint {
					checkpoints = append(checkpoints, i.generation)
				} else {
					games = append(games, i.generation)
				}
			}
			require.ElementsMatch(t, upTo(12), checkpoints)
			require.ElementsMatch(t, upTo(12), games)
			require.Equal(t, test.left, left.Total())
		})
	}
}

// TestThinTwice: if it is thinned after every generation, the folder stays within its bound, and
// thinning again removes nothing.
func TestThinTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keep := Retention{Last: rapid.IntRange(1, 5).Draw(t, "last"), Every: rapid.IntRange(1, 4).Draw(t, "every")}
		bound := rapid.Int64Range(0, 200).Draw(t, "bound")
		last := rapid.IntRange(0, 60).Draw(t, "generations")
		var have []int
		for g := range last + 1 {
			items := checkpointsOf(keep, append(have, g)...)
			goes, left := thin(items, keep, bound)
			have = have[:0]
			for _, i := range items {
				if !slices.Contains(goes, i) {
					have = append(have, i.generation)
				}
			}
			require.True(t, left.Total() <= bound || len(have) <= keep.Last)
			require.Equal(t, int64(10*len(have)), left.Total())
			goes, _ = thin(checkpointsOf(keep, have...), keep, bound)
			require.Empty(t, goes)
		}
	})
}

func TestRetention(t *testing.T) {
	err := Retention{Last: 0, Every: -1}.Validate()
	require.ErrorContains(t, err, "last is 0")
	require.ErrorContains(t, err, "every is -1")
	require.True(t, Retention{Every: 4}.Forever(8))
	require.False(t, Retention{Every: 4}.Forever(9))
	require.False(t, Retention{}.Forever(0))
}
