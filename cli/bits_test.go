package cli

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBuildsFor64Bits: a build for 32 bits says why there is none.
func TestBuildsFor64Bits(t *testing.T) {
	cmd := exec.Command("go", "vet", "tiro/env")
	cmd.Env = append(os.Environ(), "GOARCH=386", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "tiroNeedsA64BitSystem")
}
