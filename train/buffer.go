package train

import (
	"math"
	"slices"
	"sort"

	"tiro/selfplay"
)

// Buffer holds the games that are learned from: the newest ones, as many as
// the window asks for.
type Buffer struct {
	episodes []selfplay.Episode // oldest first
	starts   []int              // number of the first row of each, counted over the whole run
	total    int                // rows ever added
}

// Len returns the number of rows in the buffer.
func (b *Buffer) Len() int {
	if len(b.starts) == 0 {
		return 0
	}
	return b.total - b.starts[0]
}

// Total returns the number of rows that were ever added.
func (b *Buffer) Total() int { return b.total }

// Add adds games, the newest last.
func (b *Buffer) Add(episodes []selfplay.Episode) {
	for _, e := range episodes {
		b.episodes = append(b.episodes, e)
		b.starts = append(b.starts, b.total)
		b.total += len(e.Rows)
	}
}

// Trim drops the oldest games as long as the others have that many rows.
func (b *Buffer) Trim(rows int) {
	drop := 0
	for drop+1 < len(b.starts) && b.total-b.starts[drop+1] >= rows {
		drop++
	}
	b.episodes = slices.Delete(b.episodes, 0, drop)
	b.starts = slices.Delete(b.starts, 0, drop)
}

// Row returns row i, 0 <= i < Len, and the game that it is of.
func (b *Buffer) Row(i int) (*selfplay.Episode, *selfplay.Row) {
	n := b.starts[0] + i
	// The last game that starts at or before n; a game without rows starts
	// where the next one does.
	at := sort.SearchInts(b.starts, n+1) - 1
	e := &b.episodes[at]
	return e, &e.Rows[n-b.starts[at]]
}

// Size returns how many rows are in the window once total were played. Its
// slope is at most 1, so that a row that has left the window never comes back.
func (r Replay) Size(total int) int {
	n, c := float64(total), float64(r.Window)
	if n <= c {
		return r.Window
	}
	return int(c * (1 + r.Beta*(math.Pow(n/c, r.Alpha)-1)/r.Alpha))
}
