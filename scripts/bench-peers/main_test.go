//go:build linux

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMedianOfRatios(t *testing.T) {
	require.Equal(t, 2.0, median(ratios([]float64{2, 30, 8}, []float64{1, 10, 8})))
	require.Equal(t, 1.5, median([]float64{2, 1}))
}

func TestLines(t *testing.T) {
	var lines []string
	for _, j := range jobs() {
		lines = append(lines, j.String())
	}
	require.Len(t, lines, 16)
	require.Equal(t, "ref5 infer batch=8 threads=1", lines[0])
	require.Equal(t, "ref9 train batch=256 threads=2", lines[15])
}

func TestOursRuns(t *testing.T) {
	for _, mode := range []string{"infer", "train"} {
		j := job{Net: "ref5", Mode: mode, Batch: 3, Threads: 2}
		j.Model = filepath.Join(t.TempDir(), "model.onnx")
		require.NoError(t, j.export())
		require.FileExists(t, j.Model)
		step, err := j.prepare()
		require.NoError(t, err)
		require.NoError(t, step(), "%s", j)
	}
}
