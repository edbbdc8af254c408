package cli

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
)

// TestTooManyGamesForWorkers: a match with more games than workers accept is refused at once,
// with an error that names the flag.
func TestTooManyGamesForWorkers(t *testing.T) {
	cmd := newRoot(shippedGames, disk.OS{})
	cmd.SetArgs([]string{"match", "connect4", "--a", "random", "--b", "random", "--games", "1048578", "--listen", "127.0.0.1:0"})
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	require.ErrorContains(t, cmd.Execute(), "--games must be at most 1048576")
}
