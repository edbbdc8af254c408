//go:build linux

package screen_test

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/leaks"
	"tiro/internal/screen"
)

func shell(script string) *exec.Cmd { return exec.Command("sh", "-c", script) }

func TestText(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"lines":              {`printf 'one\ntwo  \n'`, "one\ntwo\n"},
		"a line overwritten": {`printf 'long line\rshort\033[K\n'`, "short\n"},
		"cursor":             {`printf 'a\n\nb\033[1;3Hc'`, "a c\n\nb\n"},
		"colours":            {`printf '\033[1;31mred\033[0m ┌─┐'`, "red ┌─┐\n"},
		"scrolled":           {`printf '1\n2\n3\n4\n5\n6'`, "3\n4\n5\n6\n"},
		"nothing":            {`true`, ""},
		"invalid bytes":      {`printf 'a\377b'`, "a\uFFFDb\n"},
	} {
		t.Run(name, func(t *testing.T) {
			term := screen.Start(t, shell(test.script), 20, 4)
			require.Zero(t, term.Wait())
			require.Equal(t, test.want, term.Text())
			require.Zero(t, term.Wraps())
		})
	}
}

func TestWraps(t *testing.T) {
	for _, test := range []struct {
		script string
		want   int
	}{
		{`printf '1234567890\n1234567890'`, 0}, // exactly one row
		{`printf '1234567890x\n'`, 1},
		{`printf '1234567890x\r1234567890x\n1234567890x\n1234567890x\n'`, 4}, // and scrolls
		{`printf '123456789012345678901234567890\n'`, 2},
	} {
		term := screen.Start(t, shell(test.script), 10, 4)
		require.Zero(t, term.Wait())
		require.Equal(t, test.want, term.Wraps(), test.script)
	}
}

func TestKeys(t *testing.T) {
	term := screen.Start(t, shell(`printf 'name? '; read name; echo "hello $name"; exec cat`), 40, 5)
	term.WaitFor("name?")
	term.Type("Ada\r")
	require.Equal(t, "name? Ada\nhello Ada\n", term.WaitFor("hello"))
	column, row := term.Cursor()
	require.Equal(t, [2]int{0, 2}, [2]int{column, row})
	term.Type("\x04")
	require.Zero(t, term.Wait())
	require.True(t, strings.HasPrefix(term.Raw(), "name? Ada\r\n"), "%q", term.Raw())
}

func TestSignals(t *testing.T) {
	term := screen.Start(t, shell(`trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.01; done`), 40, 5)
	term.WaitFor("ready")
	term.Type("\x03")
	require.Equal(t, 7, term.Wait())
	require.Contains(t, term.Text(), "caught")

	term = screen.Start(t, shell(`echo ready; exec cat`), 40, 5)
	term.WaitFor("ready")
	term.Signal(syscall.SIGKILL)
	require.Equal(t, -1, term.Wait())
}

func TestResize(t *testing.T) {
	term := screen.Start(t, shell(`trap 'stty size' WINCH; stty size; while :; do sleep 0.01; done`), 80, 24)
	term.WaitFor("24 80")
	term.Resize(40, 10)
	term.WaitFor("10 40")
}

// TestCleanup: a finished test leaves no process and no goroutine behind.
func TestCleanup(t *testing.T) {
	var term *screen.Terminal
	t.Run("test", func(t *testing.T) {
		term = screen.Start(t, shell(`echo ready; exec cat`), 40, 5)
		term.WaitFor("ready")
	})
	require.Equal(t, -1, term.Wait())
	leaks.Check(t)
}
