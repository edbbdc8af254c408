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

// handleSignals makes signals mean what they do to tiro, and returns a context
// that ends at the first one that asks for a clean stop: SIGINT, SIGTERM and
// SIGHUP, which comes when a terminal is closed, unless nohup has the process
// ignore it. From then on the first two have their usual effect again, so that a
// second one ends the process. Further SIGHUPs do nothing, because a terminal
// that is closed may send several.
//
// A reader of standard error that goes away does not end the process.
func handleSignals() context.Context {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // nobody receives it; a write then fails
	stops := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		stops = append(stops, syscall.SIGHUP)
		// Nobody receives further ones. To ignore them only after the first would leave an
		// instant in which one ends the process.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), stops...)
	context.AfterFunc(ctx, stop)
	return ctx
}

// readerGone ends the process as SIGPIPE usually does if err, from writing p to
// standard output w, says that its reader has gone away: tiro moves | head.
func readerGone(w io.Writer, p []byte, err error) {
	if errors.Is(err, syscall.EPIPE) {
		signal.Reset(syscall.SIGPIPE)
		_, _ = w.Write(p)
	}
}

// withoutInterrupt returns a context that ends as that of handleSignals, but not at
// SIGINT, and a function that must be called when it is no longer used.
func withoutInterrupt(ctx context.Context) (context.Context, context.CancelFunc) {
	stops := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		stops = append(stops, syscall.SIGHUP)
	}
	return signal.NotifyContext(context.WithoutCancel(ctx), stops...)
}
