package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env"
	"tiro/internal/effort"
	"tiro/net"
)

// command runs a command line and returns its standard output.
func command(t *testing.T, in string, args ...string) string {
	t.Helper()
	var out, complaints bytes.Buffer
	require.Zero(t, run(t.Context(), shippedGames, disk.OS{}, args, strings.NewReader(in), &out, &complaints), "%s", &complaints)
	return out.String()
}

// seenAt returns the output of tiro moves --planes for a position.
func seenAt(t *testing.T, game, position string, flags ...string) (s net.Sight) {
	t.Helper()
	args := append([]string{"moves", game, "--planes"}, flags...)
	require.NoError(t, json.Unmarshal([]byte(command(t, position+"\n", args...)), &s))
	return s
}

func TestPlanesAreTheObservation(t *testing.T) {
	for _, name := range []string{"coerceo", "pacru:players=3", "connect4", "gomoku"} {
		t.Run(name, func(t *testing.T) {
			game, err := shippedGames.newGame(name)
			require.NoError(t, err)
			spec, s := game.Spec(), game.New()
			s.Play(s.Legal(nil)[0])
			seen := seenAt(t, name, s.String())
			require.Equal(t, s.String(), seen.Position)
			require.Equal(t, s.Turn(), seen.Turn)
			var x []float32
			require.Len(t, seen.Planes, spec.Planes)
			for _, plane := range seen.Planes {
				require.Len(t, plane, spec.Height)
				for _, row := range plane {
					require.Len(t, row, spec.Width)
					x = append(x, row...)
				}
			}
			read := game.New() // a position string omits clocks
			require.NoError(t, read.(env.Positioner).SetPosition(s.String()))
			want := make([]float32, spec.Inputs())
			read.Observe(want)
			require.Equal(t, want, x)
			for i, a := range read.Legal(nil) {
				require.Equal(t, net.SeenAction{Move: read.ActionString(a), Action: a}, seen.Actions[i])
			}
			require.Nil(t, seen.Answer)
		})
	}
}

func TestPlanesOfAGameThatIsOver(t *testing.T) {
	seen := seenAt(t, "tictactoe", "xxx/oo./...")
	require.Equal(t, net.Sight{Position: "xxx/oo./...", Result: "1-0", Turn: 1, Planes: [][][]float32{}, Actions: []net.SeenAction{}}, seen)
}

func TestAnswersOfANetwork(t *testing.T) {
	seen := seenAt(t, "connect4", "......./......./......./...o.../..ox.../.xxxo..", "--model", "bundled")
	sum, best := float32(0), seen.Actions[0]
	for _, a := range seen.Actions {
		sum += a.Prior
		if a.Prior > best.Prior {
			best = a
		}
	}
	require.InDelta(t, 1, sum, 1e-5)
	require.Equal(t, "1", best.Move, "the only move that does not lose immediately")
	require.InDelta(t, 1, seen.Outcome[0]+seen.Outcome[1]+seen.Outcome[2], 1e-5)
	require.InDelta(t, seen.Outcome[0]-seen.Outcome[1], seen.Value[1], 1e-5, "o is on turn")
	require.Equal(t, -seen.Value[0], seen.Value[1])
}

// TestAnswersAreThoseOfTheExport runs the exported network in ONNX Runtime on the planes that
// tiro moves prints.
func TestAnswersAreThoseOfTheExport(t *testing.T) {
	if testing.Short() {
		t.Skip("ONNX Runtime takes some seconds")
	}
	folder := filepath.Join("..", ".cache", "onnxruntime")
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "onnxruntime-node")); err != nil {
		effort.NotChecked(t, "ONNX Runtime: %v; scripts/onnxruntime.sh installs it", err)
	}
	model := filepath.Join(t.TempDir(), "coerceo.onnx")
	command(t, "", "export", "bundled:coerceo", "--onnx", model)
	game, err := shippedGames.newGame("coerceo")
	require.NoError(t, err)
	s := game.New()
	s.Play(s.Legal(nil)[7]) // Black sees the board rotated
	seen := seenAt(t, "coerceo", s.String(), "--model", "bundled")
	type input struct {
		Shape []int     `json:"shape"`
		X     []float32 `json:"x"`
	}
	var x []float32
	for _, plane := range seen.Planes {
		for _, row := range plane {
			x = append(x, row...)
		}
	}
	request, err := json.Marshal(map[string]any{"model": model, "runs": []input{{[]int{1, len(seen.Planes), 5, 5}, x}}})
	require.NoError(t, err)
	node := exec.Command("node", filepath.Join("..", "net", "onnx", "testdata", "run.mjs"), folder)
	node.Stdin = bytes.NewReader(request)
	output, err := node.Output()
	require.NoError(t, err)
	var answers []struct{ Policy, Outcome []float32 }
	require.NoError(t, json.Unmarshal(output, &answers))
	for _, a := range seen.Actions {
		require.InDelta(t, answers[0].Policy[a.Action], a.Logit, 1e-3, a.Move)
	}
	require.InDeltaSlice(t, answers[0].Outcome, seen.Logits, 1e-3)
}
