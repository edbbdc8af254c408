//go:build !wasm

package kernel

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/effort"
)

// testable returns the backends that tests compare.
func testable() []*implementation { return available() }

// TestInWebAssembly runs the kernels' tests, including those for SIMD, as WebAssembly in node.
func TestInWebAssembly(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		effort.NotChecked(t, "WebAssembly: %v", err)
	}
	cmd := exec.Command("go", "test", "-count=1", "-exec", node+" testdata/run.cjs",
		"-run", "TestSIMD|TestMultiplyTile|TestAccumulateTile|TestBatches|TestTileShapesAgree|TestRectifyKeepsNaN|TestTransforms|TestConv|TestSumCells", ".")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
