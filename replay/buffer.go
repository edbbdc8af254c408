package replay

import (
	"slices"
	"sort"

	"tiro/env"
	"tiro/selfplay"
)

// Keep selects parts of games that a Buffer keeps only for some runs.
type Keep struct {
	FinalPositions bool // for the targets of net.Config.Ownership
	Surprise       bool // for Targets.PolicySurpriseWeight
}

// Buffer holds the games to learn from: the newest ones, limited by the window and by
// memory.
type Buffer struct {
	game   env.Game
	rules  env.Game  // of the last game added: game or a variant of it
	start  env.State // start position of rules
	state  env.State // of the game being added
	games  []record  // oldest first
	starts []int     // number of each game's first sample, counted over the whole run
	total  int       // samples ever added
	bytes  int64     // memory of the games, computed from their lengths, so that it is the same on every machine
	keep   Keep
}

// NewBuffer returns an empty buffer for episodes of game and its variants (env.Variants).
// The game has at most selfplay.MaxActions actions. The buffer counts evicted samples as
// added and evicted earlier.
func NewBuffer(game env.Game, keep Keep, evicted int) Buffer {
	return Buffer{game: game, rules: game, start: game.New(), state: game.New(), total: evicted, keep: keep}
}

// Len returns the number of samples in the buffer.
func (b *Buffer) Len() int { return b.total - b.Evicted() }

// Evicted returns the number of samples added and evicted so far.
func (b *Buffer) Evicted() int {
	if len(b.starts) == 0 {
		return b.total
	}
	return b.starts[0]
}

// Add adds games, oldest first. The buffer keeps no reference to them.
func (b *Buffer) Add(episodes []selfplay.Episode) {
	for i := range episodes {
		e := &episodes[i]
		if len(e.Samples) == 0 {
			continue // nothing to learn
		}
		r := newRecord(e)
		r.positions, r.final = b.positions(e)
		if b.keep.Surprise {
			r.surprise = surpriseSums(e.Samples)
		}
		b.games = append(b.games, r)
		b.starts = append(b.starts, b.total)
		b.total += len(e.Samples)
		b.bytes += r.bytes()
	}
}

// positions returns the stored positions of a game and, if Keep.FinalPositions is set and
// the game was played to its end, its final position.
func (b *Buffer) positions(e *selfplay.Episode) (kept []env.State, final env.State) {
	if e.Rules != b.rules {
		b.rules, b.start = e.Rules, e.Rules.New()
	}
	kept = make([]env.State, 1, 1+len(e.Actions)/stride)
	kept[0] = b.start
	b.state.CopyFrom(b.start)
	for i, a := range e.Actions {
		b.state.Play(a)
		if (i+1)%stride == 0 {
			kept = append(kept, env.After(b.game, b.state))
		}
	}
	if _, over := b.state.Result(); over && b.keep.FinalPositions {
		final = env.After(b.game, b.state)
	}
	return kept, final
}

// Trim evicts the oldest games as long as the others have at least the given number of
// samples, and then as long as the games take more than the given number of bytes. It never
// evicts the newest game. It reports whether the limit of bytes evicted any game.
func (b *Buffer) Trim(samples int, bytes int64) (short bool) {
	drop := 0
	for ; drop+1 < len(b.starts); drop++ {
		if b.total-b.starts[drop+1] < samples {
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

// Prepend inserts the games played just before the buffer's games. The buffer already
// counts their samples as evicted.
func (b *Buffer) Prepend(episodes []selfplay.Episode) {
	older := NewBuffer(b.game, b.keep, 0)
	older.Add(episodes)
	evicted := b.Evicted()
	for i := range older.starts {
		older.starts[i] += evicted - older.total
	}
	b.games = append(older.games, b.games...)
	b.starts = append(older.starts, b.starts...)
	b.bytes += older.bytes
}

// sample returns sample i, 0 <= i < Len, as its game and its index among the game's
// samples.
func (b *Buffer) sample(i int) (game *record, at int) {
	n := b.starts[0] + i
	g := sort.SearchInts(b.starts, n+1) - 1 // the last game that starts at or before n
	return &b.games[g], n - b.starts[g]
}
