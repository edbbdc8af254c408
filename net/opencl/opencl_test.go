package opencl_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/nettest"
	"tiro/net/opencl"
	"tiro/net/opencl/cl"
	"tiro/net/opencl/cltest"
)

// open opens the test's device. With tiled, it gets the kernels for graphics cards.
func open(t testing.TB, library *cl.Library, tiled bool) *opencl.Backend {
	devices, err := library.Devices()
	require.NoError(t, err)
	if tiled {
		devices[0].Kind = cl.GPU
	}
	backend, err := opencl.Open(devices, 0, "")
	require.NoError(t, err)
	t.Cleanup(backend.Close)
	return backend
}

// forEachKind runs f with the kernels for CPUs and for graphics cards.
func forEachKind(t *testing.T, f func(t *testing.T, b *opencl.Backend)) {
	library := cltest.Library(t)
	for _, tiled := range []bool{false, true} {
		t.Run(fmt.Sprintf("tiled=%v", tiled), func(t *testing.T) { f(t, open(t, library, tiled)) })
	}
}

// requireClose compares results with a tolerance relative to the largest number.
func requireClose(t *testing.T, want []float64, got []float32, share float64) {
	largest := 1.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	require.Len(t, got, len(want))
	for i := range want {
		require.InDelta(t, want[i], float64(got[i]), share*largest, "element %d", i)
	}
}

// TestNetwork compares networks with double precision on boards of all tilings, and rows of a
// batch with the same rows alone.
func TestNetwork(t *testing.T) {
	const rows = 150 // several blocks of products
	forEachKind(t, func(t *testing.T, b *opencl.Backend) {
		for _, test := range []struct {
			players int
			x       [3]int // planes, height, width
			policy  int
			config  net.Config
		}{
			{2, [3]int{5, 3, 3}, 1, net.Config{Channels: 16, Blocks: 1, OutcomeChannels: 2}},
			{2, [3]int{18, 5, 5}, 42, net.Config{Channels: 20, Blocks: 2, Pool: true, OutcomeChannels: 4, Hidden: 24}},
			{3, [3]int{3, 6, 7}, 3, net.Config{Channels: 70, Blocks: 1, Pool: true, OutcomeChannels: 3, Hidden: 5}},
			{4, [3]int{7, 1, 11}, 100, net.Config{Channels: 8, Blocks: 0, OutcomeChannels: 1}},
		} {
			spec := nettest.Spec(test.players, test.x, test.policy)
			w := nettest.Weights(spec, test.config, env.NewRand(1))
			n := b.Load(w)
			x := nettest.Fill(make([]float32, rows*spec.Inputs()), env.NewRand(2))
			policy, outcome := make([]float32, rows*spec.Actions()), make([]float32, rows*spec.Outcomes())
			require.NoError(t, n.Run(rows, x, policy, outcome))
			one, oneOutcome := make([]float32, spec.Actions()), make([]float32, spec.Outcomes())
			for _, row := range []int{0, 7, rows - 1} {
				at := x[row*spec.Inputs():][:spec.Inputs()]
				wantPolicy, wantOutcome := nettest.New(w).Run(at)
				requireClose(t, wantPolicy, policy[row*spec.Actions():][:spec.Actions()], 1e-5)
				requireClose(t, wantOutcome, outcome[row*spec.Outcomes():][:spec.Outcomes()], 1e-5)
				require.NoError(t, n.Run(1, at, one, oneOutcome))
				require.Equal(t, one, policy[row*spec.Actions():][:spec.Actions()])
				require.Equal(t, oneOutcome, outcome[row*spec.Outcomes():][:spec.Outcomes()])
			}
		}
	})
}

// leavesOf returns positions of a random game.
func leavesOf(game env.Game, n int) []*mcts.Leaf {
	var leaves []*mcts.Leaf
	s, rng := game.New(), env.NewRand(3)
	for range n {
		legal := s.Legal(nil)
		if len(legal) == 0 {
			s = game.New()
			continue
		}
		leaves = append(leaves, &mcts.Leaf{State: env.After(game, s), Legal: legal, Prior: make([]float32, len(legal))})
		s.Play(legal[rng.IntN(len(legal))])
	}
	return leaves
}

