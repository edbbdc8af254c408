package study

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env"
	"tiro/env/games"
	"tiro/rundir"
	"tiro/train"
)

// TestReadersFollowARun: a checkpoint that retention removes between listing and reading is
// not missed: the newest one is read in its place.
func TestReadersFollowARun(t *testing.T) {
	for name, read := range map[string]func(path string, find env.Lookup) (generation int, err error){
		"origin": func(path string, find env.Lookup) (int, error) {
			o, err := OpenOrigin(path, find)
			require.NoError(t, err)
			return o.Generation, err
		},
		"run": func(path string, find env.Lookup) (int, error) {
			r, err := Open(path, find)
			require.NoError(t, err)
			return r.Generation, err
		},
		"window": func(path string, find env.Lookup) (int, error) {
			w, err := OpenWindow(path, find)
			require.NoError(t, err)
			return w.Generation, err
		},
		"network": func(path string, find env.Lookup) (int, error) {
			_, info, err := rundir.OpenNetwork(disk.OS{}, path, find)
			return info.Generation, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := trained(t)
			going := false
			generation, err := read(run.Dir, func(name string) (env.Game, error) {
				if !going {
					going = true
					run.Generations = 4
					run.Config.Checkpoints.Last = 1
					require.NoError(t, train.Run(t.Context(), run))
					require.NoDirExists(t, filepath.Join(run.Dir, rundir.CheckpointsDir, "000002"))
				}
				return games.New(name)
			})
			require.NoError(t, err)
			require.Equal(t, 4, generation)
		})
	}
}
