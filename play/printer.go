package play

import (
	"fmt"
	"io"
	"sync"
)

// printer writes until that fails, and remembers why. It may be used from
// several goroutines; one say is written in one piece.
type printer struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

func (p *printer) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// failure returns the error that writing has met, or nil.
func (p *printer) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return fmt.Errorf("play: write: %w", p.err)
	}
	return nil
}
