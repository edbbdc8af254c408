package graph

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/nettest"
)

// BenchmarkStep measures whole training steps (forward, backward, optimizer) on every backend:
// for the reference networks ref5 and ref9 (16 planes, 64 channels, 4 blocks, no pooling, no
// hidden layer), for the default network on ref5's board, where a few actions are legal, and for
// Coerceo's network without and with the ownership head.
func BenchmarkStep(b *testing.B) {
	reference := net.Config{Channels: 64, Blocks: 4, OutcomeChannels: 4}
	coerceo := net.Config{Channels: 48, Blocks: 4, Pool: true, OutcomeChannels: 8, Hidden: 48}
	ownership := coerceo
	ownership.Ownership = true
	for _, bench := range []struct {
		name                       string
		planes, side, policyPlanes int
		config                     net.Config
		illegal                    int // in each group of this many actions, all but one are illegal
	}{
		{"ref5", 16, 5, 42, reference, 1},
		{"ref9", 16, 9, 71, reference, 1},
		{"default", 16, 5, 42, net.Default(), 25},
		{"coerceo", 38, 5, 22, coerceo, 15},
		{"coerceo-ownership", 38, 5, 22, ownership, 15},
		{"small", 38, 5, 22, net.Config{Channels: 16, Blocks: 1, Pool: true, OutcomeChannels: 4, Hidden: 16}, 15}, // for scripts/instructions.sh
	} {
		for _, name := range kernel.Names() {
			b.Run(bench.name+"/"+name, func(b *testing.B) {
				const rows = 256
				backend, err := kernel.Named(name)
				require.NoError(b, err)
				spec := nettest.Spec(2, [3]int{bench.planes, bench.side, bench.side}, bench.policyPlanes)
				trainer, err := New(nettest.Weights(spec, bench.config, env.NewRand(1)), Default(), Options{Backend: backend, Rows: rows})
				require.NoError(b, err)
				fillBatch(trainer.Batch(), spec, env.NewRand(2))
				for i := range trainer.batch.Policy {
					if i%bench.illegal > 0 {
						trainer.batch.Policy[i] = -1
					}
				}
				b.ReportAllocs()
				for b.Loop() {
					_, err := trainer.Step(1e-5)
					require.NoError(b, err)
				}
				b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "samples/s")
			})
		}
	}
}

// TestStepsLeaveNothingBehind checks that memory and goroutines do not grow with the number of
// steps.
func TestStepsLeaveNothingBehind(t *testing.T) {
	shape := shapes[0]
	trainer := trainerOf(t, nettest.Weights(shape.spec, shape.config, env.NewRand(1)), Default(), 4)
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
