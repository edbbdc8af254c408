package play

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"tiro/format"
)

// input reads lines of text, each in a goroutine of its own, so that waiting for a line
// can be cancelled. The goroutine ends as soon as the reader's Read returns.
type input struct{ *bufio.Reader }

func newInput(r io.Reader) input { return input{bufio.NewReader(format.TextReader(r))} }

// maxLine bounds a line of input in bytes. All moves of the longest game take
// some hundred thousand.
const maxLine = 1 << 20

// errLong is the error of a line that is too long, which is skipped.
var errLong = fmt.Errorf("a line of more than %d bytes", maxLine)

// readLine reads a line and returns it without its end. The last line of the
// input needs none.
func (in input) readLine() (string, error) {
	var text []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
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
func (in input) next(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	var text string
	var err error
	read := make(chan struct{})
	go func() {
		defer close(read)
		text, err = in.readLine()
	}()
	select {
	case <-read:
		return text, err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// each calls do with every line, or with errLong for one that is skipped, until the input
// or ctx ends, or do returns an error.
func (in input) each(ctx context.Context, do func(text string, fault error) error) error {
	for {
		text, err := in.next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, errLong):
			return err
		}
		if err := do(text, err); err != nil {
			return err
		}
	}
}
