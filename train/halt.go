package train

import (
	"context"
	"errors"
	"fmt"

	"tiro/disk"
)

// Halt is the error of a run that was ended by a fault after a checkpoint was saved.
type Halt struct {
	Err        error // the fault
	Checkpoint int   // the newest checkpoint, which is intact
}

// Hint returns a clause that explains how to resume the run once the fault is fixed.
func (h *Halt) Hint() string {
	return fmt.Sprintf("the same command resumes from checkpoint %d, which is intact", h.Checkpoint)
}

// Error returns the fault and the hint.
func (h *Halt) Error() string { return h.Err.Error() + "; once that is fixed, " + h.Hint() }

// Unwrap returns the fault.
func (h *Halt) Unwrap() error { return h.Err }

// halted wraps an error that has ended the run as Run returns it.
func (r *run) halted(ctx context.Context, err error) error {
	if isCancelled(ctx, err) {
		return fmt.Errorf("train: %s: %w", r.Dir, ErrInterrupted)
	}
	if lost := r.folder.Check(); errors.Is(lost, disk.ErrLost) && !errors.Is(err, disk.ErrLost) {
		err = fmt.Errorf("%w: %w", lost, err) // the cause of the other error
	}
	err = fmt.Errorf("train: %s: %w", r.Dir, err)
	if r.saved < 0 {
		return err
	}
	return &Halt{err, r.saved}
}

// isCancelled reports whether err comes from the end of ctx and not from a fault.
func isCancelled(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}
