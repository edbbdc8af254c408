//go:build unix

package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
)

// TestInterruptAtPipe: an interrupt ends every command that waits for the other end of a pipe.
func TestInterruptAtPipe(t *testing.T) {
	// Each command has its own pipe, because an abandoned open would otherwise meet the other
	// end of the next command's pipe.
	pipe := func() string {
		path := filepath.Join(t.TempDir(), "pipe")
		require.NoError(t, syscall.Mkfifo(path, 0o666))
		return path
	}
	for _, args := range [][]string{
		{"export", "bundled:connect4", "--onnx"},
		{"match", "mnk", "--a", "random", "--b", "random", "--json"},
		{"exam", "connect4", "--model", "bundled", "--positions"},
	} {
		for _, wait := range []time.Duration{0, 100 * time.Millisecond} {
			args := append(slices.Clone(args), pipe())
			ctx, cancel := context.WithTimeoutCause(t.Context(), wait, context.Canceled)
			var said strings.Builder
			code := run(ctx, shippedGames, disk.OS{}, args, strings.NewReader(""), io.Discard, &said)
			cancel()
			require.Equal(t, exitInterrupted, code, said.String())
		}
	}

	// A reader that never reads does not block the interrupt either.
	path := pipe()
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
