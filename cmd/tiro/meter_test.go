package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
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
		for _, total := range []int{0, 40_000} {
			m.beginFine("self-play", amount{total: 128, unit: "games"}, amount{total: total, unit: "positions"})
			m.add(0, 10_000)
			time.Sleep(6 * time.Second)
			m.add(1, 10_000)
			time.Sleep(5 * time.Second)
			m.add(1, 30_000)
			time.Sleep(5 * time.Second)
			m.end()
		}
		var lines []string
		for line := range strings.Lines(out.String()) {
			_, text, _ := strings.Cut(line, " INF ")
			lines = append(lines, strings.TrimSpace(text))
		}
		require.Equal(t, []string{
			"self-play 0 of 128 games, 10000 positions rate=2000/s",
			"self-play 1 of 128 games, 20000 positions rate=2000/s",
			"self-play 2 of 128 games, 50000 positions rate=3333/s",
			"self-play 0 of 128 games, 10000 positions rate=2000/s left=15s",
			"self-play 1 of 128 games, 20000 positions rate=2000/s left=10s",
			"self-play 2 of 128 games, 50000 positions rate=3333/s",
		}, lines)
	})
}

// TestBarsTakeGuesses: no guess, and one that falls short, draw a bar too.
func TestBarsTakeGuesses(t *testing.T) {
	for _, total := range []int{0, 40_000} {
		var out bytes.Buffer
		m := newMeter(&out)
		m.bars = true
		m.beginFine("self-play", amount{total: 128, unit: "games"}, amount{total: total, unit: "positions"})
		for range 3 {
			m.add(1, 20_000)
			time.Sleep(110 * time.Millisecond) // bars are not drawn more often
		}
		m.end()
		require.Contains(t, out.String(), "self-play 3/128 games")
		require.Contains(t, out.String(), " positions/s")
	}
}

func TestConsoleWritesNothingBeforeTheFolderIsThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	path := filepath.Join(dir, rundir.LogFile)
	game, err := games.New("mnk")
	require.NoError(t, err)
	c := newConsole(io.Discard, game, &trainOptions{run: dir, workers: 1, generations: 4})
	c.log.Info("lost, but harmless")
	require.NoFileExists(t, path)
	require.NoError(t, os.Mkdir(dir, 0o700))
	events := c.events()
	events.PhaseStart(train.Phase{Name: train.PhaseSelfplay, Done: 3, Total: 8, Actions: 40})
	events.Progress(5, 0)
	events.Progress(0, 39)
	events.PhaseEnd()
	events.Generation(rundir.Metrics{Generation: 1, Games: 8, Wins: []int{4, 3}, Draws: 1, Machine: &rundir.Machine{Seconds: 1300}})
	c.close()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), `"msg":"generation 1","won":"4/3","drawn":1`)
	require.Contains(t, string(text), `"left":"1h5m0s"`)
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
