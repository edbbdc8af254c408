package machine

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUsed runs in a process of its own, because other tests start goroutines and allocate
// memory.
func TestUsed(t *testing.T) {
	const alone = "TIRO_TEST_ALONE"
	if os.Getenv(alone) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestUsed$", "-test.count=1")
		cmd.Env = append(os.Environ(), alone+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "PASS")
		return
	}
	before := Used()
	require.Positive(t, before.Heap)
	require.Positive(t, before.Goroutines)
	if runtime.GOOS != "linux" {
		require.Zero(t, before.Resident)
		return
	}
	require.Greater(t, before.Resident, before.Heap/2)

	f, err := os.Open(os.DevNull)
	require.NoError(t, err)
	const size = 64 << 20
	memory := make([]byte, size)
	for i := range memory {
		memory[i] = 1
	}
	done := make(chan struct{})
	go func() { <-done }()
	after := Used()
	require.Equal(t, before.Descriptors+1, after.Descriptors)
	require.GreaterOrEqual(t, after.Goroutines, before.Goroutines+1)
	require.Greater(t, after.Resident, before.Resident+size/2)
	require.GreaterOrEqual(t, after.Heap, int64(size))
	runtime.KeepAlive(memory)
	close(done)
	require.NoError(t, f.Close())
}

func TestProcessor(t *testing.T) { require.Regexp(t, `^[[:print:]]+$`, Processor()) }
