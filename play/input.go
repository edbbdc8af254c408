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

// input reads lines of text, each in a separate goroutine, so that waiting for a line can be
// cancelled. The goroutine ends when the reader's Read returns.
type input struct{ *bufio.Reader }

func newInput(r io.Reader) input { return input{bufio.NewReader(format.TextReader(r))} }

// maxLine is the maximum length of a line in bytes. All moves of the longest game take
// several hundred thousand.
const maxLine = 1 << 20

// errLong is the error of a line of more than maxLine bytes, which is skipped.
var errLong = fmt.Errorf("a line of more than %d bytes", maxLine)

// readLine reads a line and returns it without its line end, which the last line may lack.
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

// next returns the next line without its line end. Its error is io.EOF after the last line,
// errLong for a line that is skipped, or ctx's error. After errors other than errLong, next
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

// each calls do with every line, or with errLong for a skipped line, until the input or ctx
// ends or do returns an error.
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
