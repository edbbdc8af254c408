// Package tty connects package play to a terminal.
package tty

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"tiro/disk"
	"tiro/models"
	"tiro/play"
)

// Seat sets the fields of t that need a terminal: line editing with a history, the elapsed time
// while a player thinks, Ctrl-C to stop it, and automatic saving. The caller must call done
// afterwards.
func Seat(t *play.Terminal, in, out *os.File) (done func()) {
	t.Size = func() (int, int) {
		columns, rows, err := term.GetSize(int(out.Fd()))
		if err != nil || columns <= 0 || rows <= 0 {
			return 80, 24
		}
		return columns, rows
	}
	t.Editor = newEditor(in, out)
	t.Thinking = func(name string) func() {
		columns, _ := t.Size()
		return showThinking(out, name, columns)
	}
	if cache, err := os.UserCacheDir(); err == nil && disk.MkdirAll(disk.OS{}, filepath.Join(cache, "tiro")) == nil {
		t.Autosave = filepath.Join(cache, "tiro", models.Folder(t.Game.Spec().Name)+".pgn")
	}
	interrupts := make(chan os.Signal, 1) // several SIGINTs share a value if it is not read meanwhile
	signal.Notify(interrupts, os.Interrupt)
	t.Interrupts = interrupts
	return func() { signal.Stop(interrupts) }
}

// showThinking shows a line with the time that a player has been thinking. done removes it.
func showThinking(out io.Writer, name string, columns int) (done func()) {
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		began, tick := time.Now(), time.NewTicker(150*time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-stop:
				if i > 0 {
					fmt.Fprint(out, "\r\x1b[K")
				}
				return
			case now := <-tick.C:
				text := fmt.Sprintf("%c %s is thinking, %.0f s (Ctrl-C: move now)", `|/-\`[i%4], name, now.Sub(began).Seconds())
				fmt.Fprintf(out, "\r%s\x1b[K", text[:min(len(text), columns-1)])
			}
		}
	}()
	return func() {
		close(stop)
		<-ended
	}
}

// editor reads lines from a terminal, with editing and a history.
type editor struct {
	in, out *os.File
	keys    *keyboard
	term    *term.Terminal
	typed   chan typed // result of a ReadLine in progress, or nil
}

// typed is the result of a terminal's ReadLine.
type typed struct {
	text string
	err  error
}

var _ play.LineReader = (*editor)(nil)

func newEditor(in, out *os.File) *editor {
	e := &editor{in: in, out: out, keys: &keyboard{File: in}}
	e.term = term.NewTerminal(ttyEnds{e.keys, out}, "")
	return e
}

// ttyEnds joins the input and the output of a terminal.
type ttyEnds struct {
	io.Reader
	io.Writer
}

// keyboard detects Ctrl-C among the keys, because a raw terminal sends no signal for it.
type keyboard struct {
	*os.File
	interrupted atomic.Bool
}

const ctrlC = 3

func (k *keyboard) Read(p []byte) (int, error) {
	n, err := k.File.Read(p)
	if bytes.IndexByte(p[:n], ctrlC) >= 0 {
		k.interrupted.Store(true)
	}
	return n, err
}

// ReadLine implements play.LineReader. The terminal is in raw mode only during the call.
func (e *editor) ReadLine(ctx context.Context, prompt string) (string, error) {
	mode, err := term.MakeRaw(int(e.in.Fd()))
	if err != nil {
		return "", fmt.Errorf("read the terminal: %w", err)
	}
	defer term.Restore(int(e.in.Fd()), mode)
	if columns, rows, err := term.GetSize(int(e.out.Fd())); err == nil && columns > 0 && rows > 0 {
		_ = e.term.SetSize(columns, rows)
	}
	e.term.SetPrompt(prompt)
	if e.typed != nil {
		fmt.Fprint(e.out, prompt) // the previous ReadLine is still in progress
	} else {
		e.typed = make(chan typed, 1)
		go func(to chan<- typed, t *term.Terminal) {
			text, err := t.ReadLine()
			to <- typed{text, err}
		}(e.typed, e.term)
	}
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case line := <-e.typed:
		e.typed = nil
		if line.err != nil && e.keys.interrupted.Swap(false) {
			fresh := term.NewTerminal(ttyEnds{e.keys, e.out}, "") // discards the current line
			fresh.History = e.term.History
			e.term = fresh
			fmt.Fprint(e.out, "^C\r")
			return "", play.ErrInterrupted
		}
		return line.text, line.err
	}
}

// Files implements play.Files with the files of this machine.
type Files struct{}

// maxGame is the maximum size of a game's file in bytes.
const maxGame = 1 << 20

func (Files) ReadFile(name string) ([]byte, error) {
	return disk.ReadFile(disk.OS{}, name, maxGame)
}

func (Files) WriteFile(name string, data []byte) error {
	r, err := disk.Replace(name)
	if err != nil {
		return err
	}
	return errors.Join(r.Commit(disk.Bytes(data)), r.Close())
}
