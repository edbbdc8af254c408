package player

import (
	"context"
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/mcts"
)

// ticking returns a clock that advances by a step whenever it is read.
func ticking(step time.Duration) func() time.Time {
	var now time.Time
	return func() time.Time {
		now = now.Add(step)
		return now
	}
}

// tickingClock advances by a millisecond, and by half a millisecond of CPU time, whenever it
// is read.
func tickingClock() Clock {
	cpu := time.Duration(0)
	return Clock{Now: ticking(time.Millisecond), CPU: func() time.Duration {
		cpu += time.Millisecond / 2
		return cpu
	}}
}

// uniform opens networks that judge all positions alike, with 1,000,000 multiply-adds an
// evaluation, but for those called missing and unknown.
func uniform(s Spec) (Network, error) {
	n := Network{Evaluator: func() mcts.Evaluator { return mcts.Uniform{} }, MACs: 1e6, TrainedFor: "mnk:k=2"}
	switch s.Network {
	case "missing":
		return n, fs.ErrNotExist
	case "unknown":
		n.MACs = 0
	}
	return n, nil
}

// made makes the player that text describes.
func made(game env.Game, clock Clock, text string) (Player, error) {
	s, err := Parse(text, 64)
	if err != nil {
		return nil, err
	}
	f, err := s.Factory(game, Resources{Clock: clock, Open: uniform})
	if err != nil {
		return nil, err
	}
	return f.New()
}

// TestBudgets: how a budget is printed, and how many simulations it buys.
func TestBudgets(t *testing.T) {
	game := ticTacToe(t)
	for _, test := range []struct {
		spec, name string
		nodes      int
	}{
		{"net:a", "net:a,sims=64", 64},
		{"net:a,sims=8", "net:a,sims=8", 8},
		{"net:a,simulations=8", "net:a,sims=8", 8},
		{"net:a,macs=8M", "net:a,macs=8M", 8},
		{"net:a,macs=8999999", "net:a,macs=8.999999M", 8},
		{"net:a,macs=0.01g", "net:a,macs=10M", 10},
		{"net:a,macs=1e7", "net:a,macs=10M", 10},
		{"net:a,gumbel.c_scale=0.5,macs=9M", "net:a,macs=9M,gumbel.c_scale=0.5", 9},
		{"net:bundled:coerceo:price=1,macs=9M", "net:bundled:coerceo:price=1,macs=9M", 9},
		// The clock is read when the move begins and before every simulation.
		{"net:a,time=10ms", "net:a,time=10ms", 9},
		{"net:a,time=0.01s,parallel_leaves=1", "net:a,time=10ms", 9},
		{"net:a,cpu=10ms", "net:a,cpu=10ms", 19},
		{"mcts:8", "mcts:8", 8},
		{"mcts:sims=8", "mcts:8", 8},
		{"mcts:nodes=8", "mcts:8", 8},
		{"mcts:simulations=8", "mcts:8", 8},
		{"mcts:time=10ms", "mcts:time=10ms", 9},
		{"mcts:cpu=10ms", "mcts:cpu=10ms", 19},
	} {
		t.Run(test.spec, func(t *testing.T) {
			p, err := made(game, tickingClock(), test.spec)
			require.NoError(t, err)
			_, err = p.Choose(t.Context(), game.New(), nil, env.NewRand(1))
			require.NoError(t, err)
			require.Equal(t, test.name, p.Name())
			require.Equal(t, test.nodes, p.(Counter).Nodes())
		})
	}
}

