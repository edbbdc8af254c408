package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFirstOf(t *testing.T) {
	settings := []string{"seed=3", "net.channels=16", "net.blocks=1"}
	require.Equal(t, "seed=3 net.channels=16 net.blocks=1", firstOf(settings, 100))
	require.Equal(t, "seed=3 net.channels=16 and 1 more, which config.yaml has", firstOf(settings, 30))
	require.Equal(t, "and 3 more, which config.yaml has", firstOf(settings, 5))
	require.Empty(t, firstOf(nil, 5))
}
