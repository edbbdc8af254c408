package cluster

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeptNetworks: a worker keeps networks in a quarter of its memory, and first forgets
// the networks of earlier announcements.
func TestKeptNetworks(t *testing.T) {
	f := &fetcher{memory: 1 << 30}
	for i := range 1000 {
		f.begin()
		require.NoError(t, f.keep(fmt.Sprint(i), &network{bytes: 1 << 20}))
		require.LessOrEqual(t, f.bytes(), f.memory/4)
		require.Contains(t, f.kept, fmt.Sprint(i))
	}
	require.Greater(t, len(f.kept), 100)
	require.NoError(t, f.keep("large", &network{bytes: 255 << 20}))
	require.Len(t, f.kept, 2, "both are of this announcement")
	require.ErrorContains(t, f.keep("larger", &network{bytes: 1 << 20}), "--memory")
}

// TestFitting: a worker with little memory plays fewer games at once, and refuses games that
// do not fit.
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
			require.ErrorContains(t, err, "--memory")
		}
	}
}

// TestNoTemporaryFolder: a server starts in a container without a folder for temporary files.
func TestNoTemporaryFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", "/nowhere")
	s, err := newServer(&Options{Listen: "127.0.0.1:0"}, nil)
	require.NoError(t, err)
	require.NoError(t, s.start())
	require.DirExists(t, s.temporary)
	s.stop()
	require.NoDirExists(t, s.temporary)
}
