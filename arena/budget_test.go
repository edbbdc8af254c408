package arena

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

// tickingClock advances by a millisecond, and half of that of CPU time, whenever it
// is read.
func tickingClock() Clock {
	cpu := time.Duration(0)
	return Clock{Now: ticking(time.Millisecond), CPU: func() time.Duration {
		cpu += time.Millisecond / 2
		return cpu
	}}
}

// uniformKind is a kind of network player whose network judges all positions alike,
// with 1,000,000 multiply-adds an evaluation.
func uniformKind(clock Clock) PlayerKind {
	return NetworkKind(64, clock, func(network string) (Network, error) {
		if network == "missing" {
			return Network{}, fs.ErrNotExist
		}
		n := Network{Evaluator: func() mcts.Evaluator { return mcts.Uniform{} }, MACs: 1e6, TrainedFor: "mnk:k=2"}
		if network == "unknown" {
			n.MACs = 0
		}
		return n, nil
	})
}

// chosen has a player choose at the start of game, and returns it.
func chosen(t *testing.T, game env.Game, spec string, kinds ...PlayerKind) Player {
	factory, err := ParsePlayer(game, spec, kinds...)
	require.NoError(t, err)
	p, err := factory()
	require.NoError(t, err)
	a, err := p.Choose(t.Context(), game.New(), nil, env.NewRand(1))
	require.NoError(t, err)
	require.NoError(t, env.CheckAction(game.New(), a))
	return p
}

// TestBudgets: what a budget is called, and how many simulations it buys.
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
		{"net:a,time=0.01s,parallel_leaves=1", "net:a,time=10ms,parallel_leaves=1", 9},
		{"net:a,cpu=10ms", "net:a,cpu=10ms", 19},
		{"mcts:8", "mcts:8", 8},
		{"mcts:sims=8", "mcts:8", 8},
		{"mcts:nodes=8", "mcts:8", 8},
		{"mcts:simulations=8", "mcts:8", 8},
		{"mcts:time=10ms", "mcts:time=10ms", 9},
		{"mcts:cpu=10ms", "mcts:cpu=10ms", 19},
	} {
		t.Run(test.spec, func(t *testing.T) {
			clock := tickingClock()
			p := chosen(t, game, test.spec, append(TimedKinds(clock), uniformKind(clock))...)
			require.Equal(t, test.name, p.Name())
			require.Equal(t, test.nodes, p.(Counter).Nodes())
		})
	}
}

