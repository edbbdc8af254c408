package play

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// process is a running program, for one goroutine.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	lines  *bufio.Reader
	stderr tail
	ended  sync.Once
}

// startProcess starts a program.
func startProcess(words []string) (*process, error) {
	p := &process{cmd: exec.Command(words[0], words[1:]...)}
	ownGroup(p.cmd)
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	p.lines = bufio.NewReader(p.out)
	return p, p.cmd.Start()
}

// Bounds of what a program may write in answer to a command, in bytes: in all, and on a
// line.
const (
	maxReply     = 16 << 20
	maxReplyLine = 1 << 16
)

// command writes a command, calls line, which may be nil, with the words of every line
// that the program writes, and returns after the one that begins with the word last. If
// that takes longer than timeout, or ctx ends, or the program misbehaves, it returns an
// error and the program is to be killed.
func (p *process) command(ctx context.Context, timeout time.Duration, text, last string, line func(words []string)) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer context.AfterFunc(ctx, p.kill)()
	err := p.converse(text, last, line)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("no %s within %s", last, timeout)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return err
}

// converse is command without a timeout.
func (p *process) converse(text, last string, line func(words []string)) error {
	if _, err := io.WriteString(p.in, text+"\n"); err != nil {
		return p.crash(last)
	}
	for read := 0; read <= maxReply; {
		part, err := p.lines.ReadSlice('\n')
		if read += len(part); err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return p.crash(last)
		}
		begin := slices.Clone(part[:min(len(part), maxReplyLine)])
		for errors.Is(err, bufio.ErrBufferFull) {
			part, err = p.lines.ReadSlice('\n')
			read += len(part)
			if len(begin) < maxReplyLine {
				begin = append(begin, part...)
			}
			if read > maxReply {
				break
			}
		}
		words := strings.Fields(string(begin))
		if len(words) == 0 {
			continue
		}
		if line != nil {
			line(words)
		}
		if words[0] == last {
			return nil
		}
	}
	return fmt.Errorf("wrote more than %d bytes without %s", maxReply, last)
}

// crash says how the program ended before it wrote the word last.
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
	})
}

// quit asks the program to end, and ends it if it has not after a time.
func (p *process) quit(timeout time.Duration) {
	killing := time.AfterFunc(min(timeout, time.Second), p.kill)
	_, _ = io.WriteString(p.in, "quit\n")
	_ = p.in.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(p.lines, maxReply))
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

// lastLine returns the last line that is not empty.
func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := bytes.TrimSpace(t.text)
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}
