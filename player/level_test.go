package player

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	own, rated, err := FindScale("pacru")
	require.NoError(t, err)
	require.True(t, rated)
	require.Equal(t, "pacru", own.Game)
	variant, rated, err := FindScale("coerceo:price=1")
	require.NoError(t, err)
	require.False(t, rated)
	require.Equal(t, "coerceo", variant.Game)
	other, rated, err := FindScale("breakthrough")
	require.NoError(t, err)
	require.False(t, rated)
	require.NotEmpty(t, other.Levels)
}
