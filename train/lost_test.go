package train_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/net/opencl"
	"tiro/net/opencl/cl"
	"tiro/net/opencl/cltest"
	"tiro/train"
)

// TestLostDevice: a run ends with an error when its device fails, and continues with the results
// of a run on a device that never fails.
func TestLostDevice(t *testing.T) {
	real := cltest.Library(t)
	device := func(left *int) *opencl.Backend {
		library := *real
		library.EnqueueNDRangeKernel = func(queue, kernel uintptr, dimensions uint32, offset, global, local *uintptr, waits uint32, waitFor, event *uintptr) int32 {
			if *left--; *left < 0 {
				return -36
			}
			return real.EnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, waitFor, event)
		}
		devices, err := library.Devices()
		require.NoError(t, err)
		b, err := opencl.Open(devices, 0, "")
		require.NoError(t, err)
		t.Cleanup(b.Close)
		return b
	}
	small := func(left *int) train.Options {
		o := options(t.TempDir(), 3)
		o.Config.GamesPerGeneration, o.Config.Duels.Share = 8, 0
		o.Backend = device(left)
		return o
	}
	left := math.MaxInt
	unbroken := small(&left)
	run(t, unbroken)
	used := math.MaxInt - left

	left = used * 2 / 3
	o := small(&left)
	err := train.Run(t.Context(), o)
	require.ErrorIs(t, err, cl.ErrLost)
	require.ErrorContains(t, err, o.Backend.(*opencl.Backend).Device.Name)
	left = math.MaxInt
	run(t, o)
	requireSame(t, contents(t, unbroken.Dir), o.Dir)
}