// TestEvaluator compares the evaluators of device and CPU on positions of all games. The batches
// of the device, of 1, 4 or all positions, do not affect the results.
func TestEvaluator(t *testing.T) {
	forEachKind(t, func(t *testing.T, b *opencl.Backend) {
		for _, name := range []string{"tictactoe", "connect4", "othello", "go:size=9", "coerceo", "shacru:players=4", "pacru", "azacru:players=3"} {
			game, err := games.New(name)
			require.NoError(t, err)
			w := nettest.Weights(game.Spec(), net.Config{Channels: 16, Blocks: 1, Pool: true, OutcomeChannels: 2, Hidden: 8}, env.NewRand(1))
			want := leavesOf(game, 9)
			require.NoError(t, net.Compile(kernel.Best(), w).NewEvaluator(game, 4, 1).Evaluate(t.Context(), want))
			n := b.Compile(w)
			require.Equal(t, w.Config, n.Config())
			require.Equal(t, game.Spec().Name, n.Spec().Name)
			first := leavesOf(game, 9)
			for i, rows := range []int{64, 4, 1} {
				got := leavesOf(game, 9)
				require.NoError(t, n.NewEvaluator(game, rows, 1).Evaluate(t.Context(), got))
				for l, leaf := range got {
					require.InDeltaSlice(t, want[l].Prior, leaf.Prior, 1e-5, "%s position %d", name, l)
					require.InDeltaSlice(t, want[l].Value[:], leaf.Value[:], 1e-5, "%s position %d", name, l)
					if i > 0 {
						require.Equal(t, first[l].Prior, leaf.Prior, "batches of %d", rows)
						require.Equal(t, first[l].Value, leaf.Value, "batches of %d", rows)
					}
				}
				if i == 0 {
					first = got
				}
			}
		}
	})
}

// TestSharedBatches: evaluators on many goroutines share batches, which do not affect the results,
// even if the memory suffices for few positions.
func TestSharedBatches(t *testing.T) {
	real := cltest.Library(t)
	library, refused := *real, 0
	library.CreateBuffer = func(context uintptr, flags uint64, size uintptr, host unsafe.Pointer, code *int32) uintptr {
		if size > 200<<10 {
			refused++
			*code = -4
			return 0
		}
		return real.CreateBuffer(context, flags, size, host, code)
	}
	game, w := ticTacToe(t)
	want := leavesOf(game, 150)
	require.NoError(t, open(t, real, true).Compile(w).NewEvaluator(game, 150, 1).Evaluate(t.Context(), want))
	n := open(t, &library, true).Compile(w)
	errs := make(chan error)
	for i := range 6 {
		evaluator, leaves := n.NewEvaluator(game, 20*i+50, 1), leavesOf(game, 150)
		go func() {
			for range 4 {
				if err := evaluator.Evaluate(t.Context(), leaves); err != nil {
					errs <- err
					return
				}
			}
			for k, leaf := range leaves {
				if !slices.Equal(want[k].Prior, leaf.Prior) || want[k].Value != leaf.Value {
					errs <- fmt.Errorf("position %d: %v, %v", k, leaf.Prior, leaf.Value)
					return
				}
			}
			errs <- nil
		}()
	}
	for range 6 {
		require.NoError(t, <-errs)
	}
	require.Equal(t, 1, refused, "batches were halved once")
}

// ticTacToe returns a game and weights for it.
func ticTacToe(t *testing.T) (env.Game, *net.Weights) {
	game, err := games.New("tictactoe")
	require.NoError(t, err)
	return game, nettest.Weights(game.Spec(), net.Config{Channels: 16, Blocks: 1, OutcomeChannels: 2}, env.NewRand(1))
}

