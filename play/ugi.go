package play

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tiro/arena"
	"tiro/env"
)

// DefaultTimeout is how long another program may take to answer, besides the time of its
// move.
const DefaultTimeout = 30 * time.Second

// ugiUsage is how players of UGIKind are written.
const ugiUsage = "ugi:COMMAND[,nodes=N|time=T][,timeout=T][,option.NAME=VALUE…]"

// UGIKind returns the kind of player "ugi:COMMAND", another program that speaks the
// Universal Game Interface. Each player has a process of its own. COMMAND is split at
// blanks, except within quotation marks, and is not given to a shell. Settings follow it
// after commas: nodes=N (or sims=N, by default nodes) or time=T, what a turn may take;
// timeout=T, how long an answer may take besides; option.NAME=VALUE, an option of the
// program. A player whose program crashes, is silent for too long, writes without end or
// answers an illegal move forfeits the game, and starts its program again for the next.
func UGIKind(nodes int) arena.PlayerKind {
	return arena.PlayerKind{Name: "ugi", Usage: ugiUsage, New: func(game env.Game, args string) (arena.PlayerFactory, error) {
		p, err := parseProgram(args, nodes)
		if err != nil {
			return nil, err
		}
		return func() (arena.Player, error) {
			player := &ugiPlayer{program: p, game: game}
			if err := player.start(context.Background()); err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			return player, nil
		}, nil
	}}
}

// program is a program that plays, and how it is asked to.
type program struct {
	name    string // of its players
	words   []string
	limit   string        // of go
	move    time.Duration // that the limit takes; 0: not known
	timeout time.Duration
	options [][2]string // name, value
}

// parseProgram reads what follows "ugi:".
func parseProgram(args string, nodes int) (p program, err error) {
	command, settings := cutProgram(args)
	p = program{limit: "nodes " + strconv.Itoa(nodes), timeout: DefaultTimeout}
	budget := ",nodes=" + strconv.Itoa(nodes)
	limited := false
	p.name = "ugi:" + command
	for _, text := range settings {
		key, value, _ := strings.Cut(text, "=")
		switch key {
		case "nodes", "sims", "time":
			if limited {
				return p, fmt.Errorf("%s is a second budget; want one", text)
			}
			limited, budget = true, ""
			err = p.setLimit(key, value)
		case "timeout":
			p.timeout, err = parseDuration(key, value)
		default:
			p.options = append(p.options, [2]string{strings.TrimPrefix(key, "option."), value})
		}
		if err != nil {
			return p, err
		}
		p.name += "," + text
	}
	p.name += budget
	if p.words, err = splitWords(command); err == nil && len(p.words) == 0 {
		err = errors.New("no command")
	}
	return p, err
}

