//go:build !js

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// handleSignals returns a context that is cancelled by the first signal that requests a clean
// stop: SIGINT, SIGTERM, or SIGHUP when a terminal is closed (unless the process ignores it,
// as under nohup). Afterwards SIGINT and SIGTERM end the process as usual. Further SIGHUPs
// have no effect, because a closing terminal may send several.
//
// If the reader of standard error exits, the process continues.
func handleSignals() context.Context {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // never received, but writes now fail instead
	stops := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		stops = append(stops, syscall.SIGHUP)
		// Further SIGHUPs go unreceived. Ignoring them only after the first would leave a
		// moment in which one ends the process.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), stops...)
	context.AfterFunc(ctx, stop)
	return ctx
}

// readerGone ends the process with SIGPIPE if err, the error of writing p to standard output
// w, is EPIPE: its reader has exited, as in tiro moves | head.
func readerGone(w io.Writer, p []byte, err error) {
	if errors.Is(err, syscall.EPIPE) {
		signal.Reset(syscall.SIGPIPE)
		_, _ = w.Write(p)
	}
}

// withoutInterrupt returns a context like handleSignals', which SIGINT does not cancel. The
// caller must call the function when the context is no longer used.
func withoutInterrupt(ctx context.Context) (context.Context, context.CancelFunc) {
	stops := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		stops = append(stops, syscall.SIGHUP)
	}
	return signal.NotifyContext(context.WithoutCancel(ctx), stops...)
}
