package cluster_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	stdnet "net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/cluster"
	"tiro/disk"
	"tiro/env"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/nettest"
	"tiro/player"
)

// networked makes players that search with a network of random weights.
func networked(t testing.TB, game env.Game, seed uint64, simulations int) player.Factory {
	w := nettest.Weights(game.Spec(), small().Net, env.NewRand(seed))
	digest := sha256.New()
	require.NoError(t, w.Write(digest))
	model := net.Compile(kernel.Best(), w)
	n := player.Network{
		Evaluator: func() mcts.Evaluator { return net.NewEvaluator(game, model, 16) },
		SHA256:    hex.EncodeToString(digest.Sum(nil)), TrainedFor: game.Spec().Name, Write: func(to io.Writer) error { return w.Write(to) },
	}
	f, err := player.Searching(fmt.Sprint("net:", seed), game, player.NetworkConfig(simulations), 0.3, n)
	require.NoError(t, err)
	return f
}

// twoSeats is a match of tic-tac-toe, of networks.
func twoSeats(t testing.TB) arena.Match {
	game, err := games.New("mnk")
	require.NoError(t, err)
	return arena.Match{
		Game: game, Games: 80, Seed: 2, Opening: 2, Workers: 1,
		Players: []player.Factory{networked(t, game, 1, 24), networked(t, game, 2, 16)},
	}
}

// playingMatches are the options of a trainer that has matches played.
func playingMatches(o *cluster.Options) {
	o.Backend = kernel.Best()
}

// table is a trainer of matches.
type table struct {
	*fleet
	trainer *cluster.Trainer
}

// newTable returns a table at a new address, or at the one that change sets.
func newTable(t testing.TB, change func(*cluster.Options)) *table {
	n := newNotes(t, "match")
	o := serving(n)
	playingMatches(&o)
	if change != nil {
		change(&o)
	}
	trainer, err := cluster.New(o)
	require.NoError(t, err)
	t.Cleanup(trainer.Close)
	return &table{&fleet{t: t, notes: n}, trainer}
}

// play has a match played in the background.
func (a *table) play(m arena.Match) <-chan arena.Report { return a.playUntil(context.Background(), m) }

// playUntil has a match played in the background, until ctx ends.
func (a *table) playUntil(ctx context.Context, m arena.Match) <-chan arena.Report {
	m.Elsewhere, m.Workers = a.trainer, 0
	done := make(chan arena.Report, 1)
	a.fleet.done = make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		report, err := arena.Play(ctx, m)
		done <- report
		a.fleet.done <- err
	}()
	a.t.Cleanup(func() { cancel(); <-ended })
	if a.url == "" {
		a.url = a.notes.address(a.t)
	}
	return done
}

// finish waits for the report of a match, which must equal the report of arena.Play.
func (a *table) finish(report <-chan arena.Report, m arena.Match) {
	got := <-report
	require.NoError(a.t, <-a.fleet.done)
	requireReport(a.t, m, got)
}

// requireReport compares a report with the report of a match that this process plays.
func requireReport(t testing.TB, m arena.Match, got arena.Report) {
	m.Elsewhere, m.Workers, m.Finished, m.Record = nil, 2, nil, nil
	want, err := arena.Play(t.Context(), m)
	require.NoError(t, err)
	a, err := json.Marshal(want)
	require.NoError(t, err)
	b, err := json.Marshal(got)
	require.NoError(t, err)
	require.Equal(t, string(a), string(b))
	require.Equal(t, want.String(), got.String())
}

// TestSameMatch: a match has the same report whether workers or this process play it.
func TestSameMatch(t *testing.T) {
	three, err := games.New("shacru:players=3")
	require.NoError(t, err)
	m := twoSeats(t)
	for _, test := range []struct {
		name          string
		match         arena.Match
		here, workers int
	}{
		{"networks", m, 0, 2},
		{"this process, too", m, 1, 1},
		{"three seats", arena.Match{
			Game: three, Games: 12, Seed: 3, Opening: 4,
			Players: []player.Factory{networked(t, three, 3, 4), player.Must(three, "greedy"), player.Must(three, "mcts:3")},
		}, 0, 2},
		{"more openings than games", arena.Match{
			Game: m.Game, Games: 8, Seed: 4, Players: []player.Factory{player.Must(m.Game, "mcts:9"), player.Must(nil, "random")},
			Starts: slices.Repeat([]arena.Start{{Moves: []string{"a1"}}, {Moves: []string{"b2"}}}, 30_000),
		}, 0, 1},
		{"test", arena.Match{
			Game: m.Game, Games: 800, Seed: 5, Opening: 1, Players: []player.Factory{player.Must(m.Game, "mcts:60"), player.Must(nil, "random")},
			SPRT:         &arena.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05},
			Adjudication: arena.Adjudication{Threshold: 0.9, ConsecutiveMoves: 1, PlayOut: 0.1, MaxPlies: 8},
		}, 0, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newTable(t, func(o *cluster.Options) { o.Workers, o.Twice = test.here, 0.2 })
			report := a.play(test.match)
			for i := range test.workers {
				a.worker(fmt.Sprint("worker-", i), nil)
			}
			a.finish(report, test.match)
		})
	}
}

