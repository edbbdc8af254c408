package play

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// process is a running program, for one goroutine.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	reply  *io.LimitedReader // what it may still write in answer to a command
	lines  input
	stderr tail
	ended  sync.Once
	over   chan struct{} // closed when it has ended
}

func startProcess(words []string) (*process, error) {
	p := &process{cmd: exec.Command(words[0], words[1:]...), over: make(chan struct{})}
	ownGroup(p.cmd)
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.reply = &io.LimitedReader{R: out, N: maxReply}
	p.lines = newInput(p.reply)
	return p, p.start()
}

// start starts the program from a thread that lives as long as it does. On Linux the system
// ends the program with that thread, and so with this process, however that ends.
func (p *process) start() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			<-p.over
		}
	}()
	return <-started
}

// maxReply bounds what a program may write in answer to a command, in bytes.
const maxReply = 16 << 20

// command writes a command, calls line, which may be nil, with the words of every line
// that the program writes, and returns after the one that begins with the word last. If
// that takes longer than timeout, or ctx ends, or the program misbehaves, it returns an
// error and the program is to be killed.
func (p *process) command(ctx context.Context, timeout time.Duration, text, last string, line func(words []string)) error {
	return p.converse(ctx, timeout, text, last, func(words []string) bool {
		if len(words) == 0 {
			return false
		}
		if line != nil {
			line(words)
		}
		return words[0] == last
	})
}

// converse writes a command and calls line with the words of every line that the program
// writes, until it returns true. What names the answer in errors; see command.
func (p *process) converse(ctx context.Context, timeout time.Duration, text, what string, line func(words []string) (done bool)) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer context.AfterFunc(ctx, p.kill)()
	err := p.exchange(text, what, line)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("no %s within %s", what, timeout)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return err
}

// exchange is converse without a timeout.
func (p *process) exchange(text, what string, line func(words []string) (done bool)) error {
	p.reply.N = maxReply
	if _, err := io.WriteString(p.in, text+"\n"); err != nil {
		return p.crash(what)
	}
	for {
		text, err := p.lines.readLine()
		switch {
		case errors.Is(err, errLong):
		case err != nil && p.reply.N <= 0:
			return fmt.Errorf("wrote more than %d bytes without %s", maxReply, what)
		case err != nil:
			return p.crash(what)
		case line(strings.Fields(text)):
			return nil
		}
	}
}

func (p *process) crash(last string) error {
	p.kill()
	how := "ended"
	if state := p.cmd.ProcessState; state != nil && !state.Success() {
		how = state.String()
	}
	if words := p.stderr.lastLine(); words != "" {
		how += fmt.Sprintf(", its last words %q", clip(words))
	}
	return fmt.Errorf("the program ended before %s (%s)", last, how)
}

// kill ends the program at once. It may be called again, and by several goroutines.
func (p *process) kill() {
	p.ended.Do(func() {
		_ = p.in.Close()
		if p.cmd.Process != nil {
			killGroup(p.cmd)
		}
		_ = p.cmd.Wait() // closes the other end of what is being read
		close(p.over)
	})
}

// quit asks the program to end, and ends it if it has not after a time.
func (p *process) quit(timeout time.Duration) {
	killing := time.AfterFunc(min(timeout, time.Second), p.kill)
	_, _ = io.WriteString(p.in, "quit\n")
	_ = p.in.Close()
	p.reply.N = maxReply
	_, _ = io.Copy(io.Discard, p.lines)
	killing.Stop()
	p.kill()
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const most = 1 << 10
	t.text = append(t.text, p[max(0, len(p)-most):]...)
	t.text = slices.Clone(t.text[max(0, len(t.text)-most):])
	return len(p), nil
}

func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := bytes.TrimSpace(t.text)
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}
