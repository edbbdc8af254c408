package play

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// input reads lines in a goroutine, one at a time on request, so that waiting for
// a line can be cancelled. The goroutine ends after close, as soon as the
// reader's Read returns.
type input struct {
	requests chan struct{}
	lines    chan line
}

type line struct {
	text string
	err  error
}

func newInput(r io.Reader) *input {
	in := &input{requests: make(chan struct{}), lines: make(chan line, 1)}
	go func() {
		b := bufio.NewReader(r)
		for range in.requests {
			text, err := readLine(b)
			in.lines <- line{text, err}
		}
	}()
	return in
}

// maxLine bounds a line of input in bytes. All moves of the longest game take
// some hundred thousand.
const maxLine = 1 << 20

// errLong is the error of a line that is too long, which is skipped.
var errLong = fmt.Errorf("a line of more than %d bytes", maxLine)

// readLine reads a line and returns it without its end. The last line of the
// input needs none.
func readLine(b *bufio.Reader) (string, error) {
	var text []byte
	long := false
	for {
		part, err := b.ReadSlice('\n')
		if long = long || len(text)+len(part) > maxLine; !long {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long:
			return "", errLong
		case len(text) > 0:
			return strings.TrimRight(string(text), "\r\n"), nil
		default:
			return "", err
		}
	}
}

// next returns the next line without its end, io.EOF after the last one, errLong
// for one that is skipped, or ctx's error. After errors other than errLong next
// must not be called again.
func (in *input) next(ctx context.Context) (string, error) {
	select {
	case in.requests <- struct{}{}:
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

func (in *input) close() { close(in.requests) }