// recorded returns a match with its games in a file.
func recorded(t testing.TB, m arena.Match, path string) (arena.Match, *arena.GameLog) {
	l, err := arena.OpenGameLog(disk.OS{}, path, m.Game)
	require.NoError(t, err)
	require.NoError(t, l.Resume(&m, arena.Builder{Tiro: version, Backend: kernel.Best().Bits()}))
	return m, l
}

// TestMatchResumes: a worker goes in the middle of a match, then the match itself, and
// the recorded games are not played again.
func TestMatchResumes(t *testing.T) {
	m := twoSeats(t)
	path := filepath.Join(t.TempDir(), "games.jsonl")
	a := newTable(t, nil)
	first, log := recorded(t, m, path)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	number, reached, proceed := 0, make(chan struct{}), make(chan struct{})
	record := first.Record
	first.Record = func(r arena.GameRecord) error { // pauses the match after a quarter and after half of its games
		err := record(r)
		if number++; number%(m.Games/4) == 0 {
			for _, c := range []chan struct{}{reached, proceed} {
				select {
				case c <- struct{}{}:
				case <-ctx.Done():
				}
			}
		}
		return err
	}
	a.playUntil(ctx, first)
	_, stop := startWorker(t, a.url, "first", nil)
	<-reached
	require.NoError(t, stop())
	a.worker("second", nil)
	<-proceed
	<-reached
	cancel()
	require.ErrorIs(t, <-a.fleet.done, context.Canceled)
	require.NoError(t, log.Close())

	again, log := recorded(t, m, path)
	require.NotEmpty(t, again.Finished)
	b := newTable(t, nil)
	report := b.play(again)
	b.worker("third", nil)
	b.finish(report, m)
	require.NoError(t, log.Close())
}

// TestTrainingAndMatch: a worker plays for a training, for matches and for a training
// again, and fetches each network once a task.
func TestTrainingAndMatch(t *testing.T) {
	t.Parallel()
	want := undisturbed(t, 2)
	at := freePort()
	f := startTraining(t, 2, func(o *cluster.Options) { o.Listen = at })
	busy := f.worker("busy", nil)
	require.NoError(t, <-f.done)
	requireSame(t, want, f.dir)

	m := twoSeats(t)
	for seed := range uint64(2) {
		m.Seed = seed
		freed(t, at)
		a := newTable(t, func(o *cluster.Options) { o.Listen = at })
		report := a.play(m)
		a.finish(report, m)
		a.trainer.Close()
	}
	freed(t, at)
	start(t, training(t, t.TempDir(), 2), func(o *cluster.Options) { o.Listen = at }).finishWith(want)
	require.GreaterOrEqual(t, strings.Count(busy.all(), "playing matches (1)"), 2)
	require.Equal(t, 8, strings.Count(busy.all(), "network fetched"), "one a generation, two a match")
	require.NotContains(t, busy.all(), "cannot play the announced games")
}

// finishWith waits for the end of a run that others play.
func (f *fleet) finishWith(want map[string]string) {
	require.NoError(f.t, <-f.done)
	requireSame(f.t, want, f.dir)
}

// TestMatchRefuses: players that workers cannot make are refused before anything is
// announced.
func TestMatchRefuses(t *testing.T) {
	a := newTable(t, nil)
	m := twoSeats(t)
	timed, err := player.Parse("mcts:time=1s", 1)
	require.NoError(t, err)
	clocked, err := timed.Factory(m.Game, player.Resources{Clock: player.Clock{Now: time.Now}})
	require.NoError(t, err)
	inside, err := player.Searching("inside", m.Game, player.NetworkConfig(3), 0, player.Network{Evaluator: func() mcts.Evaluator { return mcts.Uniform{} }})
	require.NoError(t, err)
	for want, other := range map[string]player.Factory{
		"mcts:time=1s": clocked,
		"inside":       inside,
	} {
		m.Players = []player.Factory{player.Must(nil, "random"), other}
		m.Elsewhere = a.trainer
		_, err := arena.Play(t.Context(), m)
		require.ErrorContains(t, err, want)
	}
	require.Empty(t, a.notes.all())
}

// TestMatchBesideTraining: a server serves one training or match at a time.
func TestMatchBesideTraining(t *testing.T) {
	t.Parallel()
	f := startTraining(t, 1, nil)
	f.intruder("eve").announced() // until then it is not announced
	a := newTable(t, func(o *cluster.Options) { o.Listen, o.URL = "", f.url })
	m := twoSeats(t)
	m.Elsewhere = a.trainer
	_, err := arena.Play(t.Context(), m)
	require.ErrorContains(t, err, "another training, match or rating uses this server")
	f.worker("honest", nil)
	require.NoError(t, <-f.done)
}

// freed waits until an address is free.
func freed(t testing.TB, address string) {
	require.Eventually(t, func() bool {
		l, err := stdnet.Listen("tcp", address)
		return err == nil && l.Close() == nil
	}, 2*time.Minute, 10*time.Millisecond)
}
