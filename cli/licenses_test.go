package cli

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLicensesAreComplete compares licenses.txt with the modules linked into the program.
func TestLicensesAreComplete(t *testing.T) {
	require.Contains(t, licenses, "==== Tiro\n")
	require.Contains(t, licenses, "==== Go, its standard library and runtime\n")
	for _, system := range []string{"linux", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", ".")
		list.Env = append(list.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		require.NoError(t, err)
		for module := range strings.Lines(string(out)) {
			require.True(t, strings.Contains(licenses, "==== "+module), "%s is missing; make licenses", module)
		}
	}
}
