package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBuildsFor64Bits: a build for 32 bits fails at a file that explains the reason.
func TestBuildsFor64Bits(t *testing.T) {
	for arch, has := range map[string]bool{"386": true, "arm": true, "arm64": false} {
		cmd := exec.Command("go", "list", "-f", `{{.GoFiles}}`, "tiro/env")
		cmd.Env = append(os.Environ(), "GOARCH="+arch, "CGO_ENABLED=0")
		out, err := cmd.Output()
		require.NoError(t, err)
		require.Equal(t, has, strings.Contains(string(out), "bits32.go"), "%s: %s", arch, out)
	}
}
