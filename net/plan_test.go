package net_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/nettest"
)

// backends returns every backend of this CPU.
func backends(t testing.TB) []kernel.Backend {
	t.Helper()
	var all []kernel.Backend
	for _, name := range kernel.Names() {
		backend, err := kernel.Named(name)
		require.NoError(t, err)
		all = append(all, backend)
	}
	return all
}

// randomInput returns n random numbers.
func randomInput(n int, seed uint64) []float32 {
	return nettest.Fill(make([]float32, n), env.NewRand(seed))
}

// requireClose compares two results with a tolerance relative to the largest number.
func requireClose(t require.TestingT, want []float64, got []float32, share float64) {
	largest := 1.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	require.Equal(t, len(want), len(got))
	for i := range want {
		require.InDelta(t, want[i], float64(got[i]), share*largest, "element %d", i)
	}
}

func TestPlanComputesTheDefinition(t *testing.T) {
	for _, backend := range backends(t) {
		t.Run(backend.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				spec := env.Spec{
					Players: rapid.IntRange(2, 4).Draw(t, "players"), Planes: rapid.IntRange(1, 20).Draw(t, "planes"),
					Height: rapid.IntRange(1, 7).Draw(t, "height"), Width: rapid.IntRange(1, 7).Draw(t, "width"),
					PolicyPlanes: rapid.IntRange(1, 40).Draw(t, "policy"),
				}
				c := net.Config{
					Channels: rapid.IntRange(1, 40).Draw(t, "channels"), Blocks: rapid.IntRange(0, 2).Draw(t, "blocks"),
					Pool: rapid.Bool().Draw(t, "pool"), OutcomeChannels: rapid.IntRange(1, 5).Draw(t, "outcome"),
					Hidden: rapid.IntRange(0, 20).Draw(t, "hidden"),
				}
				w := nettest.Weights(spec, c, env.NewRand(1))
				rows := rapid.IntRange(1, 30).Draw(t, "rows")
				plan := net.Compile(backend, w).NewPlan(rapid.IntRange(1, 30).Draw(t, "maxRows"))
				x := randomInput(rows*spec.Inputs(), 2)
				policy, outcome := make([]float32, rows*spec.Actions()), make([]float32, rows*spec.Outcomes())
				plan.Run(rows, x, policy, outcome)
				row := rapid.IntRange(0, rows-1).Draw(t, "row")
				wantPolicy, wantOutcome := nettest.New(w).Run(x[row*spec.Inputs():][:spec.Inputs()])
				requireClose(t, wantPolicy, policy[row*spec.Actions():][:spec.Actions()], 1e-5)
				requireClose(t, wantOutcome, outcome[row*spec.Outcomes():][:spec.Outcomes()], 1e-5)
			})
		})
	}
}

// The result for a row is the same to the bit, in any batch and at any place.
func TestRowsDoNotDependOnTheirBatch(t *testing.T) {
	spec := env.Spec{Players: 2, Planes: 7, Height: 5, Width: 4, PolicyPlanes: 19}
	for _, backend := range backends(t) {
		for _, c := range []net.Config{
			{Channels: 40, Blocks: 2, Pool: true, OutcomeChannels: 3, Hidden: 20},
			{Channels: 64, Blocks: 2, OutcomeChannels: 4},
		} {
			t.Run(fmt.Sprintf("%s pool=%v", backend.Name(), c.Pool), func(t *testing.T) {
				const rows = 67
				m := net.Compile(backend, nettest.Weights(spec, c, env.NewRand(3)))
				x := randomInput(rows*spec.Inputs(), 4)
				policy, outcome := make([]float32, rows*spec.Actions()), make([]float32, rows*spec.Outcomes())
				m.NewPlan(rows).Run(rows, x, policy, outcome)
				for _, size := range []int{1, 2, 5, 12, 13, 31} {
					p, o := make([]float32, len(policy)), make([]float32, len(outcome))
					plan := m.NewPlan(size)
					for at := 0; at < rows; at += size {
						n := min(size, rows-at)
						plan.Run(n, x[at*spec.Inputs():], p[at*spec.Actions():], o[at*spec.Outcomes():])
					}
					require.Equal(t, policy, p, "batches of %d", size)
					require.Equal(t, outcome, o, "batches of %d", size)
				}
			})
		}
	}
}

// Plans of one model can run in parallel.
func TestPlansShareAModel(t *testing.T) {
	const rows = 20
	w := refNet(5)
	m := net.Compile(kernel.Best(), w)
	x := randomInput(rows*w.Spec.Inputs(), 8)
	results := make([][]float32, 4)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			policy, outcome := make([]float32, rows*w.Spec.Actions()), make([]float32, rows*w.Spec.Outcomes())
			m.NewPlan(4+i).Run(rows, x, policy, outcome)
			results[i] = append(policy, outcome...)
		})
	}
	group.Wait()
	for _, r := range results[1:] {
		require.Equal(t, results[0], r)
	}
}

func TestRunDoesNotAllocate(t *testing.T) {
	spec := env.Spec{Players: 2, Planes: 7, Height: 4, Width: 4, PolicyPlanes: 3}
	w := nettest.Weights(spec, net.Config{Channels: 16, Blocks: 1, Pool: true, OutcomeChannels: 2, Hidden: 8}, env.NewRand(5))
	x, policy, outcome := make([]float32, 9*spec.Inputs()), make([]float32, 9*spec.Actions()), make([]float32, 9*spec.Outcomes())
	for _, backend := range backends(t) {
		plan := net.Compile(backend, w).NewPlan(9)
		require.Zero(t, testing.AllocsPerRun(10, func() { plan.Run(9, x, policy, outcome) }), backend.Name())
	}
}

// refNet returns ref5 or ref9, the networks of the published performance figures.
func refNet(board int) *net.Weights {
	spec := env.Spec{Players: 2, Planes: 16, Height: board, Width: board, PolicyPlanes: 42}
	if board == 9 {
		spec.PolicyPlanes = 71
	}
	return nettest.Weights(spec, net.Config{Channels: 64, Blocks: 4, OutcomeChannels: 4}, env.NewRand(6))
}

func BenchmarkRun(b *testing.B) {
	for _, board := range []int{5, 9} {
		w := refNet(board)
		for _, backend := range backends(b) {
			for _, rows := range []int{1, 8, 64, 256} {
				b.Run(fmt.Sprintf("ref%d/%s/batch=%d", board, backend.Name(), rows), func(b *testing.B) {
					plan := net.Compile(backend, w).NewPlan(rows)
					x := randomInput(rows*w.Spec.Inputs(), 7)
					policy, outcome := make([]float32, rows*w.Spec.Actions()), make([]float32, rows*w.Spec.Outcomes())
					b.ReportAllocs()
					for b.Loop() {
						plan.Run(rows, x, policy, outcome)
					}
					b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "evals/s")
				})
			}
		}
	}
}
