package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
)

// TestKeptFlags: the printed command that resumes a training includes the flags that were given.
func TestKeptFlags(t *testing.T) {
	for _, test := range [][]string{
		{},
		{"--tensorboard", "tb", "--listen", ":4222", "--credentials", "keys"},
		{"--workers", "0", "--nats", "nats://a:4222", "--lease", "1m30s", "--played-twice", "1"},
	} {
		cmd := trainCommand(shippedGames, disk.OS{})
		require.NoError(t, cmd.ParseFlags(test))
		require.Equal(t, test, append([]string{}, flagsToKeep(cmd)...))
	}
}