// setLimit sets what a turn may take.
func (p *program) setLimit(key, value string) (err error) {
	if key == "time" {
		p.move, err = parseDuration(key, value)
		p.limit = fmt.Sprintf("movetime %d", p.move.Milliseconds())
		return err
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > arena.MaxSimulations {
		return fmt.Errorf("%s %q; want 1 to %d", key, clip(value), arena.MaxSimulations)
	}
	p.limit = "nodes " + strconv.Itoa(n)
	return nil
}

func parseDuration(key, value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < arena.MinTime || d > arena.MaxTime {
		return 0, fmt.Errorf("%s %q is not a duration from %s to %s, such as 100ms or 2s", key, clip(value), arena.MinTime, arena.MaxTime)
	}
	return d, nil
}

// cutProgram cuts the settings off the end of a command.
func cutProgram(args string) (command string, settings []string) {
	for {
		i := strings.LastIndexByte(args, ',')
		key, _, ok := strings.Cut(args[i+1:], "=")
		known := slices.Contains([]string{"nodes", "sims", "time", "timeout"}, key) || strings.HasPrefix(key, "option.")
		if i < 0 || !ok || !known {
			return args, settings
		}
		args, settings = args[:i], append([]string{args[i+1:]}, settings...)
	}
}

// splitWords splits a command at blanks that are not within quotation marks, single or
// double.
func splitWords(command string) (words []string, err error) {
	var quote rune
	var word strings.Builder
	begun := false
	for _, r := range command {
		switch {
		case r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t':
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("command %q has an open quotation mark %c", clip(command), quote)
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

// ugiPlayer is another program as a player.
type ugiPlayer struct {
	program
	game     env.Game
	process  *process // nil: not running
	identity string   // what it calls itself
	nodes    int      // of its last turn
	begins   bool     // a game begins

	// The rest of a turn that the program has chosen, which begins at the position with
	// this hash.
	rest []env.Action
	hash uint64
}

var (
	_ arena.Player     = (*ugiPlayer)(nil)
	_ arena.NewGamer   = (*ugiPlayer)(nil)
	_ arena.Counter    = (*ugiPlayer)(nil)
	_ arena.Identified = (*ugiPlayer)(nil)
	_ io.Closer        = (*ugiPlayer)(nil)
)

// Name implements arena.Player.
func (p *ugiPlayer) Name() string { return p.name }

// Identity implements arena.Identified: what the program says its name is.
func (p *ugiPlayer) Identity() string { return p.identity }

// Nodes implements arena.Counter: what the program said of its last turn.
func (p *ugiPlayer) Nodes() int { return p.nodes }

// NewGame implements arena.NewGamer.
func (p *ugiPlayer) NewGame() { p.begins, p.rest = true, nil }

// Close ends the program.
func (p *ugiPlayer) Close() error {
	if p.process != nil {
		p.process.quit(p.timeout)
		p.process = nil
	}
	return nil
}

// Choose implements arena.Player.
func (p *ugiPlayer) Choose(ctx context.Context, s env.State, history []env.Action, _ *rand.Rand) (env.Action, error) {
	p.nodes = 0
	if len(p.rest) == 0 || p.hash != s.Hash() {
		turn, err := p.ask(ctx, s, history)
		if err != nil {
			if p.process != nil {
				p.process.kill()
				p.process = nil
			}
			if ctx.Err() != nil {
				return 0, fmt.Errorf("play: %s: %w", p.name, ctx.Err())
			}
			return 0, &arena.Forfeit{Reason: err.Error()}
		}
		p.rest = turn
	}
	a := p.rest[0]
	p.rest = p.rest[1:]
	p.hash = env.After(p.game, s, a).Hash()
	return a, nil
}

// ask asks the program for the turn at s, or the rest of it.
func (p *ugiPlayer) ask(ctx context.Context, s env.State, history []env.Action) ([]env.Action, error) {
	if p.process == nil {
		if err := p.start(ctx); err != nil {
			return nil, err
		}
	}
	position, err := p.position(s, history)
	if err != nil {
		return nil, err
	}
	if p.begins {
		position = "uginewgame\n" + position
		p.begins = false
	}
	// What the program has written since its last move is skipped until readyok.
	if err := p.process.command(ctx, p.timeout, position+"\nisready", "readyok", nil); err != nil {
		return nil, err
	}
	var turn []env.Action
	illegal := error(nil)
	err = p.process.command(ctx, p.move+p.timeout, "go "+p.limit, "bestmove", func(words []string) {
		switch {
		case words[0] == "info":
			if i := slices.Index(words, "nodes"); i >= 0 && i+1 < len(words) {
				if n, err := strconv.Atoi(words[i+1]); err == nil && n >= 0 {
					p.nodes = n
				}
			}
		case words[0] == "bestmove" && len(words) > 1:
			if turn, illegal = env.ParseTurn(s, words[1]); illegal != nil {
				illegal = fmt.Errorf("illegal move %q", clip(words[1]))
			}
		case words[0] == "bestmove":
			illegal = errors.New("bestmove without a move")
		}
	})
	return turn, cmp.Or(err, illegal)
}

// position returns the command that sets up s: by the moves from the start where they lead
// there and the last turn, if any, is complete, else by its position string.
func (p *ugiPlayer) position(s env.State, history []env.Action) (string, error) {
	start := p.game.New()
	at := env.After(p.game, start)
	for _, a := range history {
		if env.CheckAction(at, a) != nil {
			break
		}
		at.Play(a)
	}
	if at.Hash() == s.Hash() && (len(history) == 0 || !midTurn(s)) {
		return strings.TrimSpace("position startpos moves " + strings.Join(notation(p.game, start, history), " ")), nil
	}
	if q, ok := s.(env.Positioner); ok {
		return "position fen " + q.Position(), nil
	}
	return "", fmt.Errorf("%s has no position strings, in which to ask for this one", p.game.Spec().Name)
}

// start starts the program and sets its options.
func (p *ugiPlayer) start(ctx context.Context) (err error) {
	started, err := startProcess(p.words)
	if err != nil {
		return err
	}
	p.process = started
	defer func() {
		if err != nil {
			p.process.kill()
			p.process = nil
		}
	}()
	var known []string
	err = p.process.command(ctx, p.timeout, "ugi", "ugiok", func(words []string) {
		switch {
		case len(words) > 2 && words[0] == "id" && words[1] == "name":
			p.identity = strings.Join(words[2:], " ")
		case len(words) > 2 && words[0] == "option" && words[1] == "name":
			name := words[2:]
			if i := slices.Index(name, "type"); i >= 0 {
				name = name[:i]
			}
			known = append(known, strings.Join(name, " "))
		}
	})
	if err != nil {
		return err
	}
	var set strings.Builder
	for _, o := range p.options {
		if !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, o[0]) }) {
			return fmt.Errorf("it has no option %q; it has %s", clip(o[0]), clip(strings.Join(known, ", ")))
		}
		fmt.Fprintf(&set, "setoption name %s value %s\n", o[0], o[1])
	}
	p.begins = true
	return p.process.command(ctx, p.timeout, set.String()+"isready", "readyok", nil)
}

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
