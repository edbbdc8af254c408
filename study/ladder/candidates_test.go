package ladder

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/models"
	"tiro/player"
	"tiro/rundir"
)

// TestCandidatesOfAGrowingRun: checkpoints that retention removes while candidates are made,
// even all of them, are passed over for those that are there now.
func TestCandidatesOfAGrowingRun(t *testing.T) {
	for _, newest := range []bool{false, true} {
		run := filepath.Join(t.TempDir(), "run")
		checkpoint := func(g int) string {
			return filepath.Join(run, rundir.CheckpointsDir, models.FormatGeneration(g))
		}
		for _, g := range []int{1, 2} {
			require.NoError(t, os.MkdirAll(checkpoint(g), 0o777))
		}
		grown := false
		o := Options{Game: theGame(t, "mnk"), Ladder: &Ladder{Game: "mnk", Players: defaultPlayers(), Anchor: defaultAnchor}}
		err := o.Enter(Entrants{Players: []player.Spec{{Kind: player.Net, Network: run}}, Newest: newest, Every: 1, Make: func(s player.Spec) (player.Factory, error) {
			if !grown {
				grown = true
				require.NoError(t, os.Rename(checkpoint(1), checkpoint(3)))
				require.NoError(t, os.Rename(checkpoint(2), checkpoint(4)))
			}
			if _, err := os.Stat(s.Network); err != nil {
				return player.Factory{}, fs.ErrNotExist
			}
			return player.Factory{Spec: s}, nil
		}})
		require.NoError(t, err)
		var names []string
		for _, c := range o.Candidates {
			names = append(names, c.Network)
		}
		if newest {
			require.Equal(t, []string{run}, names)
			continue
		}
		require.Equal(t, []string{checkpoint(3), checkpoint(4)}, names)
	}
}

// TestCandidatesOfADamagedRun: a run whose origins cannot be read is not rated as a single network.
func TestCandidatesOfADamagedRun(t *testing.T) {
	run := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(run, rundir.CheckpointsDir, models.FormatGeneration(1)), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(run, rundir.OriginFile), []byte("{"), 0o666))
	o := Options{Game: theGame(t, "mnk"), Ladder: &Ladder{Game: "mnk", Players: defaultPlayers(), Anchor: defaultAnchor}}
	err := o.Enter(Entrants{Players: []player.Spec{{Kind: player.Net, Network: run}}, Every: 1, Make: func(s player.Spec) (player.Factory, error) {
		return player.Factory{Spec: s}, nil
	}})
	require.ErrorContains(t, err, rundir.OriginFile)
}
