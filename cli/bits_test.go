package cli

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBuildsFor64Bits: a build for 32 bits has a file that explains why it fails.
func TestBuildsFor64Bits(t *testing.T) {
	for arch, want := range map[string]string{"386": "bits32.go", "arm64": ""} {
		cmd := exec.Command("go", "list", "-f", `{{range .GoFiles}}{{if eq . "bits32.go"}}{{.}}{{end}}{{end}}`, "tiro/env")
		cmd.Env = append(os.Environ(), "GOARCH="+arch, "CGO_ENABLED=0")
		out, err := cmd.Output()
		require.NoError(t, err)
		require.Equal(t, want+"\n", string(out), arch)
	}
}
