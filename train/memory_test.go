package train

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
	"tiro/net/kernel"
)

// TestShippedConfigsFit: with their own bound, on a machine of 64 cores.
func TestShippedConfigsFit(t *testing.T) {
	files, err := filepath.Glob("../configs/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		c := Default("")
		require.NoError(t, c.Load(file))
		game, err := games.New(c.Game)
		require.NoError(t, err)
		for _, workers := range []int{2, 8, 64} {
			o := Options{Game: game, Config: c, Workers: workers, Kernel: kernel.Best()}
			require.NoError(t, checkMemory(&o), "%s, %d workers", file, workers)
			sum := Bytes(0)
			var parts []string
			for _, n := range needs(&o) {
				sum += n.bytes
				parts = append(parts, n.what+" "+n.bytes.About())
			}
			t.Log(filepath.Base(file), workers, sum.About(), parts)
		}
	}
}