func TestWrongBudgets(t *testing.T) {
	game := ticTacToe(t)
	wall := Clock{Now: ticking(time.Millisecond)}
	for _, test := range []struct {
		text  string
		clock Clock
		want  string // a part of the error
	}{
		{"net:a,time=x", wall, `time "x"`},
		{"net:a,time=100", wall, `time "100"`},
		{"net:a,time=1us", wall, `time "1us"`},
		{"net:a,time=-1s", wall, `time "-1s"`},
		{"net:a,macs=x", wall, `macs "x"`},
		{"net:a,macs=0", wall, `macs "0"`},
		{"net:a,macs=nan", wall, `macs "nan"`},
		{"net:a,macs=1e30", wall, `macs "1e30"`},
		{"net:a,macs=999K", wall, `macs=999K is too small`},
		{"net:unknown,macs=1G", wall, "unknown"},
		{"net:a,simulations=0", wall, `simulations "0"`},
		{"net:a,sims=8,time=1s", wall, "sims=8 and time=1s"},
		{"net:a,temperature=1,temperature=2", wall, "temperature=1 and temperature=2"},
		{"net:a,root=puct,root=gumbel", wall, "root=puct and root=gumbel"},
		{"net:a,time=1s,root=gumbel", wall, "time=1s cannot be combined with root=gumbel"},
		{"net:a,cpu=100", wall, `cpu "100"`},
		{"net:a,cpu=1s", wall, "CPU time"},
		{"mcts:cpu=1s", wall, "CPU time"},
		{"net:a,time=1s", Clock{}, "time=1s"},
		{"mcts:time=1s", Clock{}, "time=1s"},
		{"mcts:nodes=sims=8", wall, `nodes "sims=8"`},
		{"mcts:macs=1G", wall, `sims "macs=1G"`},
		{"mcts:time=1", wall, `time "1"`},
		{"alphabeta:time=", wall, `time ""`},
		{"alphabeta:sims=3", wall, `depth "sims=3"`},
		{"stubborn:depth=x", wall, `depth "x"`},
		{"alphabeta:3,time=1s", wall, "3 and time=1s"},
	} {
		_, err := made(game, test.clock, test.text)
		require.ErrorContains(t, err, test.want, test.text)
	}
	_, err := made(game, wall, "net:missing,time=1s")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestCountsReadBack: whatever is written is read as the same number.
func TestCountsReadBack(t *testing.T) {
	for n, want := range map[int64]string{
		1: "1", 999: "999", 1000: "1K", 1500: "1.5K", 4_612_560: "4.61256M", 2e9: "2G", 3_000_000_001: "3.000000001G", 7e12: "7T", 1 << 60: "1152921.504606847T",
	} {
		require.Equal(t, want, formatCount(n))
		back, err := parseCount(want)
		require.NoError(t, err)
		require.Equal(t, n, back)
	}
}

// TestTimedAlphaBeta: the player plays the move of the deepest completed search, stops where a
// deeper search could not change the result, and looks at least one action ahead.
func TestTimedAlphaBeta(t *testing.T) {
	game := newGame(t, "connect4")
	timed := func(step time.Duration, state env.State) *alphaBeta {
		p := newAlphaBeta("alphabeta:time=1s", game, timeLimit{budget: Budget{Time: time.Second}, clock: Clock{Now: ticking(step)}})
		a, err := p.Choose(t.Context(), state, nil, env.NewRand(1))
		require.NoError(t, err)
		require.Equal(t, a, p.best)
		return p
	}
	deep := func(depth int, state env.State) *alphaBeta {
		p := newAlphaBeta("", game, timeLimit{budget: Budget{Depth: depth}})
		_, err := p.Choose(t.Context(), state, nil, env.NewRand(1))
		require.NoError(t, err)
		return p
	}
	start := game.New()
	require.Equal(t, deep(1, start).nodes, timed(2*time.Second, start).nodes, "the time was over before the search")
	in := func(p *alphaBeta) []int { // nodes of the depths around
		i := 1
		for deep(i+1, start).nodes < p.nodes {
			i++
		}
		shallow, next := deep(i, start), deep(i+1, start)
		require.Equal(t, shallow.best, p.best)
		require.Equal(t, shallow.value, p.value)
		return []int{shallow.nodes, p.nodes, next.nodes}
	}
	require.True(t, slices.IsSorted(in(timed(100*time.Millisecond, start))))

	won := game.New().(interface {
		env.State
		env.Positioner
	})
	require.NoError(t, won.SetPosition(threeInColumn(t, game)))
	require.Less(t, timed(time.Nanosecond, won).nodes, 100, "a win was found")
	require.GreaterOrEqual(t, timed(time.Nanosecond, won).value, float32(1))

	forced := envtest.MustTree(2, "((AB))")
	p := newAlphaBeta("alphabeta:time=1s", forced, timeLimit{budget: Budget{Time: time.Second}, clock: Clock{Now: ticking(time.Nanosecond)}})
	_, err := p.Choose(t.Context(), forced.New(), nil, env.NewRand(1))
	require.NoError(t, err)
	require.Equal(t, 1, p.nodes, "there is one action")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.Choose(ctx, forced.New(), nil, env.NewRand(1))
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "alphabeta:time=1s")
}

// threeInColumn returns the position of Connect Four in which the player on turn
// wins at once.
func threeInColumn(t *testing.T, game env.Game) string {
	s := game.New()
	for _, name := range []string{"1", "2", "1", "2", "1", "2"} {
		a, err := env.ParseAction(s, name)
		require.NoError(t, err)
		s.Play(a)
	}
	return s.String()
}
