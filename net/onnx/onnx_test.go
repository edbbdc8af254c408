package onnx_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/internal/effort"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/nettest"
	"tiro/net/onnx"
)

// runtimeFolder returns the folder in which scripts/onnxruntime.sh installs ONNX Runtime. Without
// it the test is skipped, or fails if CI=true.
func runtimeFolder(t *testing.T) string {
	folder := filepath.Join("..", "..", ".cache", "onnxruntime")
	_, err := os.Stat(filepath.Join(folder, "node_modules", "onnxruntime-node"))
	if err == nil {
		_, err = exec.LookPath("node")
	}
	if err != nil {
		effort.NotChecked(t, "ONNX Runtime: %v; scripts/onnxruntime.sh installs it", err)
	}
	return folder
}

type run struct {
	Shape []int     `json:"shape"`
	X     []float32 `json:"x"`
}

type answer struct {
	Policy       []float32 `json:"policy"`
	PolicyShape  []int     `json:"policyShape"`
	Outcome      []float32 `json:"outcome"`
	OutcomeShape []int     `json:"outcomeShape"`
}

// onnxRuntime runs a model on inputs in ONNX Runtime.
func onnxRuntime(t *testing.T, folder string, model []byte, runs []run) []answer {
	file := filepath.Join(t.TempDir(), "model.onnx")
	require.NoError(t, os.WriteFile(file, model, 0o600))
	request, err := json.Marshal(map[string]any{"model": file, "runs": runs})
	require.NoError(t, err)
	command := exec.Command("node", filepath.Join("testdata", "run.mjs"), folder)
	command.Stdin = bytes.NewReader(request)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	output, err := command.Output()
	require.NoError(t, err, complaints.String())
	var answers []answer
	require.NoError(t, json.Unmarshal(output, &answers))
	return answers
}

func TestONNXRuntimeAgrees(t *testing.T) {
	folder := runtimeFolder(t)
	tests := []struct {
		name   string
		spec   env.Spec
		config net.Config
	}{
		{"full", nettest.Spec(2, [3]int{5, 5, 5}, 4), net.Default()},
		{"plain", nettest.Spec(2, [3]int{16, 5, 5}, 42), net.Config{Channels: 64, Blocks: 4, OutcomeChannels: 4}},
		{"three players", nettest.Spec(3, [3]int{4, 3, 7}, 2), net.Config{Channels: 12, Blocks: 1, Pool: true, OutcomeChannels: 3}},
		{"stem", nettest.Spec(4, [3]int{1, 1, 2}, 1), net.Config{Channels: 1, OutcomeChannels: 1, Hidden: 3}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			spec, rng := test.spec, env.NewRand(1)
			w := nettest.Weights(spec, test.config, rng)
			var runs []run
			for _, rows := range []int{1, 7} {
				x := nettest.Fill(make([]float32, rows*spec.Inputs()), rng)
				runs = append(runs, run{[]int{rows, spec.Planes, spec.Height, spec.Width}, x})
			}
			var model bytes.Buffer
			require.NoError(t, onnx.Write(&model, w, onnx.Options{}))
			for i, got := range onnxRuntime(t, folder, model.Bytes(), runs) {
				requireAnswer(t, w, runs[i], got)
			}
		})
	}
}

// requireAnswer checks that an output equals the output of the network with weights w, on each
// backend.
func requireAnswer(t *testing.T, w *net.Weights, r run, got answer) {
	spec, rows := w.Spec, r.Shape[0]
	require.Equal(t, []int{rows, spec.Actions()}, got.PolicyShape)
	require.Equal(t, []int{rows, spec.Outcomes()}, got.OutcomeShape)
	policy, outcome := make([]float32, rows*spec.Actions()), make([]float32, rows*spec.Outcomes())
	for _, name := range kernel.Names() {
		backend, err := kernel.Named(name)
		require.NoError(t, err)
		net.Compile(backend, w).NewPlan(7).Run(rows, r.X, policy, outcome)
		requireClose(t, got.Policy, policy)
		requireClose(t, got.Outcome, outcome)
	}
}

// requireClose checks that numbers agree to 1e-4 of their size, or of the largest number if they
// are sums of larger ones.
func requireClose(t *testing.T, want, got []float32) {
	require.Len(t, got, len(want))
	largest := max(slices.Max(want), -slices.Min(want))
	for i := range want {
		require.InDelta(t, want[i], got[i], 1e-4*float64(largest), "element %d", i)
	}
}

// fields returns the raw values of one field of a protocol buffer message.
func fields(t *testing.T, m []byte, field uint64) [][]byte {
	var values [][]byte
	for len(m) > 0 {
		tag, n := binary.Uvarint(m)
		require.Positive(t, n)
		m = m[n:]
		size, n := binary.Uvarint(m) // length of a field of bytes, or the value of another field
		require.Positive(t, n)
		value := m[:n]
		if tag&7 == 2 {
			require.LessOrEqual(t, size, uint64(len(m)-n))
			m = m[n:]
			n = int(size)
			value = m[:n]
		} else {
			require.Zero(t, tag&7)
		}
		if tag>>3 == field {
			values = append(values, value)
		}
		m = m[n:]
	}
	return values
}

func TestMetadata(t *testing.T) {
	spec := nettest.Spec(2, [3]int{3, 5, 4}, 6)
	w := net.NewWeights(spec, net.Config{Channels: 2, OutcomeChannels: 1}, env.NewRand(1))
	options := onnx.Options{Metadata: map[string]string{"generation": "12"}}
	var model bytes.Buffer
	require.NoError(t, onnx.Write(&model, w, options))
	got := map[string]string{}
	for _, entry := range fields(t, model.Bytes(), 14) {
		got[string(fields(t, entry, 1)[0])] = string(fields(t, entry, 2)[0])
	}
	for key, want := range map[string]string{
		"format": "1", "what": "tiro network", "game": "nettest", "game_version": "1", "generation": "12", "players": "2",
		"planes": "3", "height": "5", "width": "4", "policy_planes": "6",
		"net": `{"channels":2,"blocks":0,"pool":false,"outcome_channels":1,"hidden":0}`,
	} {
		require.Equal(t, want, got[key], key)
	}
	require.Contains(t, got["action_layout"], "(policy_plane*height + row)*width + column")

	var again bytes.Buffer
	require.NoError(t, onnx.Write(&again, w, options))
	require.Equal(t, model.Bytes(), again.Bytes(), "the bytes are reproducible")

	ownership := net.Config{Channels: 2, OutcomeChannels: 1, Ownership: true}
	again.Reset()
	require.NoError(t, onnx.Write(&again, net.NewWeights(spec, ownership, env.NewRand(1)), options))
	require.Equal(t, model.Bytes(), again.Bytes(), "without the ownership head")

	require.ErrorContains(t, onnx.Write(&again, w, onnx.Options{Metadata: map[string]string{"game": "x"}}), `"game"`)
}

func ExampleWrite() {
	spec := nettest.Spec(2, [3]int{3, 5, 5}, 2)
	w := net.NewWeights(spec, net.Config{Channels: 8, Blocks: 1, OutcomeChannels: 2}, env.NewRand(1))
	var model bytes.Buffer
	if err := onnx.Write(&model, w, onnx.Options{Metadata: map[string]string{"generation": "3"}}); err != nil {
		panic(err)
	}
	fmt.Println(w.Parameters(), "parameters in", model.Len()/1000, "kB")
	// Output: 1581 parameters in 8 kB
}
