package train

import (
	"math"
	"slices"
	"sort"

	"tiro/env"
	"tiro/selfplay"
)

// Buffer holds the games that are learned from: the newest ones, as many as
// the window asks for.
type Buffer struct {
	game   env.Game
	start  env.State
	state  env.State // of the game being added
	games  []record  // oldest first
	starts []int     // number of the first row of each, counted over the whole run
	total  int       // rows ever added
}

// record is a game in a Buffer.
type record struct {
	selfplay.Episode
	marks []env.State // the positions after 0, stride, 2·stride, … actions
}

// stride is how many actions lie between the positions that are kept of a game.
// Coerceo's take 2 KB, which is 70 bytes an action.
const stride = 32

// replay sets s to the position after ply actions.
func (r *record) replay(s env.State, ply int) {
	mark := ply / stride
	s.CopyFrom(r.marks[mark])
	for _, a := range r.Actions[mark*stride : ply] {
		s.Play(a)
	}
}

// NewBuffer returns an empty buffer for games of game. Of those rows that were
// ever added, that many are already gone.
func NewBuffer(game env.Game, gone int) Buffer {
	return Buffer{game: game, start: game.New(), state: game.New(), total: gone}
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
		b.games = append(b.games, record{e, b.marks(e.Actions)})
		b.starts = append(b.starts, b.total)
		b.total += len(e.Rows)
	}
}

// marks returns the positions that are kept of a game.
func (b *Buffer) marks(actions []env.Action) []env.State {
	marks := []env.State{b.start}
	b.state.CopyFrom(b.start)
	for i, a := range actions {
		b.state.Play(a)
		if (i+1)%stride == 0 {
			mark := b.game.New()
			mark.CopyFrom(b.state)
			marks = append(marks, mark)
		}
	}
	return marks
}

// Trim drops the oldest games as long as the others have that many rows.
func (b *Buffer) Trim(rows int) {
	drop := 0
	for drop+1 < len(b.starts) && b.total-b.starts[drop+1] >= rows {
		drop++
	}
	b.games = slices.Delete(b.games, 0, drop)
	b.starts = slices.Delete(b.starts, 0, drop)
}

// Row returns row i, 0 <= i < Len, and the game that it is of.
func (b *Buffer) Row(i int) (*record, *selfplay.Row) {
	n := b.starts[0] + i
	// The last game that starts at or before n; a game without rows starts
	// where the next one does.
	at := sort.SearchInts(b.starts, n+1) - 1
	g := &b.games[at]
	return g, &g.Rows[n-b.starts[at]]
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
