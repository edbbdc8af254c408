package networks_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
	"tiro/models/bundled"
	"tiro/networks"
)

func TestOpen(t *testing.T) {
	variant, err := games.New("connect4")
	require.NoError(t, err)
	own, err := networks.OpenFor(variant, networks.Bundled, games.New)
	require.NoError(t, err)
	require.Empty(t, own.Foreign)
	require.Regexp(t, `^bundled model \(generation \d+, \d+ games\)$`, own.String())

	variant, err = games.New("shacru:maxturns=20")
	require.NoError(t, err)
	foreign, err := networks.OpenFor(variant, networks.Bundled, games.New)
	require.NoError(t, err)
	require.Equal(t, "shacru", foreign.Foreign)

	_, err = networks.Open(networks.Bundled, "", games.New)
	require.ErrorIs(t, err, networks.ErrNoGame)
	_, err = networks.OpenFor(variant, networks.Bundled+":connect4", games.New)
	require.ErrorContains(t, err, "cannot play shacru:maxturns=20")
	_, err = networks.Open("runs/mnk-m=9,n=9,k=9", "", games.New)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, `"k=9"`)
	unknown, err := games.New("mnk")
	require.NoError(t, err)
	_, err = networks.OpenFor(unknown, networks.Bundled, games.New)
	require.ErrorIs(t, err, bundled.ErrNone)
	require.ErrorContains(t, err, "tiro train mnk")
}
