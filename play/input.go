package play

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// input hands out the lines of a reader, one when asked, so that waiting for
// one can be broken off. Its goroutine ends after close, as soon as the
// reader's Read returns.
type input struct {
	wanted chan struct{}
	lines  chan line
}

type line struct {
	text string
	err  error
}

func newInput(r io.Reader) *input {
	in := &input{wanted: make(chan struct{}), lines: make(chan line, 1)}
	go func() {
		b := bufio.NewReader(r)
		for range in.wanted {
			text, err := b.ReadString('\n')
			if text != "" {
				err = nil // a last line without an end is a line
			}
			in.lines <- line{strings.TrimRight(text, "\r\n"), err}
		}
	}()
	return in
}

// next returns the next line without its end, io.EOF after the last one, or
// ctx's error. After an error there is no further line.
func (in *input) next(ctx context.Context) (string, error) {
	select {
	case in.wanted <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	select {
	case l := <-in.lines:
		return l.text, l.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (in *input) close() { close(in.wanted) }
