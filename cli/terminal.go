package cli

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// checkedWriter records the first error of a writer, so that a full disk behind standard
// output is reported once, at the end. It is safe for concurrent use.
type checkedWriter struct {
	w io.Writer

	mu     sync.Mutex
	err    error
	failed func(p []byte, err error) // called with the first error and the data of that write; may be nil
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil {
		c.fail(p, err)
	}
	return n, err
}

func (c *checkedWriter) fail(p []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && c.failed != nil {
		c.failed(p, err)
	}
	c.err = cmp.Or(c.err, err)
}

// fault returns the first error.
func (c *checkedWriter) fault() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// onFailure sets the function that the writing goroutine calls with the first error from now
// on. It has no effect on writers other than a checkedWriter.
func onFailure(w io.Writer, failed func(p []byte, err error)) {
	if c, ok := w.(*checkedWriter); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.failed = failed
	}
}

// fileOf returns the file of a reader or writer, or of the writer in a checkedWriter, or nil.
func fileOf(w any) *os.File {
	if c, ok := w.(*checkedWriter); ok {
		w = c.w
	}
	f, _ := w.(*os.File)
	return f
}

// terminalOf returns the file of a reader or writer if it is a terminal that supports control
// sequences, otherwise nil. All code that writes control sequences checks it.
func terminalOf(w any) *os.File {
	f := fileOf(w)
	if f == nil || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return f
}

// columns returns the width of the terminal w, or otherwise if w is not a terminal.
func columns(w any, otherwise int) int {
	if f := fileOf(w); f != nil {
		if columns, rows, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 && rows > 0 {
			return columns
		}
	}
	return otherwise
}

// size returns the columns and rows of a terminal, 80 and 0 if they are unknown.
func size(f *os.File) (columns, rows int) {
	columns, rows, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 || rows <= 0 {
		return 80, 0
	}
	return columns, rows
}

// colour reports whether to use colours on w; see no-color.org.
func colour(w any) bool {
	return terminalOf(w) != nil && os.Getenv("NO_COLOR") == ""
}

// people returns a log handler that writes a short line for each record, as in
// "15:04:05 WRN text key=value".
func people(w io.Writer, colours bool) slog.Handler {
	return &lines{w: w, colours: colours}
}

// lines is a log handler. It does not support WithAttrs and WithGroup.
type lines struct {
	w       io.Writer
	colours bool
	mu      sync.Mutex
}

// Colours of levels, and faint text (ECMA-48, SGR).
const (
	green  = "\x1b[92m"
	yellow = "\x1b[93m"
	red    = "\x1b[91m"
	faint  = "\x1b[2m"
)

func (l *lines) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (l *lines) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l *lines) WithGroup(string) slog.Handler { return l }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	coloured := func(colour, text string) string {
		if !l.colours {
			return text
		}
		return colour + text + "\x1b[0m"
	}
	level := coloured(green, "INF")
	switch {
	case r.Level >= slog.LevelError:
		level = coloured(red, "ERR")
	case r.Level >= slog.LevelWarn:
		level = coloured(yellow, "WRN")
	}
	text := coloured(faint, r.Time.Format(time.TimeOnly)) + " " + level + " " + r.Message
	r.Attrs(func(a slog.Attr) bool {
		value := a.Value.Resolve().String()
		if value == "" || strings.ContainsAny(value, " \t\n\"=") {
			value = strconv.Quote(value)
		}
		text += " " + coloured(faint, a.Key+"=") + value
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := io.WriteString(l.w, text+"\n")
	return err
}

// escape matches the control sequences of colours (ECMA-48, SGR), which have no width.
var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// width returns the number of columns that text takes.
func width(text string) int { return utf8.RuneCountInString(escape.ReplaceAllString(text, "")) }

// fold breaks each line of text that is wider than columns between words and indents the
// continuation. A longer word is not broken.
func fold(text string, columns int) string {
	const indent = "    "
	var b strings.Builder
	for line := range strings.Lines(text) {
		at := 0
		for i, word := range strings.Split(line, " ") {
			width := width(strings.TrimSuffix(word, "\n"))
			switch {
			case i == 0:
			case at+1+width > columns:
				b.WriteString("\n" + indent)
				at = len(indent)
			default:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += width
		}
	}
	return b.String()
}
