package cluster

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
	"tiro/net"
	"tiro/selfplay"
)

// TestNetworksFit: the networks of an announcement take at most a quarter of a worker's memory.
func TestNetworksFit(t *testing.T) {
	f := &fetcher{memory: 1 << 30}
	require.NoError(t, f.fits(256<<20))
	require.ErrorContains(t, f.fits(257<<20), "--memory")
}

// TestFitting: a worker with little memory plays fewer games at once, and refuses games that
// do not fit.
func TestFitting(t *testing.T) {
	const mega = 1 << 20
	for _, test := range []struct {
		memory              int64
		goroutines, atOnce  int
		perGoroutine, games int64
	}{
		{1 << 40, 4, 64, 20 * mega, mega},
		{programBytes + 4*30*mega, 4, 10, 20 * mega, mega},
		{programBytes + 4*21*mega, 4, 1, 20 * mega, mega},
		{programBytes + 4*21*mega - 4, 4, 0, 20 * mega, mega},
		{1 << 40, 4096, 0, 64 << 30, mega},
	} {
		atOnce, err := fitting(test.memory, 0, test.goroutines, needs{test.perGoroutine, test.games, 64})
		require.Equal(t, test.atOnce, atOnce)
		require.Equal(t, test.atOnce == 0, err != nil)
		if err != nil {
			require.ErrorContains(t, err, "--memory")
		}
	}
}

// TestNoTemporaryFolder: a server starts in a container without a folder for temporary files.
func TestNoTemporaryFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", "/nowhere")
	s, err := newServer("127.0.0.1:0", &Credentials{Secret: "secret"})
	require.NoError(t, err)
	require.NoError(t, s.start())
	require.DirExists(t, s.options.StoreDir)
	s.stop()
	require.NoDirExists(t, s.options.StoreDir)
}

// TestManyProcesses: a worker that starts again and again does not keep others out, since its former
// processes are silent.
func TestManyProcesses(t *testing.T) {
	now := time.Unix(1000, 0)
	trainer := &Trainer{o: Options{Version: "1", Lease: time.Minute, Clock: func() time.Time { return now }}, members: map[string]*member{}, log: slog.New(slog.DiscardHandler)}
	join := func(number int) error {
		_, m, err := trainer.hear("restless", strconv.Itoa(number), &request{Tiro: "1", Goroutines: 1})
		if err == nil {
			m.silent = true
		}
		return err
	}
	for number := range maxProcesses + 3 {
		require.NoError(t, join(number))
	}
	require.LessOrEqual(t, len(trainer.members), maxProcesses)
}

// TestSilentWorkers: only a worker that holds games leaves games to others.
func TestSilentWorkers(t *testing.T) {
	now := time.Unix(1000, 0)
	var log bytes.Buffer
	trainer := &Trainer{
		o:       Options{Version: "1", Lease: time.Minute, Clock: func() time.Time { return now }},
		members: map[string]*member{}, log: slog.New(slog.NewTextHandler(&log, nil)),
	}
	for _, name := range []string{"stopped", "killed"} {
		_, m, err := trainer.hear(name, name, &request{Tiro: "1", Goroutines: 1})
		require.NoError(t, err)
		if name == "killed" {
			m.held[3] = true
		}
	}
	now = now.Add(2 * time.Minute)
	for range 2 { // each is reported once
		trainer.noteSilence()
	}
	require.Equal(t, 1, strings.Count(log.String(), `msg="a worker has left" worker=stopped`), log.String())
	require.Equal(t, 1, strings.Count(log.String(), `msg="a worker is silent; others play its games" worker=killed seconds=120`), log.String())
	require.Equal(t, 1, strings.Count(log.String(), "level=WARN"), log.String())
}

// card is a device that is fastest with many positions.
type card struct{ net.Device }

func (card) Batch() int { return 4096 }

// TestTreesOnADevice: search trees keep within their memory, although more games would fill the
// batches of the device.
func TestTreesOnADevice(t *testing.T) {
	game, err := games.New("mnk")
	require.NoError(t, err)
	g := generation{job: selfplay.Job{Game: game, Config: selfplay.Default()}}
	g.job.Config.ConcurrentGames = 4
	trees := 2 * 100 * g.job.Config.Search.Bytes(game)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the network is not needed
	_, err = g.prepare(ctx, &fetcher{memory: math.MaxInt64 / 2, trees: trees}, card{}, 2)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 100, g.job.Config.ConcurrentGames)
}

// TestHandIgnoresForeignGames: a worker plays only games of the announcement.
func TestHandIgnoresForeignGames(t *testing.T) {
	h := &hand{playing: map[int]bool{}}
	h.deal("go", 1, 4, 10)
	h.heed(&reply{Granted: []int{-1, 10, 9, 1 << 40}}, nil)
	require.Equal(t, map[int]bool{9: true}, h.playing)
}
