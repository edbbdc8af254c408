//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
)

// TestInterruptAtPipe: nothing that waits for the other end of a pipe outlasts an
// interrupt.
func TestInterruptAtPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o666))
	for _, args := range [][]string{
		{"export", "bundled:connect4", "--onnx", path},
		{"match", "mnk", "--a", "random", "--b", "random", "--json", path},
		{"exam", "connect4", "--model", "bundled", "--positions", path},
	} {
		for _, wait := range []time.Duration{0, 100 * time.Millisecond} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), wait, context.Canceled)
			var said strings.Builder
			code := run(ctx, disk.OS{}, args, strings.NewReader(""), io.Discard, &said)
			cancel()
			require.Equal(t, exitInterrupted, code, said.String())
		}
	}

	// Nor does a reader that does not read.
	reader, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer reader.Close()
	ctx, cancel := context.WithCancel(t.Context())
	target, err := openTarget(ctx, path)
	require.NoError(t, err)
	defer target.close()
	err = target.save(func(w io.Writer) error {
		cancel()
		_, err := w.Write(make([]byte, 1<<22))
		return err
	})
	require.ErrorIs(t, err, context.Canceled)
}
