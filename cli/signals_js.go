package cli

import (
	"context"
	"io"
)

// handleSignals returns a context that never ends, because there are no signals.
func handleSignals() context.Context { return context.Background() }

func readerGone(io.Writer, []byte, error) {}

func withoutInterrupt(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}
