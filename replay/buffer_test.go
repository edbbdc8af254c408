package replay

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tiro/env"
	"tiro/selfplay"
)

// unpack returns the part of an episode stored in a record.
func unpack(r *record) (e selfplay.Episode) {
	for _, a := range r.actions {
		e.Actions = append(e.Actions, env.Action(a))
	}
	for i := range r.samples {
		row := selfplay.Sample{Ply: int(r.samples[i].ply), Value: r.value(i)}
		for _, s := range r.policy(i) {
			row.Policy = append(row.Policy, selfplay.PolicyEntry{Action: s.Action, Weight: s.Weight})
		}
		e.Samples = append(e.Samples, row)
	}
	e.Result = r.result
	return e
}

// TestRecordsAreExact: a record stores episodes exactly.
func TestRecordsAreExact(t *testing.T) {
	for _, name := range []string{"mnk", "coerceo:maxplies=60", "shacru:players=3"} {
		game := gameOf(t, name)
		for _, e := range randomGames(t, game, 8) {
			r := newRecord(&e)
			e.Game, e.Rules, e.Opening, e.Ending = 0, nil, 0, ""
			for i := range e.Samples {
				e.Samples[i].KL = 0
			}
			require.Equal(t, e, unpack(&r))
		}
	}
}

// TestBuffer compares the buffer with a list of all samples.
func TestBuffer(t *testing.T) {
	game := gameOf(t, "mnk")
	rapid.Check(t, func(t *rapid.T) {
		b := NewBuffer(game, Keep{}, 0)
		rows, games := 0, [][]int{} // the rows of each game with samples
		for range rapid.IntRange(1, 6).Draw(t, "generations") {
			var episodes []selfplay.Episode
			for range rapid.IntRange(1, 8).Draw(t, "games") {
				e := selfplay.Episode{Rules: game, Samples: make([]selfplay.Sample, rapid.IntRange(0, 5).Draw(t, "rows"))}
				var numbers []int
				for i := range e.Samples {
					e.Samples[i].Ply = rows
					numbers = append(numbers, rows)
					rows++
				}
				if numbers != nil {
					games = append(games, numbers)
				}
				episodes = append(episodes, e)
			}
			b.Add(episodes)
			window := rapid.IntRange(1, 30).Draw(t, "window")
			limit := rapid.Int64Range(0, 4000).Draw(t, "bytes")
			kept := b.Len()
			b.Trim(window, limit)
			require.Equal(t, rows, b.total)
			require.Equal(t, rows, b.Evicted()+b.Len())
			for i := range b.Len() {
				r, at := b.sample(i)
				require.Equal(t, b.Evicted()+i, int(r.samples[at].ply))
			}
			requireBytes(t, &b)
			if b.Len() == 0 {
				continue
			}
			oldest, _ := b.sample(0)
			require.True(t, b.Len()-len(oldest.samples) < window, "the oldest game is not needed")
			require.True(t, b.bytes <= limit || len(b.games) == 1, "the oldest game exceeds the limit of bytes")
			if b.Len() < min(window, kept) { // limited by bytes: the evicted game would exceed the limit
				before := games[len(games)-len(b.games)-1]
				r := newRecord(&selfplay.Episode{Samples: make([]selfplay.Sample, len(before))})
				r.positions = []env.State{b.start}
				require.Greater(t, b.bytes+r.bytes(), limit)
			}
		}
	})
}

// requireBytes checks the running sum of bytes.
func requireBytes(t require.TestingT, b *Buffer) {
	sum := int64(0)
	for i := range b.games {
		sum += b.games[i].bytes()
	}
	require.Equal(t, sum, b.bytes)
}

// TestPrepend: a buffer filled backwards from the newest games equals a buffer filled from
// the oldest.
func TestPrepend(t *testing.T) {
	game := gameOf(t, "connect4")
	episodes := randomGames(t, game, 12)
	want := NewBuffer(game, Keep{}, 7)
	want.Add(episodes)
	got := NewBuffer(game, Keep{}, want.total)
	for from := 9; from >= 0; from -= 3 {
		got.Prepend(episodes[from : from+3])
	}
	want.state, got.state = nil, nil
	require.Equal(t, want, got)
}

// TestBytesAreHonest: the buffer uses as much memory as it reports.
func TestBytesAreHonest(t *testing.T) {
	for _, name := range []string{"connect4", "coerceo:maxplies=100", "shacru"} {
		game := gameOf(t, name)
		episodes := randomGames(t, game, 100)
		b := NewBuffer(game, Keep{}, 0)
		took := heapOf(func() { b.Add(episodes) })
		require.InEpsilon(t, took, b.bytes, 0.2, "%s: %d samples", name, b.Len())
		t.Logf("%s: %d bytes per sample", name, b.bytes/int64(b.Len()))
		runtime.KeepAlive(episodes)
	}
}

// heapOf returns the growth of the heap caused by f, in bytes.
func heapOf(f func()) int64 {
	heap := func() int64 {
		runtime.GC()
		runtime.GC() // memory released by finalizers
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	f()
	return heap() - before
}
