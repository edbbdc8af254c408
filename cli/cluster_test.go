package cli

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// TestClusterFlags: the printed command that resumes a training includes the cluster flags
// that were given.
func TestClusterFlags(t *testing.T) {
	for _, test := range [][]string{
		{},
		{"--listen", ":4222", "--credentials", "keys"},
		{"--nats", "nats://a:4222", "--lease", "1m30s", "--played-twice", "1", "--workers", "0"},
	} {
		var o clusterOptions
		var cmd cobra.Command
		clusterVar(&cmd, &o)
		workersVar(&cmd, &o.Workers, 0)
		require.NoError(t, cmd.ParseFlags(test))
		require.Equal(t, test, append([]string{}, o.flags(&cmd)...))
	}
}
