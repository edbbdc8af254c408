package graph

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net"
	"tiro/net/nettest"
)

// TestBytesAreHonest compares the estimate with the heap of a trainer after a step.
func TestBytesAreHonest(t *testing.T) {
	tests := []struct {
		name   string
		spec   env.Spec
		config net.Config
		batch  int
	}{
		{"small board", nettest.Spec(2, [3]int{4, 6, 7}, 1), net.Config{Channels: 48, Blocks: 4, Pool: true, OutcomeChannels: 8, Hidden: 48}, 256},
		{"many actions", nettest.Spec(4, [3]int{60, 9, 9}, 193), net.Config{Channels: 32, Blocks: 4, Pool: true, OutcomeChannels: 8, Hidden: 32}, 128},
		{"large", nettest.Spec(2, [3]int{10, 13, 13}, 1), net.Config{Channels: 128, Blocks: 3, OutcomeChannels: 4}, 32},
		{"for learning alone", nettest.Spec(2, [3]int{4, 8, 8}, 4), net.Config{Channels: 32, Blocks: 2, OutcomeChannels: 4, Ownership: true}, 64},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := Default()
			w := net.NewWeights(test.spec, test.config, env.NewRand(1))
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			trainer := trainerOf(t, w, c, test.batch)
			fillBatch(trainer.Batch(), test.spec, env.NewRand(1))
			_, err := trainer.Step(1e-3)
			require.NoError(t, err)
			runtime.GC()
			runtime.ReadMemStats(&after)
			runtime.KeepAlive(trainer)
			took := int64(after.HeapAlloc) - int64(before.HeapAlloc)
			require.InEpsilon(t, took, Bytes(test.spec, test.config, Options{Rows: test.batch}), 0.2)
		})
	}
}
