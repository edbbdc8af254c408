package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/cluster"
)

// TestClusterFlags: the printed command that resumes a training includes the cluster flags that
// differ from the defaults.
func TestClusterFlags(t *testing.T) {
	o := clusterOptions{lease: cluster.DefaultLease, twice: cluster.DefaultTwice}
	require.Empty(t, o.flags(0))
	o.listen, o.credentials = ":4222", "keys"
	require.Equal(t, []string{"--listen", ":4222", "--credentials", "keys"}, o.flags(3))
	o = clusterOptions{nats: "nats://a:4222", lease: 90 * time.Second, twice: 1}
	require.Equal(t, []string{"--nats", "nats://a:4222", "--lease", "1m30s", "--played-twice", "1", "--workers", "0"}, o.flags(0))
}
