package cli

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"tiro/study/progress"
)

// checkedWriter records the first error of a writer, so that a full disk behind standard
// output is reported once, at the end. It is safe for concurrent use.
type checkedWriter struct {
	w io.Writer

	mu  sync.Mutex
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.err == nil {
			readerGone(c.w, p, err)
			c.err = err
		}
	}
	return n, err
}

// fault returns the first error.
func (c *checkedWriter) fault() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
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

// size returns the columns and rows of the terminal w. If they are unknown or w is not a
// terminal, it returns otherwise and 0.
func size(w any, otherwise int) (columns, rows int) {
	if f := fileOf(w); f != nil {
		if columns, rows, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 && rows > 0 {
			return columns, rows
		}
	}
	return otherwise, 0
}

// colour reports whether to use colours on w; see no-color.org.
func colour(w any) bool {
	return terminalOf(w) != nil && os.Getenv("NO_COLOR") == ""
}

// lines is a log handler for people. It writes a line for each record, as in
// "15:04:05 WRN text key=value", and does not support WithAttrs and WithGroup.
type lines struct {
	w       io.Writer
	colours bool
}

func (l *lines) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (l *lines) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l *lines) WithGroup(string) slog.Handler { return l }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	const green, yellow, red, faint = "92", "93", "91", "2" // ECMA-48, SGR
	coloured := func(colour, text string) string {
		if !l.colours {
			return text
		}
		return "\x1b[" + colour + "m" + text + "\x1b[0m"
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
	_, err := io.WriteString(l.w, text+"\n")
	return err
}

// fold breaks each line of text that is wider than columns between words and indents the
// continuation. A longer word is not broken.
func fold(text string, columns int) string {
	const indent = "    "
	var b strings.Builder
	for line := range strings.Lines(text) {
		at := 0
		for i, word := range strings.Split(line, " ") {
			width := progress.Width(strings.TrimSuffix(word, "\n"))
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
