package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

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
