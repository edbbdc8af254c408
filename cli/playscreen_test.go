//go:build linux

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/screen"
)

// sit starts tiro play on a terminal, with its own home folder.
func sit(t *testing.T, columns, rows int, args ...string) (*screen.Terminal, string) {
	home := t.TempDir()
	cmd := exec.Command("tiro", append([]string{"play"}, args...)...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home, "TERM=xterm-256color")
	return screen.Start(t, cmd, columns, rows), home
}

// On a terminal of 80 by 24 the whole board is visible when a person is on turn, with the
// engine's move below it.
func TestPlayFitsTheScreen(t *testing.T) {
	for game, c := range map[string]struct{ move, top, below string }{
		"coerceo":           {"d1e-d1c", "   ___________\n", "Black (net:bundled) plays "},
		"shacru":            {"a3-b3", "a   b   c", "Yellow (net:bundled) plays "},
		"azacru":            {"a3-b3", "a   b   c", "Yellow (net:bundled) plays "},
		"pacru":             {"a3-b3", "a   b   c", "Yellow (net:bundled) plays "},
		"pacru:players=3":   {"a7-b7", "a   b   c", "Black (net:bundled) plays "},
		"pacru:players=4":   {"a7-b7", "a   b   c", "Black (net:bundled) plays "},
		"connect4":          {"4", " . . . . . . .\n", "Player 2 (net:bundled) plays "},
		"tictactoe":         {"b2", " 3", "Player 2 (mcts:20) plays "},
		"gomoku":            {"h8", "15 ", "Player 2 (net:bundled) plays "},
		"mnk:m=19,n=19,k=5": {"j10", "19 ", "Player 2 (mcts:20) plays "},
	} {
		t.Run(game, func(t *testing.T) {
			term, _ := sit(t, 80, 24, game, "--sims", "20")
			term.WaitFor("to move>")
			term.Type(c.move + "\r")
			term.WaitFor(c.below)
			text := term.WaitUntil("the next prompt", func(text string) bool {
				_, after, _ := strings.Cut(text, c.below)
				return strings.Contains(after, "to move>")
			})
			board, _, _ := strings.Cut(text, c.below)
			if i := strings.LastIndex(board, "to move>"); i >= 0 {
				board = board[i:] // drops the earlier boards
			}
			require.Contains(t, board, c.top, text)
			require.Zero(t, term.Wraps(), text)
			term.Type("quit\r")
			require.Zero(t, term.Wait())
		})
	}
}

// In 40 columns Coerceo's board is drawn small, and only the prompt wraps.
func TestPlayInFortyColumns(t *testing.T) {
	term, _ := sit(t, 40, 24, "coerceo", "--sims", "20", "--seats", "human,human")
	text := term.WaitFor("White to move>")
	require.Contains(t, text, "/a3 a#e\\___#cd/c4 OfO\\___bc#/e3 a#e\\\n")
	term.Type("moves\r")
	term.WaitFor("d1e-d1c")
	term.Type("q\r")
	term.Wait()
}

// Lines can be edited and recalled. Ctrl-C stops a thinking player, and pressing it twice at
// the prompt leaves. The game is saved and can be resumed.
func TestPlayAtATerminal(t *testing.T) {
	term, home := sit(t, 80, 24, "connect4", "--sims", "10000000")
	term.WaitFor("to move>")
	term.Type("5\x7f4\r") // Backspace
	term.WaitFor("is thinking, ")
	term.Type("\x03")
	text := term.WaitFor("Player 2 (net:bundled) plays ")
	require.Regexp(t, `(?m)^[ .o\[\]]{7}x`, text) // the fourth column, wherever the engine answers
	term.WaitUntil("the prompt", func(text string) bool {
		return strings.Contains(text[strings.Index(text, "Player 2 (net"):], "to move>")
	})
	term.Type("bord\r")
	term.WaitFor(`"bord" is neither`)
	term.Type("\x1b[A\x1b[D\x1b[Da\r") // up, left, left
	term.WaitUntil("the board again", func(text string) bool {
		return strings.Count(text, "Player 2 (net:bundled) plays ") > 0 && strings.Contains(text, "> board")
	})
	term.Type("\x03")
	term.WaitFor("Press Ctrl-C again, or type quit")
	term.Type("\x03")
	require.Zero(t, term.Wait())
	require.Contains(t, term.Text(), "Game saved in")
	kept := filepath.Join(home, "tiro", "connect4.pgn")
	data, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Contains(t, string(data), "1. 4 ")
}

// The board still fits with a bar for every outcome below it.
func TestPlayShowsChances(t *testing.T) {
	for game, c := range map[string]struct{ top, bar string }{
		"coerceo":         {"   ___________\n", "  draw  "},
		"pacru:players=4": {"a   b   c", "  draw  "},
		"connect4":        {" . . . . . . .\n", "  draw  "},
	} {
		t.Run(game, func(t *testing.T) {
			term, _ := sit(t, 80, 24, game, "--level", "1")
			term.WaitFor("to move>")
			term.Type("chances on\r")
			term.WaitFor(c.bar)
			text := term.WaitUntil("the next prompt", func(text string) bool {
				_, after, _ := strings.Cut(text, c.bar)
				return strings.Contains(after, "to move>")
			})
			_, board, _ := strings.Cut(text, "chances on\n")
			require.Contains(t, board, c.top, text)
			require.Contains(t, board, "█")
			require.Zero(t, term.Wraps(), text)
			term.Type("quit\r")
			require.Zero(t, term.Wait())
		})
	}
}