func TestWrongBudgets(t *testing.T) {
	game, clock := ticTacToe(t), tickingClock()
	kinds := append(TimedKinds(clock), uniformKind(clock))
	for spec, want := range map[string]string{
		"net:a,time=x":                      `time "x" is not a duration from 1ms to 24h0m0s, such as 100ms or 2s`,
		"net:a,time=100":                    `time "100" is not a duration`,
		"net:a,time=1us":                    `time "1us" is not a duration from 1ms`,
		"net:a,time=-1s":                    `time "-1s" is not a duration`,
		"net:a,macs=x":                      `macs "x" is not a number of multiply-adds, such as 250M or 1.5G`,
		"net:a,macs=0":                      `macs "0" is not a number`,
		"net:a,macs=nan":                    `macs "nan" is not a number`,
		"net:a,macs=1e30":                   `macs "1e30" is not a number`,
		"net:a,macs=999K":                   `macs=999K is less than an evaluation of the network takes, 1M`,
		"net:unknown,macs=1G":               "the multiply-adds of the network are not known",
		"net:a,simulations=0":               `"simulations=0" is not simulations=N with N from 1 to 16777216`,
		"net:a,sims=8,time=1s":              "sims=8 and time=1s are two budgets; want one",
		"net:a,temperature=1,temperature=2": "temperature=1 and temperature=2 set temperature twice; want one",
		"net:a,root=puct,root=gumbel":       "root=puct and root=gumbel set root twice; want one",
		"net:a,macs=8M,simulations=3":       "macs=8M and simulations=3 are two budgets; want one",
		"net:a,time=1s,root=gumbel":         "time=1s with root=gumbel, which cannot end at any time; want improved or puct",
		"net:a,cpu=100":                     `cpu "100" is not a duration from 1ms to 24h0m0s`,
		"net:missing,time=1s":               "file does not exist",
		"mcts:nodes=sims=8":                 `simulations "sims=8" is not a whole number`,
		"mcts:time=1":                       `time "1" is not a duration from 1ms to 24h0m0s, such as 100ms or 2s; want mcts:SIMULATIONS|time=T|cpu=T`,
		"alphabeta:time=":                   `time "" is not a duration`,
		"stubborn:depth=3":                  `depth "depth=3" is not a whole number from 1 to 64; want stubborn:DEPTH|time=T|cpu=T`,
		"alphabeta:3,time=1s":               `depth "3,time=1s" is not a whole number`,
		"net:bundled:mnk:k=2,time=1s,k=3":   `set "k=3": unknown key k`,
	} {
		_, err := ParsePlayer(game, spec, kinds...)
		require.ErrorContains(t, err, want, spec)
	}
	for spec, want := range map[string]string{
		"mcts:time=1s":  `simulations "time=1s" is not a whole number from 1 to 16777216; want mcts:SIMULATIONS`,
		"net:a,time=1s": "time=1s: there is no clock here; want sims=N or macs=N, with which the result is the same again; want net:RUN_OR_FILE[,sims=N|macs=N][,KEY=VALUE…]",
	} {
		_, err := ParsePlayer(game, spec, uniformKind(Clock{}))
		require.ErrorContains(t, err, want, spec)
	}
	wall := Clock{Now: ticking(time.Millisecond)}
	for _, spec := range []string{"net:a,cpu=1s", "mcts:cpu=1s"} {
		_, err := ParsePlayer(game, spec, append(TimedKinds(wall), uniformKind(wall))...)
		require.ErrorContains(t, err, "cpu=1s: this system does not tell the CPU time of a thread; want time=1s; want ")
	}
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

// TestTimedAlphaBeta: it plays as the deepest search that it completes, stops where
// deeper searches would tell no more, and looks one action ahead at least.
func TestTimedAlphaBeta(t *testing.T) {
	game := newGame(t, "connect4")
	timed := func(step time.Duration, state env.State) *alphaBeta {
		p := newTimedAlphaBeta(game, TimeLimit{Budget{Time: time.Second}, Clock{Now: ticking(step)}})
		a, err := p.Choose(t.Context(), state, nil, env.NewRand(1))
		require.NoError(t, err)
		require.Equal(t, a, p.best)
		return p
	}
	deep := func(depth int, state env.State) *alphaBeta {
		p := newAlphaBeta(game, depth)
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
	p := newTimedAlphaBeta(forced, TimeLimit{Budget{Time: time.Second}, Clock{Now: ticking(time.Nanosecond)}})
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

// TestEffort: a match counts what its players search, and measures it by a clock.
func TestEffort(t *testing.T) {
	game := ticTacToe(t)
	m := Match{Game: game, Games: 20, Seed: 1, Workers: 1, ConcurrentGames: 1, Players: []PlayerFactory{
		Search("uniform", game, NetworkConfig(8), func() mcts.Evaluator { return mcts.Uniform{} }), Random(),
	}}
	plain, err := Play(t.Context(), m)
	require.NoError(t, err)
	cpu := time.Duration(0)
	m.Clock = Clock{Now: ticking(2 * time.Millisecond), CPU: func() time.Duration {
		cpu += time.Millisecond
		return cpu
	}}
	measured, err := Play(t.Context(), m)
	require.NoError(t, err)

	plies := 0
	for _, g := range plain.Records {
		plies += len(g.Moves)
	}
	searcher, random := measured.Players[0].Effort, measured.Players[1].Effort
	require.Equal(t, plies, searcher.Moves+random.Moves)
	require.Positive(t, searcher.Nodes)
	require.LessOrEqual(t, searcher.Nodes, int64(8*searcher.Moves))
	require.Zero(t, random.Nodes)
	require.Equal(t, 2*time.Millisecond*time.Duration(searcher.Moves), searcher.Wall)
	require.Equal(t, time.Millisecond*time.Duration(random.Moves), random.CPU)
	require.Regexp(t, `^effort    uniform: \d\.\d nodes, 2.000 ms, CPU 1.000 ms an action\neffort    random: 2.000 ms, CPU 1.000 ms an action\n$`, measured.Efforts())
	require.Regexp(t, `^effort    uniform: \d\.\d nodes an action\n$`, plain.Efforts())
	require.Equal(t, "no actions", Effort{}.String())

	for i := range measured.Players { // the rest does not depend on the clock
		e := &measured.Players[i].Effort
		e.Wall, e.CPU, e.timed = 0, 0, 0
		for g := range measured.Records {
			e := &measured.Records[g].Effort[i]
			e.Wall, e.CPU, e.timed = 0, 0, 0
		}
	}
	require.Equal(t, plain, measured)
}

// TestTrainedFor: the report says what networks were trained for.
func TestTrainedFor(t *testing.T) {
	game := ticTacToe(t)
	network, err := ParsePlayer(game, "net:a,sims=2", uniformKind(Clock{}))
	require.NoError(t, err)
	report, err := Play(t.Context(), Match{Game: game, Games: 2, Workers: 1, Players: []PlayerFactory{network, Random()}})
	require.NoError(t, err)
	require.Equal(t, "mnk:k=2", report.Players[0].TrainedFor)
	require.Empty(t, report.Players[1].TrainedFor)
}
