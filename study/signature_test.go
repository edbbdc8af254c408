package study

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
	"tiro/net/kernel"
)

var update = flag.Bool("update", false, "rewrite testdata/signatures.txt")

// TestSignatures: play equals the recorded signatures in every build and with every backend
// that this CPU can run. After an intended change of play, run this test with -update on a
// machine that can run all backends, and mention the change in the commit.
func TestSignatures(t *testing.T) {
	const file = "testdata/signatures.txt"
	recorded, err := os.ReadFile(file)
	require.NoError(t, err)
	var lines []string
	for _, name := range []string{"coerceo", "connect4", "mnk"} {
		t.Run(name, func(t *testing.T) {
			game, err := games.New(name)
			require.NoError(t, err)
			signature, err := Signature(t.Context(), game)
			require.NoError(t, err)
			signatures := []string{fmt.Sprintf("%-8s %-7s %016x", name, "play", signature)}
			for _, backendName := range kernel.Names() {
				backend, err := kernel.Named(backendName)
				require.NoError(t, err)
				signature, err := BackendSignature(t.Context(), game, backend)
				require.NoError(t, err)
				signatures = append(signatures, fmt.Sprintf("%-8s %-7s %016x", name, backend.Bits(), signature))
			}
			signatures = slices.Compact(signatures)
			lines = append(lines, signatures...)
			if !*update {
				for _, line := range signatures {
					require.Contains(t, string(recorded), line+"\n")
				}
			}
		})
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666))
	}
}
