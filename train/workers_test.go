package train_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk/disktest"
	"tiro/env"
	"tiro/train"
)

// stopAt cancels a run after a number of games and steps.
type stopAt struct {
	left   int
	cancel context.CancelFunc
}

func (s *stopAt) progress(a train.Advanced) {
	if s.left -= a.Steps; s.left < 0 {
		s.cancel()
	}
}

// TestWorkers: 1, 2 and 8 workers leave the same run folder, even if their number changes during
// the run.
func TestWorkers(t *testing.T) {
	finish := func(t *testing.T, part func() (workers, length int)) map[string]string {
		fsys := disktest.New()
		for {
			ctx, cancel := context.WithCancel(context.Background())
			stop := &stopAt{cancel: cancel}
			o := options("run", 3)
			o.Disk, o.Events = fsys, on(stop.progress)
			o.Workers, stop.left = part()
			err := train.Run(ctx, o)
			cancel()
			if err == nil {
				return filesOf(t, fsys, "run")
			}
			require.ErrorIs(t, err, train.ErrInterrupted)
		}
	}
	unstopped := func(workers int) func() (int, int) {
		return func() (int, int) { return workers, math.MaxInt }
	}
	want := finish(t, unstopped(1))
	require.Len(t, want, 3+4*3+3, "configuration, lock, metrics; 3 checkpoints; 3 generations of games")
	for _, workers := range []int{2, 8} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			require.Empty(t, differences(want, finish(t, unstopped(workers))))
		})
	}
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("in turns ", seed), func(t *testing.T) {
			rng := env.NewRand(seed)
			v := finish(t, func() (int, int) { return []int{1, 2, 8}[rng.IntN(3)], 10 + rng.IntN(80) })
			require.Empty(t, differences(want, v))
		})
	}
}
