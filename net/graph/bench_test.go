package graph

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net"
	"tiro/net/nettest"
)

// BenchmarkStep measures whole training steps (forward, backward, solver) of
// the reference nets ref5 and ref9: 16 planes, 64 channels, 4 blocks, no
// pooling, no hidden layer.
func BenchmarkStep(b *testing.B) {
	for _, ref := range []struct{ side, policyPlanes int }{{5, 42}, {9, 71}} {
		b.Run(fmt.Sprintf("ref%d", ref.side), func(b *testing.B) {
			const rows = 256
			spec := nettest.Spec(2, [3]int{16, ref.side, ref.side}, ref.policyPlanes)
			w := nettest.Weights(spec, net.Config{Channels: 64, Blocks: 4, OutcomeChannels: 4}, env.NewRand(1))
			trainer := newTrainer(b, w, Default(), rows)
			fillBatch(trainer.Batch(), spec, env.NewRand(2))
			b.ReportAllocs()
			for b.Loop() {
				_, err := trainer.Step(1e-5)
				require.NoError(b, err)
			}
			b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "samples/s")
		})
	}
}

// TestStepsLeaveNothingBehind holds the line against memory and goroutines that
// grow with the number of steps.
func TestStepsLeaveNothingBehind(t *testing.T) {
	shape := shapes[0]
	trainer := newTrainer(t, nettest.Weights(shape.spec, shape.config, env.NewRand(1)), Default(), 4)
	fillBatch(trainer.Batch(), shape.spec, env.NewRand(2))
	settled := func(steps int) (heap uint64, goroutines int) {
		for range steps {
			_, err := trainer.Step(1e-3)
			require.NoError(t, err)
		}
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc, runtime.NumGoroutine()
	}
	heap, goroutines := settled(20)
	heapAfter, goroutinesAfter := settled(200)
	require.Less(t, heapAfter, heap+64<<10)
	require.LessOrEqual(t, goroutinesAfter, goroutines)
}
