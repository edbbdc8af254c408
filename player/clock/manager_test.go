package clock

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// machine simulates searches on a machine: batches, lags after the search, and hiccups.
type machine struct {
	hand
	rng    *rand.Rand
	batch  time.Duration
	lag    time.Duration
	hiccup time.Duration // the machine stops for up to this, once in a hundred batches
	doubt  float64
}

// game plays with a control for all moves that the rules allow. It returns the time left before each, and fails if
// the player loses on time.
func (w *machine) game(t *testing.T, m *Manager, c Control, moves int) (left []time.Duration) {
	g := NewGame(w.now, []Control{c})
	m.NewGame()
	for i := range moves {
		left = append(left, g.Seats()[0].Time().Left)
		g.Start(0)
		m.Begin(g.Started(), g.Seats()[0].Time(), max(0, moves-i))
		for over := false; !over; {
			w.wait(w.batch)
			if w.hiccup > 0 && w.rng.IntN(100) == 0 {
				w.wait(time.Duration(w.rng.Int64N(int64(w.hiccup))))
			}
			over = m.Over(func() Opinion { return Opinion{Best: 1, Doubt: w.doubt} })
		}
		w.wait(time.Duration(w.rng.Int64N(int64(w.lag) + 1)))
		require.NoError(t, g.Stop(), "move %d of %d, %v, times left %v", i, moves, c, left)
		g.EndTurn()
	}
	return left
}

// TestNoLossOnTime: players keep their time on busy machines, at all speeds.
func TestNoLossOnTime(t *testing.T) {
	for _, text := range []string{"1+0.01", "0.5+0.02", "10+0.1", "60", "3", "40/10", "10/1+0.01", "0+0.2", "30+0.3"} {
		c, err := Parse(text)
		require.NoError(t, err)
		for seed := range uint64(8) {
			w := &machine{rng: rand.New(rand.NewPCG(seed, 1)), batch: ms / 2, lag: 3 * ms, hiccup: 40 * ms, doubt: float64(seed%3) / 2}
			m := NewManager(w.now)
			for range 3 {
				w.game(t, m, c, 21+99*int(seed%2))
			}
		}
	}
	c := Control{Move: 100 * ms}
	w := &machine{rng: rand.New(rand.NewPCG(1, 1)), batch: ms, lag: 3 * ms, doubt: 1}
	w.game(t, NewManager(w.now), c, 100)
}

// A constant lag is learned from the clock, even one that is longer than the increment.
func TestLagIsLearned(t *testing.T) {
	w := &machine{rng: rand.New(rand.NewPCG(1, 1)), batch: ms, doubt: 0.5}
	m := NewManager(w.now)
	c := Control{Main: 2 * time.Second, Increment: 30 * ms}
	g := NewGame(w.now, []Control{c})
	for range 200 {
		g.Start(0)
		m.Begin(g.Started(), g.Seats()[0].Time(), 0)
		for !m.Over(func() Opinion { return Opinion{} }) {
			w.wait(w.batch)
		}
		w.wait(25 * ms)
		require.NoError(t, g.Stop())
		g.EndTurn()
	}
	require.InDelta(t, 25, m.lag.Milliseconds(), 3)
}

// Players use their time: little is left at the end of a long game, and each move takes a
// part of it.
func TestTimeIsUsed(t *testing.T) {
	w := &machine{rng: rand.New(rand.NewPCG(1, 1)), batch: ms, doubt: 0.5}
	left := w.game(t, NewManager(w.now), Control{Main: 60 * time.Second}, 60)
	require.Less(t, left[59], 15*time.Second)
	left = w.game(t, NewManager(w.now), Control{Main: 60 * time.Second, Moves: 10}, 31)
	require.Less(t, left[9], 12*time.Second)
	require.Less(t, left[30], 75*time.Second, "a period's rest is not hoarded")
	left = w.game(t, NewManager(w.now), Control{Main: time.Second, Increment: 10 * ms}, 5)
	require.Less(t, left[4], 500*ms, "a short game")
}

// length returns the length of a search whose best action is given by time.
func length(t Time, doubt float64, best func(elapsed time.Duration) int) time.Duration {
	h := &hand{at: time.Unix(1, 0)}
	began := h.at
	m := NewManager(h.now)
	m.Begin(began, t, 0)
	elapsed := time.Duration(0)
	for !m.Over(func() Opinion { return Opinion{Best: best(elapsed), Doubt: doubt} }) {
		h.wait(ms)
		elapsed += ms
	}
	return elapsed
}

// An undecided search takes longer than a decided one, within limits.
func TestDoubtTakesTime(t *testing.T) {
	steady := func(time.Duration) int { return 1 }
	restless := func(elapsed time.Duration) int { return int(elapsed / (10 * ms)) }
	minute := Time{Left: time.Minute}
	sure, close, unsteady := length(minute, 0, steady), length(minute, 1, steady), length(minute, 1, restless)
	require.InDelta(t, 1400, sure.Milliseconds(), 50)
	require.InDelta(t, 3400, close.Milliseconds(), 50)
	require.InDelta(t, 4400, unsteady.Milliseconds(), 50)
	for doubt := range 2 {
		require.InDelta(t, 990, length(Time{Left: time.Second, Moves: 1, Fixed: true}, float64(doubt), restless).Milliseconds(), 3, "movetime")
		require.LessOrEqual(t, length(Time{Left: 10 * ms, Increment: time.Second}, float64(doubt), restless), 10*ms)
		require.Less(t, length(Time{Left: time.Second, Moves: 1}, float64(doubt), restless), 900*ms)
	}
	require.LessOrEqual(t, length(Time{}, 1, steady), ms)
}

// The further actions of a turn take a part of the time of the first one.
func TestContinue(t *testing.T) {
	h := &hand{at: time.Unix(1, 0)}
	m := NewManager(h.now)
	opinion := func() Opinion { return Opinion{} }
	require.False(t, m.Continue())
	require.False(t, m.Over(opinion), "no limit")
	m.Begin(h.at, Time{Left: time.Minute}, 0)
	require.False(t, m.Continue(), "a forced action needs no search")
	lengths := make([]int, 3)
	for i := range lengths {
		require.Equal(t, i > 0, m.Continue())
		for !m.Over(opinion) {
			h.wait(ms)
			lengths[i]++
		}
	}
	require.InDelta(t, 1400, lengths[0], 50)
	require.InDelta(t, 500, lengths[1], 10)
	require.InDelta(t, 500, lengths[2], 10)
	m.Unlimit()
	h.wait(time.Hour)
	require.False(t, m.Over(opinion))
}
