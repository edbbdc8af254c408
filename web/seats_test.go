package web

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
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
