package rundir_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env"
	"tiro/env/games"
	"tiro/models"
	"tiro/net"
	"tiro/rundir"
	"tiro/selfplay"
)

// folderWith returns a run folder with a configuration, checkpoints and the games of generation
// 1.
func folderWith(t *testing.T, generations ...int) string {
	dir := t.TempDir()
	l, err := rundir.Open(disk.OS{}, dir)
	require.NoError(t, err)
	require.NoError(t, l.WriteBytes(l.Path(rundir.ConfigFile), []byte("game: mnk\n")))
	game, err := games.New("mnk")
	require.NoError(t, err)
	for _, g := range generations {
		w := net.NewWeights(game.Spec(), net.Config{Channels: 4, OutcomeChannels: 1}, env.NewRand(1))
		require.NoError(t, l.Store(game.Spec()).Save(models.Checkpoint{Generation: g, Weights: w, State: []byte("{}")}))
	}
	require.NoError(t, l.WriteEpisodes(selfplay.NewHeader(game.Spec(), 1, 1, ""), nil))
	require.NoError(t, l.Close())
	return dir
}

func TestResolve(t *testing.T) {
	run, empty := folderWith(t, 0, 12), folderWith(t)
	alone := filepath.Join(t.TempDir(), "w.safetensors")
	require.NoError(t, disk.WriteFile(disk.OS{}, alone, func(w io.Writer) error { return nil }))
	copied := filepath.Join(t.TempDir(), "000003")
	require.NoError(t, os.CopyFS(copied, os.DirFS(filepath.Join(run, "checkpoints", "000012"))))
	newest := filepath.Join(run, "checkpoints", "000012")
	games := filepath.Join(run, "episodes", "000001.jsonl.zst")
	tests := []struct {
		path    string
		want    rundir.Place
		network string
	}{
		{run, rundir.Place{Kind: "run", Path: run, Run: run, Generation: 12}, newest},
		{empty, rundir.Place{Kind: "run", Path: empty, Run: empty, Generation: -1}, ""},
		{newest, rundir.Place{Kind: "checkpoint", Path: newest, Run: run, Generation: 12}, newest},
		{filepath.Join(newest, "state.json"), rundir.Place{Kind: "checkpoint", Path: newest, Run: run, Generation: 12}, newest},
		{copied, rundir.Place{Kind: "checkpoint", Path: copied, Generation: 3}, copied},
		{alone, rundir.Place{Kind: "weights", Path: alone, Generation: -1}, alone},
		{games, rundir.Place{Kind: "episodes", Path: games, Generation: -1}, ""},
	}
	for _, test := range tests {
		got, err := rundir.Resolve(disk.OS{}, test.path)
		require.NoError(t, err, test.path)
		require.Equal(t, test.want, got)
		network, err := got.Network()
		require.Equal(t, test.network, network)
		require.Equal(t, test.network == "", err != nil)
	}
	for _, path := range []string{t.TempDir(), filepath.Join(run, "config.yaml"), filepath.Join(run, "checkpoints")} {
		_, err := rundir.Resolve(disk.OS{}, path)
		require.ErrorContains(t, err, "not a run folder, a checkpoint, a weights file or an episode file")
	}
	model := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(model, "weights.safetensors"), nil, 0o600))
	_, err := rundir.Resolve(disk.OS{}, model)
	require.ErrorContains(t, err, ": name the file, "+filepath.Join(model, "weights.safetensors"))
	_, err = rundir.Resolve(disk.OS{}, filepath.Join(run, "bundled"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, _, err = rundir.OpenNetwork(disk.OS{}, empty, nil)
	require.ErrorContains(t, err, empty+" has no checkpoint: tiro train --run "+empty)
}
