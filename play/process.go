package play

import (
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
	reply  *io.LimitedReader // limits the answer to a command
	lines  input
	stderr tail
	ended  sync.Once
	over   chan struct{} // closed after the program has ended
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

// start starts the program from a thread that lives as long as the program. On Linux the
// system kills the program when that thread ends, and therefore whenever this process ends.
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

// maxReply is the maximum size of a program's answer to a command, in bytes.
const maxReply = 16 << 20

// command writes a command, and calls line with the words of every line of the answer. line
// may be nil. command returns after the line that begins with the word last. It returns an
// error if that takes longer than timeout, ctx ends or the program misbehaves; the caller must
// then kill the program.
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

// converse is like command, but ends when line returns true. answer is the name of the answer
// in errors.
func (p *process) converse(ctx context.Context, timeout time.Duration, text, answer string, line func(words []string) (done bool)) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer context.AfterFunc(ctx, p.kill)()
	p.reply.N = maxReply
	_, fault := io.WriteString(p.in, text+"\n")
	for fault == nil {
		if text, fault = p.lines.ReadString('\n'); fault == nil && line(strings.Fields(text)) {
			return nil
		}
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("no %s within %s", answer, timeout)
	case ctx.Err() != nil:
		return ctx.Err()
	case p.reply.N <= 0:
		return fmt.Errorf("wrote more than %d bytes without %s", maxReply, answer)
	}
	return p.crash(answer)
}

func (p *process) crash(last string) error {
	p.kill()
	how := p.cmd.ProcessState.String()
	if words := p.stderr.lastLines(); words != "" {
		how += fmt.Sprintf(", stderr: %q", clipAt(200, words))
	}
	return fmt.Errorf("the program ended before %s (%s)", last, how)
}

// kill kills the program. It may be called several times, from several goroutines.
func (p *process) kill() {
	p.ended.Do(func() {
		_ = p.in.Close()
		if p.cmd.Process != nil {
			killGroup(p.cmd)
		}
		_ = p.cmd.Wait() // closes the pipe, so that a blocked read returns
		close(p.over)
	})
}

// quit asks the program to end, and kills it after timeout or a second.
func (p *process) quit(timeout time.Duration) {
	killing := time.AfterFunc(min(timeout, time.Second), p.kill)
	_, _ = io.WriteString(p.in, "quit\n")
	_ = p.in.Close()
	p.reply.N = maxReply
	_, _ = io.Copy(io.Discard, p.lines)
	killing.Stop()
	p.kill()
}

// tail is a writer that keeps the end of its input.
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

// lastLines returns the last two lines: the second may only be a hint or a place in the code.
func (t *tail) lastLines() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.Join(lines[max(0, len(lines)-2):], "; ")
}
