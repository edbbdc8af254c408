package train_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/env"
	"tiro/models"
	"tiro/net/opencl"
	"tiro/net/opencl/cl"
	"tiro/net/opencl/cltest"
	"tiro/recipe"
	"tiro/train"
)

// device returns the test's device.
func device(t *testing.T) *opencl.Backend { return deviceOf(t, cltest.Library(t)) }

func deviceOf(t *testing.T, library *cl.Library) *opencl.Backend {
	devices, err := library.Devices()
	require.NoError(t, err)
	backend, err := opencl.Open(devices, 0, t.TempDir())
	require.NoError(t, err)
	t.Cleanup(backend.Close)
	return backend
}

// TestOnADevice: a run on a device, with learning, leaves the same folder however often it is
// stopped, and with any number of workers.
func TestOnADevice(t *testing.T) {
	backend := device(t)
	finish := func(workers int, length func() int) map[string]string {
		fsys := disktest.New()
		for {
			ctx, cancel := context.WithCancel(context.Background())
			stop := &stopAt{length(), cancel}
			o := options("run", 3)
			o.Disk, o.Events, o.Workers, o.Backend = fsys, on(stop.progress), workers, backend
			o.Config.Learner.EMADecay = 0.9
			err := train.Run(ctx, o)
			cancel()
			if err == nil {
				return filesOf(t, fsys, "run")
			}
			require.ErrorIs(t, err, train.ErrInterrupted)
		}
	}
	want := finish(1, func() int { return math.MaxInt })
	for seed, workers := range []int{2, 5} {
		rng := env.NewRand(uint64(seed))
		got := finish(workers, func() int { return 10 + rng.IntN(80) })
		require.Empty(t, differences(want, got), "%d workers", workers)
	}
}

// TestWarmStartOnADevice: a warm start leaves no memory of the device allocated.
func TestWarmStartOnADevice(t *testing.T) {
	real := cltest.Library(t)
	library, buffers := *real, 0
	library.CreateBuffer = func(context uintptr, flags uint64, size uintptr, host unsafe.Pointer, code *int32) uintptr {
		buffers++
		return real.CreateBuffer(context, flags, size, host, code)
	}
	library.ReleaseMemObject = func(buffer uintptr) int32 {
		buffers--
		return real.ReleaseMemObject(buffer)
	}
	o := options(filepath.Join(t.TempDir(), "run"), 1)
	o.Backend = deviceOf(t, &library)
	require.NoError(t, train.WarmStart(t.Context(), o, train.Beginning{}))
	require.Zero(t, buffers)
}

// TestLearnsOnADevice learns tic-tac-toe from the rules, on the device alone: the search makes
// a tenth of the mistakes. TestTicTacToe learns for longer.
func TestLearnsOnADevice(t *testing.T) {
	c := recipe.Default("")
	require.NoError(t, c.Load("../configs/quick-tictactoe.yaml"))
	c.Replay.SampleReuse = 16
	c.GamesPerGeneration, c.Selfplay.ConcurrentGames, c.Selfplay.Search.Simulations = 100, 100, 32
	game, dir := newGame(t, c.Game), t.TempDir()
	run(t, train.Options{Dir: dir, Game: game, Config: c, Workers: 1, Backend: device(t), Generations: 20})
	store := models.NewStore(disk.OS{}, filepath.Join(dir, "checkpoints"), game.Spec())
	var mistakes []int
	for _, generation := range []int{0, 20} {
		checkpoint, err := store.Load(generation)
		require.NoError(t, err)
		mistakes = append(mistakes, len(blunders(t, game, checkpoint.Weights, 32)))
	}
	t.Logf("%d mistakes before learning and %d after it", mistakes[0], mistakes[1])
	require.Less(t, 10*mistakes[1], mistakes[0])
}
