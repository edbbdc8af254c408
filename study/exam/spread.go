package exam

import (
	"context"
	"sync"
	"sync/atomic"
)

// work does item i.
type work func(ctx context.Context, i int) error

// spread does n items of work on several workers, each with its own work from begin, and
// waits for them. The first error ends it.
func spread(ctx context.Context, n, workers int, begin func() (work, error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(max(workers, 1), n) {
		do, err := begin()
		if err != nil {
			cancel(err)
			break
		}
		running.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}
