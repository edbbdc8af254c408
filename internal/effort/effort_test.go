package effort

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMissing: without the programs that tests need, make test lists them, and gives go test
// another environment, so that it runs the skipped tests again once they are installed.
func TestMissing(t *testing.T) {
	path, err := exec.LookPath("make")
	if err != nil {
		NotChecked(t, "the list of missing programs: %v", err)
	}
	makefile, err := os.Open("../../Makefile")
	require.NoError(t, err)
	defer makefile.Close()
	command := exec.Command(path, "-C", "../..", "-n", "-f", "-", "test")
	command.Stdin = makefile
	command.Env = []string{"PATH=/nowhere"}
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `NOT CHECKED: tests that need python3 .*chromium.* OpenCL; \.ci/run installs them`, string(out))
	require.Regexp(t, `TIRO_MISSING='python3 .*chromium.* OpenCL' go test`, string(out))
}
