package web

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/player"
	"tiro/web/host"
)

// TestOffered: a server offers the game of each network, with its options, first and once.
func TestOffered(t *testing.T) {
	s := Seats{Games: games.All()}
	usual, err := s.Offered()
	require.NoError(t, err)
	for _, name := range []string{"go:size=7", "go:size=7", "go", "mnk:m=15,n=15,k=5"} {
		game, err := games.New(name)
		require.NoError(t, err)
		s.networks = append(s.networks, host.Network{Spec: game.Spec()})
	}
	all, err := s.Offered()
	require.NoError(t, err)
	require.Equal(t, []string{"go:size=7", "go", "mnk:m=15,n=15,k=5"}, all[:3])
	require.ElementsMatch(t, append(usual, "go:size=7"), all)
}

// TestNewestNetwork: a player gets the newest network of its run, and keeps the last one if a newer
// one cannot be opened.
func TestNewestNetwork(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	opened := 0
	var fault error
	open := Players(func(_ env.Game, name string) (player.Factory, error) {
		opened++
		return player.Custom(newest(name), nil), fault
	})
	game, err := games.New("mnk")
	require.NoError(t, err)
	requireOpen := func(want string, times int) {
		for _, name := range []string{"net:" + run + ",sims=8", "mcts:20"} {
			f, err := open(game, name)
			require.NoError(t, err)
			if name != "mcts:20" {
				require.Equal(t, filepath.Join(run, "checkpoints", want), f.Alias)
			}
		}
		require.Equal(t, times, opened)
	}
	for i, name := range []string{"000001", "000002"} {
		require.NoError(t, os.MkdirAll(filepath.Join(run, "checkpoints", name), 0o777))
		requireOpen(name, 2+i)
		requireOpen(name, 2+i)
	}
	require.NoError(t, os.Mkdir(filepath.Join(run, "checkpoints", "000003"), 0o777))
	fault = errors.New("unreadable")
	requireOpen("000002", 4)
	require.NoError(t, os.RemoveAll(run))
	requireOpen("000002", 5)
}
