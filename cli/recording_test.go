//go:build linux

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
	"tiro/internal/screen"
	"tiro/networks"
)

const recording = "testdata/recording.md"

// scene is a command at a prompt, with the moments at which the screen is recorded.
type scene struct {
	title, text string
	columns     int
	command     string
	moments     []moment
}

// moment records the screen as soon as it matches when, and then types keys.
type moment struct {
	caption string
	when    *regexp.Regexp
	keys    string // "MOVE" stands for the move of the last hint
}

const stopKey = "\x03"

var (
	ended    = regexp.MustCompile(`(^|\n)\$\n$`)
	atWork   = regexp.MustCompile(`% \|[^\n]*self-play [1-9][^\n]*\n$`)
	learned  = regexp.MustCompile(`(?s)generation 1 \(.*% \|[^\n]*self-play [1-9][^\n]*\n$`)
	yourMove = regexp.MustCompile(`\(you\) to move>\n$`)
	hinted   = regexp.MustCompile(`(?s)would play (\S+):.*to move>\n$`)
	answered = regexp.MustCompile(`(?s)plays.*to move>\n$`)
)

// scenes are a new user's first minutes, in an order in which each scene finds the
// files that it needs.
var scenes = []scene{
	{
		"A first network", "It learns tic-tac-toe from random weights.", 80,
		"bin/tiro train tictactoe --run runs/tictactoe --generations 10",
		[]moment{{"At the end:", ended, ""}},
	},
	{
		"An exam", "Its move in every position, counted.", 80,
		"bin/tiro exam tictactoe --model runs/tictactoe --sims 8",
		[]moment{{"", ended, ""}},
	},
	{
		"A match", "", 80,
		"bin/tiro match tictactoe --a net:runs/tictactoe --b random --games 100",
		[]moment{{"", ended, ""}},
	},
	{
		"A training that is stopped", "A small network for Coerceo.", 80,
		"bin/tiro train --config configs/quick-coerceo.yaml --run runs/quick",
		[]moment{{"While it plays against itself:", atWork, stopKey}, {"After Ctrl-C:", ended, ""}},
	},
	{
		"The same command resumes it", "", 80,
		"bin/tiro train --config configs/quick-coerceo.yaml --run runs/quick",
		[]moment{{"After a generation, and Ctrl-C:", learned, stopKey}},
	},
	{
		"Is everything there?", "", 80,
		"bin/tiro verify runs/quick",
		[]moment{{"", ended, ""}},
	},
	{
		"The rules of a game", "", 80,
		"bin/tiro rules coerceo | head -22",
		[]moment{{"", ended, ""}},
	},
	{
		"A game against the bundled model", "", 80,
		"bin/tiro play coerceo",
		[]moment{{"At the start:", yourMove, "hint\r"}, {"After `hint`:", hinted, "MOVE\r"}, {"After a move and the answer:", answered, "quit\r"}},
	},
	{
		"The same in a narrow window", "Forty columns are enough.", 40,
		"bin/tiro train --config configs/quick-coerceo.yaml --run runs/narrow",
		[]moment{{"While it plays against itself:", atWork, stopKey}, {"After Ctrl-C:", ended, ""}},
	},
	{
		"A game in a narrow window", "", 40,
		"bin/tiro play connect4",
		[]moment{{"At the start:", yourMove, "4\r"}, {"After a move and the answer:", answered, "quit\r"}},
	},
}

// TestRecording: testdata/recording.md consists of these scenes, and their commands exist. With
// -update the test plays the scenes on a terminal and writes the file.
func TestRecording(t *testing.T) {
	if *update {
		require.NoError(t, os.WriteFile(recording, []byte(recordScenes(t)), 0o644))
	}
	page, err := os.ReadFile(recording)
	require.NoError(t, err)
	var shape strings.Builder
	for i, part := range strings.Split(string(page), "```\n") {
		if i%2 == 0 { // between screens
			shape.WriteString(part)
		}
	}
	require.Equal(t, describe(func(int, int) string { return "" }), shape.String(), "renew the file with make recording")
	for _, s := range scenes {
		requireCommand(t, s.command)
	}
}

