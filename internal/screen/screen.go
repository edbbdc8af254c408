//go:build linux

package screen

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hinshun/vt10x"
)

// patience is how long a test waits for the program before it fails. It allows for a
// heavily loaded machine.
const patience = 10 * time.Minute

// wrapped is the emulator's attribute for the last character of a row whose text continues
// in the next row.
const wrapped = 1 << 6

// Terminal is a screen with a command running on it. Its methods must be called from the
// test's goroutine; they end the test if the terminal fails.
type Terminal struct {
	t      testing.TB
	cmd    *exec.Cmd
	master *os.File
	closed chan struct{} // the program and its children have closed the terminal
	exited chan struct{} // the program has ended, with code
	code   int

	mu       sync.Mutex // guards the fields below
	changed  *sync.Cond
	emulator vt10x.Terminal
	raw      strings.Builder
	wraps    int
	over     bool // the terminal is closed for writing
}

// Start starts cmd on a terminal of its own with the given size. The command's environment
// is cmd.Env or the test's environment, with TERM set and without COLUMNS and LINES. When
// the test ends, the command is killed if it is still running.
func Start(t testing.TB, cmd *exec.Cmd, columns, rows int) *Terminal {
	t.Helper()
	cmd.Env = slices.DeleteFunc(slices.Clone(cmd.Environ()), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return name == "COLUMNS" || name == "LINES" || name == "TERM" || name == "NO_COLOR"
	})
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	master, err := start(cmd, columns, rows)
	if err != nil {
		t.Fatalf("screen: start %v: %v", cmd.Args, err)
	}
	s := &Terminal{t: t, cmd: cmd, master: master, closed: make(chan struct{}), exited: make(chan struct{})}
	s.changed = sync.NewCond(&s.mu)
	s.emulator = vt10x.New(vt10x.WithSize(columns, rows), vt10x.WithWriter(master))
	go s.show()
	go s.await()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
		<-s.exited
		_ = master.Close()
		<-s.closed
	})
	return s
}

// show feeds the program's output to the emulator until every process has closed the
// terminal.
func (s *Terminal) show() {
	defer close(s.closed)
	in := bufio.NewReader(s.master)
	for {
		r, _, err := in.ReadRune()
		if err != nil { // EIO
			s.mu.Lock()
			s.over = true
			s.changed.Broadcast()
			s.mu.Unlock()
			return
		}
		s.mu.Lock()
		s.raw.WriteRune(r)
		before := s.emulator.Cursor().Y
		_, _ = io.WriteString(s.emulator, string(r)) // never fails
		if s.continues(before) {
			s.wraps++
		}
		s.changed.Broadcast()
		s.mu.Unlock()
	}
}

// continues reports whether the character just written is the first of a row and continues
// the text of row before, the cursor's previous row.
func (s *Terminal) continues(before int) bool {
	cursor := s.emulator.Cursor()
	columns, rows := s.emulator.Size()
	if cursor.X != 1 || before >= rows {
		return false
	}
	above := cursor.Y - 1 // equals before, unless the screen has scrolled
	return above >= 0 && (before == above || before == cursor.Y && before == rows-1) &&
		s.emulator.Cell(columns-1, above).Mode&wrapped != 0
}

// await waits for the end of the program.
func (s *Terminal) await() {
	err := s.cmd.Wait()
	exit := (*exec.ExitError)(nil)
	if err != nil && !errors.As(err, &exit) {
		s.t.Errorf("screen: %v: %v", s.cmd.Args, err)
	}
	s.code = s.cmd.ProcessState.ExitCode()
	close(s.exited)
}

// Text returns the screen's rows, each ended by a line feed, without trailing blanks and
// without empty rows at the bottom.
func (s *Terminal) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text()
}

func (s *Terminal) text() string {
	rows := strings.Split(s.emulator.String(), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " \x00")
	}
	text := strings.TrimRight(strings.Join(rows, "\n"), "\n")
	if text == "" {
		return ""
	}
	return text + "\n"
}

// Raw returns everything that the program has written, with its escape sequences.
func (s *Terminal) Raw() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// Wraps returns how often text ran over the right edge and continued in the next row, as
// overlong lines do.
func (s *Terminal) Wraps() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wraps
}

// Cursor returns the cursor's position, counted from 0.
func (s *Terminal) Cursor() (column, row int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cursor := s.emulator.Cursor()
	return cursor.X, cursor.Y
}

// Type types keys: "\r" is the return key, "\x03" Ctrl-C, "\x04" Ctrl-D, "\x1b[A" the up
// arrow.
func (s *Terminal) Type(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.master, keys); err != nil {
		s.t.Fatalf("screen: type %q: %v", keys, err)
	}
}

// Resize changes the size of the terminal and notifies the program.
func (s *Terminal) Resize(columns, rows int) {
	s.t.Helper()
	s.mu.Lock()
	s.emulator.Resize(columns, rows)
	s.mu.Unlock()
	if err := resize(s.master, columns, rows); err != nil {
		s.t.Fatalf("screen: resize: %v", err)
	}
}

// WaitFor waits until the screen shows the text and returns the screen. The test fails if
// the text does not appear in time or the program ends without it.
func (s *Terminal) WaitFor(text string) string {
	s.t.Helper()
	return s.WaitUntil("the text "+text, func(screen string) bool { return strings.Contains(screen, text) })
}

// WaitUntil waits until wanted is true of the screen and returns the screen. The test fails
// if that does not happen in time; the failure names what, the condition.
func (s *Terminal) WaitUntil(what string, wanted func(screen string) bool) string {
	s.t.Helper()
	late := false
	timer := time.AfterFunc(patience, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		late = true
		s.changed.Broadcast()
	})
	defer timer.Stop()
	s.mu.Lock()
	for {
		text := s.text()
		switch {
		case wanted(text):
			s.mu.Unlock()
			return text
		case late || s.over:
			s.mu.Unlock()
			s.t.Fatalf("screen: %v: waited for %s, but the screen is\n%s", s.cmd.Args, what, text)
		}
		s.changed.Wait()
	}
}

// Signal sends a signal to the program.
func (s *Terminal) Signal(signal syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		s.t.Fatalf("screen: %v: %v", signal, err)
	}
}

// Wait waits for the end of the program and its output, and returns the exit code, or -1
// after a signal. The test fails if the program does not end.
func (s *Terminal) Wait() int {
	s.t.Helper()
	select {
	case <-s.exited:
		<-s.closed
	case <-time.After(patience):
		s.t.Fatalf("screen: %v does not end; the screen is\n%s", s.cmd.Args, s.Text())
	}
	return s.code
}
