package cluster

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeptNetworks: a worker keeps some networks, of bounded memory, those that were used
// last, and the one that it plays with in any case.
func TestKeptNetworks(t *testing.T) {
	f := &fetcher{memory: 1 << 30}
	for i := range 1000 {
		f.keep(fetched{sum: fmt.Sprint(i), bytes: modelOverhead})
		require.LessOrEqual(t, len(f.kept), maxKept)
		require.Equal(t, fmt.Sprint(i), f.kept[0].sum)
	}
	require.Len(t, f.kept, maxKept)
	for i := range 10 {
		f.keep(fetched{sum: fmt.Sprint(i), bytes: 100 << 20})
	}
	require.LessOrEqual(t, f.bytes(), f.memory/4)
	f.keep(fetched{sum: "huge", bytes: 1 << 30})
	require.Len(t, f.kept, 1)
}

// TestFitting: a worker with little memory plays fewer games at once, and refuses what does
// not fit.
func TestFitting(t *testing.T) {
	const mega = 1 << 20
	for _, test := range []struct {
		memory              int64
		goroutines, atOnce  int
		perGoroutine, games int64
	}{
		{1 << 40, 4, 64, 20 * mega, mega},
		{programBytes + 4*30*mega, 4, 10, 20 * mega, mega},
		{programBytes + 4*21*mega, 4, 1, 20 * mega, mega},
		{programBytes + 4*21*mega - 4, 4, 0, 20 * mega, mega},
		{1 << 40, 4096, 0, 64 << 30, mega},
	} {
		atOnce, err := fitting(test.memory, test.goroutines, 64, test.perGoroutine, test.games, 0)
		require.Equal(t, test.atOnce, atOnce)
		require.Equal(t, test.atOnce == 0, err != nil)
		if err != nil {
			require.ErrorIs(t, err, errRefused)
		}
	}
}

// TestNoTemporaryFolder: a container without a folder for temporary files serves all the same.
func TestNoTemporaryFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", "/nowhere")
	dir, err := temporaryFolder()
	require.NoError(t, err)
	require.DirExists(t, dir)
	require.NoError(t, os.Remove(dir))
}
