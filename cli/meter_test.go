package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// TestMeterTellsOffATerminal: without a terminal the meter writes a line every few seconds,
// even without progress, and none after the end.
func TestMeterTellsOffATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		m := newMeter(&out)
		m.begin("match", "games", 0, 10)
		time.Sleep(6 * time.Second)
		m.set(4, "won 3, drawn 1, lost 0")
		time.Sleep(5 * time.Second)
		m.end()
		time.Sleep(time.Minute)
		m.set(5, "")
		m.begin("analysis", "positions", 3, 0)
		time.Sleep(6 * time.Second)
		m.end()
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		require.Len(t, lines, 3)
		require.Contains(t, lines[0], "INF match 0 of 10 games")
		require.Contains(t, lines[1], "INF match 4 of 10 games, won 3, drawn 1, lost 0, 0.4 games/s, 15 s left")
		require.Contains(t, lines[2], "INF analysis 3 positions")
	})
}

// TestJobLeft: the time left follows from the work done since the job began, measured in finer
// units if their total is known.
func TestJobLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in a bubble, where no time passes
		began := time.Now().Add(-10 * time.Second)
		for _, test := range []struct {
			name string
			job  job
			want string
		}{
			{"units", job{done: 5, total: 20, begun: began}, "30 s left"},
			{"resumed", job{done: 15, resumed: 10, total: 20, begun: began}, "10 s left"},
			{"finer units", job{done: 5, total: 20, fine: 100, fineTotal: 300, begun: began}, "20 s left"},
			{"nothing done", job{total: 20, begun: began}, ""},
			{"too early", job{done: 1, total: 20, begun: time.Now().Add(-9 * time.Second)}, ""},
			{"unknown total", job{done: 5, begun: began}, ""},
			{"as good as done", job{done: 19, total: 20, fine: 400, fineTotal: 300, begun: began}, "0 s left"},
		} {
			require.Equal(t, test.want, test.job.left(), test.name)
		}
	})
}

// TestBarFits: the line of any job fits the given number of columns, and uses them for as many
// words as possible.
func TestBarFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in a bubble, where no time passes
		began := time.Now().Add(-10 * time.Second)
		drawn := func(j job, columns int) string {
			return j.line(columns)
		}
		selfplay := job{what: "self-play", unit: "games", done: 46, total: 128, fine: 21_200, fineTotal: 42_400, begun: began}
		require.Regexp(t, `^ +50% \|█+ +\| +self-play 46/128 games, 2120 positions/s, 10 s left *$`, drawn(selfplay, 79))
		require.Regexp(t, `^ +50% \| *\| +self-play 46/128, 10 s left *$`, drawn(selfplay, 39))
		match := job{what: "match 3 of 9, generation 10 against mcts:200,", unit: "games", done: 79, total: 200, note: "(+80 =0 -0)", begun: began}
		require.Regexp(t, `\| +match 3 of 9 79/200, 15 s left *$`, drawn(match, 45))
		unknown := job{what: "analysis", unit: "positions", done: 46, begun: began}
		require.Regexp(t, `^[|/\\-] +analysis 46 positions, 4.6 positions/s *$`, drawn(unknown, 79))
		for _, j := range []job{selfplay, match, unknown} {
			for columns := 20; columns < 140; columns++ {
				require.LessOrEqual(t, utf8.RuneCountInString(drawn(j, columns)), columns, drawn(j, columns))
			}
		}
	})
}

// TestConsoleWritesNothingBeforeTheRun: it leaves other folders as they are.
func TestConsoleWritesNothingBeforeTheRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	path := filepath.Join(dir, rundir.LogFile)
	game, err := games.New("mnk")
	require.NoError(t, err)
	c := newConsole(io.Discard, game, recipe.Default("mnk"), &trainOptions{run: dir, workers: 1, generations: 4})
	c.both.Info("lost, but harmless")
	require.NoFileExists(t, path)
	require.NoError(t, os.Mkdir(dir, 0o700))
	c.both.Info("lost, but harmless")
	require.NoFileExists(t, path)
	require.NoError(t, os.WriteFile(filepath.Join(dir, rundir.ConfigFile), nil, 0o600))
	c.event(train.Phase{Name: train.PhaseSelfplay, Done: 3, Total: 8})
	c.event(train.Advanced{Steps: 5})
	c.event(train.Advanced{Actions: 39})
	c.event(train.PhaseEnded{})
	c.event(train.Completed{Metrics: rundir.Metrics{Generation: 1, Games: 8, Wins: []int{4, 3}, Draws: 1, Machine: &rundir.Machine{Seconds: 1300}}})
	c.close()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), "player 1 won 4, player 2 3, 1 drawn")
	require.Contains(t, string(text), `"state":{"phase":"training","generations":4}`)
}

func TestFold(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		columns          int
	}{
		{"short", "a bb\n", "a bb\n", 5},
		{"long", "a bb ccc dddddd e\n", "a bb ccc\n    dddddd\n    e\n", 8},
		{"colours take no room", "\x1b[2maa\x1b[0m \x1b[92mbb\x1b[0m cc\n", "\x1b[2maa\x1b[0m \x1b[92mbb\x1b[0m cc\n", 8},
		{"lines", "a b\n  c d\n", "a b\n  c d\n", 5},
	} {
		require.Equal(t, test.want, fold(test.text, test.columns), test.name)
	}
}

// TestRows: in a window that has become narrower, the lines of the view and the bar take more
// rows.
func TestRows(t *testing.T) {
	require.Zero(t, (&meter{}).rows(80))
	m := &meter{drawn: []int{79, 0, 40, 41, 79}}
	require.Equal(t, 4, m.rows(80))
	require.Equal(t, 2+1+1+2+1, m.rows(40))
}
