package train

import (
	"math"
	"slices"
	"sort"

	"tiro/env"
	"tiro/selfplay"
)

// Buffer holds the games that are learned from: the newest ones, as many as
// the window asks for and memory allows.
type Buffer struct {
	game   env.Game
	start  env.State
	state  env.State // of the game being added
	games  []record  // oldest first
	starts []int     // number of the first row of each, counted over the whole run
	total  int       // rows ever added
	bytes  int64     // of the games

	ends      bool // games keep their final positions
	surprises bool // and how much the search changed the network's mind
}

// NewBuffer returns an empty buffer for games of game, which has at most
// maxActions actions. Of those rows that were ever added, that many are already
// gone.
func NewBuffer(game env.Game, gone int) Buffer {
	return Buffer{game: game, start: game.New(), state: game.New(), total: gone}
}

// Len returns the number of rows in the buffer.
func (b *Buffer) Len() int { return b.total - b.Gone() }

// Gone returns the number of rows that were added and dropped again.
func (b *Buffer) Gone() int {
	if len(b.starts) == 0 {
		return b.total
	}
	return b.starts[0]
}

// Bytes returns the memory that the games take, by their lengths alone: the
// same on every machine.
func (b *Buffer) Bytes() int64 { return b.bytes }

// Add adds games, the newest last. It keeps nothing of them.
func (b *Buffer) Add(episodes []selfplay.Episode) {
	for i := range episodes {
		e := &episodes[i]
		if len(e.Samples) == 0 {
			continue // nothing to learn
		}
		r := pack(e)
		r.marks, r.end = b.marks(e.Actions)
		if b.surprises {
			r.surprises = surprises(e.Samples)
		}
		b.games = append(b.games, r)
		b.starts = append(b.starts, b.total)
		b.total += len(e.Samples)
		b.bytes += r.bytes()
	}
}

// marks returns the positions that are kept of a game, and the final one if it
// is, which it is not of a game that was broken off.
func (b *Buffer) marks(actions []env.Action) (marks []env.State, end env.State) {
	marks = make([]env.State, 1, 1+len(actions)/stride)
	marks[0] = b.start
	b.state.CopyFrom(b.start)
	for i, a := range actions {
		b.state.Play(a)
		if (i+1)%stride == 0 {
			mark := b.game.New()
			mark.CopyFrom(b.state)
			marks = append(marks, mark)
		}
	}
	if _, over := b.state.Result(); over && b.ends {
		end = b.game.New()
		end.CopyFrom(b.state)
	}
	return marks, end
}

// Trim drops the oldest games as long as the others have that many rows, and
// then as long as the games take more than that many bytes, but for the newest
// game. It reports whether any were dropped for their bytes.
func (b *Buffer) Trim(rows int, bytes int64) (short bool) {
	drop := 0
	for ; drop+1 < len(b.starts); drop++ {
		if b.total-b.starts[drop+1] < rows {
			if b.bytes <= bytes {
				break
			}
			short = true
		}
		b.bytes -= b.games[drop].bytes()
	}
	b.games = slices.Delete(b.games, 0, drop)
	b.starts = slices.Delete(b.starts, 0, drop)
	return short
}

// prepend puts the games of another buffer, which has those before, in front.
func (b *Buffer) prepend(before *Buffer) {
	gone := b.Gone()
	for i := range before.starts {
		before.starts[i] += gone - before.total
	}
	b.games = append(before.games, b.games...)
	b.starts = append(before.starts, b.starts...)
	b.bytes += before.bytes
}

// Row returns row i, 0 <= i < Len: the game that it is of, and its place among
// the game's rows.
func (b *Buffer) Row(i int) (game *record, row int) {
	n := b.starts[0] + i
	at := sort.SearchInts(b.starts, n+1) - 1 // the last game that starts at or before n
	return &b.games[at], n - b.starts[at]
}

// playedOn returns the games that were played to their end whatever their
// searches said.
func (b *Buffer) playedOn() []selfplay.CalibrationGame {
	var games []selfplay.CalibrationGame
	for i := range b.games {
		r := &b.games[i]
		if !r.playOn {
			continue
		}
		g := selfplay.CalibrationGame{Result: r.result}
		for row := range r.rows {
			if int(r.rows[row].ply) < len(r.actions)-1 {
				g.Values = append(g.Values, r.value(row))
			}
		}
		games = append(games, g)
	}
	return games
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
