package cli

import (
	"bytes"
	"context"
	"fmt"
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

// TestMeterTellsOffATerminal: a line every few seconds, also while nothing
// moves, and none after the end.
func TestMeterTellsOffATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		m := newMeter(&out)
		m.begin("match", "games", 10)
		time.Sleep(6 * time.Second)
		m.set(4, "(+3 =1 -0)")
		time.Sleep(5 * time.Second)
		m.end()
		time.Sleep(time.Minute)
		m.set(5, "")
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		require.Len(t, lines, 2)
		require.Contains(t, lines[0], "INF match 0 of 10 games")
		require.Contains(t, lines[1], "INF match 4 of 10 games (+3 =1 -0) rate=0.4/s left=15s")
	})
}

// TestMeterTellsBetweenSteps: rate and time left go by the finer amount, as far
// as anybody can tell.
func TestMeterTellsBetweenSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		m := newMeter(&out)
		m.start(job{what: "self-play", steps: amount{done: 46, total: 128, unit: "games"}, fine: amount{unit: "positions"}})
		m.add(0, 10_000)
		time.Sleep(6 * time.Second)
		m.add(1, 10_000)
		time.Sleep(5 * time.Second)
		m.add(1, 10_000)
		m.expect(20_000)
		time.Sleep(5 * time.Second)
		time.Sleep(10 * time.Second) // nothing moves
		m.end()
		var lines []string
		for line := range strings.Lines(out.String()) {
			_, text, _ := strings.Cut(line, " INF ")
			lines = append(lines, strings.TrimSpace(text))
		}
		require.Equal(t, []string{
			"self-play 46 of 128 games, 10000 positions rate=2000/s",
			"self-play 47 of 128 games, 20000 positions rate=2000/s",
			"self-play 48 of 128 games, 30000 positions rate=2000/s left=10s",
			"self-play 48 of 128 games, 30000 positions rate=1000/s left=20s",
			"self-play 48 of 128 games, 30000 positions rate=667/s left=30s",
		}, lines)
	})
}

// TestLinesFit: whatever the job, its line has at most so many columns, and as many
// words as that allows.
func TestLinesFit(t *testing.T) {
	now := time.Now()
	paced := pace{[]mark{{now.Add(-10 * time.Second), 0}, {now, 21_200}}}
	selfplay := job{
		what: "self-play", steps: amount{46, 128, "games"},
		fine: amount{21_200, 43_000, "positions"}, begun: now.Add(-13 * time.Second), pace: paced,
	}
	unknown := selfplay
	unknown.fine.total = 0
	match := job{
		what: "match 3 of 9, generation 10 against mcts:200", short: "match 3 of 9", steps: amount{79, 200, "games"},
		note: "(+80 =0 -0)", whole: "about 12 min left in all", begun: now,
	}
	exam := job{what: "env/connect4/testdata/Test_L2_R2.txt.gz", steps: amount{318, 500, "positions"}, begun: now}
	for _, test := range []struct {
		name    string
		job     job
		columns int
		want    string
	}{
		{"self-play", selfplay, 79, " 49% |█████████           | self-play 46/128 games, 2120 positions/s, 10 s left"},
		{"self-play", selfplay, 39, " 49% |█   | self-play 46/128, 10 s left"},
	} {
		t.Run(fmt.Sprint(test.name, test.columns), func(t *testing.T) {
			require.Equal(t, test.want, test.job.line(now, test.columns))
		})
	}
	for _, j := range []job{selfplay, unknown, match, exam} {
		for columns := range 140 {
			require.LessOrEqual(t, utf8.RuneCountInString(j.line(now, columns)), columns)
		}
	}
}

func TestConsoleWritesNothingBeforeTheFolderIsThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	path := filepath.Join(dir, rundir.LogFile)
	game, err := games.New("mnk")
	require.NoError(t, err)
	c := newConsole(io.Discard, game, recipe.Default("mnk"), &trainOptions{run: dir, workers: 1, generations: 4})
	c.both.Info("lost, but harmless")
	require.NoFileExists(t, path)
	require.NoError(t, os.Mkdir(dir, 0o700))
	events := c.events()
	events.PhaseStart(train.Phase{Name: train.PhaseSelfplay, Done: 3, Total: 8})
	events.Progress(5, 0)
	events.Progress(0, 39)
	events.PhaseEnd()
	events.Generation(rundir.Metrics{Generation: 1, Games: 8, Wins: []int{4, 3}, Draws: 1, Machine: &rundir.Machine{Seconds: 1300}})
	c.close()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), `"msg":"generation 1","won":"4/3","drawn":1`)
	require.Contains(t, string(text), `"state":{"phase":"training","generations":4}`)
}

func TestStoppableEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	never, keep := io.Pipe()
	defer keep.Close()
	r := stoppable(ctx, never)
	go cancel()
	_, err := r.Read(make([]byte, 1))
	require.ErrorIs(t, err, context.Canceled)

	text, err := io.ReadAll(stoppable(t.Context(), strings.NewReader("all of it")))
	require.NoError(t, err)
	require.Equal(t, "all of it", string(text))
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