// TestRecordingIsOfTheseModels: testdata/recording.md was recorded with the current bundled models.
func TestRecordingIsOfTheseModels(t *testing.T) {
	page, err := os.ReadFile(recording)
	require.NoError(t, err)
	shown := strings.ReplaceAll(string(page), "\n", "") // a narrow window breaks the line anywhere
	for _, s := range scenes {
		game, plays := strings.CutPrefix(s.command, "bin/tiro play ")
		if !plays {
			continue
		}
		model, err := networks.Open(networks.Bundled, game, games.New)
		require.NoError(t, err)
		require.Contains(t, shown, fmt.Sprintf("%s$ %s", "```", s.command)+"engine: "+model.String()+",", "renew the file with make recording")
	}
}

// requireCommand requires that the program has such a command with such flags.
func requireCommand(t *testing.T, line string) {
	line, _, _ = strings.Cut(line, "|")
	requireCommandLine(t, strings.Fields(line)[1:])
	for _, file := range regexp.MustCompile(`configs/\S+`).FindAllString(line, -1) {
		require.FileExists(t, filepath.Join("..", file))
	}
}

// describe returns the page with the screen of each scene and moment, as returned by show.
func describe(show func(scene, moment int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# The first minutes

The screens of a new user's first commands, on a terminal of 80 columns and 24 rows, or of 40 columns
in the last two scenes. Times and rates are replaced by #. `+"`make recording`"+` renews this file.
`)
	for i, s := range scenes {
		fmt.Fprintf(&b, "\n## %s\n\n", s.title)
		if s.text != "" {
			fmt.Fprintf(&b, "%s\n", s.text)
		}
		fmt.Fprintf(&b, "`%s`\n", s.command)
		for j, m := range s.moments {
			fmt.Fprintln(&b)
			if m.caption != "" {
				fmt.Fprintf(&b, "%s\n\n", m.caption)
			}
			b.WriteString(show(i, j))
		}
	}
	return b.String()
}

// recordScenes plays the scenes in a folder of their own and returns the page.
func recordScenes(t *testing.T) string {
	dir := t.TempDir()
	program, err := exec.LookPath("tiro")
	require.NoError(t, err)
	configs, err := filepath.Abs("../configs")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o755))
	require.NoError(t, os.Symlink(program, filepath.Join(dir, "bin", "tiro")))
	require.NoError(t, os.Symlink(configs, filepath.Join(dir, "configs")))
	screens := make([][]string, len(scenes))
	for i, s := range scenes {
		shell := exec.Command("sh", "-i")
		shell.Dir = dir
		shell.Env = append(os.Environ(), "PS1=$ ", "ENV=")
		term := screen.Start(t, shell, s.columns, 24)
		term.WaitUntil("a prompt", ended.MatchString)
		term.Type(s.command + "\r")
		term.WaitUntil("the command", func(text string) bool { return !ended.MatchString(text) })
		for _, m := range s.moments {
			seen := term.WaitUntil(m.when.String(), m.when.MatchString)
			screens[i] = append(screens[i], masked(seen))
			if move := hinted.FindStringSubmatch(seen); move != nil {
				m.keys = strings.Replace(m.keys, "MOVE", move[1], 1)
			}
			term.Type(m.keys)
		}
		t.Logf("%s: %d lines ran over the right edge", s.title, term.Wraps())
	}
	return describe(func(scene, moment int) string { return "```\n" + screens[scene][moment] + "```\n" })
}

// masked replaces the parts of a screen that differ from one recording to the next.
func masked(screen string) string {
	screen = regexp.MustCompile(`\b\d\d:\d\d:\d\d\b`).ReplaceAllString(screen, "##:##:##")
	screen = regexp.MustCompile(`(?m)^ *\d+% \|[█ ]*\| (.*) \d+/`).ReplaceAllString(screen, "  #% |███     | $1 #/")
	return regexp.MustCompile(`\d[\d.,]*( ?(s|ms|min|h|[a-z]+/(s|min|h|hr)|[KMG]iB|%)\b)`).ReplaceAllString(screen, "#$1")
}
