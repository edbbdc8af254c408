package play

import (
	"fmt"
	"io"
	"sync"
)

// printer writes until a write fails. It is safe for concurrent use, and writes the
// text of one printf in one piece.
type printer struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// failure returns the error of the write that failed, or nil.
func (p *printer) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return fmt.Errorf("play: write: %w", p.err)
	}
	return nil
}
