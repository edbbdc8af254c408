package net

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net/kernel"
)

// heapOf returns the size on the heap of f's result in bytes. It is the median of five
// measurements, because the runtime and earlier tests use the heap too.
func heapOf[T any](f func() T) int64 {
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	takes := make([]int64, 5)
	for i := range takes {
		before := heap()
		made := f()
		takes[i] = heap() - before
		runtime.KeepAlive(made)
	}
	slices.Sort(takes)
	return takes[len(takes)/2]
}

// TestBytesAreHonest compares the estimates with the heap for a small board, a wide policy and a
// large network.
func TestBytesAreHonest(t *testing.T) {
	tests := []struct {
		name   string
		spec   env.Spec
		config Config
	}{
		{"small board", env.Spec{Players: 2, Planes: 4, Height: 6, Width: 7, PolicyPlanes: 1}, Config{Channels: 48, Blocks: 4, Pool: true, OutcomeChannels: 8, Hidden: 48}},
		{"many actions", env.Spec{Players: 4, Planes: 60, Height: 9, Width: 9, PolicyPlanes: 193}, Config{Channels: 32, Blocks: 4, Pool: true, OutcomeChannels: 8, Hidden: 32}},
		{"large", env.Spec{Players: 2, Planes: 10, Height: 19, Width: 19, PolicyPlanes: 1}, Config{Channels: 128, Blocks: 6, OutcomeChannels: 4}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := NewWeights(test.spec, test.config, env.NewRand(1))
			require.Equal(t, w.Parameters(), test.config.Parameters(test.spec))
			m := Compile(kernel.Best(), w)
			took := heapOf(func() *Model { return Compile(kernel.Best(), w) })
			runtime.KeepAlive(w)
			require.InEpsilon(t, took, test.config.ModelBytes(test.spec), 0.35)

			const rows = 256
			took = heapOf(func() *Evaluator {
				e := &Evaluator{
					plan: m.NewPlan(rows), x: make([]float32, rows*test.spec.Inputs()),
					policy: make([]float32, rows*test.spec.Actions()), outcome: make([]float32, rows*test.spec.Outcomes()),
				}
				e.plan.Run(24, e.x, e.policy, e.outcome)
				return e
			})
			require.InEpsilon(t, took, test.config.EvaluatorBytes(test.spec, rows), 0.35)
		})
	}
}
