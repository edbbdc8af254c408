package train_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk/disktest"
	"tiro/net/opencl"
	"tiro/net/opencl/cl"
	"tiro/net/opencl/cltest"
	"tiro/train"
)

// TestWorkersOnADevice: 1, 2 and 5 workers on a device leave the same run folder.
func TestWorkersOnADevice(t *testing.T) {
	backend, err := opencl.Open([]cl.Device{cltest.Device(t)}, 0, t.TempDir())
	require.NoError(t, err)
	t.Cleanup(backend.Close)
	finish := func(workers int) map[string]string {
		fsys := disktest.New()
		o := options("run", 2)
		o.Disk, o.Backend, o.Workers = fsys, backend, workers
		require.NoError(t, train.Run(t.Context(), o))
		return filesOf(t, fsys, "run")
	}
	want := finish(1)
	for _, workers := range []int{2, 5} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) { require.Empty(t, differences(want, finish(workers))) })
	}
}
