package play

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/internal/leaks"
	"tiro/mcts"
	"tiro/player"
)

var update = flag.Bool("update", false, "rewrite the sessions in testdata")

func TestMain(m *testing.M) {
	if kind := os.Getenv(programEnv); kind != "" {
		runProgram(kind)
		return
	}
	leaks.Main(m)
}

func newGame(t testing.TB, name string) env.Game {
	game, err := games.New(name)
	require.NoError(t, err)
	return game
}

// script is a session in a file: settings on lines of the form "# key: value", an empty line,
// and the session. The text after each prompt, which ends in "> ", was typed.
type script struct {
	file     string
	settings map[string]string
	header   string
	typed    []string
}

// scripts reads the sessions whose file names match a pattern.
func scripts(t testing.TB, pattern string) []script {
	files, err := filepath.Glob(filepath.Join("testdata", pattern))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var list []script
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		header, body, found := strings.Cut(string(data), "\n\n")
		require.True(t, found, file)
		s := script{file: file, settings: map[string]string{}, header: header}
		for line := range strings.Lines(header) {
			key, value, _ := strings.Cut(strings.TrimPrefix(line, "# "), ": ")
			s.settings[key] = strings.TrimSpace(value)
		}
		for line := range strings.Lines(body) {
			if i := strings.Index(line, "> "); i >= 0 && strings.HasSuffix(line, "\n") && line[i+2:] != "\n" {
				s.typed = append(s.typed, line[i+2:])
			}
		}
		list = append(list, s)
	}
	return list
}

// check compares a session with the file, or rewrites the file with -update.
func (s script) check(t *testing.T, got string) {
	got = s.header + "\n\n" + got
	if *update {
		require.NoError(t, os.WriteFile(s.file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(s.file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// typist returns one line for each Read, and echoes it as a terminal would.
type typist struct {
	lines []string
	shown *bytes.Buffer
}

func (r *typist) Read(p []byte) (int, error) {
	if len(r.lines) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.lines[0])
	r.shown.WriteString(r.lines[0])
	r.lines = r.lines[1:]
	return n, nil
}

// seated returns the player with the given description, nil for a person.
func seated(t *testing.T, game env.Game, name string) player.Player {
	if name == "human" || name == "" {
		return nil
	}
	factory, err := player.Plain(game, name)
	require.NoError(t, err)
	p, err := factory.New()
	require.NoError(t, err)
	return p
}

func TestTerminalSessions(t *testing.T) {
	for _, s := range scripts(t, "terminal_*.txt") {
		t.Run(filepath.Base(s.file), func(t *testing.T) {
			game := newGame(t, s.settings["game"])
			var out bytes.Buffer
			term := Terminal{
				Game: game, Seed: 1, Position: s.settings["position"],
				Analyst: seated(t, game, s.settings["analyst"]),
			}
			for name := range strings.SplitSeq(s.settings["seats"], " ") {
				term.Seats = append(term.Seats, seated(t, game, name))
			}
			require.NoError(t, term.Run(t.Context(), &typist{s.typed, &out}, &out))
			s.check(t, out.String())
		})
	}
}

// ticking returns a clock that advances by a millisecond with every call.
func ticking() func() time.Time {
	now := time.Unix(0, 0)
	return func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}
}

func newEngine(t testing.TB, game env.Game) Engine {
	c := player.RolloutConfig()
	c.Simulations = 100
	return Engine{
		Game: game, Name: "Tiro", Author: "the Tiro authors", Search: c,
		Evaluator: mcts.NewRollout(game, env.NewRand(1)), Seed: 1, Now: ticking(),
	}
}

// answers returns the engine's answers to the input.
func answers(t require.TestingT, e Engine, input string) string {
	var out strings.Builder
	require.NoError(t, e.Run(context.Background(), strings.NewReader(input), &out))
	return out.String()
}

// driver runs an engine and sends it lines.
type driver struct {
	t     *testing.T
	in    *io.PipeWriter
	out   chan string // lines of output
	ended chan error
}

func drive(t *testing.T, ctx context.Context, e Engine) *driver {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	d := &driver{t: t, in: inW, out: make(chan string, 1<<12), ended: make(chan error, 1)}
	go func() {
		for said := bufio.NewScanner(outR); said.Scan(); {
			d.out <- said.Text()
		}
		close(d.out)
	}()
	go func() {
		err := e.Run(ctx, inR, outW)
		inR.Close()
		outW.Close()
		d.ended <- err
	}()
	t.Cleanup(func() { inW.Close() })
	return d
}

func (d *driver) send(line string) {
	_, err := io.WriteString(d.in, line+"\n")
	require.NoError(d.t, err)
}

// until returns the lines up to and including the first one with the given prefix.
func (d *driver) until(prefix string) []string {
	var lines []string
	for line := range d.out {
		lines = append(lines, line)
		if strings.HasPrefix(line, prefix) {
			return lines
		}
	}
	d.t.Fatalf("no %q after %q", prefix, lines)
	return nil
}

// ask sends a command and returns all lines of the answer.
func (d *driver) ask(command string) []string {
	d.send(command)
	if command == "quit" {
		return nil
	}
	if command == "isready" {
		return d.until("readyok")
	}
	d.send("isready")
	var lines []string
	for _, line := range d.until("readyok") {
		if line != "readyok" {
			lines = append(lines, line)
		}
	}
	ended := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "bestmove") })
	if strings.HasPrefix(command, "go") && !ended { // every search ends with a best move
		lines = append(lines, d.until("bestmove")...)
	}
	return lines
}

func TestEngineSessions(t *testing.T) {
	for _, s := range scripts(t, "engine_*.txt") {
		t.Run(filepath.Base(s.file), func(t *testing.T) {
			d := drive(t, t.Context(), newEngine(t, newGame(t, s.settings["game"])))
			var session strings.Builder
			for _, command := range s.typed {
				session.WriteString("> " + command)
				for _, line := range d.ask(strings.TrimSpace(command)) {
					session.WriteString(line + "\n")
				}
			}
			d.in.Close()
			require.NoError(t, <-d.ended)
			s.check(t, session.String())
		})
	}
}