// TestFailures: a library that fails leads to errors with a cause, and evaluators never crash.
func TestFailures(t *testing.T) {
	real := cltest.Library(t)
	game, w := ticTacToe(t)
	evaluate := func(b *opencl.Backend) error {
		return b.Compile(w).NewEvaluator(game, 64, 1).Evaluate(context.Background(), leavesOf(game, 9))
	}

	t.Run("no such device", func(t *testing.T) {
		devices, err := real.Devices()
		require.NoError(t, err)
		_, err = opencl.Open(devices, len(devices), "")
		require.ErrorContains(t, err, fmt.Sprint(len(devices)))
	})
	t.Run("some memory", func(t *testing.T) {
		library, refused := *real, 0
		library.CreateBuffer = func(context uintptr, flags uint64, size uintptr, host unsafe.Pointer, code *int32) uintptr {
			if size > 4*25*128*16 { // the points of the test's 17 positions fit, but not the points of 200
				refused++
				*code = -4
				return 0
			}
			return real.CreateBuffer(context, flags, size, host, code)
		}
		n := open(t, &library, false).Load(w)
		const rows = 200
		x := nettest.Fill(make([]float32, rows*game.Spec().Inputs()), env.NewRand(2))
		policy, outcome := make([]float32, rows*game.Spec().Actions()), make([]float32, rows*game.Spec().Outcomes())
		require.NoError(t, n.Run(rows, x, policy, outcome))
		require.Equal(t, 1, refused, "the halved batch stays")
		require.NotZero(t, policy[len(policy)-1])
	})
	t.Run("no memory", func(t *testing.T) {
		library := *real
		library.CreateBuffer = func(_ uintptr, _ uint64, _ uintptr, _ unsafe.Pointer, code *int32) uintptr {
			*code = -4
			return 0
		}
		require.ErrorIs(t, evaluate(open(t, &library, false)), cl.ErrMemory)
	})
	t.Run("lost", func(t *testing.T) {
		library, left := *real, 40
		library.EnqueueNDRangeKernel = func(queue, kernel uintptr, dimensions uint32, offset, global, local *uintptr, waits uint32, waitFor, event *uintptr) int32 {
			if left--; left < 0 {
				return -36
			}
			return real.EnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, waitFor, event)
		}
		b := open(t, &library, false)
		evaluator := b.Compile(w).NewEvaluator(game, 1, 1)
		err := evaluator.Evaluate(t.Context(), leavesOf(game, 9))
		require.ErrorIs(t, err, cl.ErrLost)
		require.ErrorContains(t, err, b.Device.Name)
		require.ErrorIs(t, evaluator.Evaluate(t.Context(), leavesOf(game, 9)), cl.ErrLost, "again")
	})
	t.Run("nonsense", func(t *testing.T) {
		library := *real
		library.EnqueueReadBuffer = func(queue, buffer uintptr, blocking uint32, offset, size uintptr, to unsafe.Pointer, waits uint32, waitFor, event *uintptr) int32 {
			code := real.EnqueueReadBuffer(queue, buffer, 1, offset, size, to, waits, waitFor, event)
			for i := range int(size / 4) {
				unsafe.Slice((*float32)(to), size/4)[i] += 0.5
			}
			return code
		}
		require.ErrorIs(t, evaluate(open(t, &library, false)), opencl.ErrWrong)
	})
	t.Run("broken weights", func(t *testing.T) {
		b := open(t, real, false)
		broken := w.Clone()
		broken.Flat()[0] = float32(math.NaN())
		err := b.Compile(broken).NewEvaluator(game, 64, 1).Evaluate(t.Context(), leavesOf(game, 9))
		require.ErrorContains(t, err, "not finite")
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := open(t, real, false).Compile(w).NewEvaluator(game, 64, 1).Evaluate(ctx, leavesOf(game, 9))
		require.ErrorIs(t, err, context.Canceled)
	})
}

// BenchmarkEvaluator measures a device as tiro bench does.
func BenchmarkEvaluator(b *testing.B) {
	game, err := games.New("coerceo")
	require.NoError(b, err)
	w := net.NewWeights(game.Spec(), net.Config{Channels: 64, Blocks: 2, Pool: true, OutcomeChannels: 8, Hidden: 48}, env.NewRand(1))
	leaves := leavesOf(game, 512)
	for _, backend := range []net.Backend{open(b, cltest.Library(b), false), kernel.Best()} {
		b.Run(backend.Name(), func(b *testing.B) {
			evaluator := net.CompileFor(backend, w).NewEvaluator(game, len(leaves), 1)
			for b.Loop() {
				require.NoError(b, evaluator.Evaluate(b.Context(), leaves))
			}
			b.ReportMetric(float64(b.N*len(leaves))/b.Elapsed().Seconds(), "evals/s")
		})
	}
}
