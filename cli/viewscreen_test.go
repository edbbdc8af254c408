//go:build linux

package cli

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/screen"
)

// watched starts a training that soon shows generations and boards.
func watched(t *testing.T, columns, rows int, args ...string) *screen.Terminal {
	dir := t.TempDir()
	tiro := exec.Command("tiro", append([]string{
		"train", "connect4", "--run", dir, "--generations", "1000", "--set", "games_per_generation=8",
		"--set", "net.channels=8", "--set", "net.blocks=1", "--set", "selfplay.search.simulations=8",
		"--set", "duels.share=1", "--set", "duels.every=2", "--set", "learner.batch_size=16",
	}, args...)...)
	tiro.Dir = dir
	return screen.Start(t, tiro, columns, rows)
}

// private matches the control sequences with which a program takes over a terminal, such as for
// the alternate screen or for hiding the cursor.
var private = regexp.MustCompile(`\x1b\[\?[0-9;]+[hl]|\x1b[78=>]|\x1b\[[su]|\x1b\[[0-9;]*r`)

// TestViewOnATerminal: the view is at the bottom, above the line of progress and below the log,
// and adapts to the size of the terminal. After Ctrl-C its last lines and the next steps stay
// on the screen.
func TestViewOnATerminal(t *testing.T) {
	term := watched(t, 80, 24)
	complete := func(text string) bool {
		for _, part := range []string{"\nconnect4, generation ", " of 1000, ", "\nrating ", " Elo above generation 0", "\npolicy ", "\noutcome ", "\ngames ", "\nlast game ", "1 2 3 4 5 6 7", "▁"} {
			if !strings.Contains(text, part) {
				return false
			}
		}
		return true
	}
	// Once the view is drawn for the terminal's size, no line exceeds the width.
	newest := regexp.MustCompile(`(?s)^.*INF generation (\d+)`)
	steady := func() {
		wraps, before := term.Wraps(), newest.FindString(term.Text())
		term.WaitUntil("another generation", func(text string) bool {
			now := newest.FindString(text)
			return now != "" && now != before
		})
		require.Equal(t, wraps, term.Wraps(), term.Text())
	}
	text := term.WaitUntil("the whole view", complete)
	require.Zero(t, term.Wraps())
	require.Equal(t, 1, strings.Count(text, "─\n"), text)
	require.Regexp(t, `INF generation \d+`, text)
	term.Resize(40, 24)
	rule := strings.Repeat("─", 39)
	term.WaitUntil("a narrow view", func(text string) bool {
		at := strings.LastIndex(text, "\n"+rule+"\n") // skips the remains of a wider rule, which wrapped
		return at >= 0 && !strings.HasSuffix(text[:at], "─") && !strings.Contains(text[at:], rule+"─")
	})
	steady()
	term.Resize(80, 10)
	term.WaitUntil("lines only", func(text string) bool { return !strings.Contains(text, "─") && strings.Contains(text, "INF") })
	steady()
	term.Resize(100, 30)
	term.WaitUntil("the whole view", complete)
	steady()
	term.Type("\x03")
	require.Equal(t, exitInterrupted, term.Wait())
	text = term.Text()
	require.Regexp(t, `(?s)\nconnect4, generation \d+ of 1000\nrating .*stopped; all finished games are saved.*to resume:`, text)
	require.NotContains(t, text, "last game")
	require.NotRegexp(t, private, term.Raw())
}

// TestViewFallsBack: a small screen has no view.
func TestViewFallsBack(t *testing.T) {
	for name, start := range map[string]func() *screen.Terminal{
		"few rows":    func() *screen.Terminal { return watched(t, 80, 9) },
		"few columns": func() *screen.Terminal { return watched(t, 39, 24) },
	} {
		t.Run(name, func(t *testing.T) {
			term := start()
			term.WaitFor("generation 3")
			term.Type("\x03")
			require.Equal(t, exitInterrupted, term.Wait())
			require.NotContains(t, term.Raw(), "─")
			require.NotContains(t, term.Raw(), "last game")
			require.Contains(t, escape.ReplaceAllString(term.Raw(), ""), "INF generation 2 (")
		})
	}
}

// TestLinesOnly: with --plain, and on a terminal without control sequences, the program writes
// none.
func TestLinesOnly(t *testing.T) {
	for name, program := range map[string][]string{
		"plain": {"tiro"},
		"dumb":  {"env", "TERM=dumb", "tiro"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			args := append(program, "train", "tictactoe", "--run", dir, "--generations", "8")
			if name == "plain" {
				args = append(args, "--plain")
			}
			term := screen.Start(t, exec.Command(args[0], args[1:]...), 80, 24)
			require.Equal(t, exitDone, term.Wait())
			require.Contains(t, term.Raw(), "INF generation 8 (")
			require.NotContains(t, term.Raw(), "\x1b")
			require.NotRegexp(t, `\r[^\r\n]`, term.Raw())
		})
	}
}

// TestViewLeavesTheTerminalAlone: however the program ends, the terminal needs no reset, and
// the view stays visible. SIGQUIT ends the program as a panic would.
func TestViewLeavesTheTerminalAlone(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGQUIT, syscall.SIGTERM} {
		term := watched(t, 80, 24)
		term.WaitFor("last game")
		term.Signal(signal)
		term.Wait()
		require.NotRegexp(t, private, term.Raw())
		switch signal {
		case syscall.SIGKILL:
			require.Contains(t, term.Text(), "\nconnect4, generation ")
		case syscall.SIGQUIT:
			require.Contains(t, term.Raw(), "SIGQUIT: quit")
		default:
			require.Contains(t, term.Text(), "to resume:")
		}
	}
}

// TestViewInTheBackground: a training in the background of a shell writes lines only, because
// the terminal belongs to the shell.
func TestViewInTheBackground(t *testing.T) {
	term := screen.Start(t, exec.Command("sh", "-c", "set -m; tiro train tictactoe --run "+t.TempDir()+" --generations 3 & wait"), 80, 24)
	require.Zero(t, term.Wait())
	require.Contains(t, escape.ReplaceAllString(term.Raw(), ""), "INF generation 3 (")
	require.NotContains(t, term.Raw(), "─")
	require.NotContains(t, term.Raw(), clearBelow)
}

// TestViewWithoutColour: with NO_COLOR the screen has no colours.
func TestViewWithoutColour(t *testing.T) {
	dir := t.TempDir()
	tiro := exec.Command("env", "NO_COLOR=1", "tiro", "train", "tictactoe", "--run", dir, "--generations", "3")
	tiro.Env = os.Environ()
	term := screen.Start(t, tiro, 80, 24)
	require.Equal(t, exitDone, term.Wait())
	require.Contains(t, term.Raw(), "last game")
	require.NotRegexp(t, `\x1b\[[0-9;]*m`, term.Raw())
}
